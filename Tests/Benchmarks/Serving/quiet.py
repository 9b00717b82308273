"""Whether a run had the machine to itself."""

import os
from dataclasses import dataclass
from pathlib import Path

# Of all processors: below it the medians do not move.
_BUSY = 0.03


@dataclass(frozen=True)
class _Times:
    """Seconds of all processors together since the system started; `own` are this program's, with
    those of programs that it started and that have ended."""

    every: float
    used: float
    withheld: float
    own: float

    @classmethod
    def now(cls) -> "_Times":
        # user nice system idle iowait irq softirq steal
        line = Path("/proc/stat").read_text().splitlines()[0]
        ticks = [int(word) / os.sysconf("SC_CLK_TCK") for word in line.split()[1:9]]
        return cls(
            every=sum(ticks), used=sum(ticks[:3]), withheld=ticks[7], own=sum(os.times()[:4]))


class Quiet:
    """Watches from now on what others use."""

    def __init__(self) -> None:
        self.load = os.getloadavg()[0]
        self._before = _Times.now()

    def sentence(self) -> str:
        """What others used, and plainly if it was too much. Servers must have ended by then."""
        before, after = self._before, _Times.now()
        every = after.every - before.every
        others = max(0.0, (after.used - before.used) - (after.own - before.own)) / every
        withheld = (after.withheld - before.withheld) / every
        text = (
            f"Load {self.load:.1f} before, and {os.getloadavg()[0]:.1f} after with this run's own; "
            f"other programs used {others * 100:.1f} % of the processors, and the hypervisor "
            f"withheld {withheld * 100:.1f} %.")
        if max(others, withheld) > _BUSY:
            text += " **The machine was busy: trust no figure, and ratios only roughly.**"
        return text
