/* SHA-256 of short texts, for transcripts; see FIPS 180-4. */
#ifndef SHA256_H
#define SHA256_H

#include <stddef.h>
#include <stdint.h>

/* The first 16 hexadecimal digits of the digest, and a NUL. */
void sha256_begin(const void *text, size_t length, char digits[17]);

#endif
