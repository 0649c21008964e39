#include "sha256.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define ROUNDS 64

/* The first 32 bits of the fraction of a root of a prime. */
static uint32_t fraction(double root)
{
	return (uint32_t)((root - floor(root)) * 4294967296.0);
}

/* The constants are the fractions of the roots of the first primes: square roots to begin with, then cube roots. */
static void constants(uint32_t state[8], uint32_t key[ROUNDS])
{
	int found = 0, number, divisor;

	for (number = 2; found < ROUNDS; number++) {
		for (divisor = 2; divisor * divisor <= number && number % divisor; divisor++)
			;
		if (divisor * divisor <= number)
			continue;
		if (found < 8)
			state[found] = fraction(sqrt(number));
		key[found++] = fraction(cbrt(number));
	}
}

static uint32_t rotate(uint32_t word, int bits)
{
	return word >> bits | word << (32 - bits);
}

static void add_block(uint32_t state[8], const uint32_t key[ROUNDS], const uint8_t block[64])
{
	uint32_t w[ROUNDS], v[8], first, second;
	int i;

	for (i = 0; i < 16; i++)
		w[i] = (uint32_t)block[4 * i] << 24 | block[4 * i + 1] << 16 | block[4 * i + 2] << 8 | block[4 * i + 3];
	for (; i < ROUNDS; i++)
		w[i] = w[i - 16] + w[i - 7] +
		       (rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3) +
		       (rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10);
	memcpy(v, state, sizeof(v));
	for (i = 0; i < ROUNDS; i++) {
		first = v[7] + (rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25)) +
			((v[4] & v[5]) ^ (~v[4] & v[6])) + key[i] + w[i];
		second = (rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22)) +
			 ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
		memmove(v + 1, v, 7 * sizeof(*v));
		v[4] += first;
		v[0] = first + second;
	}
	for (i = 0; i < 8; i++)
		state[i] += v[i];
}

void sha256_begin(const void *text, size_t length, char digits[17])
{
	const uint64_t bits = (uint64_t)length * 8;
	uint32_t state[8], key[ROUNDS];
	uint8_t block[64];
	size_t done, part;
	int i;

	constants(state, key);
	for (done = 0; done <= length + 8; done += sizeof(block)) {
		part = done < length ? length - done : 0;
		memset(block, 0, sizeof(block));
		memcpy(block, (const uint8_t *)text + (part ? done : 0), part < sizeof(block) ? part : sizeof(block));
		if (done <= length && part < sizeof(block))
			block[part] = 0x80;
		if (done + sizeof(block) > length + 8)
			for (i = 0; i < 8; i++)
				block[63 - i] = (uint8_t)(bits >> 8 * i);
		add_block(state, key, block);
	}
	snprintf(digits, 17, "%08" PRIx32 "%08" PRIx32, state[0], state[1]);
}
