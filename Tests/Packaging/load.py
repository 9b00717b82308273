"""Asks for the example's file over new connections until STOP exists, and fails if an answer is missing.

    python3 load.py PORT STOP [TOLERATED]
"""
import http.client
import os
import sys
import time

port, stop, tolerated = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 0
requests = lost = 0
worst = 0.0
while not os.path.exists(stop):
    start = time.monotonic()
    try:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        connection.request("GET", "/.well-known/apple-app-site-association", headers={"Host": "example.com"})
        answer = connection.getresponse()
        if answer.status != 200 or not answer.read():
            lost += 1
            print(f"status {answer.status}")
    except OSError as error:
        lost += 1
        print(repr(error))
    except http.client.HTTPException as error:
        lost += 1
        print(repr(error))
    requests += 1
    worst = max(worst, time.monotonic() - start)
    time.sleep(0.01)
print(f"{requests} requests, {lost} lost, the slowest took {worst:.2f} s")
sys.exit(lost > tolerated or requests < 20)
