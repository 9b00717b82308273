"""What a run found, as Markdown: tables, the aims, and the part of a page between two marks."""

import re
import statistics
from dataclasses import dataclass
from pathlib import Path

import edits
from calls import Calls
from edits import Round
from scale import EditTimes, Size
from throughput import Row

_BEGIN = "<!-- make bench writes from here -->"
_END = "<!-- make bench writes to here -->"
_REFERENCE = "nginx"
_FLOOR = "bare C"


@dataclass(frozen=True)
class Findings:
    """All that one run measured."""

    rows: list[Row]
    calls: list[Calls]
    sizes: list[Size]
    speed: Row
    edit_times: list[EditTimes]
    rounds: list[Round]


def _table(head: list[str], lines: list[list[str]]) -> str:
    rule = ["---"] * len(head)
    return "".join(f"| {' | '.join(line)} |\n" for line in [head, rule, *lines])


def _percentile(values: list[float], percent: int) -> float:
    return sorted(values)[min(len(values) - 1, len(values) * percent // 100)]


def _throughput(rows: list[Row]) -> str:
    head = ["", "requests/s", "p50 µs", "p99 µs", "CPU µs a request", "× nginx", "CPU × nginx",
            "× bare C", "client busy"]
    parts = []
    for row in rows:
        lines = [
            [server, f"{row.median(server, 'per_second'):,.0f}",
             f"{row.median(server, 'p50'):,.0f}", f"{row.median(server, 'p99'):,.0f}", f"{row.median(server, 'cpu'):.1f}",
             f"{row.ratio(server, 'per_second', _REFERENCE):.2f}",
             f"{1 / row.ratio(server, 'cpu', _REFERENCE):.2f}",
             f"{row.ratio(server, 'per_second', _FLOOR):.2f}",
             f"{row.median(server, 'client_use') * 100:.0f} %"]
            for server in row.slices]
        parts.append(f"**{row.name}**\n\n{_table(head, lines)}")
    return "\n".join(parts)


def _calls(calls: list[Calls]) -> str:
    lines = [
        [one.server, f"{one.total:.2f}",
         ", ".join(f"{name} {each:.2f}" for name, each in sorted(one.per_request.items()))]
        for one in calls]
    return _table(["kept alive, 1 KB", "system calls a request", "which"], lines)


def _sizes(sizes: list[Size]) -> str:
    lines = [
        [f"{size.domains:,}{', equal documents' if size.equal else ''}",
         f"{size.memory['Rss']:.0f} MB", f"{size.memory['Pss']:.0f} MB",
         f"{size.start_seconds * 1000:.0f} ms", f"{size.apply_seconds:.1f} s"]
        for size in sizes]
    return _table(
        ["domains, 1 KB each", "resident", "Pss", "start to first correct answer",
         "published by one `aasa apply`"], lines)


def _speed(row: Row) -> str:
    lines = [
        [domains, f"{row.median(domains, 'per_second'):,.0f}", f"{row.median(domains, 'p99'):,.0f}",
         f"{row.median(domains, 'cpu'):.1f}"] for domains in row.slices]
    return _table(["domains", "requests/s", "p99 µs", "CPU µs a request"], lines)


def _edit_times(times: list[EditTimes]) -> str:
    lines = []
    for name, value in [
        ("the whole call, with its commit", "call"), ("commit to served", "from_commit")]:
        values = [getattr(one, value) for one in times]
        lines.append([
            name, f"{statistics.median(values):.2f} ms", f"{_percentile(values, 99):.2f} ms",
            f"{max(values):.2f} ms"])
    table = _table(["an edit of one domain", "median", "p99", "longest"], lines)
    late = f"{sum(one.is_late for one in times)} of {len(times)}"
    return f"{table}\nRequests after the answer that got the old document: {late}.\n"


def _rounds(rounds: list[Round]) -> str:
    def rate(value: str) -> float:
        return edits.median(rounds, value)

    def ratio(value: str) -> str:
        return f"{statistics.median(getattr(one, value) / one.disk for one in rounds):.2f}"

    writes = _table(["", "a second", "× disk", "p50 µs"], [
        ["4 KB written and fdatasync, in the same folder", f"{rate('disk'):,.0f}", "1", ""],
        ["single-route edits, 1 editor", f"{rate('one'):,.0f}", ratio("one"),
         f"{rate('one_p50'):,.0f}"],
        ["single-route edits, 8 editors", f"{rate('eight'):,.0f}", ratio("eight"),
         f"{rate('eight_p50'):,.0f}"]])
    readers = _table(["readers", "requests/s", "p50 µs", "p99 µs"], [
        [name, f"{_of(rounds, part, 'per_second'):,.0f}", f"{_of(rounds, part, 'p50'):,.0f}",
         f"{_of(rounds, part, 'p99'):,.0f}"]
        for name, part in [
            ("at rest", "at_rest"),
            (f"beside 8 editors, who make {rate('edited_beside'):,.0f} edits a second", "beside")]])
    return f"{writes}\n{readers}"


def _of(rounds: list[Round], part: str, value: str) -> float:
    return statistics.median(getattr(getattr(one, part), value) for one in rounds)


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


def _aims(findings: Findings) -> list[_Aim]:
    kept, close, conditional, medium, large = (
        findings.rows[index] for index in (0, 1, 2, 3, 4))

    def requests(row: Row, aim: float) -> _Aim:
        return _Aim(f"{row.name}: requests/s against nginx", aim,
                    row.ratio("aasa", "per_second", _REFERENCE))

    def cpu(row: Row, aim: float) -> _Aim:
        return _Aim(f"{row.name}: CPU against nginx", aim, 1 / row.ratio("aasa", "cpu", _REFERENCE))

    aims = [
        requests(kept, 1.9), requests(medium, 1.15), requests(large, 1.0), cpu(large, 1.2),
        requests(close, 1.0), cpu(close, 1.1), requests(conditional, 1.3)]
    aims += [
        _Aim(f"{row.name}: p99 against nginx's", 1.0, row.ratio("aasa", "p99", _REFERENCE),
             at_most=True) for row in findings.rows]
    aims += [
        _Aim(f"{row.name}: requests/s against bare C", 0.95,
             row.ratio("aasa", "per_second", _FLOOR)) for row in findings.rows]
    return aims + _aims_of_scale(findings) + _aims_of_writes(findings.rounds)


def _aims_of_scale(findings: Findings) -> list[_Aim]:
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


def _aims_of_writes(rounds: list[Round]) -> list[_Aim]:
    return [
        _Aim("edits/s of 1 editor against the disk", 0.5,
             statistics.median(one.one / one.disk for one in rounds)),
        _Aim("edits/s of 8 editors against the disk", 1,
             statistics.median(one.eight / one.disk for one in rounds)),
        _Aim("readers' p99 beside 8 editors against at rest", 2,
             statistics.median(one.beside.p99 / one.at_rest.p99 for one in rounds), at_most=True)]


def markdown(findings: Findings, description: str) -> str:
    """All tables."""
    aims = _table(["", "aim", "found", "reached"], [aim.line for aim in _aims(findings)])
    return f"""{description}

### Aims

{aims}
### Beside other servers

{_throughput(findings.rows)}
{_calls(findings.calls)}
### Many domains

{_sizes(findings.sizes)}
{_speed(findings.speed)}
{_edit_times(findings.edit_times)}
### Edits

{_rounds(findings.rounds)}"""


def write(text: str, page: Path) -> None:
    """Puts the tables between the marks of a page, and leaves the rest."""
    pattern = re.compile(f"(?<={re.escape(_BEGIN)}\n).*(?={re.escape(_END)})", re.DOTALL)
    new, count = pattern.subn(lambda _: f"\n{text}\n", page.read_text())
    if count != 1:
        raise RuntimeError(f"{page} has not the marks {_BEGIN} and {_END}, once each.")
    page.write_text(new)
