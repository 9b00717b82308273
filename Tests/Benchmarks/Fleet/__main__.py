"""Measures what many domains cost, on SQLite and on PostgreSQL side by side.

    python3 -B Tests/Benchmarks/Fleet PROGRAM [--domains 100000] [--template 10000]

Publishes plain domains of five routes, then a template with its domains from a table; edits the template, and undoes
that, while somebody else edits and fetches. Needs a machine that does nothing else.
"""

import argparse
import contextlib
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent))

from postgresql import PostgreSQL  # noqa: E402

APP = "ABCDE12345.com.example.app"
FILE = "/.well-known/apple-app-site-association"
PUBLIC, ADMIN = 19380, 19381
TEMPLATE = {
    "template": "fleet",
    "parameters": [{"name": "app", "type": "app"}, {"name": "shop", "type": "path", "default": "shop"}],
    "entries": [{"apps": ["{app}"], "routes": [
        {"path": "/{shop}/cart", "exclude": True}, *({"path": f"/{{shop}}/{part}/*"} for part in "abcd")]}],
}


def percentile(values: list[float], percent: int) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)]


class Server:
    """A server on a database, with an admin's token."""

    def __init__(self, program: str, database: str, folder: Path) -> None:
        self._program, self._folder = program, folder
        self._log = folder / "log"
        start = time.monotonic()
        with self._log.open("w") as log:
            self.process = subprocess.Popen(
                [program, "serve", "--database", database, "--public-address", f"127.0.0.1:{PUBLIC}",
                 "--admin-address", f"127.0.0.1:{ADMIN}"], stderr=log, stdout=log)
        while not self._is_ready():
            if self.process.poll() is not None:
                raise RuntimeError(self._log.read_text())
            time.sleep(0.005)
        self.start_seconds = time.monotonic() - start
        self.token = subprocess.run(
            [program, "token", "create", "--database", database, "--name", f"bench-{time.time_ns()}", "--role", "admin"],
            check=True, capture_output=True, text=True).stdout.strip()

    @staticmethod
    def _is_ready() -> bool:
        try:
            connection = http.client.HTTPConnection("127.0.0.1", ADMIN, timeout=60)
            connection.request("GET", "/readyz")
            return connection.getresponse().status == 200
        except OSError:
            return False

    def call(self, connection: http.client.HTTPConnection, method: str, target: str, body: object = None) -> object:
        connection.request(
            method, target, None if body is None else json.dumps(body),
            {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"})
        answer = connection.getresponse()
        text = answer.read()
        if answer.status >= 300:
            raise RuntimeError(f"{method} {target}: {answer.status} {text[:2000].decode()}")
        return json.loads(text) if text else None

    def run(self, *words: str) -> float:
        """The seconds that a command takes."""
        start = time.monotonic()
        done = subprocess.run(
            [self._program, *words], capture_output=True, text=True,
            env=os.environ | {"AASA_SERVER": f"http://127.0.0.1:{ADMIN}", "AASA_TOKEN": self.token})
        if done.returncode:
            raise RuntimeError(f"aasa {' '.join(words)}: {done.stdout[-2000:]} {done.stderr[-2000:]}")
        return time.monotonic() - start

    def megabytes(self, name: str = "VmRSS") -> float:
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(rf"{name}:\s+(\d+)", status)[1]) / 1024

    def end(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()

    @contextlib.contextmanager
    def others(self) -> Iterator[tuple[list[float], list[float]]]:
        """Meanwhile somebody edits a domain of their own ten times a second, and fetches a file: the seconds of each."""
        edits, fetches, ended = [], [], threading.Event()

        def edit() -> None:
            connection = http.client.HTTPConnection("127.0.0.1", ADMIN, timeout=600)
            number = 0
            while not ended.wait(0.1):
                number += 1
                start = time.monotonic()
                self.call(connection, "PATCH", "/v1/domains/other.example",
                          {"entries": [{"apps": [APP], "routes": [{"path": f"/n{number}/*"}]}]})
                edits.append(time.monotonic() - start)

        def fetch() -> None:
            connection = http.client.HTTPConnection("127.0.0.1", PUBLIC, timeout=600)
            while not ended.wait(0.01):
                start = time.monotonic()
                connection.request("GET", FILE, headers={"Host": "other.example"})
                connection.getresponse().read()
                fetches.append(time.monotonic() - start)

        threads = [threading.Thread(target=edit), threading.Thread(target=fetch)]
        for thread in threads:
            thread.start()
        try:
            yield edits, fetches
        finally:
            ended.set()
            for thread in threads:
                thread.join()


class Report:
    """Rows of a table: what was done, and the figure of each engine."""

    def __init__(self) -> None:
        self._rows: dict[str, list[tuple[float, str]]] = {}

    def add(self, work: str, value: float, unit: str) -> None:
        self._rows.setdefault(work, []).append((value, unit))
        print(f"  {work}: {value:.3g} {unit}", flush=True)

    @property
    def table(self) -> str:
        lines = ["| work | SQLite | PostgreSQL | ratio |", "|---|---|---|---|"]
        for work, values in self._rows.items():
            cells = [f"{value:.3g} {unit}" for value, unit in values]
            ratio = f"{values[1][0] / values[0][0]:.1f}" if len(values) == 2 and values[0][0] else ""
            lines.append(f"| {work} | {' | '.join(cells)} | {ratio} |")
        return "\n".join(lines)


def measure(program: str, database: str, domains: int, used: int, report: Report) -> None:
    with tempfile.TemporaryDirectory(prefix="aasa-fleet.") as name:
        folder = Path(name)
        state, table, rules, other = (folder / name for name in ("state.json", "table.csv", "rules.json", "other.json"))
        other.write_text(json.dumps({"domains": [
            {"domain": "other.example", "entries": [{"apps": [APP], "routes": [{"path": "/*"}]}]}]}))
        state.write_text(json.dumps({
            "apps": [{"app": APP, "name": "Example"}],
            "domains": [{"domain": f"d{number}.example", "entries": [
                {"apps": [APP], "routes": [{"path": f"/{number}/{route}/*"} for route in range(5)]}]}
                for number in range(domains)]}))
        table.write_text("domain,app,shop\n" + "".join(
            f"t{number}.example,ABCDE12345.com.example.a{number},{'' if number % 3 else f'store{number}'}\n"
            for number in range(used)))
        rules.write_text(json.dumps(TEMPLATE))
        server = Server(program, database, folder)
        report.add(f"apply {domains:,} new domains", server.run("apply", str(state)), "s")
        server.end()
        server = Server(program, database, folder)
        report.add(f"start with {domains:,} domains", server.start_seconds, "s")
        report.add(f"memory with {domains:,} domains", server.megabytes(), "MB")
        server.run("apply", str(rules))
        server.run("apply", str(other))
        report.add(f"{used:,} domains from a table",
                   server.run("apply", "--template", "fleet", "--from", str(table)), "s")
        admin = http.client.HTTPConnection("127.0.0.1", ADMIN, timeout=1_200)
        edited = dict(TEMPLATE, entries=[dict(TEMPLATE["entries"][0], routes=[
            *TEMPLATE["entries"][0]["routes"], {"path": "/gift/*"}])])
        before = server.megabytes()
        start = time.monotonic()
        server.call(admin, "PUT", "/v1/templates/fleet?dryRun=true", edited)
        report.add(f"dry run of an edit of {used:,} domains", time.monotonic() - start, "s")
        change = None
        for work, act in (
            (f"edit of {used:,} domains", lambda: server.call(admin, "PUT", "/v1/templates/fleet", edited)),
            ("its undo", lambda: server.call(admin, "POST", f"/v1/changes/{change}/revert")),
        ):
            with server.others() as (edits, fetches):
                start = time.monotonic()
                answer = act()
                report.add(work, time.monotonic() - start, "s")
            change = answer.get("change") if isinstance(answer, dict) else None
            report.add(f"{work}: p99 of others' edits", percentile(edits, 99) * 1000, "ms")
            report.add(f"{work}: longest of others' edits", max(edits) * 1000, "ms")
            report.add(f"{work}: p99 of fetches", percentile(fetches, 99) * 1000, "ms")
        report.add("most memory more", server.megabytes("VmHWM") - before, "MB")
        for title, target in (("first page", ""), ("search", "&q=d77"), ("uncollected", "&collected=false")):
            start = time.monotonic()
            server.call(admin, "GET", f"/v1/domains?limit=100{target}")
            report.add(f"list of domains: {title}", (time.monotonic() - start) * 1000, "ms")
        server.end()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--domains", type=int, default=100_000)
    parser.add_argument("--template", type=int, default=10_000)
    words = parser.parse_args()
    program, report = os.path.abspath(words.program), Report()
    with tempfile.TemporaryDirectory(prefix="aasa-fleet.") as folder:
        print("SQLite")
        measure(program, f"{folder}/aasa.db", words.domains, words.template, report)
    postgresql = PostgreSQL()
    try:
        print("PostgreSQL")
        measure(program, postgresql.create("fleet"), words.domains, words.template, report)
    finally:
        postgresql.end()
    print(report.table)


main()
