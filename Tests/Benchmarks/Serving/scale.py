"""What a hundred thousand domains cost: speed, memory, start, and the time of an edit."""

import json
import sqlite3
import statistics
import time
from dataclasses import dataclass

import machine
from client import Connection
from load import Load
from published import Published
from servers import Admin, Bench, Server
from throughput import Pace, Row, interleaved


@dataclass(frozen=True)
class Size:
    """One number of domains."""

    domains: int
    equal: bool
    apply_seconds: float
    start_seconds: float
    memory: dict[str, float]


def size(bench: Bench, published: Published, starts: int) -> Size:
    """Starts the server a few times, and asks for each document once before memory is measured."""
    seconds = []
    for number in range(starts):
        server, _ = bench.aasa(published, machine.SERVER_CORE)
        seconds.append(server.start_seconds)
        if number == starts - 1:
            with Connection(server.port) as connection:
                for host in published.publication.hosts:
                    connection.fetch(host)
            memory = server.process.memory_megabytes()
        server.process.stop()
    return Size(
        published.publication.documents, published.publication.equal, published.apply_seconds,
        statistics.median(seconds), memory)


def speed(bench: Bench, few: Published, many: Published, pace: Pace) -> Row:
    """Requests for all domains, drawn at random, with few and with many of them."""
    servers, load = [], {}
    for published in (few, many):
        publication = published.publication
        started, _ = bench.aasa(published, machine.SERVER_CORE)
        server = Server(f"{publication.documents:,}", started.process, started.port, 0)
        load[server.name] = Load(publication.hosts, bench.folder / f"hosts-{publication.name}")
        load[server.name].verify(server, publication.bodies)
        load[server.name].run(server, 1)
        servers.append(server)
    slices = interleaved(servers, pace, lambda server: load[server.name].run(server, pace.seconds))
    for server in servers:
        server.process.stop()
    return Row("scale", slices)


@dataclass(frozen=True)
class EditTimes:
    """Of one edit, in milliseconds: the whole call, and how long after the commit the new document
    was there; and whether a request that was sent after the answer got the old one."""

    call: float
    from_commit: float
    is_late: bool


def edit_times(bench: Bench, published: Published, count: int) -> list[EditTimes]:
    """Edits one domain after another while a reader asks for it without pause."""
    server, admin = bench.aasa(published, machine.SERVER_CORE)
    hosts = published.publication.hosts
    times = [
        _edit_time(server, admin, hosts[number * len(hosts) // count])
        for number in range(count)]
    server.process.stop()
    return times


def _edit_time(server: Server, admin: Admin, host: str) -> EditTimes:
    path = route_path(admin, host)
    follower = sqlite3.connect(f"file:{admin.database}?mode=ro", uri=True, isolation_level=None)
    committed = served = answered = None
    is_late = False
    with Connection(server.port) as reader, Connection(admin.port) as editor:
        old = reader.fetch(host).body
        version = _data_version(follower)
        start = time.monotonic()
        editor.send("PATCH", path, admin.fields, b'{"path": "/edited/*"}')
        while committed is None or served is None or answered is None:
            if committed is None and _data_version(follower) != version:
                committed = time.monotonic()
            if served is None and reader.fetch(host).body != old:
                served = time.monotonic()
            elif served is None and answered is not None:
                is_late = True
            if answered is None and editor.has_answer():
                answered = time.monotonic()
            if time.monotonic() - start > 10:
                raise RuntimeError(f"An edit of {host} was not served within ten seconds.")
        answer = editor.receive()
    follower.close()
    if answer.status != 200:
        raise RuntimeError(f"An edit was answered with:\n{answer.head.decode()}")
    return EditTimes((answered - start) * 1000, (served - committed) * 1000, is_late)


def _data_version(follower: sqlite3.Connection) -> int:
    """Another number after each commit of another connection."""
    return follower.execute("PRAGMA data_version").fetchone()[0]


def route_path(admin: Admin, host: str) -> str:
    """The path of a domain's first route in the API."""
    with Connection(admin.port) as connection:
        domain = json.loads(connection.call("GET", f"/v1/domains/{host}", admin.fields).body)
    entry = domain["entries"][0]
    return f"/v1/domains/{host}/entries/{entry['id']}/routes/{entry['routes'][0]['id']}"
