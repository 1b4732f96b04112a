"""A person at the page of `hone serve`, in a real browser.

    page.py LINK SCREENSHOTS

Goes through everything that the page offers and ends with an error at the first thing that is not as
it should be. Screenshots stay in the folder.
"""

import os
import re
import shutil
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect, sync_playwright

BROWSER = "chromium-headless-shell"
DESKTOP = {"width": 1100, "height": 700}
PHONE = {"width": 375, "height": 740}
AXE = Axe()
MINUTES = re.compile(r"^\d{4}-\d{2}-\d{2} \d{2}:\d{2}$")


class Visitor:
    """A browser window that remembers what must not happen."""

    def __init__(self, browser, home, screenshots, **context):
        self.home, self.screenshots = home, screenshots
        self.wrong = []
        self.context = browser.new_context(viewport=DESKTOP, **context)
        self.page = self.context.new_page()
        self.page.set_default_timeout(30_000)
        self.page.on("request", self.asked)
        self.page.on("dialog", lambda dialog: (self.wrong.append("a dialog"), dialog.dismiss()))
        self.page.on("pageerror", lambda error: self.wrong.append(f"an error: {error}"))
        self.page.on("console", self.said)

    def asked(self, request):
        address = urlsplit(request.url)
        if address.scheme != "data" and address.netloc != self.home.netloc:
            self.wrong.append(f"a request to {request.url}")

    def said(self, message):
        if message.type == "error":
            self.wrong.append(f"the console says {message.text}")

    def go(self, path):
        answer = self.page.goto(f"{self.home.scheme}://{self.home.netloc}{path}")
        assert answer.status == 200, f"{path}: {answer.status}"
        self.calm(path)

    def calm(self, where):
        assert not self.wrong, f"{where}: {self.wrong}"

    def shot(self, name):
        self.page.screenshot(path=self.screenshots / f"{name}.png")

    def accessible(self, where):
        """Nothing that keeps somebody out."""
        found = AXE.run(self.page).response["violations"]
        bad = [
            (one["id"], [node["html"][:200] for node in one["nodes"][:3]])
            for one in found
            if one["impact"] in ("serious", "critical")
        ]
        assert not bad, f"{where}: {bad}"

    def fits(self, where):
        """No sideways scrolling."""
        width = self.page.evaluate("document.documentElement.scrollWidth")
        assert width <= self.page.viewport_size["width"], f"{where} is {width} pixels wide"

    def harmless(self, where):
        """Nothing of a skill became more than text."""
        grown = self.page.evaluate(
            """() => [
                ...[...document.scripts].filter(s => s.parentElement !== document.head).map(s => s.outerHTML),
                ...[...document.querySelectorAll("*")].filter(e =>
                    [...e.attributes].some(a => a.name.startsWith("on") || a.name === "style")
                    || ["IMG", "IFRAME", "STYLE", "SVG", "OBJECT", "EMBED"].includes(e.tagName.toUpperCase())
                ).map(e => e.outerHTML),
                ...[...document.links].filter(a => !/^https?:$/.test(a.protocol)).map(a => a.outerHTML),
            ]"""
        )
        assert not grown, f"{where}: {grown}"
        assert self.page.evaluate("typeof window.pwned") == "undefined", f"{where}: a script ran"
        self.calm(where)


def library(visitor):
    page = visitor.page
    visitor.go("/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Library")
    row = page.get_by_role("row").filter(has_text="fill-forms")
    expect(row).to_contain_text("pinned")
    expect(row).to_contain_text("active, 2 uses")
    expect(page.locator("#results")).to_contain_text("found and not offered")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()

    search = page.get_by_role("searchbox", name="Search")
    search.press_sequentially("changelog")
    expect(page.locator("tbody tr").first).to_contain_text("tidy-changelog")
    expect(page.get_by_role("row").filter(has_text="fill-forms")).to_have_count(0)
    assert "q=changelog" in page.url, page.url
    visitor.shot("library")
    search.fill("")
    expect(page.get_by_role("row").filter(has_text="fill-forms")).to_have_count(1)
    page.get_by_label("State").select_option("pinned")
    expect(page.get_by_role("status")).to_have_text("1 skill")
    page.get_by_label("State").select_option("")
    page.get_by_label("Verdict").select_option("dangerous")
    expect(page.get_by_role("status")).to_have_text("0 skills")
    visitor.go("/")
    visitor.accessible("the library")


