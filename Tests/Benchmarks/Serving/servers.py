"""The servers that are compared, each on a port of its own and with nothing of the system's."""

import getpass
import os
import resource
import socket
import ssl
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from client import PATH, Answer, Connection
from processes import Process
from published import Published

_HERE = Path(__file__).parent
# aasa collects what it writes to its fetch ledger every two seconds; others only close connections.
_SETTLE = 0.2

# The two ways in which nginx sends files. Which is faster depends on their size and on the system.
NGINX = ("nginx, sendfile on", "nginx, sendfile off")


@dataclass(frozen=True)
class Server:
    name: str
    process: Process
    port: int
    # From the start of the program to its first answer that was right.
    start_seconds: float
    # Whether it has done what its requests have left to be done.
    has_finished: Callable[[], bool]
    # For HTTPS.
    tls: ssl.SSLContext | None = None

    @property
    def url(self) -> str:
        return f"http{'s' if self.tls else ''}://127.0.0.1:{self.port}"

    def settle(self) -> None:
        """Waits for the end of the work that requests have left."""
        self.process.wait_until_still(_SETTLE)
        deadline = time.monotonic() + 90
        while not self.has_finished():
            if time.monotonic() > deadline:
                raise RuntimeError(f"{self.name} does not come to its end.")
            time.sleep(0.1)
        self.process.wait_until_still(_SETTLE)


