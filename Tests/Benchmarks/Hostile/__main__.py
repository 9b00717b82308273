"""Sends hostile requests to a server, one after the other, while somebody else edits and looks at /healthz.

Each request has a server of its own, so that memory which an earlier one has left does not count. Fails if one of them
raises memory by more than 64 MB, takes more than 2 s for each of its clients (an apply: 600 s), or ends the server; or
if edits and lists by somebody else, with a token of their own, or the answers of /healthz have a p99 over 250 ms. An
attack goes on for some seconds, from many clients; its temporary files may have 64 MB, and are gone after it. The p99
of edits stays below 500 ms meanwhile.
"""

import argparse
import contextlib
import json
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from bodies import ALL, APP, CACHE_SECONDS, CHECKED, CHECKED_ALIASES, Hostile, files_that_differ

MOST_MEGABYTES = 64
MOST_SECONDS = 2.0
# An apply checks any number of documents, and keeps nobody waiting.
MOST_APPLY_SECONDS = 600.0
MOST_EDIT_SECONDS = 0.25
# The same during an attack.
MOST_ATTACKED_SECONDS = 0.5
LIMIT_MEGABYTES = 512
# How long a request may take before it is given up.
PATIENCE = MOST_APPLY_SECONDS
# So long are edits measured for each request, at least.
EDITING_SECONDS = 1.0


@dataclass
class Outcome:
    hostile: Hostile
    sent: int
    statuses: list[int] = field(default_factory=list)
    code: str = ""
    answered: int = 0
    seconds: float = 0
    cpu_seconds: float = 0
    megabytes: float = 0
    disk_megabytes: float = 0
    edits: list[float] = field(default_factory=list)
    probes: list[float] = field(default_factory=list)
    failure: str = ""

    def is_fine(self, leniency: float = 1) -> bool:
        return (not self.failure and self.megabytes <= MOST_MEGABYTES * leniency
                and self.disk_megabytes <= MOST_MEGABYTES
                and not (self.hostile.lasts and self.edits
                         and percentile(self.edits, 99) > MOST_ATTACKED_SECONDS * leniency)
                and self.seconds <= (MOST_APPLY_SECONDS if self.is_apply else MOST_SECONDS)
                * self.hostile.clients * leniency)

    @property
    def is_apply(self) -> bool:
        return self.hostile.target.startswith("/v1/apply")

    @property
    def row(self) -> str:
        status = "/".join(str(status) for status in sorted(set(self.statuses)))
        said = self.failure or f"{status} {self.code}".strip()
        edit = f"{percentile(self.edits, 99) * 1000:.0f}" if self.edits else "–"
        mark = "" if self.is_fine() else " **over**"
        return (f"| {self.hostile.name} | {self.hostile.token} | {size(self.sent)} | {said} | {size(self.answered)} "
                f"| {self.seconds:.2f} | {self.cpu_seconds:.2f} | {self.megabytes:.0f} | {edit} |{mark}")


def size(count: int) -> str:
    if count < 10_000:
        return f"{count} B"
    return f"{count / 1000:.0f} KB" if count < 1_000_000 else f"{count / 1e6:.1f} MB"


def percentile(values: list[float], percent: int) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)]


class Answer:
    """What a server sends, until its end."""

    def __init__(self, connection: socket.socket) -> None:
        received = bytearray()
        while b"\r\n\r\n" not in received:
            received += self._piece(connection)
        head, _, rest = bytes(received).partition(b"\r\n\r\n")
        self.status = int(head.split(b" ", 2)[1])
        self.bytes = 0
        self.start = b""
        lower = head.lower()
        length = re.search(rb"content-length: *(\d+)", lower)
        if b"transfer-encoding: chunked" in lower:
            self._read_chunks(connection, rest)
        else:
            expected = int(length[1]) if length else 0
            self._take(rest)
            while self.bytes < expected:
                self._take(self._piece(connection))

    def _take(self, piece: bytes) -> None:
        self.bytes += len(piece)
        if len(self.start) < 4096:
            self.start += piece[:4096]

    def _read_chunks(self, connection: socket.socket, rest: bytes) -> None:
        buffer = rest
        while True:
            while b"\r\n" not in buffer:
                buffer += self._piece(connection)
            line, _, buffer = buffer.partition(b"\r\n")
            count = int(line.split(b";")[0], 16)
            while len(buffer) < count + 2:
                buffer += self._piece(connection)
            self._take(buffer[:count])
            buffer = buffer[count + 2:]
            if count == 0:
                return

    @staticmethod
    def _piece(connection: socket.socket) -> bytes:
        piece = connection.recv(1 << 18)
        if not piece:
            raise ConnectionError("closed before the answer ended")
        return piece

    @property
    def code(self) -> str:
        found = re.search(rb'"code":"([a-z0-9-]+)"', self.start)
        return found[1].decode() if found and self.status >= 400 else ""