def skill(visitor):
    page = visitor.page
    visitor.go("/")
    page.get_by_role("link", name="tidy-changelog").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("tidy-changelog")
    expect(page.locator(".prose h3")).to_have_text("Steps")
    expect(page.locator(".prose td").first).to_have_text("Added")
    expect(page.locator(".verdict")).to_have_text("safe")
    expect(page.get_by_text("write a poem about the sea")).to_be_visible()
    page.get_by_label("A message to an agent").fill("use tidy-changelog for the release")
    page.get_by_role("button", name="Try").click()
    expect(page.locator(".answer")).to_contain_text("Yes: the skill would be activated.")
    visitor.accessible("a skill")
    visitor.shot("skill")

    page.get_by_role("link", name="rules", exact=True).click()
    expect(page.locator("#L3")).to_have_text("Newest first.")
    visitor.accessible("a file")
    page.get_by_role("link", name="Files").click()
    expect(page.get_by_role("link", name="triggers.json")).to_be_visible()
    page.get_by_role("link", name="Versions").click()
    page.get_by_role("row").filter(has_text="readers look for dates").get_by_role("link").click()
    expect(page.locator("del")).to_contain_text("Sort the entries by kind")
    expect(page.locator("ins")).to_contain_text("Sort the entries by date")
    visitor.accessible("a difference")
    visitor.shot("difference")
    page.get_by_role("link", name="Who uses it").click()
    seen = page.get_by_role("row").filter(has_text="codex")
    expect(seen).to_contain_text("yes, with its whole description")
    visitor.accessible("the users of a skill")


def findings(visitor):
    page = visitor.page
    visitor.go("/skills/quick-start")
    expect(page.locator(".verdict")).to_have_text("dangerous")
    expect(page.locator(".prose .found.critical").first).to_contain_text("remote-to-interpreter")
    page.locator(".findings a").first.click()
    expect(page.locator("li:target mark")).to_contain_text("203.0.113.7")
    visitor.accessible("a file with findings")
    visitor.go("/?verdict=dangerous")
    expect(page.get_by_role("row").filter(has_text="quick-start")).to_have_count(1)
    visitor.go("/skills/quick-start")
    visitor.accessible("a skill with findings")
    visitor.shot("findings")


def hostile(visitor):
    page = visitor.page
    visitor.go("/")
    visitor.harmless("the library")
    row = page.get_by_role("row").filter(has_text="hostile<img src=x onerror=pwned()>")
    expect(row).to_contain_text("</title></script><script>window.pwned=1</script> rev\\u{202e}ersed & more")
    row.get_by_role("link").click()
    prose = page.locator(".prose")
    for shown in [
        "<script>window.pwned = 1</script>",
        "click (javascript:window.pwned=1)",
        "hidden\\u{200b}blank and over\\u{202e}ride",
        "[picture: picture] (https://tracker.invalid/p.png)",
    ]:
        expect(prose).to_contain_text(shown)
    visitor.harmless("a hostile skill")
    visitor.accessible("a hostile skill")
    address = urlsplit(page.url).path
    visitor.go(f"{address}?message=%3Cscript%3Ewindow.pwned%3D1%3C%2Fscript%3E%22%3E")
    visitor.harmless("a hostile message")
    visitor.go(f"{address}/files")
    visitor.harmless("hostile files")
    page.get_by_role("link", name="pwned()").click()
    expect(page.locator("#L1")).to_have_text("<script>window.pwned=1</script>")
    visitor.harmless("a hostile file")
    visitor.go("/?q=%22%3E%3Cscript%3Ewindow.pwned%3D1%3C%2Fscript%3E")
    visitor.harmless("a hostile search")
    page.get_by_role("searchbox", name="Search").fill("hostile<img src=x onerror=window.pwned=1>")
    expect(page.locator("tbody tr").first).to_contain_text("hostile")
    visitor.harmless("a hostile search as it is typed")


