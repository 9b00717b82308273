"""Hostile requests: what a client could send to use much memory or time.

Each has a name, the token that sends it, and a function that makes its body, so that megabytes need not be kept.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass

APP = "ABCDE12345.com.example.app"
OWN = "/v1/domains/own.brand.example"
LARGE = "/v1/domains/large.example"
KB, MB = 1024, 1024 * 1024
# Each request of an attack has another number in its place.
CACHE_SECONDS = 60
# Domains with this number of aliases, whose sites serve files that all differ.
CHECKED = [f"checked{number}.example" for number in range(4)]
CHECKED_ALIASES = 10


@dataclass(frozen=True)
class Hostile:
    name: str
    # A viewer, an editor who is limited to *.brand.example, an editor, or an admin.
    token: str
    method: str
    target: str
    body: Callable[[], bytes]
    fields: tuple[str, ...] = ()
    # How many clients send it at the same time.
    clients: int = 1
    is_chunked: bool = False
    # For how many seconds each client repeats it, or holds it without the last byte of its body.
    lasts: float = 0
    is_held: bool = False
    # Left out where time is short.
    is_large: bool = False


ALL: list[Hostile] = []


def hostile(
    name: str, token: str, method: str, target: str, *fields: str, clients: int = 1,
    is_chunked: bool = False, lasts: float = 0, is_held: bool = False, is_large: bool = False,
) -> Callable[[Callable[[], object]], None]:
    """Adds a request. The function returns bytes, or what is sent as JSON."""
    def add(make: Callable[[], object]) -> None:
        def body() -> bytes:
            made = make()
            return made if isinstance(made, bytes) else json.dumps(made, separators=(",", ":")).encode()
        ALL.append(Hostile(name, token, method, target, body, fields, clients, is_chunked, lasts, is_held, is_large))
    return add


def validate(name: str, **more: object) -> Callable[[Callable[[], object]], None]:
    return hostile(name, "viewer", "POST", "/v1/validate", **more)


def match(name: str) -> Callable[[Callable[[], object]], None]:
    return hostile(name, "viewer", "POST", "/v1/match")


def put(name: str, target: str = OWN, method: str = "PUT") -> Callable[[Callable[[], object]], None]:
    # This domain exists, so replacing it needs a condition.
    fields = ["If-Match: *"] if target.startswith(OWN) else []
    return hostile(name, "limited", method, target, *fields)


def apply(name: str, query: str = "?dryRun=true") -> Callable[[Callable[[], object]], None]:
    return hostile(name, "editor", "POST", f"/v1/apply{query}")


def document(components: list[object], variables: dict[str, list[str]] | None = None) -> object:
    links: dict[str, object] = {"details": [{"appIDs": [APP], "components": components}]}
    if variables is not None:
        links["substitutionVariables"] = variables
    return {"applinks": links}


def entry(routes: list[object], apps: list[str] | None = None) -> object:
    return {"apps": apps or [APP], "routes": routes}


def url(path: str) -> str:
    return f"https://own.brand.example{path}"


def expectation(path: str) -> object:
    return {"url": url(path), "app": APP, "resolution": "no-match"}


# JSON that is hard to hold, to an endpoint that takes anything.

@validate("JSON: 4 MB over the limit of the endpoint")
def _() -> bytes:
    return b'"' + b"x" * 4 * MB + b'"'


@validate("JSON: 9 MB over every limit")
def _() -> bytes:
    return b'"' + b"x" * 9 * MB + b'"'


@validate("JSON: 9 MB in chunks", is_chunked=True)
def _() -> bytes:
    return b'"' + b"x" * 9 * MB + b'"'


@validate("JSON: 40 KB in chunks of one byte", is_chunked=True)
def _() -> bytes:
    return b"[" + b"1," * 20_000 + b"1]"


@validate("JSON: a key of 1 MB over 1,000 repeated keys")
def _() -> bytes:
    return b'{"' + b"k" * MB + b'": {' + b",".join([b'"same": 1'] * 1000) + b"}}"


@validate("JSON: a key of 120 KB over 60,000 repeated keys")
def _() -> bytes:
    return b'{"' + b"k" * 120 * KB + b'": {' + b",".join([b'"same": 1'] * 60_000) + b"}}"


@validate("JSON: 90 nested keys of 1 KB over 60,000 repeated keys")
def _() -> bytes:
    inner = b"{" + b",".join([b'"same": 1'] * 60_000) + b"}"
    return (b'{"' + b"k" * KB + b'": ') * 90 + inner + b"}" * 90


@validate("JSON: the same key 200,000 times")
def _() -> bytes:
    return b"{" + b",".join([b'"k": 1'] * 200_000) + b"}"


@validate("JSON: 120,000 different keys")
def _() -> bytes:
    return b"{" + b",".join(b'"%d": 1' % number for number in range(120_000)) + b"}"


@validate("JSON: a million numbers")
def _() -> bytes:
    return b"[" + b",".join([b"1"] * 1_000_000) + b"]"


@validate("JSON: 690,000 empty objects")
def _() -> bytes:
    return b"[" + b",".join([b"{}"] * 690_000) + b"]"


@validate("JSON: 690,000 empty arrays")
def _() -> bytes:
    return b"[" + b",".join([b"[]"] * 690_000) + b"]"


@validate("JSON: 690,000 empty strings")
def _() -> bytes:
    return b"[" + b",".join([b'""'] * 690_000) + b"]"


@validate("JSON: 20,000 towers of 49 arrays")
def _() -> bytes:
    return b"[" + b",".join([b"[" * 49 + b"]" * 49] * 20_000) + b"]"


@validate("JSON: a million opening brackets")
def _() -> bytes:
    return b"[" * 1_000_000


@validate("JSON: a million opening braces with keys")
def _() -> bytes:
    return b'{"":' * 500_000


@validate("JSON: a string of 2 MB")
def _() -> bytes:
    return b'"' + b"x" * (2 * MB - 2) + b'"'


@validate("JSON: 2 MB of escapes")
def _() -> bytes:
    return b'"' + b"\\u00e4" * 340_000 + b'"'


@validate("JSON: 2 MB of surrogate pairs")
def _() -> bytes:
    return b'["' + b'","'.join([b"\\ud83d\\ude00" * 900] * 180) + b'"]'


@validate("JSON: a number of 2 MB")
def _() -> bytes:
    return b"9" * 2 * MB


@validate("JSON: 200,000 numbers with huge exponents")
def _() -> bytes:
    return b"[" + b",".join([b"1e99999"] * 200_000) + b"]"


@validate("JSON: 2 MB of white space")
def _() -> bytes:
    return b" " * 2 * MB


@validate("JSON: 2 MB that end in a string")
def _() -> bytes:
    return b'{"applinks": {"details": [' + b'{"appIDs": ["A.b"]},' * 90_000 + b'"'


@validate("JSON: 2 MB that are not UTF-8")
def _() -> bytes:
    return b'"' + b"\xff" * (2 * MB - 2) + b'"'


@validate("JSON: 2 MB of line breaks before an error")
def _() -> bytes:
    return b"\n" * (2 * MB - 1) + b"}"


# Documents that are hard to lint.

@validate("lint: 9,000 routes")
def _() -> object:
    return document([{"/": f"/{number:x}"} for number in range(9000)])


@validate("lint: 2,900 routes of stars")
def _() -> object:
    return document([{"/": f"/*{number:x}*{number % 7}*"} for number in range(2900)])


@validate("lint: 60,000 routes")
def _() -> object:
    return document([{"/": f"/*a{number:x}*"} for number in range(60_000)])


@validate("lint: one pattern of 120,000 stars")
def _() -> object:
    return document([{"/": "*" * 120_000}])


@validate("lint: one pattern of 60,000 stars and letters")
def _() -> object:
    return document([{"/": "*a" * 60_000}])


@validate("lint: one pattern of 120,000 question marks")
def _() -> object:
    return document([{"/": "?" * 120_000}])


@validate("lint: 60 patterns of 600 stars and letters")
def _() -> object:
    return document([{"/": f"/{number}" + "*a?" * 600} for number in range(60)])


@validate("lint: 60 patterns whose states multiply")
def _() -> object:
    return document([{"/": "*" + "?" * number + f"a{'?' * (60 - number)}*"} for number in range(60)])


@validate("lint: a value of 2,000 bytes, 400 times in a pattern")
def _() -> object:
    return document([{"/": "$(v)*" * 400}], {"v": ["x" * 2000]})


@validate("lint: a value of 100 KB, 4,000 times in a pattern")
def _() -> object:
    return document([{"/": "$(v)" * 4000}], {"v": ["x" * 100_000]})


@validate("lint: 10,000 values, 2,000 times in a pattern")
def _() -> object:
    return document([{"/": "$(v)" * 2000}], {"v": [f"{number:x}" for number in range(10_000)]})


@validate("lint: 30 values of stars, 300 times in a pattern")
def _() -> object:
    return document([{"/": "/$(v)*" * 300}], {"v": [f"a{'b' * number}" for number in range(30)]})


@validate("lint: 2,000 variables, each used in one pattern")
def _() -> object:
    names = [f"v{number}" for number in range(2000)]
    pattern = "".join(f"$({name})" for name in names)
    return document([{"/": pattern}], {name: ["a", "b", "ab"] for name in names})


@validate("lint: 6,000 query items in a route")
def _() -> object:
    return document([{"?": {f"q{number}": "*a*" for number in range(6000)}}])


@validate("lint: 280 routes with 20 query items of stars")
def _() -> object:
    items = {f"q{number}": "*a*b" for number in range(20)}
    return document([{"/": f"/{number}/*", "?": items} for number in range(280)])


@validate("lint: 7,000 apps in one entry")
def _() -> object:
    apps = [f"AAAAAAAAAA.{number:x}" for number in range(7000)]
    return {"applinks": {"details": [{"appIDs": apps, "components": [{"/": "/a"}, {"/": "/a"}]}]}}


@validate("lint: 3,500 entries of the same app")
def _() -> object:
    return {"applinks": {"details": [{"appID": "A.b", "paths": ["*"]}] * 3500}}


@validate("lint: 2 MB of faults")
def _() -> object:
    return {"applinks": {"details": [{"appIDs": [5], "x": 1}] * 60_000}}


@validate("lint: wrong values in every place")
def _() -> object:
    return {"applinks": {"details": [{"appIDs": "x", "components": [{"/": 5, "?": [], "#": {}}]}] * 2000}}


@validate("lint: 60,000 unknown keys of 15 bytes")
def _() -> object:
    return {"applinks": {f"unknown{number:08}": number for number in range(60_000)}}


@validate("lint: Unicode that folds and composes")
def _() -> object:
    return document([{"/": "/" + "ǰ\u0345ß\u1e9e\u0301" * 4, "caseSensitive": False}] * 1200)


# Questions that are hard to answer.

@match("match: a value of 1 MB, 20,000 times in a pattern, no URL")
def _() -> object:
    return {"document": document([{"/": "$(v)" * 20_000}], {"v": ["x" * MB]}), "urls": []}


@match("match: a value of 100 KB, 20,000 times in a pattern, no URL")
def _() -> object:
    return {"document": document([{"/": "$(v)" * 20_000}], {"v": ["x" * 100_000]}), "urls": []}


@match("match: 10,000 URLs and 9,000 routes, none matches")
def _() -> object:
    return {
        "document": document([{"/": f"/x{number:x}"} for number in range(9000)]),
        "urls": [url(f"/{number}") for number in range(10_000)]}


@match("match: 2,000 stars against 8 KB of the same letter")
def _() -> object:
    return {
        "document": document([{"/": "*a" * 2000 + "b"}]), "urls": [url("/" + "a" * 8000)] * 200}


@match("match: 200 patterns of stars against 8 KB")
def _() -> object:
    return {
        "document": document([{"/": "*a*a*a*a*a*" + f"{number}b"} for number in range(200)]),
        "urls": [url("/" + "a" * 8000)] * 200}


@match("match: 7,000 values against 8 KB")
def _() -> object:
    values = ["a" * (number % 180 + 1) + "bc"[number % 2] for number in range(7000)]
    return {"document": document([{"/": "*$(v)$(v)b"}], {"v": values}), "urls": [url("/" + "a" * 8000)] * 200}


@match("match: 10,000 URLs and 10 apps with long patterns")
def _() -> object:
    apps = [f"ABCDE12345.app{number}" for number in range(10)]
    detail = {"appIDs": apps, "components": [{"/": "/" + "x" * 2000 + "*"}]}
    return {"document": {"applinks": {"details": [detail]}}, "urls": [url(f"/{n}") for n in range(10_000)]}


@match("match: 5,000 results of a route with 2,000 query items")
def _() -> object:
    items = {f"item{number}": "x" * 20 for number in range(2000)}
    return {"document": document([{"?": items}]), "urls": [url("/")] * 5000}


@match("match: 400 apps and 200 URLs of 1 KB")
def _() -> object:
    apps = [f"ABCDE12345.app{number}" for number in range(400)]
    detail = {"appIDs": apps, "components": [{"/": "/a"}]}
    return {
        "document": {"applinks": {"details": [detail]}},
        "urls": [url("/" + "x" * 1000 + str(number)) for number in range(200)]}


@match("match: 2 MB of URLs that are none")
def _() -> object:
    return {"document": document([{"/": "*"}]), "urls": ["\u0000" * 30] * 10_000}


@match("match: URLs with 1,300 query items against 50 conditions")
def _() -> object:
    items = {f"q{number}": "*z" for number in range(50)}
    query = "&".join(f"q{number % 50}=a" for number in range(1300))
    return {"document": document([{"?": items}] * 20), "urls": [url(f"/?{query}")] * 200}


@match("match: percent-encoded URLs that are decoded, case ignored")
def _() -> object:
    part = {"/": "*%c3%a4*ä*Ä*z", "caseSensitive": False, "percentEncoded": False}
    return {"document": document([part] * 100), "urls": [url("/" + "%C3%A4" * 1300)] * 150}


@match("match: an app of 100 KB")
def _() -> object:
    return {"document": document([]), "urls": [url("/")] * 10_000, "app": "x" * 100_000}


@hostile("match: 10,000 URLs against 8,000 stored routes", "viewer", "POST", f"{LARGE}/match")
def _() -> object:
    return {"urls": [f"https://large.example/none/{number}" for number in range(10_000)]}


# Edits of an editor who may only edit domains of one brand.

@put("domain: 2,000,000 wrong elements (4 MB)")
def _() -> bytes:
    return b'{"aliases": [' + b",".join([b"1"] * 2_000_000) + b"]}"


@put("domain: a million wrong elements (2 MB)")
def _() -> bytes:
    return b'{"webcredentials": [' + b",".join([b"1"] * 1_000_000) + b"]}"


@put("domain: 200,000 wrong elements of 4 lists")
def _() -> bytes:
    wrong = b"[" + b",".join([b"1"] * 200_000) + b"]"
    names = (b"webcredentials", b"appclips", b"activitycontinuation", b"apps")
    return b"{" + b",".join(b'"%s": %s' % (name, wrong) for name in names) + b"}"


@put("domain: 400,000 wrong values of a variable")
def _() -> bytes:
    return b'{"substitutionVariables": {"v": [' + b",".join([b"1"] * 400_000) + b"]}}"


@put("domain: 60,000 unknown members")
def _() -> object:
    return {f"unknown{number}": None for number in range(60_000)}


@put("domain: 60,000 variables")
def _() -> object:
    return {"substitutionVariables": {f"v{number}": ["a"] for number in range(60_000)}}


@put("domain: 5,000 aliases")
def _() -> object:
    return {"aliases": [f"a{number}.brand.example" for number in range(5000)]}


@put("domain: 1,000 aliases of 250 characters")
def _() -> object:
    long = ".".join(["a" * 58] * 3)
    return {"aliases": [f"b{number}.{long}.brand.example" for number in range(1000)]}


@put("domain: 1,000 aliases that are published", "/v1/domains/many.brand.example")
def _() -> object:
    return {"aliases": [f"*.c{number}.brand.example" for number in range(1000)]}


@put("domain: 15,000 expectations")
def _() -> object:
    return {"expectations": [expectation(f"/{number}") for number in range(15_000)]}


@put("domain: 1,000 expectations of 1,500 bytes, 200 patterns of stars", f"{OWN}?dryRun=true")
def _() -> object:
    routes = [{"path": f"/*a*a*a*{number}b"} for number in range(200)]
    return {
        "entries": [entry(routes)],
        "expectations": [expectation("/" + "a" * 1500 + str(number)) for number in range(1000)]}


@put("domain: a value of 2,000 bytes and *, 400 times, one expectation", f"{OWN}?dryRun=true")
def _() -> object:
    return {
        "substitutionVariables": {"v": ["x" * 2000]}, "entries": [entry([{"path": "$(v)*" * 400}])],
        "expectations": [expectation("/" + "x" * 2000)]}


@put("domain: 500 kept statements beside 8 lists of routes", f"{OWN}?dryRun=true")
def _() -> object:
    lists = [entry([{"path": f"/{one}/{number}/*"} for number in range(250)], [f"AAAAAAAAAA.a{one}"]) for one in range(8)]
    links = "delegate_permission/common.handle_all_urls"
    fingerprint = ":".join(f"{(number * number * 11 + number * 37 + 60) % 256:02X}" for number in range(32))
    return {"entries": lists, "assetlinksExtra": [
        {"relation": [links], "target": {
            "namespace": "android_app", "package_name": f"com.example.a{number}",
            "sha256_cert_fingerprints": [fingerprint]},
         "relation_extensions": {links: {"dynamic_app_link_components": [{"/": f"/x{number}/*"}]}}}
        for number in range(500)]}


@put("domain: a value of 8,000 bytes and *, 1,600 times, one expectation", f"{OWN}?dryRun=true")
def _() -> object:
    return {
        "substitutionVariables": {"v": ["x" * 8000]}, "entries": [entry([{"path": "$(v)*" * 1600}])],
        "expectations": [expectation("/" + "x" * 8000)]}


@put("domain: 100,000 routes")
def _() -> object:
    return {"entries": [entry([{"path": "/"}] * 100_000)]}


@put("domain: 36,000 entries")
def _() -> object:
    return {"entries": [entry([])] * 36_000}


@put("domain: 9,999 apps of an entry, twice")
def _() -> object:
    apps = [f"AAAAAAAAAA.{number:x}" for number in range(9999)]
    return {"entries": [entry([{"path": "/a"}], apps)] * 2}


@put("domain: 7,000 new apps, published", "/v1/domains/apps.brand.example")
def _() -> object:
    return {"entries": [entry([], [f"AAAAAAAAAA.{number:x}" for number in range(7000)])]}


@put("domain: 8,000 routes, published", "/v1/domains/routes.brand.example")
def _() -> object:
    return {"format": "modern", "entries": [entry([{"path": f"/{number:x}"} for number in range(8000)])]}


@put("domain: 120 KB of nested extra members")
def _() -> object:
    inner: object = {f"k{number}": [number] for number in range(2000)}
    for _ in range(80):
        inner = {"level": inner}
    return {"extra": inner}


@put("domain: a merge patch of 60,000 members", method="PATCH")
def _() -> object:
    return {"extra": {f"k{number}": {"a": None} for number in range(60_000)}}


@put("domain: a merge patch 90 levels deep", method="PATCH")
def _() -> bytes:
    return b'{"extra": ' + b'{"a": ' * 90 + b"1" + b"}" * 90 + b"}"


@put("domain: dictionary form with 20,000 entries")
def _() -> object:
    return {"details": "dictionary", "format": "legacy", "entries": [entry([{"path": "/a"}])] * 20_000}


@put("file: 60,000 routes", f"{OWN}/file")
def _() -> object:
    return document([{"/": "/*a*"}] * 60_000)


@put("file: 2 MB of faults", f"{OWN}/file")
def _() -> object:
    return {"applinks": {"details": [{"appIDs": [5], "components": [{"/": 5}]}] * 40_000}}


@put("file: 2,900 routes of stars, published", "/v1/domains/stars.brand.example/file")
def _() -> object:
    return document([{"/": f"/*{number:x}*a*"} for number in range(2900)])


@put("routes: 200,000 identifiers", f"{OWN}/entries/1/routes")
def _() -> object:
    return {"routes": list(range(1, 200_000))}


@put("routes: the same identifier 400,000 times", f"{OWN}/entries/1/routes")
def _() -> object:
    return {"routes": [1] * 400_000}


@put("entry: 60 KB of a position", f"{OWN}/entries", "POST")
def _() -> bytes:
    return b'{"position": ' + b"9" * 60_000 + b"}"


@put("expectations: 10,000 wrong ones", f"{OWN}/expectations")
def _() -> object:
    return {"expectations": [{"url": "x" * 50, "app": "x", "resolution": "x"}] * 10_000}


@hostile("diff: 8,000 other routes", "viewer", "POST", f"{LARGE}/diff")
def _() -> object:
    return document([{"/": f"/y{number:x}"} for number in range(8000)])


@hostile("diff: the same routes in reverse", "viewer", "POST", f"{LARGE}/diff")
def _() -> object:
    return document([{"/": f"/x{number:x}"} for number in reversed(range(8000))])


@hostile("diff: routes of stars", "viewer", "POST", f"{LARGE}/diff")
def _() -> object:
    return document([{"/": f"/*{number:x}*{number % 9}*"} for number in range(2900)])


@hostile("diff: 1,000 apps, 1,000 routes", "viewer", "POST", f"{LARGE}/diff")
def _() -> object:
    apps = [f"AAAAAAAAAA.a{number:x}" for number in range(1000)]
    components = [{"/": f"/z{number:x}"} for number in range(1000)]
    return {"applinks": {"details": [{"appIDs": apps, "components": components}]}}


# States of many domains.

@apply("apply: 4,000,000 numbers as domains (8 MB)")
def _() -> bytes:
    return b'{"domains": [' + b",".join([b"1"] * 4_000_000) + b"]}"


@apply("apply: 1,900,000 numbers as domains")
def _() -> bytes:
    return b'{"domains": [' + b",".join([b"1"] * 1_900_000) + b"]}"


@apply("apply: 190,000 empty objects")
def _() -> bytes:
    return b'{"domains": [' + b",".join([b"{}"] * 190_000) + b'], "apps": [' + b",".join([b"{}"] * 190_000) + b"]}"


@apply("apply: 300,000 domains")
def _() -> object:
    return {"domains": [{"domain": "a.b"}] * 300_000}


@apply("apply: the same domain 190,000 times")
def _() -> object:
    return {"domains": [{"domain": "a.example"}] * 190_000}


@apply("apply: 20,000 domains with an error each")
def _() -> object:
    bad = [{"apps": [APP], "routes": [{"path": "/$(x)"}]}]
    return {"domains": [{"domain": f"d{number}.example", "entries": bad} for number in range(20_000)]}


@apply("apply: 8 MB of one domain's faults")
def _() -> bytes:
    return b'{"domains": [{"domain": "a.example", "webcredentials": [' + b",".join([b"1"] * 3_900_000) + b"]}]}"


@apply("apply: 8 MB of a string")
def _() -> bytes:
    return b'{"domains": "' + b"x" * (8 * MB - 20) + b'"}'


@apply("apply: 60 documents of 2,000 routes of stars")
def _() -> object:
    routes = [{"path": f"/*{number:x}*{number % 7}*"} for number in range(2000)]
    return {"domains": [{"domain": f"d{number}.example", "entries": [entry(routes)]} for number in range(60)]}


# What is not in a body.

@hostile("tokens: 60 KB of domains", "admin", "POST", "/v1/tokens")
def _() -> object:
    return {"name": "t", "role": "viewer", "domains": [f"{number}.example" for number in range(3500)]}


@put("query: a reason of 15 KB", f"{OWN}?reason={'x' * 15_000}", "PATCH")
def _() -> object:
    return {}


@put("query: 3,000 codes to accept", f"{OWN}?accept={'a,' * 3000}", "PATCH")
def _() -> object:
    return {}


@put("query: 4,000 parameters", f"{OWN}?{'a&' * 4000}", "PATCH")
def _() -> object:
    return {}


@hostile("If-Match: 3,000 tags", "limited", "PATCH", OWN, "If-Match: " + '"1",' * 3000 + '"1"')
def _() -> object:
    return {}


@hostile("export", "viewer", "GET", "/v1/export")
def _() -> bytes:
    return b""


@hostile("four exports at once", "viewer", "GET", "/v1/export", clients=4)
def _() -> bytes:
    return b""


@hostile("a list with a text that no domain has", "viewer", "GET", "/v1/domains?q=zzzz&limit=1000")
def _() -> bytes:
    return b""


@hostile("a list of 1,000 domains", "viewer", "GET", "/v1/domains?limit=1000")
def _() -> bytes:
    return b""


@hostile("eight validations at once", "viewer", "POST", "/v1/validate", clients=8)
def _() -> object:
    return document([{"/": f"/*{number:x}*{number % 7}*"} for number in range(2900)])


@hostile("sixteen million numbers from eight clients", "editor", "POST", "/v1/apply", clients=8)
def _() -> bytes:
    return b'{"domains": [' + b",".join([b"1"] * 2_000_000) + b"]}"


# Attacks: many clients of one token, for some seconds.

LINES = "Content-Type: application/x-ndjson"


@hostile("attack: 32 slow bodies of 2 MB", "viewer", "POST", "/v1/validate", clients=32, lasts=5, is_held=True)
def _() -> bytes:
    return b"{" + b" " * (2 * MB - 2) + b"}"


@hostile("attack: 8 slow states of 100 MB", "viewer", "POST", "/v1/apply?dryRun=true", LINES, clients=8, lasts=8,
         is_held=True)
def _() -> bytes:
    return b"\n" * (100 * MB)


@hostile("attack: 8 slow states of 100 MB, limited", "limited", "POST", "/v1/apply?dryRun=true", LINES, clients=8,
         lasts=8, is_held=True)
def _() -> bytes:
    return b"\n" * (100 * MB)


@hostile("attack: 50 searches in Unicode", "viewer", "GET", "/v1/domains?q=z%C3%BCrich", clients=50, lasts=5)
def _() -> bytes:
    return b""


@hostile("attack: 50 long lists", "viewer", "GET", "/v1/domains?limit=1000", clients=50, lasts=5)
def _() -> bytes:
    return b""


@hostile("attack: 50 QR codes", "viewer", "GET", f"/v1/qr?url=https://example.com/{'x' * 1900}", clients=50, lasts=5)
def _() -> bytes:
    return b""


def small(count: int, suffix: str) -> bytes:
    """A state of domains with one route."""
    entries = [{"apps": [APP], "routes": [{"path": "/a/*"}]}]
    return b"\n".join(
        json.dumps({"domain": f"small{number}{suffix}", "cacheSeconds": CACHE_SECONDS, "entries": entries}).encode()
        for number in range(count))


@hostile("attack: dry runs of 100,000 domains", "viewer", "POST", "/v1/apply?dryRun=true", LINES, clients=2, lasts=20,
         is_large=True)
def _() -> bytes:
    return small(100_000, ".example")


@hostile("attack: applies of 20,000 domains", "limited", "POST", "/v1/apply", LINES, clients=2, lasts=20, is_large=True)
def _() -> bytes:
    return small(20_000, ".brand.example")


@hostile("attack: applies of 100 domains", "limited", "POST", "/v1/apply", LINES, clients=2, lasts=5)
def _() -> bytes:
    return small(100, ".brand.example")


@hostile("attack: checks of sites with long files that differ", "editor", "POST", "/v1/check", clients=3, lasts=10)
def _() -> object:
    return {"domains": CHECKED}


def files_that_differ() -> list[str]:
    """Association files of 2,700 patterns, one for each request of a check."""
    return [json.dumps(document([{"/": f"/*{number:x}*{file}*"} for number in range(2700)]))
            for file in range(len(CHECKED) * CHECKED_ALIASES)]
