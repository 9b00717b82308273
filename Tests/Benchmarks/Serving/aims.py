"""What is aimed at, and whether a run has reached it."""

import statistics
from dataclasses import dataclass

from edits import Round
from findings import Findings
from throughput import FLOOR, REFERENCE, Row


def lines(findings: Findings) -> list[list[str]]:
    """For each aim what it is about, its value, what was found, and whether that is enough."""
    found = _of_throughput(findings.rows) + _of_scale(findings) + _of_edits(findings.rounds)
    return [aim.line for aim in found]


@dataclass(frozen=True)
class _Aim:
    what: str
    aim: float
    found: float
    unit: str = "×"
    at_most: bool = False

    @property
    def line(self) -> list[str]:
        reached = self.found <= self.aim if self.at_most else self.found >= self.aim
        sign, missed = ("≤", "over") if self.at_most else ("≥", "short")
        gap = f"{abs(self.found / self.aim - 1) * 100:.0f} % {missed}"
        return [
            self.what, f"{sign} {self.aim:g} {self.unit}", f"{self.found:.3g} {self.unit}",
            "yes" if reached else f"no, {gap}"]


def _of_throughput(rows: list[Row]) -> list[_Aim]:
    kept, close, conditional, medium, large = rows

    def requests(row: Row, aim: float) -> _Aim:
        return _Aim(f"{row.name}: requests/s against nginx", aim,
                    row.ratio("aasa", "per_second", REFERENCE))

    def cpu(row: Row, aim: float) -> _Aim:
        return _Aim(f"{row.name}: CPU against nginx", aim, 1 / row.ratio("aasa", "cpu", REFERENCE))

    aims = [
        requests(kept, 1.9), requests(medium, 1.15), requests(large, 1.0), cpu(large, 1.2),
        requests(close, 1.0), cpu(close, 1.1), requests(conditional, 1.3)]
    aims += [
        _Aim(f"{row.name}: p99 against nginx's", 1.0, row.ratio("aasa", "p99", REFERENCE),
             at_most=True) for row in rows]
    aims += [
        _Aim(f"{row.name}: requests/s against bare C", 0.95,
             row.ratio("aasa", "per_second", FLOOR)) for row in rows]
    return aims


def _of_scale(findings: Findings) -> list[_Aim]:
    few, many = findings.speed.slices
    largest = next(size for size in reversed(findings.sizes) if not size.equal)
    served = max(time.from_commit for time in findings.edit_times)
    aasa, bare_c = findings.calls
    return [
        _Aim(f"requests/s with {many} domains against {few}", 0.9,
             findings.speed.ratio(many, "per_second", few)),
        _Aim(f"resident memory with {many} domains", 300, largest.memory["Rss"], "MB", True),
        _Aim(f"start with {many} domains", 1, largest.start_seconds, "s", True),
        _Aim("an edit's commit to served, the longest", 20, served, "ms", True),
        # How often each of them waits depends on the load, so not to the last digit.
        _Aim("system calls a request against bare C", 1.01, aasa.total / bare_c.total,
             at_most=True)]


def _of_edits(rounds: list[Round]) -> list[_Aim]:
    return [
        _Aim("edits/s of 1 editor against the disk", 0.5,
             statistics.median(one.one / one.disk for one in rounds)),
        _Aim("edits/s of 8 editors against the disk", 1,
             statistics.median(one.eight / one.disk for one in rounds)),
        _Aim("readers' p99 beside 8 editors against at rest", 2,
             statistics.median(one.beside.p99 / one.at_rest.p99 for one in rounds), at_most=True)]
