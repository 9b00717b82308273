"""Load by wrk, or h2load: one slice of time against one server, checked and measured."""

import json
import random
import re
import resource
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import machine
from client import Answer, Connection
from servers import Server

_HERE = Path(__file__).parent


@dataclass(frozen=True)
class Slice:
    """What a slice of time brought. Times are in microseconds."""

    requests: int
    per_second: float
    p50: float
    p99: float
    bytes: int
    # Of the server's processes, for a request.
    cpu: float
    # How much of its processor the client used, from 0 to 1: at 1 it is what limits.
    client_use: float


class Wrk:
    """A run of wrk that is under way."""

    def __init__(
        self, script: str, url: str, words: list[str], seconds: float, connections: int,
        core: int | None = machine.CLIENT_CORE,
    ) -> None:
        pinned = ["taskset", "--cpu-list", str(core)] if core is not None else []
        self._seconds = seconds
        self._popen = subprocess.Popen(
            [*pinned, "wrk", "--threads", "1", "--connections", str(connections),
             "--duration", f"{seconds}s", "--script", str(_HERE / f"{script}.lua"),
             url, "--", *words],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env={"LUA_PATH": f"{_HERE}/?.lua", "PATH": "/usr/bin:/bin"})

    def result(self) -> dict[str, int]:
        """Waits for the end; an error of a socket and a status of 400 or more are faults."""
        output, _ = self._popen.communicate(timeout=self._seconds + 30)
        last = (output.splitlines() or [""])[-1]
        if not last.startswith("{"):
            raise RuntimeError(f"wrk failed:\n{output}")
        found: dict[str, int] = json.loads(last)
        if found["refused"] or found["broken"] or not found["requests"]:
            raise RuntimeError(f"There were answers of 400 and more, or none: {last}")
        return found


def _h2load(
    line: str, port: int, seconds: float, connections: int, log: Path
) -> dict[str, int]:
    """A run of h2load with one request, for answers 304: wrk waits for the body whose length they say."""
    host, *fields = line.split("\t")
    headers = [word for field in [f":authority: {host}", *fields] for word in ("--header", field)]
    log.unlink(missing_ok=True)
    run = subprocess.run(
        ["taskset", "--cpu-list", str(machine.CLIENT_CORE), "h2load", "--h1", "--threads", "1",
         "--clients", str(connections), "--duration", str(seconds), "--log-file", str(log), *headers,
         f"http://127.0.0.1:{port}/.well-known/apple-app-site-association"],
        capture_output=True, text=True, timeout=seconds + 30, check=True)
    # Each line: when a request began, its status, and how long it took, in microseconds.
    rows = [row.split("\t") for row in log.read_text().splitlines()]
    if not rows or any(row[1] != "304" for row in rows):
        raise RuntimeError(f"There were other answers than 304, or none:\n{run.stdout}")
    times = sorted(int(row[2]) for row in rows)
    traffic = re.search(r"traffic: \S+ \((\d+)\) total", run.stdout)
    return {
        "requests": len(rows), "microseconds": int(seconds * 1e6),
        "bytes": int(traffic[1]) if traffic else 0, "p50": times[len(times) // 2],
        "p99": times[len(times) * 99 // 100]}


@dataclass
class Load:
    """Requests that are drawn at random, and what every answer to them must be."""

    lines: list[str]
    file: Path
    status: int = 200
    connections: int = 64
    _sizes: tuple[int, int] = field(default=(0, 0), init=False)

    def __post_init__(self) -> None:
        self.file.write_text("".join(f"{line}\n" for line in self.lines))

    def verify(self, server: Server, documents: list[bytes]) -> None:
        """Fetches some of it with a client that looks at every byte. `documents` has what each
        line is to be answered with."""
        sample = random.Random(1).sample(range(len(self.lines)), min(200, len(self.lines)))
        sizes = []
        for index in sample:
            with Connection(server.port, server.tls) as connection:
                answer = connection.fetch(self.lines[index])
            expected = documents[index] if self.status == 200 else b""
            if answer.status != self.status or answer.body != expected:
                raise RuntimeError(
                    f"{server.name} answers {self.lines[index]!r} with:\n{_excerpt(answer)}")
            sizes.append(answer.size)
        self._sizes = min(sizes), max(sizes)

    def run(self, server: Server, seconds: float) -> Slice:
        """One slice. The bytes that came must be those of right answers, no more and no less.
        It ends when the server is at rest: what it does later for these requests is theirs, and
        not in the way of the next server's."""
        if self.status == 304:
            return self.measure(server, lambda: _h2load(
                self.lines[0], server.port, seconds, self.connections,
                self.file.with_suffix(".log")))
        return self.measure(server, lambda: Wrk(
            "fetches", server.url, [str(self.file)], seconds, self.connections).result())

    def measure(self, server: Server, run: Callable[[], dict[str, int]]) -> Slice:
        """The same for another client, which is a program and tells what wrk tells."""
        cpu_before, client_before = server.process.cpu_seconds(), _children_seconds()
        found = run()
        client = _children_seconds() - client_before
        server.settle()
        cpu = server.process.cpu_seconds() - cpu_before
        self._check_bytes(server, found["requests"], found["bytes"])
        elapsed = found["microseconds"] / 1e6
        return Slice(
            requests=found["requests"], per_second=found["requests"] / elapsed,
            p50=found["p50"], p99=found["p99"], bytes=found["bytes"],
            cpu=cpu / found["requests"] * 1e6,
            client_use=client / elapsed)

    def _check_bytes(self, server: Server, requests: int, received: int) -> None:
        smallest, largest = self._sizes
        # At the end an answer may be under way on each connection.
        if not requests * smallest <= received <= (requests + self.connections) * largest:
            raise RuntimeError(
                f"{server.name}: {requests} answers of {smallest} to {largest} bytes should not be "
                f"{received} bytes.")


def _excerpt(answer: Answer) -> str:
    return (answer.head + answer.body[:200]).decode(errors="replace")


def _children_seconds() -> float:
    """Processor time of clients that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