class Server:
    """A server with an empty copy of a database, in a control group with little memory if that can be had."""

    def __init__(self, aasa: Path, database: Path, group: Path | None, settings: dict[str, str]) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="aasa-hostile-"))
        copy = self._folder / "aasa.db"
        shutil.copy(database, copy)
        copy.chmod(0o600)
        self._log = (self._folder / "log").open("wb")

        def enter() -> None:
            if group:
                (group / "cgroup.procs").write_text(str(os.getpid()))

        self._process = subprocess.Popen(
            [str(aasa), "serve", "--database", str(copy), "--public-address", "127.0.0.1:0",
             "--admin-address", "127.0.0.1:0"],
            stdin=subprocess.DEVNULL, stdout=self._log, stderr=self._log, preexec_fn=enter,
            env={**os.environ, **settings})
        self.port = self._wait_for_port()

    def _wait_for_port(self) -> int:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and self._process.poll() is None:
            found = re.search(r"^Admin API: *http://127\.0\.0\.1:(\d+)/v1", self.log, re.MULTILINE)
            if found:
                return int(found[1])
            time.sleep(0.02)
        raise RuntimeError(f"aasa did not start:\n{self.log}")

    @property
    def log(self) -> str:
        return (self._folder / "log").read_text(errors="replace")

    @property
    def runs(self) -> bool:
        return self._process.poll() is None

    def _megabytes(self, name: str) -> float:
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        found = re.search(rf"^{name}:\s+(\d+) kB", status, re.MULTILINE)
        return int(found[1]) / 1024 if found else 0

    def begin_peak(self) -> float:
        """Forgets the peak of resident memory so far, and returns what is resident."""
        Path(f"/proc/{self._process.pid}/clear_refs").write_text("5")
        return self._megabytes("VmRSS")

    @property
    def peak(self) -> float:
        return self._megabytes("VmHWM")

    @property
    def disk_megabytes(self) -> float:
        """What its temporary files have, which have no names."""
        total = 0
        for link in Path(f"/proc/{self._process.pid}/fd").iterdir():
            # Others are closed meanwhile.
            with contextlib.suppress(OSError):
                if os.readlink(link).startswith(str(self._folder)) and os.readlink(link).endswith(" (deleted)"):
                    total += link.stat().st_size
        return total / 1024 / 1024

    @property
    def cpu_seconds(self) -> float:
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self) -> None:
        self._process.kill()
        self._process.wait()
        self._log.close()
        shutil.rmtree(self._folder)


def exchange(
    port: int, token: str, method: str, target: str, body: bytes = b"", fields: tuple[str, ...] = (),
    is_chunked: bool = False,
) -> Answer:
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        framing = "Transfer-Encoding: chunked" if is_chunked else f"Content-Length: {len(body)}"
        lines = [f"{method} {target} HTTP/1.1", "Host: localhost", f"Authorization: Bearer {token}",
                 framing, *([] if any(one.startswith("Content-Type") for one in fields)
                            else ["Content-Type: application/json"]), *fields, "", ""]
        # A server may answer and close before it has read everything.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            connection.sendall("\r\n".join(lines).encode())
            if is_chunked:
                step = 1 if len(body) < 100_000 else 50_000
                pieces = [body[start:start + step] for start in range(0, len(body), step)]
                for start in range(0, len(pieces), 1000):
                    connection.sendall(b"".join(
                        b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces[start:start + 1000]))
                connection.sendall(b"0\r\n\r\n")
            elif body:
                connection.sendall(body)
        return Answer(connection)


