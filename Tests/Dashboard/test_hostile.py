"""Names and comments that others wrote are shown as they are: they run nothing and break no layout."""
import urllib.parse

import pytest
from pages import PAGES
from playwright.sync_api import expect

SCRIPT = "<img src=x onerror=\"document.title='pwned'\"><script>document.title='pwned'</script>"
LONG = "W" * 900
TURNED = "\u202efdp.exe\u202c \u0627\u0644\u0639\u0631\u0628\u064a\u0629"


@pytest.mark.parametrize("text", [SCRIPT, LONG, TURNED], ids=["markup", "long", "turned"])
def test_hostile_text_runs_nothing_and_breaks_no_layout(open_desk, site, text):
    app, name = "ABCDE12345.com.example.app", text[:100]
    site.call("PUT", f"/v1/apps/{app}", {"name": name})
    site.put(
        "example.com", {"path": "/a/*", "exclude": True, "comment": text}, {"path": "/" + "x" * 400},
        aliases=["xn--mnchen-3ya.example", ".".join(["l" * 60] * 4)])
    site.apply_template(1)
    site.call("PUT", f"/v1/templates/white-label?reason={urllib.parse.quote(text[:100])}", {
        "parameters": [{"name": "app", "type": "app"}, {"name": "text", "type": "text", "default": text}],
        "entries": [{"apps": ["{app}"], "routes": [{"path": "/a/*", "comment": "{text}"}]}],
    })
    for index in range(2):
        site.call("PATCH", f"/v1/domains/example.com?reason={'%3Cb%3E' * 20}", {"cacheSeconds": index + 5}, **{"If-Match": "*"})
    for width in (360, 1280):
        desk = open_desk(viewport={"width": width, "height": 800})
        desk.sign_in()
        for page in PAGES:
            desk.open("#" + page)
            assert "pwned" not in desk.page.title()
            assert desk.page.evaluate("document.querySelectorAll('main img:not([src^=\"/v1/qr\"]), main script').length") == 0
            assert not desk.page.evaluate(
                "document.documentElement.scrollWidth > document.documentElement.clientWidth"), f"{page} at {width}"
    desk.open("#/apps")
    expect(desk.page.get_by_text(name[:40]).first).to_be_attached()
