"""Programs that are started for a measurement: where they run, what they use, and their end."""

import contextlib
import os
import subprocess
import time
from pathlib import Path

# Looking at clocks a few times a second counts as being still; so much of a processor.
_STILL_USE = 0.02
_LOOK_EVERY = 0.1
_LONGEST_WORK = 180


class Process:
    """A program and those that it starts, on one processor or on all."""

    def __init__(
        self, command: list[str], log: Path, core: int | None = None,
        environment: dict[str, str] | None = None,
    ) -> None:
        pinned = ["taskset", "--cpu-list", str(core)] if core is not None else []
        self._command = " ".join(command)
        self._log = log
        with log.open("wb") as output:
            self._popen = subprocess.Popen(
                pinned + command, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                env=os.environ | (environment or {}))

    @property
    def pid(self) -> int:
        return self._popen.pid

    def check_runs(self) -> None:
        if self._popen.poll() is not None:
            raise RuntimeError(f"{self._command} ended:\n{self._log.read_text()}")

    def stop(self) -> None:
        self._popen.terminate()
        try:
            self._popen.wait(timeout=15)
        except subprocess.TimeoutExpired:
            self._popen.kill()
            self._popen.wait()

    def cpu_seconds(self) -> float:
        """User and system time so far, of ended threads too."""
        return sum(time.clock_gettime(_cpu_clock(pid)) for pid in self._pids())

    def wait_until_still(self, seconds: float) -> None:
        """Returns when the program has had next to nothing to do for so long."""
        deadline = time.monotonic() + _LONGEST_WORK
        still_since, used = time.monotonic(), self.cpu_seconds()
        while time.monotonic() - still_since < seconds:
            time.sleep(_LOOK_EVERY)
            now = self.cpu_seconds()
            if now - used > _STILL_USE * _LOOK_EVERY:
                still_since = time.monotonic()
            used = now
            if time.monotonic() > deadline:
                raise RuntimeError(f"{self._command} does not come to rest.")

    def memory_megabytes(self) -> dict[str, float]:
        """Resident memory (Rss), that with shared pages counted in part (Pss), and the most that
        was ever resident (VmHWM)."""
        sums = {"Rss": 0.0, "Pss": 0.0, "VmHWM": 0.0}
        for pid in self._pids():
            for file in ("smaps_rollup", "status"):
                for line in Path(f"/proc/{pid}/{file}").read_text().splitlines():
                    name = line.split(":")[0]
                    if name in sums:
                        sums[name] += int(line.split()[1]) / 1000
        return sums

    def _pids(self) -> list[int]:
        found = [self.pid]
        for pid in found:
            for task in Path(f"/proc/{pid}/task").iterdir():
                # A thread may end meanwhile; the server itself never has children by such a one.
                with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                    found += [int(child) for child in (task / "children").read_text().split()]
        return found


def _cpu_clock(pid: int) -> int:
    """As clock_getcpuclockid makes it on Linux: finer than the ticks of /proc/PID/stat."""
    scheduler_clock = 2
    return ~pid << 3 | scheduler_clock
