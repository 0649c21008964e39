"""Runs a sample of samples_legacy, or an end of it, beside its twin in samples_new and compares what the ends print.

`python -m migrate verify` is different: it judges any program by what the library recorded on both sides, not by what
the program prints. Here the printed transcript is the point: samples print what they sent, received and counted in one
form, whatever they are written in, and this tool checks that. It pairs ends that verify does not: in Python, cffi,
ctypes and C, of both folders, on other drivers; and it compares the file that arrives.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tools.processes import ROOT, Ending, ProcessError, finish, read_until, running

LEGACY = ROOT / "samples_legacy"
MODERN = ROOT / "samples_new"
LAUNCHER = (sys.executable, "-m", "comm_channel_compat")
DEADLINE_S = 120.0

# Samples of both folders, and those of the modern one alone, which show what the old APIs did not have.
SAMPLES = ("hello", "file_transfer", "two_threads", "many_clients")
GENERATION_2 = {"ctrl_path": "cc_ctrl_path", "data_path_high_speed": "cc_data_path"}  # by their names in the old folder
MODERN_ONLY = ("bulk_transfer", "scale_probe")
ALONE = ("msgq_ping_pong", "msgq_dma_copy")  # one program each, which talks to kernels on the DPA
UNORDERED = tuple(GENERATION_2)  # whether an end hears first of its own sending or of the other's is open
# Samples that call the C library: how they are written -> their folder, and which there are.
SPELLED = {
    "cffi": (LEGACY / "with_cffi", (*SAMPLES[:3], "ctrl_path")),
    "ctypes": (LEGACY / "with_ctypes", (*SAMPLES[:2], "ctrl_path")),
    "c": (LEGACY / "in_c", SAMPLES[:1]),
}
# What migrate rewrites; one file has what both ends of the fast path do.
REWRITTEN = sorted(
    [f"{sample}_{end}.py" for sample in (*SAMPLES, *GENERATION_2.values()) for end in ("client", "service")]
    + ["cc_data_path_common.py"]
)
PAIRINGS = (("old", "old"), ("old", "new"), ("new", "old"), ("new", "new"))  # (service, client)


@dataclass(frozen=True)
class Transcript:
    """What one end of a sample told: the facts that must not change when a program is ported."""

    messages: Mapping[str, tuple[str, ...]]  # per peer, in order: direction, length, digest
    statistics: Mapping[str, str]  # per peer: the last counts
    results: tuple[str, ...]
    exit_status: int
    text: str = field(compare=False)
    errors: str = field(compare=False)  # standard error: wording may differ

    @classmethod
    def of(cls, ending: Ending, already_read: str = "", *, ordered: bool = True) -> Transcript:
        """What a process that has ended told; `already_read` comes before its last output."""
        text = already_read + ending.output
        messages: dict[str, tuple[str, ...]] = {}
        statistics: dict[str, str] = {}
        results: list[str] = []
        for line in text.splitlines():
            word, _, rest = line.partition(" ")
            peer, _, fact = rest.partition(" ")
            if word == "peer" and fact.startswith("statistics: "):
                statistics[peer] = fact.removeprefix("statistics: ")
            elif word == "peer":
                messages[peer] = (*messages.get(peer, ()), fact)
            elif word == "result":
                results.append(rest)
        if not ordered:
            messages = {peer: tuple(sorted(facts)) for peer, facts in messages.items()}
        return cls(messages, statistics, tuple(results), ending.status, text, ending.errors)


@dataclass(frozen=True)
class PairOutcome:
    """Both transcripts of one run; of a transfer also the file, as it was given and as the service wrote it."""

    service: Transcript
    client: Transcript
    given: bytes | None = None
    written: bytes | None = None

    def failures(self) -> list[str]:
        """What went wrong, a sentence for each. Two runs that fail alike prove nothing, nor do two that say nothing."""
        found = []
        for name, end in (("service", self.service), ("client", self.client)):
            if end.exit_status != 0 or end.results != ("DOCA_SUCCESS",) or not end.messages:
                result = ", ".join(end.results) or "none"
                found.append(f"{name}: exit status {end.exit_status}, result {result}\n{end.errors}".rstrip())
        if self.written != self.given:
            found.append("service: the file written is not the file given")
        return found


def differences(expected: PairOutcome, actual: PairOutcome) -> list[str]:
    """One sentence per fact that is not the same in both runs; empty when nothing changed."""
    found = []
    for end in ("service", "client"):
        before, after = getattr(expected, end), getattr(actual, end)
        for fact in ("messages", "statistics", "results", "exit_status"):
            old, new = getattr(before, fact), getattr(after, fact)
            if old != new:
                found.append(f"{end}: {fact.replace('_', ' ')} were {old}, are now {new}")
    if expected.written != actual.written:
        found.append("service: the file written is not the same")
    return found


@dataclass(frozen=True)
class Stage:
    """A place to run samples in: a meeting directory of its own, and a file to be transferred."""

    folder: Path
    payload: bytes
    built: Path | None = None  # where the compiled ones lie

    def command(self, manner: str, script: str, *arguments: str) -> list[str]:
        """How an end is started: an old script or program by the launcher, the others by Python alone."""
        if manner == "c":
            if self.built is None:
                raise ValueError("nothing has been compiled yet")
            return [*LAUNCHER, "exec", str(self.built / script.removesuffix(".py")), *arguments]
        if manner == "old" or manner in SPELLED:
            folder = LEGACY if manner == "old" else SPELLED[manner][0]
            return [*LAUNCHER, "run", str(folder / script), *arguments]
        return [sys.executable, str(MODERN / script), *arguments]

    def environment(self, manner: str) -> dict[str, str]:
        """The variables that an end of this manner gets."""
        return {**os.environ, "COMCH_RUNTIME_DIR": str(self.folder), "PYTHONDONTWRITEBYTECODE": "1"}

    def run(self, manner: str, script: str, *arguments: str) -> Transcript:
        """Run one end to its end."""
        with running(self.command(manner, script, *arguments), self.environment(manner)) as process:
            return Transcript.of(finish(process, time.monotonic() + DEADLINE_S))

    def run_pair(self, sample: str, service: str, client: str) -> PairOutcome:
        """Run both ends of a sample, the client as soon as the service says that it listens."""
        deadline = time.monotonic() + DEADLINE_S
        source, target = self.folder / "source", self.folder / "target"
        source.write_bytes(self.payload)
        target.unlink(missing_ok=True)
        files = [["-f", str(target)], ["-f", str(source)]] if sample == "file_transfer" else [[], []]
        given = self.payload if sample == "file_transfer" else None
        service_command = self.command(service, script_of(sample, "service", service), *files[0])
        client_command = self.command(client, script_of(sample, "client", client), *files[1])
        ordered = sample not in UNORDERED
        with running(service_command, self.environment(service)) as service_process:
            greeting = read_until(service_process, "listening", deadline)
            with running(client_command, self.environment(client)) as client_process:
                client_transcript = Transcript.of(finish(client_process, deadline), ordered=ordered)
                try:
                    ending = finish(service_process, deadline)
                    service_transcript = Transcript.of(ending, greeting, ordered=ordered)
                except ProcessError as error:
                    told = f"{client_transcript.text}{client_transcript.errors}"
                    raise ProcessError(f"{error}\nBefore, the client told:\n{told}") from None
        written = target.read_bytes() if target.exists() else None
        return PairOutcome(service_transcript, client_transcript, given, written)


def script_of(sample: str, end: str, manner: str) -> str:
    """The file name of an end of a sample, which the second old API had under another name."""
    name = sample if "new" in manner.split() else GENERATION_2.get(sample, sample)
    return f"{name}_{end}.py"


def build_samples(folder: Path) -> None:
    """Compile the samples in C into a folder, each by the line that its first comment gives."""
    source = SPELLED["c"][0]
    settings = subprocess.run(
        [*LAUNCHER, "env"], cwd=ROOT, capture_output=True, text=True, timeout=DEADLINE_S, check=True
    )
    for program in sorted(source.glob("*.c")):
        for line in program.read_text(encoding="ascii").splitlines()[:2]:
            if line.lstrip(" *").startswith("cc "):
                command = line.strip(" */").replace("-o ", f"-Wall -Wextra -Werror -o {shlex.quote(str(folder))}/")
                shell = ["sh", "-c", f"{settings.stdout}{command}"]
                subprocess.run(shell, cwd=source, timeout=DEADLINE_S, check=True)


def copy_samples(folder: Path) -> list[Path]:
    """Copies of the old samples, for the rewriter to work on."""
    return [Path(shutil.copy(LEGACY / script, folder)) for script in REWRITTEN]


def migrate(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the rewriter as a user does."""
    command = [sys.executable, "-m", "migrate", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=DEADLINE_S, check=False)