def approvals(visitor):
    page = visitor.page
    visitor.go("/approvals")
    waits = page.get_by_role("article", name="pdf")
    expect(waits).to_contain_text("docs.pdf-forms.io")
    expect(waits).to_contain_text("Bash(curl:*)")
    visitor.accessible("what waits")
    page.get_by_role("button", name="Approve pdf").click()
    expect(page.get_by_text("Nothing waits.")).to_be_visible()
    visitor.go("/skills/pdf/versions")
    expect(page.locator("tbody tr").first).to_contain_text("page:owner")


def proposals(visitor):
    page = visitor.page
    visitor.go("/proposals")
    expect(page.get_by_role("status")).to_have_text("2 candidates")
    visitor.accessible("the proposals")
    page.get_by_role("link", name="sort-notes").click()
    for check in ["form", "scan", "twins", "routing", "replay"]:
        expect(page.get_by_role("rowheader", name=check)).to_be_visible()
    expect(page.get_by_role("row").filter(has_text="form")).to_contain_text("passed")
    expect(page.locator("#checks ~ table")).not_to_contain_text("`")
    expect(page.locator("ins").filter(has_text="window.pwned")).to_have_count(1)
    visitor.harmless("a hostile proposal")
    visitor.accessible("a proposal")

    page.get_by_text("Write in it").click()
    text = page.get_by_label("The whole text")
    text.fill(text.input_value().replace("<script>window.pwned=1</script>", "the date"))
    page.get_by_role("button", name="Check it again").click()
    expect(page.get_by_text("Written in by")).to_be_visible()
    expect(page.locator("ins").filter(has_text="Write the date down")).to_have_count(1)
    page.get_by_label("Reason").fill("we need it")
    page.get_by_role("button", name="Accept sort-notes").click()
    expect(page.locator("dl")).to_contain_text("landed by page:owner")
    expect(page.get_by_role("button", name="Accept sort-notes")).to_have_count(0)
    visitor.go("/skills/sort-notes")
    expect(page.locator(".prose")).to_contain_text("Write the date down")

    visitor.go("/proposals")
    page.get_by_role("link", name="pay-invoices").click()
    expect(page.get_by_role("rowheader", name="replay")).to_be_visible()
    visitor.shot("proposal")
    # What is decided counts for what was seen: somebody else was faster, in another window.
    other = visitor.context.new_page()
    other.goto(page.url)
    other.get_by_text("Write in it").click()
    other.get_by_label("The whole text").fill(other.get_by_label("The whole text").input_value() + "2. Look.\n")
    other.get_by_role("button", name="Check it again").click()
    expect(other.get_by_text("Written in by")).to_be_visible()
    other.close()
    page.get_by_role("button", name="Accept pay-invoices").click()
    expect(page.get_by_role("alert")).to_contain_text("it was changed since you read it")
    visitor.wrong.clear()  # the browser reports the 412 that it got
    page.get_by_role("link", name="To the proposal").click()
    expect(page.get_by_text("Written in by")).to_be_visible()
    page.get_by_role("button", name="Reject pay-invoices").click()
    expect(page.locator("dl")).to_contain_text("rejected by page:owner")
    visitor.go("/proposals")
    expect(page.get_by_text("Nothing waits.")).to_be_visible()
    page.get_by_role("link", name="Also what was decided").click()
    expect(page.get_by_role("status")).to_have_text("2 candidates")


