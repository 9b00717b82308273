"""What schemathesis cannot know from the description alone."""

import requests
import schemathesis
from hypothesis import strategies as st

names = st.sampled_from(["example.com", "example.org", "a.example.net", "xn--bcher-kva.example", "Bücher.example"])
schemathesis.openapi.format("domain-name", names)
schemathesis.openapi.format("domain-alias", names | names.map(lambda name: "*." + name))
schemathesis.openapi.format("entity-tags", st.sampled_from(["*", "*", '"1"', '"1", "2"', 'W/"1"']))

# Faults that a schema rules out: a body that matches its schema is never refused for them.
RULED_OUT = {"missing-member", "unknown-member", "wrong-type", "unknown-value", "wrong-length", "control-character",
             "malformed-name"}


@schemathesis.check
def refused_only_by_rules(ctx, response, case):
    """A body that matches its schema is refused only for rules that no schema can express."""
    meta = case.meta
    if meta is None or not meta.generation.mode.is_positive or response.status_code != 422:
        return
    # The schema of a file does not have the types that Apple expects; findings report those.
    if case.operation.definition.raw["operationId"] == "adoptFile":
        return
    # Strings of a template may stand for parameters, so its schema is open. What comes of it is read by rules.
    if case.operation.definition.raw["operationId"] == "putTemplate":
        return
    errors = response.json().get("errors", [])
    # A patch may leave out what the value must have.
    patched = "/fallback" if case.operation.method.upper() == "PATCH" else "/templates/"
    codes = {error["code"] for error in errors
             if not error["pointer"].startswith("/templates/")
             and not (error["code"] == "missing-member" and error["pointer"].startswith(patched))}
    if errors and not codes:
        return
    assert response.json()["code"] != "invalid-input" or codes, "the problem names no fault"
    if response.json()["code"] == "invalid-input":
        assert not codes & RULED_OUT, f"the body matches its schema but was refused: {response.text}"


@schemathesis.check
def refused_only_for_its_cursor(ctx, response, case):
    """A list of domains that matches its schema is refused only if the cursor belongs to another order."""
    meta = case.meta
    if (meta is not None and meta.generation.mode.is_positive and response.status_code == 400
            and case.operation.definition.raw["operationId"] == "listDomains"):
        assert response.json()["code"] == "malformed-cursor", f"a valid list was refused: {response.text}"


@schemathesis.check
def code_is_described(ctx, response, case):
    """A problem has one of the codes that the description lists for its response (`x-codes`)."""
    described = case.operation.definition.raw["responses"].get(str(response.status_code), {})
    if "$ref" in described:
        described = case.operation.schema.raw_schema["components"]["responses"][described["$ref"].split("/")[-1]]
    if "x-codes" in described and response.request.method != "HEAD":
        assert response.json()["code"] in described["x-codes"], f"an undescribed code: {response.text}"


@schemathesis.check
def gone_after_delete(ctx, response, case):
    """A deleted resource is gone in the next request."""
    sent = response.request
    if sent.method != "DELETE" or not 200 <= response.status_code < 300 or "dryRun=true" in sent.url:
        return
    # The answer is a draft.
    if response.status_code == 202:
        return
    # A domain without any document serves an Apple file without apps.
    if sent.url.split("?")[0].endswith("/documents/apple-app-site-association"):
        return
    # The token, with which the next request is sent, has not gone.
    # A draft that is withdrawn can still be read.
    if case.operation.definition.raw["operationId"] in ("signOut", "withdrawDraft"):
        return
    headers = {"Authorization": sent.headers["Authorization"]}
    status = requests.get(sent.url.split("?")[0], headers=headers, timeout=120).status_code
    assert status in (404, 405), f"a deleted resource answered {status}"


@schemathesis.hook
def before_call(context, case, kwargs):
    """Makes chains of steps longer. The other phases try everything that this removes.

    A resource of a dry run cannot be read next, one that the previous step created is never new, and a guessed
    revision is rarely right. Random bodies rarely follow all rules, so half of the steps send the example.
    """
    if case.meta is None or case.meta.phase.name.value != "stateful":
        return
    # A request that breaks the schema may break it in one of these alone.
    if case.meta.generation.mode.is_positive:
        for name in ("dryRun", "draft"):
            (case.query or {}).pop(name, None)
        for name in ("If-None-Match", "If-Match"):
            (case.headers or {}).pop(name, None)
    # A domain that exists is replaced only with a condition.
    if case.operation.definition.raw["operationId"] == "putDomain" and len(str(case.body)) % 4 == 0:
        case.headers = {**(case.headers or {}), "If-Match": "*"}
    content = case.operation.definition.raw.get("requestBody", {}).get("content", {})
    example = next((media["example"] for media in content.values() if "example" in media), None)
    if example is not None and case.meta.generation.mode.is_positive and len(str(case.body)) % 2 == 0:
        case.body = example
