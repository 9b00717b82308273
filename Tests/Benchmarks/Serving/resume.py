"""A client that resumes its TLS session for every request, and ends with the line of JSON of wrk.

    python3 resume.py PORT CERTIFICATE REQUESTS SECONDS

One connection at a time: it measures the processor time of the server, not its speed.
"""

import json
import random
import ssl
import sys
import time
from pathlib import Path

from client import Connection


def main() -> None:
    port, certificate, requests, seconds = sys.argv[1:]
    lines = Path(requests).read_text().splitlines()
    context = ssl.create_default_context(cafile=certificate)
    context.check_hostname = False
    draw = random.Random(42)
    session, times, received = None, [], 0
    start = time.monotonic()
    while time.monotonic() - start < float(seconds):
        began = time.monotonic()
        with Connection(int(port), context, session) as connection:
            answer = connection.fetch(draw.choice(lines))
            assert answer.status == 200 and connection.tls is not None
            if session and not connection.tls.session_reused:
                raise SystemExit("The server has not resumed the session.")
            session = connection.tls.session
        times.append(time.monotonic() - began)
        received += answer.size
    times.sort()
    microseconds = [round(one * 1e6) for one in (
        time.monotonic() - start, times[len(times) // 2], times[len(times) * 99 // 100])]
    print(json.dumps({
        "requests": len(times), "bytes": received, "refused": 0, "broken": 0,
        "microseconds": microseconds[0], "p50": microseconds[1], "p99": microseconds[2]}))


if __name__ == "__main__":
    main()
