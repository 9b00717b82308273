"""The time of one edit: until it is answered, and from its commit until it is served."""

import time
from dataclasses import dataclass

import machine
from client import Connection
from published import Published
from servers import Admin, Bench, Server
from store import Follower, check_served, route_path


@dataclass(frozen=True)
class EditTimes:
    """Of one edit, in milliseconds: the whole call, and how long at most after the commit the new
    document was there."""

    call: float
    from_commit: float


def edit_times(bench: Bench, published: Published, count: int) -> list[EditTimes]:
    """Edits one domain after another while a reader asks for it without pause."""
    server, admin = bench.aasa(published, machine.SERVER_CORE)
    hosts = published.publication.hosts
    times = []
    for number in range(count):
        host = hosts[number * len(hosts) // count]
        times.append(_edit_time(server, admin, host))
        check_served(server, admin, host)
    server.process.stop()
    return times


def _edit_time(server: Server, admin: Admin, host: str) -> EditTimes:
    """The commit is taken to be at the last look at the store that did not see it, so the time from
    it is never too short, and too long by at most a look and a request. An edit that is served
    before it is committed, or not to a request that was sent after its answer, is a fault."""
    path = route_path(admin, host)
    with (Follower(admin) as follower, Connection(server.port) as reader,
          Connection(admin.port) as editor):
        old, revision = reader.fetch(host).body, follower.revision(host)
        start = not_committed = time.monotonic()
        editor.send("PATCH", path, admin.fields, b'{"path": "/edited/*"}')
        answered = None
        while True:
            looked = time.monotonic()
            if follower.revision(host) == revision:
                not_committed = looked
            if answered is None and editor.has_answer():
                answered = time.monotonic()
            is_answered = answered is not None
            if reader.fetch(host).body != old:
                served = time.monotonic()
                break
            if is_answered or time.monotonic() - start > 10:
                raise RuntimeError(f"An edit of {host} was answered, and the old document served.")
        if follower.revision(host) == revision:
            raise RuntimeError(f"An edit of {host} was served before it was committed.")
        answer = editor.receive()
        answered = answered or time.monotonic()
    if answer.status != 200:
        raise RuntimeError(f"An edit was answered with:\n{answer.head.decode()}")
    return EditTimes((answered - start) * 1000, (served - not_committed) * 1000)
