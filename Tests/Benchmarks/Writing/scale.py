#!/usr/bin/env python3
"""How soon a server serves many domains, what memory that takes, and how soon an edit is served.

    scale.py [--aasa PROGRAM] [--edits 200] [--domains 100000] [DATABASE]

The database is one of make_database.py, which is run without one; it is copied first. Prints JSON.
"""

import argparse
import http.client
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

import writes

PATH = "/.well-known/apple-app-site-association"


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def fetch(connection, host):
    connection.request("GET", PATH, headers={"Host": host})
    answer = connection.getresponse()
    return answer.read() if answer.status == 200 else None


def first_answer(port, host, process):
    while process.poll() is None:
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port)
            body = fetch(connection, host)
            if body:
                return connection, body
        except OSError:
            time.sleep(0.001)
    sys.exit("The server has ended.")


def status(process):
    lines = open(f"/proc/{process.pid}/status").read().splitlines()
    return {line.split(":")[0]: line.split()[1] for line in lines if len(line.split()) > 1}


def start(options, database):
    public, admin = free_port(), free_port()
    began = time.monotonic()
    process = subprocess.Popen(
        [options.aasa, "serve", "--database", database, "--public-address", f"127.0.0.1:{public}",
         "--admin-address", f"127.0.0.1:{admin}"], stderr=subprocess.DEVNULL)
    connection, body = first_answer(public, f"d{options.domains // 2}.example", process)
    seconds = time.monotonic() - began
    assert f"/section/{options.domains // 2}/0/".encode() in body
    return process, connection, f"127.0.0.1:{admin}", seconds


def edits(options, connection, admin, token):
    """From the acknowledgement of an edit until it is served, and what the whole edit took."""
    late, whole = [], []
    api = http.client.HTTPConnection(admin)
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    for number in range(options.edits):
        host = f"d{number * 397 % options.domains}.example"
        api.request("GET", f"/v1/domains/{host}", headers=headers)
        entry = json.load(api.getresponse())["entries"][0]
        path = f"/v1/domains/{host}/entries/{entry['id']}/routes/{entry['routes'][0]['id']}"
        began = time.monotonic()
        api.request("PATCH", path, json.dumps({"path": f"/edit/{number}"}), headers)
        answer = api.getresponse()
        answer.read()
        done = time.monotonic()
        assert answer.status == 200, answer.status
        while f"/edit/{number}\"".encode() not in fetch(connection, host):
            pass
        late.append(time.monotonic() - done)
        whole.append(done - began)
    def milliseconds(values):
        return {"median_ms": round(statistics.median(values) * 1e3, 3),
                "worst_ms": round(max(values) * 1e3, 3)}
    return {"edit": milliseconds(whole), "served_after": milliseconds(late)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--aasa", default=".build/release/aasa")
    parser.add_argument("--domains", type=int, default=100_000)
    parser.add_argument("--edits", type=int, default=200)
    parser.add_argument("database", nargs="?")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        database = os.path.join(folder, "aasa.db")
        if options.database:
            shutil.copy(options.database, database)
        else:
            script = os.path.join(os.path.dirname(__file__), "make_database.py")
            subprocess.run([sys.executable, script, "--aasa", options.aasa, "--domains",
                            str(options.domains), database], check=True)
        token = writes.make_token(options.aasa, database)
        starts = []
        for last in (False, False, True):
            process, connection, admin, seconds = start(options, database)
            ticks = open(f"/proc/{process.pid}/stat").read().rsplit(")", 1)[1].split()[11:13]
            starts.append({"seconds": round(seconds, 3),
                           "cpu_seconds": sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK"),
                           "resident_mb": int(status(process)["VmRSS"]) // 1024})
            found = edits(options, connection, admin, token) if last else {}
            process.terminate()
            process.wait()
        print(json.dumps({
            "domains": options.domains,
            "start_seconds": statistics.median(one["seconds"] for one in starts),
            "resident_mb": statistics.median(one["resident_mb"] for one in starts),
            **found, "starts": starts}, indent=2))


if __name__ == "__main__":
    main()
