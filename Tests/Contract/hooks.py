"""What schemathesis cannot know from the description alone."""

import requests
import schemathesis
from hypothesis import strategies as st

names = st.sampled_from(["example.com", "example.org", "a.example.net", "xn--bcher-kva.example", "Bücher.example"])
schemathesis.openapi.format("domain-name", names)
schemathesis.openapi.format("domain-alias", names | names.map(lambda name: "*." + name))
schemathesis.openapi.format("entity-tags", st.sampled_from(["*", "*", '"1"', '"1", "2"', 'W/"1"']))

# Faults that a schema rules out. A body that the schema allows is never refused for one of them.
RULED_OUT = {"missing-member", "unknown-member", "wrong-type", "unknown-value", "wrong-length", "control-character"}


@schemathesis.check
def refused_only_by_rules(ctx, response, case):
    """A body that its schema allows is refused only by rules that no schema says."""
    meta = case.meta
    if meta is None or not meta.generation.mode.is_positive or response.status_code != 422:
        return
    # What Apple says of types inside a file is not in the schema of a file: findings tell of it.
    if case.operation.definition.raw["operationId"] == "adoptFile":
        return
    codes = {error["code"] for error in response.json().get("errors", [])}
    assert response.json()["code"] != "invalid-input" or codes, "no fault is named"
    if response.json()["code"] == "invalid-input":
        assert not codes & RULED_OUT, f"the schema allows what is refused: {response.text}"


@schemathesis.check
def gone_after_delete(ctx, response, case):
    """What was deleted is not there for the next request."""
    sent = response.request
    if sent.method != "DELETE" or not 200 <= response.status_code < 300 or "dryRun=true" in sent.url:
        return
    headers = {"Authorization": sent.headers["Authorization"]}
    status = requests.get(sent.url.split("?")[0], headers=headers, timeout=10).status_code
    assert status in (404, 405), f"what was deleted is answered with {status}"


@schemathesis.hook
def before_call(context, case, kwargs):
    """Makes chains of steps longer. The other phases try all that is taken away here.

    What a dry run made cannot be read next, what the step before made is never new, and a revision that is
    guessed is seldom right. Random bodies seldom keep the rules, so half of the steps send the example.
    """
    if case.meta is None or case.meta.phase.name.value != "stateful":
        return
    (case.query or {}).pop("dryRun", None)
    for name in ("If-None-Match", "If-Match"):
        (case.headers or {}).pop(name, None)
    content = case.operation.definition.raw.get("requestBody", {}).get("content", {})
    example = next((media["example"] for media in content.values() if "example" in media), None)
    if example is not None and case.meta.generation.mode.is_positive and len(str(case.body)) % 2 == 0:
        case.body = example
