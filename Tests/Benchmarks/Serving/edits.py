"""Edits a second beside what the disk can do, and readers beside editors."""

import os
import statistics
import time
from dataclasses import dataclass
from pathlib import Path

from load import Load, Slice, Wrk
from published import Published
from store import check_served, route_path
from servers import Admin, Bench, Server
from throughput import Pace

_EDITORS = 8
_DOMAINS = 64
_PAGE = 4096
# The database's log is as long before it begins again.
_PAGES = 1000


@dataclass(frozen=True)
class Round:
    """Rates are a second, times in microseconds. `edited_beside` is the editors' rate while
    the readers were there."""

    disk: float
    one: float
    one_p50: float
    eight: float
    eight_p50: float
    at_rest: Slice
    beside: Slice
    edited_beside: float


def rounds(bench: Bench, published: Published, pace: Pace) -> list[Round]:
    """The server has all processors, since editors have threads of their own."""
    server, admin = bench.aasa(published, None)
    hosts = published.publication.hosts
    step = len(hosts) // _DOMAINS
    edited = hosts[::step][:_DOMAINS]
    routes = bench.folder / "routes"
    routes.write_text("".join(f"{route_path(admin, host)}\n" for host in edited))
    # Readers ask for what is not edited, whose bytes are known.
    read = [host for host in hosts if host not in set(edited)]
    load = Load(read, bench.folder / "read")
    bodies = dict(zip(hosts, published.publication.bodies, strict=True))
    load.verify(server, [bodies[host] for host in read])
    editors = _Editors(admin, routes)
    found = [
        _round(server, editors, load, bench.folder, pace, rest_first=number % 2 == 0)
        for number in range(pace.rounds)]
    for host in edited:
        check_served(server, admin, host)
    server.process.stop()
    return found


class _Editors:
    """Clients of the API that send one edit after the other."""

    def __init__(self, admin: Admin, routes: Path) -> None:
        self._admin = admin
        self._routes = routes
        self._runs = 0

    def start(self, count: int, seconds: float) -> Wrk:
        self._runs += 1
        words = [str(self._routes), self._admin.token, str(self._runs * 10_000_000)]
        return Wrk("edits", f"http://127.0.0.1:{self._admin.port}", words, seconds, count)


def _rate(found: dict[str, int]) -> float:
    return found["requests"] / found["microseconds"] * 1e6


def _round(
    server: Server, editors: _Editors, load: Load, folder: Path, pace: Pace, rest_first: bool,
) -> Round:
    """Each part begins when the server has done what the one before has left."""
    disk = _disk_rate(folder, pace.seconds)
    one = editors.start(1, pace.seconds).result()
    server.settle()
    eight = editors.start(_EDITORS, pace.seconds).result()
    server.settle()
    if rest_first:
        at_rest = load.run(server, pace.seconds)
        beside, edited = _beside(server, editors, load, pace)
    else:
        beside, edited = _beside(server, editors, load, pace)
        at_rest = load.run(server, pace.seconds)
    return Round(
        disk, _rate(one), one["p50"], _rate(eight), eight["p50"], at_rest, beside, edited)


def _beside(
    server: Server, editors: _Editors, load: Load, pace: Pace
) -> tuple[Slice, float]:
    """Readers among editors, and the editors' rate. Editors begin before readers and end after
    them. The slice's CPU has the editors' in it."""
    both = editors.start(_EDITORS, pace.seconds + 1)
    time.sleep(0.5)
    beside = load.run(server, pace.seconds)
    return beside, _rate(both.result())


def _disk_rate(folder: Path, seconds: float) -> float:
    """Pages written to a file of the same folder, each on the disk before the next, a second."""
    file = folder / "pages"
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT)
    page = os.urandom(_PAGE)
    os.pwrite(descriptor, page * _PAGES, 0)
    os.fsync(descriptor)
    count, start = 0, time.monotonic()
    while time.monotonic() - start < seconds:
        os.pwrite(descriptor, page, count % _PAGES * _PAGE)
        os.fdatasync(descriptor)
        count += 1
    elapsed = time.monotonic() - start
    os.close(descriptor)
    file.unlink()
    return count / elapsed


def median(found: list[Round], value: str) -> float:
    return statistics.median(float(getattr(one, value)) for one in found)
