#!/usr/bin/env python3
"""Makes a database of many domains with distinct documents of about 1 KB, as `aasa apply` does it.

    make_database.py [--aasa PROGRAM] [--domains 100000] DATABASE

The domains are d0.example, d1.example and so on; each has one entry with ten routes.
"""

import argparse
import json
import os
import subprocess
import tempfile

# One apply is one request to the engine: parts keep its memory small.
PART = 10_000


def domain(number):
    routes = [
        {"path": f"/section/{number}/{route}/*", "comment": "a route of the benchmark, with enough words for 1 KB"}
        for route in range(10)]
    return {
        "domain": f"d{number}.example",
        "entries": [{"apps": ["ABCDE12345.com.example.app"], "routes": routes}]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--aasa", default=".build/release/aasa")
    parser.add_argument("--domains", type=int, default=100_000)
    parser.add_argument("database")
    options = parser.parse_args()
    for first in range(0, options.domains, PART):
        numbers = range(first, min(first + PART, options.domains))
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump({"domains": [domain(number) for number in numbers]}, file)
            file.flush()
            subprocess.run(
                [options.aasa, "apply", "--database", options.database, file.name],
                check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
