"""What a hundred thousand domains cost: speed, memory and start."""

import statistics
from dataclasses import dataclass, replace

import machine
from client import Connection
from load import Load
from published import Published
from servers import Bench, Server
from throughput import Pace, Row, interleaved


@dataclass(frozen=True)
class Size:
    """One number of domains. Memory is after each document was fetched once, and after each was
    asked for once more with its entity tag, for which answers are made when first wanted."""

    domains: int
    equal: bool
    apply_seconds: float
    start_seconds: float
    fetched: dict[str, float]
    asked_again: dict[str, float]


def size(bench: Bench, published: Published, starts: int) -> Size:
    """Starts the server a few times, and measures memory the last time."""
    seconds = []
    for number in range(starts):
        server, _ = bench.aasa(published, machine.SERVER_CORE)
        seconds.append(server.start_seconds)
        if number == starts - 1:
            tags = _fetch_all(server, published.publication.hosts)
            fetched = server.process.memory_megabytes()
            _ask_again(server, tags)
            server.settle()
            asked_again = server.process.memory_megabytes()
        server.process.stop()
    return Size(
        published.publication.documents, published.publication.equal, published.apply_seconds,
        statistics.median(seconds), fetched, asked_again)


def _fetch_all(server: Server, hosts: list[str]) -> dict[str, str | None]:
    """The entity tag of each host."""
    with Connection(server.port) as connection:
        return {host: connection.fetch(host).field("ETag") for host in hosts}


def _ask_again(server: Server, tags: dict[str, str | None]) -> None:
    with Connection(server.port) as connection:
        for host, tag in tags.items():
            answer = connection.fetch(f"{host}\tIf-None-Match: {tag}")
            if answer.status != 304:
                raise RuntimeError(
                    f"{host} has {tag}, and answers it with:\n{answer.head.decode()}")


def speed(bench: Bench, few: Published, many: Published, pace: Pace) -> Row:
    """Requests for all domains, drawn at random, with few and with many of them."""
    servers, load = [], {}
    for published in (few, many):
        publication = published.publication
        started, _ = bench.aasa(published, machine.SERVER_CORE)
        server = replace(started, name=f"{publication.documents:,}")
        load[server.name] = Load(publication.hosts, bench.folder / f"hosts-{publication.name}")
        load[server.name].verify(server, publication.bodies)
        load[server.name].run(server, 1)
        servers.append(server)
    slices = interleaved(servers, pace, lambda server: load[server.name].run(server, pace.seconds))
    for server in servers:
        server.process.stop()
    return Row("scale", slices)
