#!/usr/bin/env python3
"""Measures what checks by schedule cost, at 10,000 domains an hour, with stand-ins for the world outside.

    python3 -B Tests/Benchmarks/Checking .build/release/aasa [--domains 1000] [--minutes 5]

Every domain is served as it is published, so each check makes all of its requests: nine to the site over TLS,
each with a handshake, and one to Apple's CDN. The server also answers those that reach it. With fewer domains,
the interval is shorter, so that the rate is the same.
"""

import argparse
import json
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "Tests/Benchmarks/Serving"))

from processes import Process  # noqa: E402

RATE = 10_000


def free_port():
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return listening.getsockname()[1]


PUBLIC, ADMIN = free_port(), free_port()


def state(count):
    app = "ABCDE12345.com.example.app"
    routes = [{"path": f"/section{number}/*"} for number in range(20)]
    return {"apps": [{"app": app}], "domains": [
        {"domain": f"d{number}.example", "entries": [{"apps": [app], "routes": routes}]}
        for number in range(count)]}


def metrics():
    with urllib.request.urlopen(f"http://127.0.0.1:{ADMIN}/metrics", timeout=10) as answer:
        text = answer.read().decode()
    return {name: float(value) for name, value in re.findall(r"^(\S+) (\S+)$", text, re.M)}


def checks(samples):
    return sum(value for name, value in samples.items() if name.startswith("aasa_checks_total"))


def serve(aasa, directory, settings):
    server = Process(
        [aasa, "serve", "--database", str(directory / "aasa.db"), "--public-address",
         f"127.0.0.1:{PUBLIC}", "--admin-address", f"127.0.0.1:{ADMIN}"],
        directory / "log", environment=settings)
    for _ in range(300):
        server.check_runs()
        try:
            metrics()
            return server
        except OSError:
            time.sleep(0.1)
    raise RuntimeError("The server does not start.")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("aasa")
    parser.add_argument("--domains", type=int, default=1000)
    parser.add_argument("--minutes", type=float, default=5)
    arguments = parser.parse_args()
    interval = max(60, arguments.domains * 3600 // RATE)
    with tempfile.TemporaryDirectory() as name, subprocess.Popen(
        [sys.executable, "-B", ROOT / "Tests/StandIns/standins.py"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE) as outside:
        directory = Path(name)
        ports = json.loads(outside.stdout.readline())
        (directory / "state.json").write_text(json.dumps(state(arguments.domains)))
        subprocess.run([arguments.aasa, "apply", "--database", directory / "aasa.db",
                        directory / "state.json"], check=True, stdout=subprocess.DEVNULL)
        urllib.request.urlopen(urllib.request.Request(
            f"http://127.0.0.1:{ports['control']}/sites/*", method="PUT",
            data=json.dumps({"upstream": PUBLIC}).encode()))

        idle = serve(arguments.aasa, directory, {})
        time.sleep(5)
        before = idle.cpu_seconds()
        time.sleep(30)
        idle_share = (idle.cpu_seconds() - before) / 30
        idle_memory = idle.memory_megabytes()["Rss"]
        idle.stop()

        server = serve(arguments.aasa, directory, {
            "AASA_CHECK_INTERVAL": f"{interval}s", "AASA_ALLOW_PRIVATE_ADDRESSES": "127.0.0.0/8",
            "AASA_CHECK_PLACES": f"*:127.0.0.1:{ports['site']}",
            "AASA_CHECK_AUTHORITIES": ports["authorities"],
            "AASA_APPLE_CDN": f"http://127.0.0.1:{ports['cdn']}",
            "AASA_GOOGLE_DIGITAL_ASSET_LINKS": f"http://127.0.0.1:{ports['google']}"})
        # Those that are new come first, and the stand-ins make their certificates.
        deadline = time.monotonic() + 3600
        while metrics().get('aasa_checked_domains{status="unchecked"}') != 0:
            if time.monotonic() > deadline:
                raise RuntimeError("The domains are not checked.")
            time.sleep(5)
        time.sleep(30)
        start, used, first = time.monotonic(), server.cpu_seconds(), metrics()
        time.sleep(arguments.minutes * 60)
        seconds, last = time.monotonic() - start, metrics()
        used = server.cpu_seconds() - used
        count = checks(last) - checks(first)
        memory = server.memory_megabytes()
        failing = last['aasa_checked_domains{status="failing"}']
        server.stop()
    print(f"{arguments.domains} domains every {interval} s: {count:.0f} checks in {seconds:.0f} s, "
          f"{count * 3600 / seconds:.0f} an hour; {failing:.0f} domains fail")
    print(f"processor time: {used / seconds:.2%} of a core ({idle_share:.2%} without checks), "
          f"{used / max(1, count) * 1000:.1f} ms a check")
    print(f"memory: {memory['Rss']:.0f} MB, at most {memory['VmHWM']:.0f} MB ({idle_memory:.0f} MB without checks)")


if __name__ == "__main__":
    main()
