"""Measures how long edits take alone, and while webhooks and the checker are at work, too.

    python3 -B Tests/Benchmarks/Editing PROGRAM [--seconds 60]

One server on SQLite, then two on one PostgreSQL. Somebody edits five times a second, through each server in turn. A
hundred webhooks hear of each edit, and 200 domains are checked every minute, over TLS, with stand-ins for the world
outside. Needs a machine that does nothing else.
"""

import argparse
import asyncio
import http.client
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path += [str(ROOT / "Tests/Benchmarks"), str(ROOT / "Tests/Benchmarks/Serving")]

from postgresql import PostgreSQL  # noqa: E402
from processes import Process  # noqa: E402

APP = "ABCDE12345.com.example.app"
RATE, WEBHOOKS, DOMAINS = 5, 100, 200
PUBLIC, ADMIN = 19580, 19590


def percentile(values: list[float], percent: int) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)]


class Receiver(threading.Thread):
    """Takes what webhooks send, and counts it."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.count = 0
        self.port = 0
        self._listens = threading.Event()

    def run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        server = await asyncio.start_server(self._take, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        self._listens.set()
        await server.serve_forever()

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = re.search(rb"(?i)content-length: *(\d+)", head)
                await reader.readexactly(int(length[1]) if length else 0)
                self.count += 1
                writer.write(b"HTTP/1.1 204 No Content\r\n\r\n")
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    def listen(self) -> None:
        self.start()
        self._listens.wait()

    def settle(self) -> int:
        """The number of deliveries, when no more have come for two seconds."""
        count = -1
        while count != self.count:
            count = self.count
            time.sleep(2)
        return count


class Servers:
    """Servers on one database, with an admin's token."""

    def __init__(self, program: str, database: str, count: int, outside: dict, folder: Path) -> None:
        self._settings = {"AASA_ALLOW_PRIVATE_ADDRESSES": "127.0.0.0/8"}
        self._checks = {
            "AASA_CHECK_INTERVAL": "60s", "AASA_CHECK_PLACES": f"*:127.0.0.1:{outside['site']}",
            "AASA_CHECK_AUTHORITIES": outside["authorities"], "AASA_APPLE_CDN": f"http://127.0.0.1:{outside['cdn']}",
            "AASA_GOOGLE_DIGITAL_ASSET_LINKS": f"http://127.0.0.1:{outside['google']}"}
        self._commands = [
            ([program, "serve", "--database", database, "--public-address", f"127.0.0.1:{PUBLIC + number}",
              "--admin-address", f"127.0.0.1:{ADMIN + number}"], folder / f"log{number}") for number in range(count)]
        state = folder / "state.json"
        state.write_text(json.dumps({"apps": [{"app": APP}], "domains": [
            {"domain": f"d{number}.example", "entries": [{"apps": [APP], "routes": [{"path": "/*"}]}]}
            for number in range(DOMAINS)]}))
        self._start(self._settings)
        self._token = subprocess.run(
            [program, "token", "create", "--database", database, "--name", "bench", "--role", "admin"],
            check=True, capture_output=True, text=True).stdout.strip()
        subprocess.run([program, "apply", str(state)], check=True, stdout=subprocess.DEVNULL,
                       env=os.environ | {"AASA_SERVER": f"http://127.0.0.1:{ADMIN}", "AASA_TOKEN": self._token})

    def _start(self, settings: dict[str, str]) -> None:
        self._processes = [Process(*command, environment=settings) for command in self._commands]
        for number, process in enumerate(self._processes):
            while not self._is_ready(number):
                process.check_runs()
                time.sleep(0.02)

    @staticmethod
    def _is_ready(number: int) -> bool:
        try:
            connection = http.client.HTTPConnection("127.0.0.1", ADMIN + number, timeout=60)
            connection.request("GET", "/readyz")
            return connection.getresponse().status == 200
        except OSError:
            return False

    def begin_checks(self) -> None:
        """Starts again with checks, and waits until each domain was checked once: certificates are made for that."""
        self.end()
        self._start(self._settings | self._checks)
        while not self._are_checked():
            time.sleep(1)

    @staticmethod
    def _are_checked() -> bool:
        """Whether each domain was, and none fails: those would be checked more often."""
        with urllib.request.urlopen(f"http://127.0.0.1:{ADMIN}/metrics", timeout=60) as answer:
            text = answer.read().decode()
        return all(f'aasa_checked_domains{{status="{status}"}} 0\n' in text for status in ("unchecked", "failing"))

    def call(self, connection: http.client.HTTPConnection, method: str, target: str, body: object) -> None:
        connection.request(method, target, json.dumps(body), {
            "Authorization": f"Bearer {self._token}", "Content-Type": "application/json"})
        answer = connection.getresponse()
        text = answer.read()
        if answer.status >= 300:
            raise RuntimeError(f"{method} {target}: {answer.status} {text[:500].decode()}")

    def add_webhooks(self, port: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", ADMIN, timeout=60)
        for number in range(WEBHOOKS):
            self.call(connection, "PUT", f"/v1/webhooks/h{number}", {"url": f"http://127.0.0.1:{port}/h{number}"})

    def edit(self, seconds: float, first: int) -> list[float]:
        """Edits at the rate, each when it is due, and returns how long each took."""
        connections = [http.client.HTTPConnection("127.0.0.1", ADMIN + number, timeout=60)
                       for number in range(len(self._commands))]
        times, begin = [], time.monotonic()
        for number in range(int(seconds * RATE)):
            due = begin + number / RATE
            time.sleep(max(0, due - time.monotonic()))
            self.call(connections[number % len(connections)], "PATCH", f"/v1/domains/d{number % DOMAINS}.example",
                      {"entries": [{"apps": [APP], "routes": [{"path": f"/n{first + number}/*"}]}]})
            # Also the time for which one before it kept it waiting.
            times.append(time.monotonic() - due)
        return times

    def cpu_seconds(self) -> float:
        return sum(process.cpu_seconds() for process in self._processes)

    def end(self) -> None:
        for process in self._processes:
            process.stop()


def measure(title: str, servers: Servers, receiver: Receiver, seconds: float) -> None:
    print(title, flush=True)

    def report(work: str, first: int) -> None:
        delivered = receiver.settle()
        used, begin = servers.cpu_seconds(), time.monotonic()
        times = [value * 1000 for value in servers.edit(seconds, first)]
        share = (servers.cpu_seconds() - used) / (time.monotonic() - begin)
        print(f"  {work}: p50 {percentile(times, 50):.0f} ms, p99 {percentile(times, 99):.0f} ms, longest "
              f"{max(times):.0f} ms; the servers use {share:.0%} of a core; {receiver.settle() - delivered} deliveries",
              flush=True)

    report("edits alone", 0)
    servers.add_webhooks(receiver.port)
    report(f"beside {WEBHOOKS} webhooks", 100_000)
    servers.begin_checks()
    report(f"beside {WEBHOOKS} webhooks and checks of {DOMAINS} domains a minute", 200_000)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--seconds", type=float, default=60)
    words = parser.parse_args()
    program = os.path.abspath(words.program)
    receiver = Receiver()
    receiver.listen()
    postgresql = PostgreSQL()
    try:
        with tempfile.TemporaryDirectory(prefix="aasa-editing.") as name, subprocess.Popen(
                [sys.executable, "-B", ROOT / "Tests/StandIns/standins.py"], stdin=subprocess.PIPE,
                stdout=subprocess.PIPE) as standins:
            outside = json.loads(standins.stdout.readline())
            urllib.request.urlopen(urllib.request.Request(
                f"http://127.0.0.1:{outside['control']}/sites/*", method="PUT",
                data=json.dumps({"upstream": PUBLIC}).encode()))
            for title, database, count in (("One server on SQLite", f"{name}/aasa.db", 1),
                                           ("Two servers on PostgreSQL", postgresql.create("editing"), 2)):
                folder = Path(name) / str(count)
                folder.mkdir()
                servers = Servers(program, database, count, outside, folder)
                try:
                    measure(title, servers, receiver, words.seconds)
                finally:
                    servers.end()
            standins.stdin.close()
    finally:
        postgresql.end()


main()
