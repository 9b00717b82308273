"""Compares what people without the app get with files, 304 and 404: `make bench-fallback`.

    python3 -B Tests/Benchmarks/Fallback AASA [--seconds S] [--rounds N]

Each kind of request is measured in turn, in several rounds, on one connection per client of h2load. Prints the median of
the requests per second, and what it is of the 304 of the same round. Without any fallback in the database, files and 404
must be as fast as in an earlier version: compare two builds.
"""
import argparse
import json
import re
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

WELL_KNOWN = "/.well-known/apple-app-site-association"
IPHONE = "user-agent: Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)"
TEXTS = {"title": "Get the app", "text": "The link opens in the app.", "button": "Go to the website"}
WEB = {"web": "https://www.example.com{path}{query}", "apple": "https://apps.apple.com/app/id123456789"}
ROUTES = [{"path": f"/section{number}/*"} for number in range(20)]
DOMAINS = {
    "plain.example": {},
    "web.example": {"fallback": WEB},
    "page.example": {"fallback": {**WEB, "page": TEXTS}},
    "route.example": {"fallback": WEB, "routes": [{**one, "fallback": "https://b.example{path}"} for one in ROUTES]},
}
# Name, host, path, further fields, status.
KINDS = [
    ("304", "plain.example", WELL_KNOWN, ["if-none-match: *"], 304),
    ("file", "plain.example", WELL_KNOWN, [], 200),
    ("404, host without fallback", "plain.example", "/a", [], 404),
    ("redirect with path and query", "web.example", "/a/b?c=d", [], 302),
    ("redirect that is the same for everybody", "web.example", "/a/b?c=d", [IPHONE], 302),
    ("redirect by the last of 20 routes", "route.example", "/section19/a", [], 302),
    ("page", "page.example", "/a/b?c=d", ["accept-language: de"], 200),
]


def serve(aasa, folder):
    """Starts a server with the domains, and returns it with the port of its public listener."""
    state = folder / "state.json"
    state.write_text(json.dumps({"domains": [
        {"domain": name, "entries": [{"apps": ["ABCDE12345.com.example.app"], "routes": members.pop("routes", ROUTES)}],
         **members}
        for name, members in DOMAINS.items()]}))
    database = folder / "aasa.db"
    subprocess.run([aasa, "apply", "--database", database, state], check=True, capture_output=True)
    log = folder / "log"
    server = subprocess.Popen(
        [aasa, "serve", "--database", database, "--public-address", "127.0.0.1:0", "--admin-address", "127.0.0.1:0"],
        stderr=log.open("w"))
    while not (found := re.search(r"Association files: +http://[^/\s]+:(\d+)", log.read_text())):
        if server.poll() is not None:
            raise SystemExit(log.read_text())
        time.sleep(0.05)
    return server, int(found[1])


def per_second(kind, port, seconds, log):
    name, host, path, fields, status = kind
    headers = [word for field in [f":authority: {host}", *fields] for word in ("--header", field)]
    log.unlink(missing_ok=True)
    subprocess.run(
        ["h2load", "--h1", "--threads", "1", "--clients", "16", "--duration", str(seconds), "--log-file", log, *headers,
         f"http://127.0.0.1:{port}{path}"], check=True, capture_output=True, timeout=seconds + 60)
    answers = [line.split("\t")[1] for line in log.read_text().splitlines()]
    if not answers or set(answers) != {str(status)}:
        raise SystemExit(f"{name}: expected {status}, got {sorted(set(answers))}.")
    return len(answers) / seconds


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("aasa")
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        server, port = serve(options.aasa, Path(folder))
        try:
            rounds = [
                [per_second(kind, port, options.seconds, Path(folder) / "requests") for kind in KINDS]
                for _ in range(options.rounds)]
        finally:
            server.terminate()
            server.wait()
    for index, (name, *_) in enumerate(KINDS):
        speed = statistics.median(one[index] for one in rounds)
        ratio = statistics.median(one[index] / one[0] for one in rounds)
        print(f"{name:42}{speed:>10,.0f} per second{ratio:>8.1%} of 304")


main()
