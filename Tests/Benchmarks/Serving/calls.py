"""System calls a request, counted by strace: what a server asks of the kernel."""

import re
import signal
import subprocess
import time
from dataclasses import dataclass

import machine
from load import Load
from published import Published
from servers import Bench, Server
from throughput import bodies

# strace slows a server down. So long that what connecting takes does not count.
_SECONDS = 10


@dataclass(frozen=True)
class Calls:
    """Calls a request, by name."""

    server: str
    per_request: dict[str, float]

    @property
    def total(self) -> float:
        return sum(self.per_request.values())

    @property
    def frequent(self) -> dict[str, float]:
        return {name: each for name, each in self.per_request.items() if each >= 0.005}


def count(bench: Bench, published: Published) -> list[Calls]:
    """Of aasa and of the bare C program, for kept-alive requests. Fails where strace is missing, or
    may not look at programs."""
    publication = published.publication
    aasa, _ = bench.aasa(published, machine.SERVER_CORE)
    bare_c = bench.bare_c(published, machine.SERVER_CORE)
    load = Load(publication.hosts, bench.folder / "traced")
    found = []
    for server in (aasa, bare_c):
        load.verify(server, bodies(server, publication))
        found.append(_trace(server, load))
    for server in (aasa, bare_c):
        server.process.stop()
    return found


def _trace(server: Server, load: Load) -> Calls:
    strace = subprocess.Popen(
        ["strace", "--summary-only", "--follow-forks", "--attach", str(server.process.pid)],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    time.sleep(1)
    requests = load.run(server, _SECONDS).requests
    strace.send_signal(signal.SIGINT)
    _, text = strace.communicate(timeout=30)
    # Columns: % time, seconds, usecs/call, calls, perhaps errors, name.
    lines = re.findall(r"^\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)\s+(?:\d+\s+)?(\w+)$", text, re.MULTILINE)
    calls = {name: int(number) / requests for number, name in lines if name != "total"}
    if not calls:
        raise RuntimeError(f"strace counted nothing:\n{text}")
    return Calls(server.name, calls)
