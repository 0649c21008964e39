"""Starts a server and its clients, does them violence at random instants, and compares what they tell afterwards."""

from __future__ import annotations

import random
import signal
import time
from collections import Counter

from tests.processes import SOON_S, Child, StartPython

CLIENTS = 4


class Conductor:
    """One run: everything that it chooses comes from the seed."""

    def __init__(self, start: StartPython, face: str, seed: int, seconds: float) -> None:
        self._start = start
        self._face = face
        self._rng = random.Random(seed)
        self._seed = seed
        self._seconds = seconds
        self._number = 0
        self._killed: set[int] = set()
        self._bereaved: Counter[int] = Counter()  # clients killed, by their server
        self._past: list[Child] = []
        self.stopped = 0
        self.server = self._worker("server")
        self.server.wait_for("listening")
        self.clients = [self._worker("client") for _ in range(CLIENTS)]

    def _worker(self, role: str) -> Child:
        self._number += 1
        seed = f"{self._seed}.{self._number}"
        return self._start("-m", "tests.stress.worker", self._face, role, seed, deadline_s=self._seconds + 200)

    def run(self) -> None:
        """Violence for the time given, then an orderly end."""
        deadline = time.monotonic() + self._seconds
        while time.monotonic() < deadline or not (self._has_met() or time.monotonic() > deadline + SOON_S):
            time.sleep(self._rng.expovariate(5.0))
            self._rng.choices((self._stop_somebody, self._kill_a_client, self._kill_the_server), (6, 3, 1))[0]()
            for child in (self.server, *self.clients):
                assert child.process.poll() is None, self._told(child)
        for client in self.clients:
            client.say("end\n")
        for client in self.clients:
            client.succeed()
        self.server.say("end\n")
        self.server.succeed()
        self._past += [self.server, *self.clients]

    def _has_met(self) -> bool:
        """Whether a server has heard from a client."""
        return any(child.has_said("met") for child in (self.server, *self._past))

    def _stop_somebody(self) -> None:
        child = self._rng.choice((self.server, *self.clients))
        child.signal(signal.SIGSTOP)
        time.sleep(self._rng.choice((0.001, 0.05, 0.2)))
        child.signal(signal.SIGCONT)
        self.stopped += 1

    def _kill(self, child: Child) -> None:
        self._killed.add(child.pid)
        child.kill()
        self._past.append(child)

    def _kill_a_client(self) -> None:
        index = self._rng.randrange(CLIENTS)
        self._bereaved[self.server.pid] += 1
        self._kill(self.clients[index])
        self.clients[index] = self._worker("client")

    def _kill_the_server(self) -> None:
        self._kill(self.server)
        self.server = self._worker("server")
        self.server.wait_for("listening")

    # What they told

    def _told(self, child: Child) -> str:
        done = child.finish()
        return done.stdout + done.stderr

    def check(self) -> Counter[str]:
        """Compare the accounts of all processes; how often each fate was met."""
        fates: Counter[str] = Counter(killed=len(self._killed), stopped=self.stopped)
        for child in self._past:
            done = child.finish()
            assert "FAULT" not in done.stdout, done.stdout + done.stderr
            assert done.returncode == (-signal.SIGKILL if child.pid in self._killed else 0), done.stderr
            lines = [tuple(line.split()) for line in done.stdout.splitlines() if line.count(" ") == 1]
            fates.update(word for word, _ in lines)
            self._check(child, lines)
        return fates

    def _check(self, child: Child, lines: list[tuple[str, ...]]) -> None:
        """A life ends once and in one way; the end of a process is told of killed processes only, and once."""
        ends = Counter(life for word, life in lines if word in ("left", "reset") and life != "unknown")
        for life, times in ends.items():
            assert times == 1, f"life {life} ended {times} times for process {child.pid}"
        is_server = "server" in child.command
        if is_server:
            resets = sum(word == "reset" for word, _ in lines)
            assert resets <= self._bereaved[child.pid], f"{resets} deaths of {self._bereaved[child.pid]} clients"
            for word, life in lines:
                if word == "reset" and life != "unknown":
                    assert int(life, 16) >> 32 in self._killed, f"life {life} was said to be dead"
        began = Counter(life for word, life in lines if word == ("met" if is_server else "up"))
        assert set(began.values()) <= {1}
        if child.pid not in self._killed:
            assert set(began) == set(ends), f"process {child.pid} does not tell what became of a connection"
