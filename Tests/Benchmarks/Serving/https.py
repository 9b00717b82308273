"""HTTPS of aasa and of nginx, with a P-256 certificate: kept alive, and with a handshake for each
request, full or resumed."""

import json
import subprocess
import sys
from pathlib import Path

import machine
from load import Load
from published import Published
from servers import Bench, Server
from throughput import Pace, Row, bodies, interleaved


def rows(bench: Bench, published: Published, pace: Pace) -> list[Row]:
    certificates = _certificates(bench.folder)
    core = machine.SERVER_CORE
    servers = [
        bench.aasa(published, core, certificates)[0],
        bench.nginx_with_tls(published, core, certificates)]
    hosts = published.publication.hosts
    kept = Load(hosts, bench.folder / "https-kept")
    close = Load([f"{host}\tConnection: close" for host in hosts], bench.folder / "https-close")
    found = []
    for name, load in [("kept alive", kept), ("full handshake", close)]:
        print(f"HTTPS, {name} …")
        # Each server has its own sizes of answers.
        loads = {server.name: Load(load.lines, load.file) for server in servers}
        for server in servers:
            loads[server.name].verify(server, bodies(server, published.publication))
            loads[server.name].run(server, 1)
        found.append(Row(f"HTTPS, {name}", interleaved(
            servers, pace, lambda server: loads[server.name].run(server, pace.seconds))))
    print("HTTPS, resumed handshake …")
    found.append(Row("HTTPS, resumed handshake", interleaved(
        servers, pace, lambda server: loads[server.name].measure(
            server, lambda: _resume(server, certificates, close.file, pace.seconds)))))
    for server in servers:
        server.process.stop()
    return found


def _certificates(folder: Path) -> Path:
    """A directory with a certificate for clients that name no host."""
    certificates = folder / "certificates"
    certificates.mkdir()
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
         "-nodes", "-keyout", certificates / "default.key", "-out", certificates / "default.crt",
         "-days", "2", "-subj", "/CN=bench", "-addext", "subjectAltName=DNS:bench.example"],
        check=True, capture_output=True)
    return certificates


def _resume(server: Server, certificates: Path, requests: Path, seconds: float) -> dict[str, int]:
    done = subprocess.run(
        ["taskset", "--cpu-list", str(machine.CLIENT_CORE), sys.executable, "-B",
         str(Path(__file__).parent / "resume.py"), str(server.port),
         str(certificates / "default.crt"), str(requests), str(seconds)],
        check=True, capture_output=True, text=True, timeout=seconds + 60)
    found: dict[str, int] = json.loads(done.stdout)
    return found
