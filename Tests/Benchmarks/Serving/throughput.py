"""Requests a second of all servers, for documents of three sizes."""

import statistics
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import machine
from client import Connection
from load import Load, Slice
from published import Publication, Published
from servers import NGINX, Bench, Server

# The library without a product.
FLOOR = "bare C"

_CLOSE = "Connection: close"


@dataclass(frozen=True)
class Pace:
    """How long things take."""

    rounds: int
    seconds: float


@dataclass(frozen=True)
class Row:
    """The slices of one kind of request: for each server, one of each round."""

    name: str
    slices: dict[str, list[Slice]]

    def median(self, server: str, value: str) -> float:
        return statistics.median(float(getattr(one, value)) for one in self.slices[server])

    @property
    def references(self) -> list[str]:
        """Both ways of nginx, the faster one first."""
        return sorted(NGINX, key=lambda name: -self.median(name, "per_second"))

    def ratio(self, server: str, value: str, to: str) -> float:
        """The ratio of the medians."""
        return self.median(server, value) / self.median(to, value)

    def ratio_by_round(self, server: str, value: str, to: str) -> float:
        """The median of the ratios to another server's slice of the same round."""
        return statistics.median(
            float(getattr(one, value)) / float(getattr(other, value))
            for one, other in zip(self.slices[server], self.slices[to], strict=True))


def interleaved(
    servers: list[Server], pace: Pace, run: Callable[[Server], Slice]
) -> dict[str, list[Slice]]:
    """Slices of all servers in turn. Every second round goes backwards, and each two rounds begin
    with another server, so that none always follows the same one."""
    slices: dict[str, list[Slice]] = {server.name: [] for server in servers}
    for number in range(pace.rounds):
        first = number // 2 % len(servers)
        turn = servers[first:] + servers[:first]
        for server in reversed(turn) if number % 2 else turn:
            slices[server.name].append(run(server))
    return slices


def rows(
    bench: Bench, published: list[Published], pace: Pace, only_references: bool
) -> list[Row]:
    """Kept-alive requests for each size; for the first, also conditional ones, and ones with a
    connection each. Servers that no aim speaks of may be left out."""
    found = []
    for index, one in enumerate(published):
        servers = _start_all(bench, one, only_references)
        size = one.publication.name
        found.append(_measure(f"{size}, kept alive", servers, one, bench.folder, pace))
        if index == 0:
            found.append(_measure(
                f"{size}, a connection each", servers, one, bench.folder, pace, _CLOSE))
            found.append(_conditional(f"{size}, 304", servers, one, bench.folder, pace))
        for server in servers:
            server.process.stop()
    return found


def _start_all(bench: Bench, published: Published, only_references: bool) -> list[Server]:
    core = machine.SERVER_CORE
    aasa, _ = bench.aasa(published, core)
    starts = [bench.bare_c, bench.nginx, bench.nginx_without_sendfile]
    if not only_references:
        starts += [bench.h2o, bench.lighttpd, bench.caddy]
    return [aasa] + [start(published, core) for start in starts]


def _measure(
    name: str, servers: list[Server], published: Published, folder: Path, pace: Pace,
    *fields: str,
) -> Row:
    print(f"{name} …")
    hosts = published.publication.hosts
    load = {
        server.name: Load(["\t".join([host, *fields]) for host in hosts], folder / "requests")
        for server in servers}
    for server in servers:
        load[server.name].verify(server, bodies(server, published.publication))
    return _row(name, servers, load, pace)


def _conditional(
    name: str, servers: list[Server], published: Published, folder: Path, pace: Pace
) -> Row:
    """Each server is asked with the entity tags that it gave itself."""
    print(f"{name} …")
    load = {}
    for server in servers:
        lines = []
        with Connection(server.port) as connection:
            for host in published.publication.hosts:
                tag = connection.fetch(host).field("ETag")
                lines.append(f"{host}\tIf-None-Match: {tag}")
        load[server.name] = Load(lines, folder / f"conditional-{server.name}", status=304)
        load[server.name].verify(server, [])
    return _row(name, servers, load, pace)


def _row(name: str, servers: list[Server], load: dict[str, Load], pace: Pace) -> Row:
    # What is opened and cached at the first request for a host is so before the clock starts.
    for server in servers:
        load[server.name].run(server, 1)
    return Row(
        name, interleaved(
            servers, pace, lambda server: load[server.name].run(server, pace.seconds)))


def bodies(server: Server, publication: Publication) -> list[bytes]:
    """What each host is to be answered with; some servers have one document for all."""
    found = publication.bodies
    return [found[0]] * len(found) if server.name in (FLOOR, "h2o") else found
