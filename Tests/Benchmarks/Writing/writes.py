#!/usr/bin/env python3
"""How many single-route edits a second a server takes, beside what the disk does in the same run.

    writes.py [--aasa PROGRAM] [--directory FOLDER] [--seconds 2] [--rounds 3]

Starts the server on ports and a database of its own in a folder of FOLDER, and prints JSON. The
disk's own rate is a loop of writing 4 KB and fdatasync in the same folder; all rates take turns.
`wrk` is the client, so that it is not what is measured.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

DOMAINS = 8
ROUTES = 10

EDITS = """
local paths = {%(paths)s}
local count = %(start)d
request = function()
  count = count + 1
  return wrk.format("PATCH", paths[count %% #paths + 1],
    {["Authorization"] = "Bearer %(token)s", ["Content-Type"] = "application/json"},
    '{"path":"/changed/' .. count .. '"}')
end
"""

READS = """
local count = 0
request = function()
  count = count + 1
  return wrk.format("GET", "/.well-known/apple-app-site-association",
    {["Host"] = "d" .. count %% %(domains)d .. ".example"})
end
"""


def make_token(program, database):
    return subprocess.run(
        [program, "token", "create", "--name", "bench", "--role", "admin", "--database", database],
        check=True, capture_output=True, text=True).stdout.split()[-1]


class Server:
    """A server with an admin token."""

    def __init__(self, program, folder):
        database = os.path.join(folder, "aasa.db")
        self.token = make_token(program, database)
        self.process = subprocess.Popen(
            [program, "serve", "--database", database,
             "--public-address", "127.0.0.1:0", "--admin-address", "127.0.0.1:0"],
            stderr=subprocess.PIPE, text=True)
        lines = [self.process.stderr.readline() for _ in range(2)]
        self.public, self.admin = [re.search(r"http://([^/\s]+)", line).group(1) for line in lines]

    def call(self, method, path, body=None):
        request = urllib.request.Request(
            f"http://{self.admin}{path}", method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"})
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def processor_seconds(self):
        fields = open(f"/proc/{self.process.pid}/stat").read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end(self):
        self.process.terminate()
        self.process.wait()


def file_of(number):
    """About 1 KB."""
    components = [
        {"/": f"/section/{number}/{route}/*", "comment": "a route of the benchmark, with enough words for 1 KB"}
        for route in range(ROUTES)]
    app = "ABCDE12345.com.example.app"
    return {"applinks": {"details": [{"appIDs": [app], "components": components}]}}


def disk_rate(folder, seconds):
    """Writes of 4 KB, each of them on the disk, a second."""
    descriptor = os.open(os.path.join(folder, "sync"), os.O_RDWR | os.O_CREAT)
    page = os.urandom(4096)
    os.pwrite(descriptor, page * 1000, 0)
    os.fsync(descriptor)
    count, start = 0, time.monotonic()
    while time.monotonic() - start < seconds:
        os.pwrite(descriptor, page, count % 1000 * 4096)
        os.fdatasync(descriptor)
        count += 1
    os.close(descriptor)
    return count / (time.monotonic() - start)


def wrk(script, address, connections, seconds, folder):
    name = os.path.join(folder, f"script{connections}.lua")
    with open(name, "w") as file:
        file.write(script)
    return subprocess.Popen(
        ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "-s", name,
         f"http://{address}"], stdout=subprocess.PIPE, text=True)


def rate_and_latency(process):
    output = process.communicate()[0]
    if "Non-2xx" in output or "Socket errors" in output:
        sys.exit(f"The server did not take all of it:\n{output}")
    units = {"us": 1, "ms": 1000, "s": 1_000_000}
    found = {
        name: float(value) * units[unit]
        for name, value, unit in re.findall(r"(50|99)%\s+([\d.]+)(us|ms|s)", output)}
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", output).group(1))
    return {"per_second": round(rate), "p50_us": found["50"], "p99_us": found["99"]}


def measure(options, folder):
    server = Server(options.aasa, folder)
    try:
        paths = []
        for number in range(DOMAINS):
            server.call("PUT", f"/v1/domains/d{number}.example/file", file_of(number))
            domain = server.call("GET", f"/v1/domains/d{number}.example")
            entry = domain["entries"][0]
            paths.append(f'"/v1/domains/d{number}.example/entries/{entry["id"]}/routes/'
                         f'{entry["routes"][0]["id"]}"')

        started = 0

        def editing(connections, seconds):
            nonlocal started
            started += 10_000_000
            script = EDITS % {"paths": ",".join(paths), "start": started, "token": server.token}
            return wrk(script, server.admin, connections, seconds, folder)

        def reading(seconds):
            return wrk(READS % {"domains": DOMAINS}, server.public, 16, seconds, folder)

        def edited(connections):
            before = server.processor_seconds()
            found = rate_and_latency(editing(connections, options.seconds))
            used = server.processor_seconds() - before
            found["cpu_us"] = round(used / options.seconds / found["per_second"] * 1e6)
            return found

        def readers_beside_editors():
            editors = editing(8, options.seconds + 1)
            readers = rate_and_latency(reading(options.seconds))
            return {"readers": readers, "editors": rate_and_latency(editors)}

        rounds = []
        for _ in range(options.rounds):
            rounds.append({
                "disk_per_second": round(disk_rate(folder, options.seconds)),
                "one_editor": edited(1), "eight_editors": edited(8),
                "readers_at_rest": rate_and_latency(reading(options.seconds)),
                "both": readers_beside_editors()})
        return rounds
    finally:
        server.end()


def median(rounds, *keys):
    def value(item):
        for key in keys:
            item = item[key]
        return item
    return statistics.median(value(item) for item in rounds)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--aasa", default=".build/release/aasa")
    parser.add_argument("--directory", help="where the database is made; on the disk to measure")
    parser.add_argument("--seconds", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.directory) as folder:
        rounds = measure(options, folder)
    disk = median(rounds, "disk_per_second")
    one, eight = (median(rounds, name, "per_second") for name in ("one_editor", "eight_editors"))
    rest = median(rounds, "readers_at_rest", "p99_us")
    both = median(rounds, "both", "readers", "p99_us")
    print(json.dumps({
        "disk_per_second": disk, "one_editor_per_second": one, "eight_editors_per_second": eight,
        "one_editor_to_disk": round(one / disk, 2), "eight_editors_to_disk": round(eight / disk, 2),
        "readers_p99_us_at_rest": rest, "readers_p99_us_beside_editors": both,
        "readers_p99_ratio": round(both / rest, 2), "rounds": rounds}, indent=2))


if __name__ == "__main__":
    main()
