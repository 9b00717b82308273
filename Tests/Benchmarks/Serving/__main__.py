"""Measures the server beside others, with many domains, and under edits: `make bench`.

    python3 Tests/Benchmarks/Serving --build .build [--quick] [--rounds N] [--docs docs]

Prints the tables. With --docs, it also writes them to benchmarks.md there, and a short one for
users to performance.md. Any wrong answer ends the run.
"""

import argparse
import hashlib
import os
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

import calls
import edit_times
import edits
import https
import machine
import report
import scale
import throughput
from findings import Findings
from published import Publication, Published
from quiet import Quiet
from servers import Bench
from throughput import Pace


class _Run:
    """What is measured, in full or in a short look."""

    def __init__(self, build: Path, quick: bool, rounds: int) -> None:
        self._build = build
        self._quick = quick
        self._rounds = rounds
        self._aasa = build / "release" / "aasa"
        self._kept = build / "bench"
        self._schema = hashlib.sha256(b"".join(
            file.read_bytes() for file in sorted(Path("migrations").glob("*.sql")))).digest()
        self._many = 10_000 if quick else 100_000
        self._all: list[Published] = []

    def findings(self) -> Findings:
        # The database lies on the disk of the build folder, whose speed is measured too.
        folder = Path(tempfile.mkdtemp(prefix="run-", dir=self._kept))
        try:
            return self._measure(folder)
        finally:
            shutil.rmtree(folder)

    @property
    def making_seconds(self) -> float:
        """How long databases and files took that were not there yet."""
        return sum(one.making_seconds for one in self._all)

    def _measure(self, folder: Path) -> Findings:
        few, many, equal = (
            self._published("1,000", 1_000), self._published("many", self._many),
            self._published("equal", self._many, equal=True))
        with Bench(self._aasa, self._kept / "constant", folder) as bench:
            # The calls first, since they need what is not allowed everywhere.
            return Findings(
                calls=calls.count(bench, few),
                rows=throughput.rows(
                    bench, self._sizes(), self._pace(rounds=5, seconds=2), self._quick),
                https=https.rows(
                    bench, self._published("1 KB", 10_000, 1_024), self._pace(rounds=5, seconds=2)),
                sizes=[scale.size(bench, one, 3) for one in (few, many, equal)],
                speed=scale.speed(bench, few, many, self._pace(rounds=5, seconds=2)),
                edit_times={
                    f"{one.publication.documents:,}": edit_times.edit_times(
                        bench, one, 20 if self._quick else 100) for one in (few, many)},
                rounds=edits.rounds(bench, many, self._pace(rounds=3, seconds=3)))

    def _pace(self, rounds: int, seconds: float) -> Pace:
        return Pace(1, 1) if self._quick else Pace(min(rounds, self._rounds), seconds)

    def _sizes(self) -> list[Published]:
        """Ten thousand hosts each. The largest documents are a hundred, each for a hundred hosts:
        files of ten thousand would be more than caches and memory of a small machine hold, and
        what would be measured is these."""
        large = 20 if self._quick else 100
        return [
            self._published("1 KB", 10_000, 1_024),
            self._published("16 KB", 500 if self._quick else 10_000, 16_384),
            self._published("120 KB", large, 122_880, hosts_per_document=100)]

    def _published(
        self, name: str, documents: int, document_bytes: int = 1_024,
        hosts_per_document: int = 1, equal: bool = False,
    ) -> Published:
        publication = Publication(name, documents, document_bytes, hosts_per_document, equal)
        published = Published(publication, self._aasa, self._kept / "data", self._schema)
        self._all.append(published)
        return published


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--build", type=Path, default=Path(".build"))
    options.add_argument("--quick", action="store_true", help="a short run, which writes no page")
    options.add_argument("--rounds", type=int, default=5, help="at most; 5 in full")
    options.add_argument("--docs", type=Path, help="the folder whose pages get the tables")
    chosen = options.parse_args()
    # Ends the servers, too, when the run is ended.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    # Where Debian has servers, which is not on everyone's path.
    os.environ["PATH"] += ":/usr/sbin"
    machine.require_two_cores()
    quiet, start = Quiet(), time.monotonic()
    run = _Run(chosen.build.resolve(), chosen.quick, chosen.rounds)
    findings = run.findings()
    took = (
        f"Rounds: {chosen.rounds}. The run took {(time.monotonic() - start) / 60:.1f} minutes, "
        f"{run.making_seconds / 60:.1f} of them to create databases and files.")
    text = report.markdown(
        findings, f"{machine.description(chosen.build)} {took} {quiet.sentence()}")
    print(f"\n{text}")
    if chosen.docs and not chosen.quick:
        report.write(text, chosen.docs / "benchmarks.md")
        report.write(report.summary(findings), chosen.docs / "performance.md")


if __name__ == "__main__":
    main()