def attack(server: Server, token: str, hostile: Hostile, body: bytes, end: float, outcome: Outcome) -> None:
    """Sends a request again and again, or holds one whose body lacks its last byte."""
    number = CACHE_SECONDS
    while time.monotonic() < end:
        try:
            if hostile.is_held:
                with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as connection:
                    lines = [f"{hostile.method} {hostile.target} HTTP/1.1", "Host: localhost",
                             f"Authorization: Bearer {token}", *hostile.fields, f"Content-Length: {len(body)}", "", ""]
                    connection.sendall("\r\n".join(lines).encode() + body[:-1])
                    connection.settimeout(max(0.01, end - time.monotonic()))
                    with contextlib.suppress(TimeoutError):
                        outcome.statuses.append(Answer(connection).status)
            else:
                number += 1
                varied = body.replace(b'"cacheSeconds": %d' % CACHE_SECONDS, b'"cacheSeconds": %d' % number)
                answer = exchange(server.port, token, hostile.method, hostile.target, varied, hostile.fields)
                outcome.statuses.append(answer.status)
                outcome.code, outcome.answered = answer.code, max(outcome.answered, answer.bytes)
        except OSError:
            # The server may close what it does not want.
            time.sleep(0.05)


class Editor:
    """Somebody else who edits one small domain, lists domains, validates a file of 200 KB and asks for /healthz, again
    and again, and how long each takes."""

    FILE = b"{" + b" " * 200_000 + b"}"

    def __init__(self, port: int, token: str) -> None:
        self._port, self._token = port, token
        self.times: list[float] = []
        self.probes: list[float] = []
        self.failures: list[str] = []
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> "Editor":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ends.set()
        self._thread.join()

    def edit(self, number: int) -> None:
        start = time.monotonic()
        body = json.dumps({"cacheSeconds": 60 + number % 1000}).encode()
        answer = exchange(self._port, self._token, "PATCH", "/v1/domains/calm.example", body)
        self.times.append(time.monotonic() - start)
        if answer.status != 200:
            self.failures.append(f"edit: {answer.status} {answer.code}")
        for method, target, body in (("GET", "/v1/domains?limit=10", b""), ("POST", "/v1/validate", self.FILE)):
            start = time.monotonic()
            answer = exchange(self._port, self._token, method, target, body)
            self.times.append(time.monotonic() - start)
            if answer.status != 200:
                self.failures.append(f"{target}: {answer.status} {answer.code}")
        start = time.monotonic()
        answer = exchange(self._port, self._token, "GET", "/healthz")
        self.probes.append(time.monotonic() - start)
        if answer.status != 200:
            self.failures.append(f"/healthz: {answer.status}")

    def _run(self) -> None:
        number = 0
        while not self._ends.is_set():
            number += 1
            try:
                self.edit(number)
            except OSError as error:
                self.failures.append(f"edit: {error}")
                return
            time.sleep(0.01)