@dataclass(frozen=True)
class Admin:
    """Access to aasa's API."""

    port: int
    token: str
    database: Path

    @property
    def fields(self) -> str:
        return (f"Host: localhost\r\nAuthorization: Bearer {self.token}\r\n"
                "Content-Type: application/json")

    def has_written_fetches(self) -> bool:
        """Whether the ledger has every file that was sent."""
        url = f"http://127.0.0.1:{self.port}/metrics"
        with urllib.request.urlopen(url, timeout=10) as answer:
            samples = [line.rsplit(" ", 1) for line in answer.read().decode().splitlines()
                       if not line.startswith("#")]
        sent = sum(
            float(value) for name, value in samples
            if name.startswith("aasa_public_requests_total{") and
            ('outcome="ok"' in name or 'outcome="not-modified"' in name))
        written = sum(
            float(value) for name, value in samples
            if name == "aasa_ledger_fetches_written_total")
        return written >= sent


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Bench:
    """Starts servers in a folder of its own, and ends them all when it is left."""

    def __init__(self, aasa: Path, constant: Path, folder: Path) -> None:
        self._aasa = aasa
        self._constant = constant
        self.folder = folder
        self._stack = ExitStack()

    def __enter__(self) -> "Bench":
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def aasa(
        self, published: Published, core: int | None, certificates: Path | None = None
    ) -> tuple[Server, Admin]:
        """With certificates, it serves files over HTTPS."""
        database = Path(tempfile.mkdtemp(dir=self.folder)) / "aasa.db"
        published.copy_database(database)
        # Or else the kernel writes it to the disk while something is measured.
        os.sync()
        token = subprocess.run(
            [self._aasa, "token", "create", "--database", database, "--role", "admin",
             "--name", "bench"],
            check=True, capture_output=True, text=True, timeout=60).stdout.strip()
        admin = Admin(free_port(), token, database)
        server = self._start(
            "aasa", published, core, lambda port: [
                str(self._aasa), "serve", "--database", str(database),
                "--public-address", f"127.0.0.1:{port}",
                "--admin-address", f"127.0.0.1:{admin.port}",
                *(["--public-certificates", str(certificates)] if certificates else [])],
            admin.has_written_fetches, _trust(certificates))
        # The API may be there a little later than the files; what it says to this does not matter.
        _first_answer(server.process, admin.port, "localhost")
        return server, admin

    def bare_c(self, published: Published, core: int) -> Server:
        return self._start(
            "bare C", published, core,
            lambda port: [str(self._constant), str(port), str(published.document)])

    def nginx(self, published: Published, core: int) -> Server:
        """As Debian sets it up. Large files leave faster without tcp_nopush, small ones with it."""
        is_large = published.publication.document_bytes > 65_536
        return self._nginx(NGINX[0], published, core, "on", "off" if is_large else "on")

    def nginx_without_sendfile(self, published: Published, core: int) -> Server:
        """Copies files through its own memory, which is faster where they are small."""
        return self._nginx(NGINX[1], published, core, "off", "off")

    def nginx_with_tls(self, published: Published, core: int, certificates: Path) -> Server:
        """With the cipher that costs it least."""
        return self._nginx("nginx", published, core, "on", "on", certificates)

    def _nginx(
        self, name: str, published: Published, core: int, sendfile: str, tcp_nopush: str,
        certificates: Path | None = None,
    ) -> Server:
        tls = "" if certificates is None else (
            f"ssl_certificate {certificates}/default.crt;"
            f"ssl_certificate_key {certificates}/default.key;"
            "ssl_protocols TLSv1.2 TLSv1.3; ssl_prefer_server_ciphers on;"
            "ssl_ciphers ECDHE-ECDSA-AES128-GCM-SHA256;"
            "ssl_conf_command Ciphersuites TLS_AES_128_GCM_SHA256;")
        return self._configured(
            name, published, core, "nginx.conf",
            lambda file: ["nginx", "-p", str(self.folder), "-e", "stderr", "-c", str(file)],
            {"SENDFILE": sendfile, "NOPUSH": tcp_nopush, "SSL": " ssl" if tls else "", "TLS": tls},
            _trust(certificates))

    def lighttpd(self, published: Published, core: int) -> Server:
        return self._configured(
            "lighttpd", published, core, "lighttpd.conf",
            lambda file: ["lighttpd", "-D", "-f", str(file)])

    def caddy(self, published: Published, core: int) -> Server:
        return self._configured(
            "Caddy", published, core, "Caddyfile",
            lambda file: ["caddy", "run", "--adapter", "caddyfile", "--config", str(file)])

    def h2o(self, published: Published, core: int) -> Server:
        """With one document for every host, as it compares a name with one host after the other."""
        return self._configured(
            "h2o", published, core, "h2o.conf",
            lambda file: ["h2o", "-m", "worker", "-c", str(file)],
            {"ROOT": str(published.sites / published.publication.hosts[0])})

    def _configured(
        self, name: str, published: Published, core: int, template: str,
        command: Callable[[Path], list[str]], choices: dict[str, str] | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> Server:
        """A server with a configuration file, in which `@NAMES@` stand for what is known now."""
        def configure(port: int) -> list[str]:
            open_files = min(40_000, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
            known = {
                "PORT": port, "SITES": published.sites, "PATH": PATH, "DIRECTORY": self.folder,
                "USER": getpass.getuser(), "FILES": open_files}
            text = (_HERE / template).read_text()
            for key, value in (known | (choices or {})).items():
                text = text.replace(f"@{key}@", str(value))
            file = self.folder / f"{name}-{template}"
            file.write_text(text)
            return command(file)

        return self._start(name, published, core, configure, tls=tls)

    def _start(
        self, name: str, published: Published, core: int | None,
        command: Callable[[int], list[str]], has_finished: Callable[[], bool] = lambda: True,
        tls: ssl.SSLContext | None = None,
    ) -> Server:
        port = free_port()
        words = command(port)
        host = published.publication.hosts[-1]
        start = time.monotonic()
        process = Process(
            words, self.folder / f"{name}.log", core, {"HOME": str(self.folder)})
        self._stack.callback(process.stop)
        answer = _first_answer(process, port, host, tls)
        seconds = time.monotonic() - start
        if answer.status != 200 or len(answer.body) != published.publication.document_bytes:
            raise RuntimeError(f"{name} is up, and answers {host} with:\n{answer.head.decode()}")
        return Server(name, process, port, seconds, has_finished, tls)


def _trust(certificates: Path | None) -> ssl.SSLContext | None:
    """For clients, which send no name and get the certificate `default`."""
    if certificates is None:
        return None
    context = ssl.create_default_context(cafile=str(certificates / "default.crt"))
    context.check_hostname = False
    return context


def _first_answer(
    process: Process, port: int, host: str, tls: ssl.SSLContext | None = None
) -> Answer:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            with Connection(port, tls) as connection:
                return connection.fetch(host)
        except ConnectionError:
            process.check_runs()
            time.sleep(0.0005)
    raise RuntimeError("The server did not answer within a minute.")