def agents(visitor):
    page = visitor.page
    visitor.go("/agents")
    page.get_by_role("link", name="ada").click()
    page.get_by_label("A task for it").fill("What do apples cost?")
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("heading", name="Answer")).to_be_visible()
    expect(page.locator("section pre").last).to_have_text("120 <b>cents</b>")
    steps = page.locator(".steps")
    expect(steps).to_contain_text("read_file: ok")
    expect(steps).to_contain_text("The model replied")
    expect(steps).to_contain_text("prices.csv")
    visitor.harmless("a run")
    visitor.accessible("a run")

    visitor.go("/agents/ada")
    expect(page.locator("#lineage ~ p").first).to_contain_text("holds")
    expect(page.locator(".timeline")).to_contain_text("task")
    expect(page.locator("details summary")).to_contain_text("What do apples cost?")
    visitor.accessible("an agent")
    visitor.shot("agent")

    page.get_by_label("A task for it").fill("Think for ever.")
    page.get_by_role("button", name="Start").click()
    expect(page.locator(".steps")).to_contain_text("the model is asked")
    expect(page.get_by_role("status")).to_have_text("running")
    visitor.accessible("a run that goes on")
    visitor.shot("run")
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("status")).to_have_text("cancelled")
    visitor.go("/runs")
    expect(page.locator("tbody tr")).to_have_count(2)
    expect(page.locator("tbody time").first).to_have_text(MINUTES)
    visitor.accessible("the runs")


def figures(visitor):
    visitor.go("/stats")
    uses = visitor.page.get_by_role("img", name="Uses: fill-forms")
    expect(uses).to_be_visible()
    page = visitor.page
    expect(page.get_by_role("img", name="Uses a day: 20")).to_be_visible()
    expect(page.get_by_role("img", name="Tasks that went well: fill-forms with 1 of 1")).to_be_visible()
    expect(page.get_by_role("img", name="Tokens of the index: All skills named")).to_be_visible()
    expect(page.get_by_role("cell").locator("time").first).to_have_text(MINUTES)
    visitor.accessible("the figures")
    visitor.shot("figures")


def narrow(visitor):
    page = visitor.page
    page.set_viewport_size(PHONE)
    skill = "/skills/tidy-changelog"
    for path in ["/", skill, f"{skill}/versions/1", "/skills/quick-start", "/agents/ada", "/stats", "/proposals?all=true"]:
        visitor.go(path)
        visitor.fits(path)
    visitor.go("/stats")
    for word in page.locator(".plot text:visible").all():
        assert word.bounding_box()["height"] >= 12, f"{word.text_content()} is too small to read"
    visitor.accessible("the figures on a phone")
    visitor.shot("figures-phone")
    visitor.go("/")
    page.get_by_role("link", name="nnnn").click()
    visitor.fits("a name of 10,000 characters")
    visitor.go("/")
    visitor.accessible("the library on a phone")
    visitor.shot("phone")
    page.set_viewport_size(DESKTOP)


def dark(visitor):
    visitor.page.emulate_media(color_scheme="dark")
    for path in ["/stats", "/skills/quick-start", "/skills/tidy-changelog/versions/1"]:
        visitor.go(path)
        visitor.accessible(f"{path} in the dark")
    visitor.shot("dark")
    visitor.page.emulate_media(color_scheme="light")


def without_script(visitor):
    page = visitor.page
    page.get_by_role("searchbox", name="Search").fill("changelog")
    page.get_by_role("button", name="Show").click()
    expect(page.locator("tbody tr").first).to_contain_text("tidy-changelog")
    expect(page.get_by_role("row").filter(has_text="fill-forms")).to_have_count(0)
    visitor.calm("without a script")


def leave(visitor):
    page = visitor.page
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_label("Token")).to_be_visible()
    visitor.wrong.clear()  # the browser reports the 401 that it got
    visitor.accessible("the form that asks for a token")


def main(link, screenshots):
    home = urlsplit(link)
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which(BROWSER), args=arguments
        )
        visitor = Visitor(browser, home, Path(screenshots))
        visitor.page.goto(link)
        flows = [
            library, skill, findings, hostile, approvals, proposals, agents, figures, narrow, dark, leave,
        ]
        for flow in flows:
            begun = time.monotonic()
            flow(visitor)
            print(f"{flow.__name__}: {time.monotonic() - begun:.1f} s", flush=True)
        plain = Visitor(browser, home, Path(screenshots), java_script_enabled=False)
        plain.page.goto(link)
        without_script(plain)
        browser.close()


main(*sys.argv[1:])
