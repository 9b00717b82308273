"""What a run found, as Markdown: the tables for developers and one for users. Writes them between
the markers of a page."""

import re
import statistics
from pathlib import Path

import aims
import edits
from calls import Calls
from edits import Round
from findings import Findings
from edit_times import EditTimes
from scale import Size
from throughput import FLOOR, Row

_BEGIN = "<!-- make bench: begin -->"
_END = "<!-- make bench: end -->"


def _table(head: list[str], lines: list[list[str]]) -> str:
    rule = ["---"] * len(head)
    return "".join(f"| {' | '.join(line)} |\n" for line in [head, rule, *lines])


def _percentile(values: list[float], percent: int) -> float:
    return sorted(values)[min(len(values) - 1, len(values) * percent // 100)]


def _throughput(rows: list[Row]) -> str:
    head = ["", "requests/s", "p50 µs", "p99 µs", "CPU µs per request", "× nginx", "CPU × nginx",
            "× bare C", "CPU × bare C", "client busy"]
    parts = []
    whole = ("per_second", "p50", "p99")
    for row in rows:
        nginx = row.references[0]
        lines = [
            [server, *(f"{row.median(server, value):,.0f}" for value in whole),
             f"{row.median(server, 'cpu'):.1f}",
             f"{row.ratio_by_round(server, 'per_second', nginx):.2f}",
             f"{row.ratio_by_round(nginx, 'cpu', server):.2f}",
             f"{row.ratio_by_round(server, 'per_second', FLOOR):.2f}",
             f"{row.ratio_by_round(FLOOR, 'cpu', server):.2f}",
             f"{row.median(server, 'client_use') * 100:.0f} %"]
            for server in row.slices]
        parts.append(f"**{row.name}**; \"× nginx\" is to {nginx}\n\n{_table(head, lines)}")
    return "\n".join(parts)


def _https(rows: list[Row]) -> str:
    head = ["1 KB over HTTPS, P-256", "aasa requests/s", "nginx requests/s", "×",
            "aasa CPU µs per request", "nginx CPU µs per request", "CPU ×"]
    lines = [
        [row.name, f"{row.median('aasa', 'per_second'):,.0f}",
         f"{row.median('nginx', 'per_second'):,.0f}",
         f"{row.ratio_by_round('aasa', 'per_second', 'nginx'):.2f}",
         f"{row.median('aasa', 'cpu'):.0f}", f"{row.median('nginx', 'cpu'):.0f}",
         f"{row.ratio_by_round('nginx', 'cpu', 'aasa'):.2f}"] for row in rows]
    return _table(head, lines)


def _calls(calls: list[Calls]) -> str:
    lines = [
        [one.server, f"{one.total:.2f}",
         ", ".join(f"{name} {each:.2f}" for name, each in sorted(one.frequent.items()))]
        for one in calls]
    return _table(["kept alive, 1 KB", "system calls per request", "which"], lines)


def _sizes(sizes: list[Size]) -> str:
    lines = [
        [f"{size.domains:,}{', equal documents' if size.equal else ''}",
         f"{size.fetched['Rss']:.0f} MB", f"{size.asked_again['Rss']:.0f} MB",
         f"{size.asked_again['Pss']:.0f} MB", f"{size.asked_again['VmHWM']:.0f} MB",
         f"{size.start_seconds * 1000:.0f} ms", f"{size.apply_seconds:.1f} s"]
        for size in sizes]
    return _table(
        ["domains, 1 KB each", "resident, all fetched", "and asked with If-None-Match", "Pss then",
         "peak resident (VmHWM)", "startup to first correct response",
         "published by one `aasa apply`"], lines)


def _speed(row: Row) -> str:
    lines = [
        [domains, f"{row.median(domains, 'per_second'):,.0f}", f"{row.median(domains, 'p99'):,.0f}",
         f"{row.median(domains, 'cpu'):.1f}"] for domains in row.slices]
    return _table(["domains", "requests/s", "p99 µs", "CPU µs per request"], lines)


def _edit_times(found: dict[str, list[EditTimes]]) -> str:
    lines = []
    kinds = [("the whole request, with its commit", "call"), ("commit to served", "from_commit")]
    for name, value in kinds:
        for domains, times in found.items():
            values = [getattr(one, value) for one in times]
            lines.append([
                f"{name}, {domains} domains", f"{statistics.median(values):.2f} ms",
                f"{_percentile(values, 99):.2f} ms", f"{max(values):.2f} ms"])
    return _table(["an edit of one domain", "median", "p99", "longest"], lines)


def _rounds(rounds: list[Round]) -> str:
    def rate(value: str) -> float:
        return edits.median(rounds, value)

    def ratio(value: str) -> str:
        ratios = [float(getattr(one, value)) / one.disk for one in rounds]
        return f"{statistics.median(ratios):.2f}"

    writes = _table(["", "per second", "× disk", "p50 µs"], [
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
            (f"with 8 editors, who make {rate('edited_beside'):,.0f} edits per second", "beside")]])
    return f"{writes}\n{readers}"


def _of(rounds: list[Round], part: str, value: str) -> float:
    return statistics.median(float(getattr(getattr(one, part), value)) for one in rounds)


def markdown(findings: Findings, description: str) -> str:
    """All tables."""
    reached = _table(
        ["ratio of medians", "aim", "result", "reached", "against the other nginx"],
        aims.lines(findings))
    return f"""{description}

### Aims

{reached}
### Compared with other servers

{_throughput(findings.rows)}
{_https(findings.https)}
{_calls(findings.calls)}
### Many domains

{_sizes(findings.sizes)}
{_speed(findings.speed)}
{_edit_times(findings.edit_times)}
### Edits

{_rounds(findings.rounds)}"""


def summary(findings: Findings) -> str:
    """The table for users: `aasa` and the faster nginx of each row, and what many domains cost."""
    kept, close, conditional, medium, large = findings.rows
    requests = [
        ("1 KB file", kept), ("1 KB file, a new connection per request", close),
        ("1 KB file, not modified (304)", conditional), ("16 KB file", medium), ("120 KB file", large)]
    lines = [
        [f"requests per second: {name}", _rounded(row.median("aasa", "per_second")),
         _rounded(row.median(row.references[0], "per_second"))] for name, row in requests]
    kept, full, _ = findings.https
    lines += [
        [f"requests per second: 1 KB file over {name}", _rounded(row.median("aasa", "per_second")),
         _rounded(row.median("nginx", "per_second"))]
        for name, row in [("HTTPS", kept), ("HTTPS, a new connection per request", full)]]
    size = next(size for size in reversed(findings.sizes) if not size.equal)
    domains = f"{size.domains:,}"
    times = findings.edit_times[domains]
    lines += [
        [f"memory with {domains} domains", f"{size.asked_again['Rss']:.0f} MB", ""],
        [f"startup with {domains} domains", f"{size.start_seconds:.1f} s", ""],
        ["from an edit's commit until it is served",
         f"{statistics.median(one.from_commit for one in times):.1f} ms", ""],
        ["edits per second, one editor", _rounded(edits.median(findings.rounds, "one")), ""],
        ["edits per second, eight editors", _rounded(edits.median(findings.rounds, "eight")), ""]]
    return _table(["", "aasa", "nginx"], lines)


def _rounded(value: float) -> str:
    """Three digits are all that a reader can trust."""
    return f"{float(f'{value:.3g}'):,.0f}"


def write(text: str, page: Path) -> None:
    """Puts the text between the markers of a page, and leaves the rest."""
    pattern = re.compile(f"(?<={re.escape(_BEGIN)}\n).*(?={re.escape(_END)})", re.DOTALL)
    new, count = pattern.subn(lambda _: f"\n{text}\n", page.read_text())
    if count != 1:
        raise RuntimeError(f"{page} must have {_BEGIN} and {_END}, once each.")
    page.write_text(new)