@contextlib.contextmanager
def sites() -> Iterator[dict[str, str]]:
    """Sites that answer checks, and the settings with which a server finds them."""
    program = Path(__file__).parent.parent.parent / "StandIns" / "standins.py"
    with subprocess.Popen(
            [sys.executable, "-B", str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        ports = json.loads(process.stdout.readline())
        fields = {"Content-Type": "application/json"}
        turns = [{"body": file, "fields": fields} for file in files_that_differ()]
        path = "/.well-known/apple-app-site-association"
        request = urllib.request.Request(
            f"http://127.0.0.1:{ports['control']}/sites/*", json.dumps({"paths": {path: {"turns": turns}}}).encode(),
            method="PUT")
        urllib.request.urlopen(request, timeout=60).close()
        yield {
            "AASA_ALLOW_PRIVATE_ADDRESSES": "127.0.0.0/8", "AASA_CHECK_PLACES": f"*:127.0.0.1:{ports['site']}",
            "AASA_CHECK_AUTHORITIES": ports["authorities"], "AASA_APPLE_CDN": f"http://127.0.0.1:{ports['cdn']}",
            "AASA_GOOGLE_DIGITAL_ASSET_LINKS": f"http://127.0.0.1:{ports['google']}"}
        process.stdin.close()


def measure(
    aasa: Path, database: Path, tokens: dict[str, str], group: Path | None, settings: dict[str, str], hostile: Hostile,
) -> Outcome:
    body = hostile.body()
    outcome = Outcome(hostile, len(body))
    server = Server(aasa, database, group, settings)
    lock = threading.Lock()

    def send() -> None:
        start = time.monotonic()
        try:
            answer = exchange(
                server.port, tokens[hostile.token], hostile.method, hostile.target, body, hostile.fields,
                hostile.is_chunked)
            with lock:
                outcome.statuses.append(answer.status)
                outcome.code = answer.code
                outcome.answered = max(outcome.answered, answer.bytes)
            # One that is told to come again has waited for five seconds, as it should.
            if answer.status != 503:
                outcome.seconds = max(outcome.seconds, time.monotonic() - start)
        except OSError as error:
            outcome.failure = str(error) or type(error).__name__
            outcome.seconds = max(outcome.seconds, time.monotonic() - start)

    try:
        with Editor(server.port, tokens["somebody else"]) as editor:
            # What any request needs once.
            while len(editor.times) < 10 and not editor.failures:
                time.sleep(0.01)
            exchange(server.port, tokens["viewer"], "POST", "/v1/validate", b"{}")
            before, cpu_before = server.begin_peak(), server.cpu_seconds
            editor.times.clear()
            editor.probes.clear()
            start = time.monotonic()
            end = start + hostile.lasts
            clients = [
                threading.Thread(target=attack, args=(server, tokens[hostile.token], hostile, body, end, outcome))
                if hostile.lasts else threading.Thread(target=send) for _ in range(hostile.clients)]
            for client in clients:
                client.start()
            while server.runs and time.monotonic() < end:
                outcome.disk_megabytes = max(outcome.disk_megabytes, server.disk_megabytes)
                time.sleep(0.05)
            for client in clients:
                client.join()
            if server.runs:
                outcome.megabytes = server.peak - before
                outcome.cpu_seconds = server.cpu_seconds - cpu_before
            time.sleep(max(0, EDITING_SECONDS - (time.monotonic() - start)))
        outcome.edits, outcome.probes = editor.times, editor.probes
        deadline = time.monotonic() + 5
        while server.runs and server.disk_megabytes > 0 and time.monotonic() < deadline:
            time.sleep(0.05)
        if not server.runs:
            outcome.failure = "the server ended"
        elif server.disk_megabytes > 0:
            outcome.failure = "temporary files are left"
        elif editor.failures:
            outcome.failure = editor.failures[0]
        elif any(status >= 500 and status != 503 for status in outcome.statuses):
            outcome.failure = f"{outcome.statuses} {outcome.code}"
    finally:
        server.stop()
    return outcome


@contextlib.contextmanager
def memory_group() -> Iterator[Path | None]:
    """A control group whose processes may use little memory; nothing where there are none."""
    for root, name in ((Path("/sys/fs/cgroup/memory"), "memory.limit_in_bytes"), (Path("/sys/fs/cgroup"), "memory.max")):
        group = root / f"aasa-hostile-{os.getpid()}"
        try:
            group.mkdir()
        except OSError:
            continue
        try:
            (group / name).write_text(str(LIMIT_MEGABYTES * 1024 * 1024))
            yield group
            return
        except OSError:
            continue
        finally:
            with contextlib.suppress(OSError):
                group.rmdir()
    yield None


def prepare(aasa: Path, folder: Path, domains: int) -> tuple[Path, dict[str, str]]:
    """A database with a large domain, one that is edited, some others, and a token of each kind."""
    database = folder / "aasa.db"
    routes = [{"path": f"/x{number:x}"} for number in range(8000)]
    state = {"domains": [
        {"domain": "large.example", "entries": [{"apps": [APP], "routes": routes}]},
        {"domain": "calm.example", "entries": [{"apps": [APP], "routes": [{"path": "/a"}]}]},
        {"domain": "own.brand.example", "entries": [{"apps": [APP], "routes": [{"path": "/a"}]}]},
        *({"domain": name, "aliases": [f"a{number}.{name}" for number in range(CHECKED_ALIASES)],
           "entries": [{"apps": [APP], "routes": [{"path": f"/*{number:x}*z*"} for number in range(2700)]}]}
          for name in CHECKED),
        # Half of the names have letters beyond ASCII.
        *({"domain": f"{'zürich' * (number % 2)}{number}.example",
           "entries": [{"apps": [APP], "routes": [{"path": "/a"}]}]} for number in range(domains))]}
    file = folder / "state.json"
    file.write_text(json.dumps(state))

    def run(*words: str) -> str:
        return subprocess.run(
            [str(aasa), *words], check=True, capture_output=True, text=True, timeout=600).stdout.strip()

    run("apply", "--database", str(database), str(file))
    limits = {"viewer": ["--role", "viewer"], "editor": ["--role", "editor"], "admin": ["--role", "admin"],
              "somebody else": ["--role", "editor"],
              "limited": ["--role", "editor", "--domain", "*.brand.example"]}
    tokens = {
        name: run("token", "create", "--database", str(database), "--name", name, *words)
        for name, words in limits.items()}
    return database, tokens


def by_kind(outcomes: list[Outcome]) -> list[str]:
    """A row for each kind of request: its worst ones."""
    kinds: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        name = outcome.hostile.name
        kinds.setdefault(name.split(":")[0] if ":" in name else "other", []).append(outcome)
    rows = ["| kind | requests | most MB more | longest, s | most CPU, s | largest answer | edits of others, p99 ms |",
            "|---|---|---|---|---|---|---|"]
    for kind, found in kinds.items():
        edits = [seconds for outcome in found for seconds in outcome.edits]
        rows.append(
            f"| {kind} | {len(found)} | {max(outcome.megabytes for outcome in found):.0f} "
            f"| {max(outcome.seconds for outcome in found):.2f} "
            f"| {max(outcome.cpu_seconds for outcome in found):.2f} "
            f"| {size(max(outcome.answered for outcome in found))} | {percentile(edits, 99) * 1000:.0f} |")
    return rows


def write_docs(page: Path, lines: list[str]) -> None:
    """Replaces what is between the marks of the page."""
    before, _, rest = page.read_text().partition("<!-- hostile: begin -->")
    _, _, after = rest.partition("<!-- hostile: end -->")
    page.write_text("\n".join([
        before + "<!-- hostile: begin -->", "", *lines, "", "<!-- hostile: end -->" + after]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("aasa", type=Path)
    parser.add_argument("--only", default="", help="only requests whose names contain this")
    parser.add_argument("--domains", type=int, default=10_000, help="how many small domains are stored")
    parser.add_argument("--docs", type=Path, help="write the results into docs/limits.md of this folder")
    parser.add_argument(
        "--short", action="store_true", help="every eighth request and most attacks, with ten times the limits")
    arguments = parser.parse_args()
    leniency = 10 if arguments.short else 1
    chosen = [hostile for hostile in ALL if arguments.only in hostile.name]
    if arguments.short:
        chosen = [hostile for hostile in chosen if not hostile.lasts][::8] + [
            one for one in chosen if one.lasts and not one.is_large]
    print("| request | token | sent | answer | received | s | CPU s | MB more | edits, p99 ms |",
          "|---|---|---|---|---|---|---|---|---|", sep="\n", flush=True)
    outcomes = []
    with tempfile.TemporaryDirectory(prefix="aasa-hostile-") as folder, memory_group() as group, sites() as settings:
        database, tokens = prepare(arguments.aasa.resolve(), Path(folder), arguments.domains)
        for hostile in chosen:
            outcomes.append(measure(arguments.aasa.resolve(), database, tokens, group, settings, hostile))
            print(outcomes[-1].row, flush=True)
    edits = [seconds for outcome in outcomes for seconds in outcome.edits]
    probes = [seconds for outcome in outcomes for seconds in outcome.probes]
    p99, probes_p99 = percentile(edits, 99), percentile(probes, 99)
    longest = {
        is_apply: max((one.seconds for one in outcomes if one.is_apply == is_apply), default=0)
        for is_apply in (False, True)}
    summary = (
        f"{len(outcomes)} requests, each to a server of its own under a limit of {LIMIT_MEGABYTES} MB"
        f"{'' if group else ' (which this machine did not enforce)'}: at most "
        f"{max(outcome.megabytes for outcome in outcomes):.0f} MB more and "
        f"{longest[False]:.2f} s, an apply {longest[True]:.2f} s. {len(edits)} edits by somebody else meanwhile: "
        f"p50 {statistics.median(edits) * 1000:.1f} ms, p99 {p99 * 1000:.0f} ms. /healthz: "
        f"p50 {statistics.median(probes) * 1000:.1f} ms, p99 {probes_p99 * 1000:.0f} ms.")
    table = by_kind(outcomes)
    print("", *table, "", summary, sep="\n")
    if arguments.docs:
        write_docs(arguments.docs / "limits.md", [*textwrap.wrap(summary, 120), "", *table])
    bad = ", ".join(outcome.hostile.name for outcome in outcomes if not outcome.is_fine(leniency))
    if bad or max(p99, probes_p99) > MOST_EDIT_SECONDS * leniency:
        sys.exit(f"Over the limits: {bad or 'edits by somebody else, or /healthz'}.")


if __name__ == "__main__":
    main()
