"""What is aimed at, and whether a run has reached it."""

import statistics
from dataclasses import dataclass

import edits
from edits import Round
from findings import Findings
from throughput import FLOOR, Row

# From here on a faster server would not get more requests.
_CLIENT_BOUND = 0.95


def lines(findings: Findings) -> list[list[str]]:
    """For each aim what it is about, its value, what was found, whether that is enough, and the
    same for the other nginx."""
    found = (_of_throughput(findings.rows) + _of_https(findings.https) + _of_scale(findings)
             + _of_edits(findings.rounds))
    return [aim.line for aim in found]


@dataclass(frozen=True)
class _Aim:
    what: str
    aim: float
    found: float
    unit: str = "×"
    at_most: bool = False
    # What was found against the other nginx.
    slower: float | None = None

    @property
    def line(self) -> list[str]:
        sign = "≤" if self.at_most else "≥"
        slower = "" if self.slower is None else (
            f"{self.slower:.3g} {self.unit}: {self._verdict(self.slower)}")
        return [
            self.what, f"{sign} {self.aim:g} {self.unit}", f"{self.found:.3g} {self.unit}",
            self._verdict(self.found), slower]

    def _verdict(self, found: float) -> str:
        if found <= self.aim if self.at_most else found >= self.aim:
            return "yes"
        missed = "over" if self.at_most else "short"
        return f"no, {abs(found / self.aim - 1) * 100:.1f} % {missed}"


def _of_throughput(rows: list[Row]) -> list[_Aim]:
    kept, close, conditional, medium, large = rows

    def requests(row: Row, aim: float) -> _Aim:
        return _against_nginx(row, "requests/s", "per_second", aim)

    def cpu(row: Row, aim: float) -> _Aim:
        return _against_nginx(row, "CPU", "cpu", aim)

    aims = [
        requests(kept, 1.9), requests(medium, 1.15), requests(large, 1.0), cpu(large, 1.2),
        requests(close, 1.0), cpu(close, 1.1), requests(conditional, 1.3)]
    aims += [_against_nginx(row, "p99", "p99", 1.0, at_most=True) for row in rows]
    for row in rows:
        aims.append(_Aim(f"{row.name}: requests/s against bare C", 0.95,
                         row.ratio("aasa", "per_second", FLOOR)))
        if row.median(FLOOR, "client_use") > _CLIENT_BOUND:
            aims.append(_Aim(f"{row.name}: CPU against bare C, whose client is the limit", 0.95,
                             row.ratio(FLOOR, "cpu", "aasa")))
    return aims


def _against_nginx(
    row: Row, what: str, value: str, aim: float, at_most: bool = False
) -> _Aim:
    def ratio(reference: str) -> float:
        # Less CPU a request is better, and the aim is how many times less.
        if value == "cpu":
            return row.ratio(reference, value, "aasa")
        return row.ratio("aasa", value, reference)

    faster, slower = row.references
    return _Aim(f"{row.name}: {what} against {faster}", aim, ratio(faster), at_most=at_most,
                slower=ratio(slower))


def _of_https(rows: list[Row]) -> list[_Aim]:
    kept, full, resumed = rows
    return [
        _Aim(f"{kept.name}: requests/s against nginx", 1,
             kept.ratio("aasa", "per_second", "nginx")),
        _Aim(f"{full.name}: CPU against nginx", 1.2, full.ratio("aasa", "cpu", "nginx"),
             at_most=True),
        _Aim(f"{resumed.name}: CPU against nginx", 1, resumed.ratio("aasa", "cpu", "nginx"),
             at_most=True)]


def _of_scale(findings: Findings) -> list[_Aim]:
    few, many = findings.speed.slices
    largest = next(size for size in reversed(findings.sizes) if not size.equal)
    aasa, bare_c = findings.calls
    served = [
        _Aim(f"longest time from commit to served with {domains} domains", 20,
             max(one.from_commit for one in times), "ms", True)
        for domains, times in findings.edit_times.items()]
    return served + [
        _Aim(f"requests/s with {many} domains against {few}", 0.9,
             findings.speed.ratio(many, "per_second", few)),
        _Aim(f"resident memory with {many} domains, all fetched, also with If-None-Match", 300,
             largest.asked_again["Rss"], "MB", True),
        _Aim(f"startup with {many} domains", 1, largest.start_seconds, "s", True),
        # How often each of them waits depends on the load, so not to the last digit.
        _Aim("system calls per request against bare C", 1.01, aasa.total / bare_c.total,
             at_most=True)]


def _of_edits(rounds: list[Round]) -> list[_Aim]:
    disk = edits.median(rounds, "disk")
    beside = statistics.median(one.beside.p99 for one in rounds)
    at_rest = statistics.median(one.at_rest.p99 for one in rounds)
    return [
        _Aim("edits/s of 1 editor against the disk", 0.5,
             edits.median(rounds, "one") / disk),
        _Aim("edits/s of 8 editors against the disk", 1,
             edits.median(rounds, "eight") / disk),
        _Aim("readers' p99 with 8 editors against at rest", 2,
             beside / at_rest, at_most=True)]
