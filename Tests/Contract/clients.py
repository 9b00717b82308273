"""Generates clients from the description of a running server, and uses them.

Arguments: the URL of the admin listener, and the token of an admin.
"""

import compileall
import importlib
import json
import pathlib
import pkgutil
import re
import subprocess
import sys
import urllib.error
import urllib.request

URL, TOKEN = sys.argv[1:]
APP, DOMAIN = "ABCDE12345.com.example.shop", "example.com"

# openapi-python-client knows no pictures, and no bodies that are plain text.
KNOWN_WARNINGS = ["POST /v1/explain", "GET /v1/qr"]


def ask(method, path, body=None):
    """The status and the JSON of an answer."""
    request = urllib.request.Request(
        URL + path, method=method, data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=300) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def generate(*command):
    """Runs a generator, and returns what it printed."""
    done = subprocess.run(command, capture_output=True, text=True)
    output = done.stdout + done.stderr
    assert done.returncode == 0, output
    return output


def import_all(name):
    """Imports a package with everything in it."""
    package = importlib.import_module(name)
    for module in pkgutil.walk_packages(package.__path__, name + "."):
        importlib.import_module(module.name)


def named_by_number(names):
    """Names that a generator made up, because the description has none."""
    return [name for name in names if re.search(r"(_item|_type_\d+|_response_\d+|_body|[a-z]\d+)$", name)]


def openapi_python_client(description):
    """A whole client: three calls, one of which is refused."""
    output = generate("openapi-python-client", "generate", "--path", description, "--output-path", "client",
                      "--overwrite")
    warnings = re.findall(r"WARNING parsing (\S+ \S+)", output)
    assert warnings == KNOWN_WARNINGS, output
    assert "ruff failed" not in output and "rror" not in output, output
    assert compileall.compile_dir("client", quiet=1), "the client does not compile"
    [package] = [path.parent.name for path in pathlib.Path("client").glob("*/client.py")]
    sys.path.insert(0, "client")
    import_all(package)
    files = [path.stem for path in pathlib.Path("client", package, "models").glob("*.py")]
    assert len(files) <= MOST_MODELS, f"{len(files)} files of models"
    assert not named_by_number(files), named_by_number(files)

    models = importlib.import_module(f"{package}.models")
    client = importlib.import_module(f"{package}.client").AuthenticatedClient(base_url=URL, token=TOKEN)

    def call(topic, operation, **arguments):
        module = importlib.import_module(f"{package}.api.{topic}.{operation}")
        return module.sync_detailed(client=client, **arguments)

    entry = models.EntryInput.from_dict({"apps": [APP], "routes": [{"path": "/shop/*", "query": {"a": "b"}}]})
    put = call("domains", "put_domain", domain=DOMAIN, body=models.DomainInput(entries=[entry], enabled=True),
               dry_run=False, wait="all", accept=[models.AcceptableCode.OPENS_NOTHING])
    assert put.status_code == 201 and isinstance(put.parsed, models.PublishedDomain), put
    assert put.parsed.domain.domain == DOMAIN and put.parsed.domain.entries[0].routes[0].path == "/shop/*", put

    tried = call("domains", "patch_domain", domain=DOMAIN, body=models.DomainPatch(cache_seconds=60), dry_run=True)
    assert tried.parsed.dry_run is True, tried

    listed = call("domains", "list_domains", limit=10)
    assert [item.domain for item in listed.parsed.items] == [DOMAIN] and listed.parsed.total == 1, listed
    assert listed.parsed.items[0].format_ == models.DomainFormat.MODERN, listed

    refused = call("domains", "put_domain", domain=DOMAIN, if_match="*",
                   body=models.DomainInput.from_dict({"aliases": ["a b"], "cacheSeconds": -1}))
    assert refused.status_code == 422 and isinstance(refused.parsed, models.Problem), refused
    assert refused.parsed.code == "invalid-input", refused
    assert [fault.pointer for fault in refused.parsed.errors] == ["/aliases/0", "/cacheSeconds"], refused
    return len(files)


def datamodel_codegen(description, *scopes):
    """Models alone, which read and write real answers and requests."""
    name = "models_" + "_".join(scopes)
    generate("datamodel-codegen", "--input", description, "--input-file-type", "openapi", "--output", f"{name}.py",
             "--output-model-type", "pydantic_v2.BaseModel", "--target-python-version", "3.11",
             "--openapi-scopes", *scopes)
    assert compileall.compile_file(f"{name}.py", quiet=1), "the models do not compile"
    sys.path.insert(0, ".")
    models = importlib.import_module(name)
    classes = re.findall(r"^class (\w+)", pathlib.Path(f"{name}.py").read_text(), re.M)
    assert len(classes) <= MOST_MODELS, f"{len(classes)} classes"
    assert not named_by_number(classes), named_by_number(classes)

    domain = f"{scopes[-1]}.example"
    body = models.DomainInput(entries=[{"apps": [APP], "extra": {"kept": 1}, "routes": [{"path": "/news/*"}]}])
    status, answer = ask("PUT", f"/v1/domains/{domain}", body.model_dump(mode="json", exclude_unset=True))
    assert status == 201, answer
    put = models.PublishedDomain.model_validate(answer)
    # What a model does not name is not lost.
    assert put.domain.entries[0].model_dump(mode="json")["extra"] == {"kept": 1}, answer

    status, answer = ask("GET", "/v1/domains")
    assert domain in [item.domain.root for item in models.Domains.model_validate(answer).items], answer

    status, answer = ask("POST", "/v1/validate", {"applinks": {"details": [{"appIDs": [5]}]}})
    report = models.Report.model_validate(answer)
    assert status == 200 and not report.valid and report.findings, answer

    status, answer = ask("DELETE", "/v1/domains/nothing.example")
    problem = models.Problem.model_validate(answer)
    assert status == 404 and problem.code == "domain-not-found", answer
    status, answer = ask("DELETE", f"/v1/domains/{domain}?accept=opens-nothing")
    assert status == 200, answer
    models.DeletedDomain.model_validate(answer)
    return len(classes)


description = ask("GET", "/openapi.json")[1]
# A model for each schema, an enumeration for each set of words and each parameter, and hardly more.
MOST_MODELS = len(description["components"]["schemas"]) * 7 // 5
with open("openapi.json", "w") as file:
    json.dump(description, file)
files = openapi_python_client("openapi.json")
classes = datamodel_codegen("openapi.json", "schemas")
datamodel_codegen("openapi.json", "schemas", "paths", "parameters")
print(f"openapi-python-client: {files} files of models; datamodel-codegen: {classes} classes")
