"""The page that people without the app get, in a real browser, and the form that makes it."""
import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

# Browsers find every name below localhost on their own machine.
DOMAIN = "go.localhost"
LONG = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"
PAGE = {
    "title": {"en": "Get the app", "ar": "حمّل التطبيق", "de": LONG},
    "text": {"en": "The link opens in the app.", "ar": "يفتح الرابط في التطبيق.", "de": LONG},
    "button": {"en": "Go to the website", "ar": "إلى الموقع", "de": LONG[:50]},
}
FALLBACK = {
    "web": "https://www.example.com{path}{query}", "apple": "https://apps.apple.com/app/id123456789",
    "android": "https://play.google.com/store/apps/details?id=com.example.app", "page": PAGE,
}


@pytest.fixture
def visit(chromium, site):
    """Opens the page as somebody with a browser of their own."""
    site.put(DOMAIN, "/buy/*", fallback=FALLBACK)
    port = re.search(r"Association files: +http://[^/\s]+:(\d+)", site.log.read_text())[1]
    contexts = []
    faults = []

    def visit(path="/buy/42?ref=a&b='", **settings):
        contexts.append(chromium.new_context(base_url=f"http://{DOMAIN}:{port}", **{"locale": "en-GB", **settings}))
        page = contexts[-1].new_page()
        page.on("console", lambda message: faults.append(message.text))
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("request", lambda request: request.url.endswith("/favicon.ico") or faults.append(request.url)
                if request.resource_type not in ("document",) else None)
        answer = page.goto(path)
        assert answer.status == 200
        return page

    yield visit
    for context in contexts:
        context.close()
    # Nothing runs, nothing is loaded, and the policy forbids nothing that the page has.
    assert [fault for fault in faults if "favicon.ico" not in fault] == []


def access_faults(page):
    rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
    report = Axe().run(page, options={"runOnly": rules}).response
    return [f"{found['id']}: {node['target']} {node['failureSummary']}"
            for found in report["violations"] for node in found["nodes"]]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("locale", ["en-GB", "de-DE", "ar-EG"])
@pytest.mark.parametrize("width", [320, 1280])
def test_everybody_can_use_the_page(visit, scheme, locale, width):
    settings = {"color_scheme": scheme, "locale": locale, "viewport": {"width": width, "height": 640}}
    # The page's policy keeps out what axe-core adds to the page.
    assert access_faults(visit(bypass_csp=True, **settings)) == []
    page = visit(**settings)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    # The browser has used the style, so its hash is right.
    background, text = page.evaluate(
        "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.querySelector('h1')).color]")
    assert page.evaluate("getComputedStyle(document.body).marginTop") == "0px"
    light = sum(map(int, re.findall(r"\d+", background)[:3])) > sum(map(int, re.findall(r"\d+", text)[:3]))
    assert light == (scheme == "light")
    assert page.locator("html").get_attribute("lang") == locale[:2]
    assert page.locator("html").get_attribute("dir") == ("rtl" if locale == "ar-EG" else "ltr")


def test_the_page_works_without_script_and_by_keyboard(visit):
    page = visit(java_script_enabled=False)
    expect(page.get_by_role("heading", name="Get the app", level=1)).to_be_visible()
    for name, href in [("Go to the website", "https://www.example.com/buy/42?ref=a&b=%27"),
                       ("App Store", FALLBACK["apple"]), ("Google Play", FALLBACK["android"])]:
        page.keyboard.press("Tab")
        link = page.get_by_role("link", name=name)
        expect(link).to_be_focused()
        assert link.get_attribute("href") == href
    banner = page.locator("meta[name=apple-itunes-app]").get_attribute("content")
    assert banner == f"app-id=123456789, app-argument=https://{DOMAIN}/buy/42?ref=a&b=%27"


def test_a_link_in_focus_is_seen(visit):
    page = visit()
    page.keyboard.press("Tab")
    style = "(() => { const s = getComputedStyle(document.activeElement); return s.outlineStyle + s.outlineWidth })()"
    assert page.evaluate(style) == "solid3px"


def test_a_domain_gets_a_fallback_in_its_settings(desk, site):
    site.put("example.com", "/buy/*")
    desk.sign_in()
    page = desk.open("#/domains/example.com/settings")
    page.get_by_role("button", name="Edit settings").click()
    page.get_by_label("Address for everybody").fill("http://www.example.com")
    expect(page.get_by_text("does not begin with https://").first).to_be_visible()
    page.get_by_label("Address for everybody").fill("https://www.example.com{path}")
    page.get_by_label("Address for iPhone and iPad").fill("https://apps.apple.com/app/id1")
    page.get_by_label("Title of a page instead").fill("en: Get the app\nde: Hol dir die App")
    page.get_by_label("Text of the page").fill("Example")
    page.get_by_label("Button of the page").fill("Go on")
    page.get_by_role("button", name="Done").click()
    expect(page.get_by_text("Address for everybody: https://www.example.com{path}")).to_be_visible()
    # The button to publish fades in when the draft has been checked.
    desk.settle()
    assert desk.access_faults() == []
    page.get_by_label(re.compile("^Reason")).last.fill("Nobody gets 404")
    page.get_by_role("button", name="Publish", exact=True).last.click()
    expect(page.get_by_text("Published as revision 2")).to_be_visible()
    assert site.call("GET", "/v1/domains/example.com")["fallback"] == {
        "web": "https://www.example.com{path}", "apple": "https://apps.apple.com/app/id1",
        "page": {"title": {"en": "Get the app", "de": "Hol dir die App"}, "text": "Example", "button": "Go on"}}
