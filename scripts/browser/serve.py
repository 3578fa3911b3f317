"""The page of the server in Chromium: see `serve` beside this file."""

import csv
import json
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

from chromium import Chromium

PATIENCE = 60.0
"""Seconds to wait for something to show."""
VIEWS = ("live", "mouse", "readers", "study", "log", "api")
WIDTHS = (375, 1400)

checks = 0


def check(is_right, words):
    global checks
    if not is_right:
        raise SystemExit(f"FAILED: {words}")
    checks += 1


class Page:
    """The page, and what is asked of it."""

    def __init__(self, browser):
        self.browser = browser

    def until(self, expression, words):
        """Waits until an expression holds."""
        begun = time.monotonic()
        while not self.browser.eval(f"!!({expression})"):
            if time.monotonic() - begun > PATIENCE:
                said = self.browser.eval("document.querySelector('main').innerText")
                raise SystemExit(f"FAILED: {words}; the page says:\n{said}\n{self.browser.complaints()}")
            time.sleep(0.05)
        check(True, words)

    def text(self, selector="main"):
        return self.browser.eval(f"document.querySelector({json.dumps(selector)})?.innerText ?? ''")

    def view(self, name):
        self.browser.eval(f"location.hash = {json.dumps(name)}")
        self.until(f"document.querySelector('nav a[aria-current]')?.hash === '#{name}'", f"the view {name}")

    def click(self, words):
        """Clicks the button of these words."""
        found = self.browser.eval(
            f"(() => {{ const b = [...document.querySelectorAll('button')].find((b) => b.innerText === "
            f"{json.dumps(words)} && !b.disabled); b?.click(); return !!b; }})()")
        check(found, f"the button {words}")

    def set(self, place, value):
        """Sets the field of a label that begins with these words."""
        found = self.browser.eval(
            f"(() => {{ const l = [...document.querySelectorAll('label')].find((l) => l.innerText.startsWith("
            f"{json.dumps(place)})); const f = l?.querySelector('input, select'); if (!f) return false; "
            f"f.value = {json.dumps(value)}; f.dispatchEvent(new Event('input', {{bubbles: true}})); "
            f"f.dispatchEvent(new Event('change', {{bubbles: true}})); return f.value === {json.dumps(value)}; }})()")
        check(found, f"the field {place}")

    def listed(self, place):
        """What is in the list of a label that begins with these words: as an expression."""
        return (f"[...document.querySelectorAll('label')].find((l) => l.innerText.startsWith({json.dumps(place)}))"
                "?.querySelectorAll('option')")

    def options(self, place):
        return self.browser.eval(f"[...{self.listed(place)}].map((o) => o.value)")


def watch_a_swap(page):
    page.view("live")
    # A page without readers has the lists of rates, too: each list is asked for by itself.
    for place in ("Claims to be", "Reads first", "Takes over"):
        page.until(f"{page.listed(place)}?.length > 30", f"the list {place}")
    claimed, other = page.options("Claims to be")[:2]
    page.set("Claims to be", claimed)
    page.set("Reads first", claimed)
    page.set("Takes over", other)
    page.set("after seconds", "60")
    page.set("Speed", "60")
    page.click("Play")
    verdict = "document.querySelector('[data-verdict]').dataset.verdict"
    page.until(f"{verdict} === 'accept'", "the reader is accepted")
    page.until("document.querySelector('main ol')?.innerText.includes('takes over')", "somebody takes over")
    page.until(f"{verdict} === 'reject'", "the swap is noticed")
    label = page.browser.eval("document.querySelector('[aria-label=Verdict] svg').getAttribute('aria-label')")
    check("nats" in label and "rejected from" in label, f"the figure says its numbers: {label}")
    page.click("Stop")


def tables(command, folder):
    """A recording of somebody new: two files for enrolment, and two for a question."""
    subprocess.run([command, "simulate", "--readers", "1", "--texts", "60", "--out", folder / "made"],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(folder / "made" / "fixations.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    texts = sorted({row["text"] for row in rows})
    made = []
    for name, wanted in (("enrol", texts[:30]), ("ask", texts[30:])):
        place = folder / name
        place.mkdir()
        with open(place / "fixations.csv", "w", newline="") as file:
            writer = csv.DictWriter(file, [column for column in rows[0] if column != "reader"],
                                    extrasaction="ignore")
            writer.writeheader()
            writer.writerows(row for row in rows if row["text"] in wanted)
        words = place / "words.csv"
        words.write_bytes((folder / "made" / "words.csv").read_bytes())
        made.append([place / "fixations.csv", words])
    return made


def drop(page, files):
    """Drops files on the page, as somebody does who pulls them there."""
    sources = {file.name: file.read_text() for file in files}
    page.browser.eval(
        f"(() => {{ const data = new DataTransfer(); for (const [name, text] of Object.entries({json.dumps(sources)})) "
        "data.items.add(new File([text], name)); const place = document.querySelector('.drop'); "
        "for (const kind of ['dragover', 'drop']) place.dispatchEvent(new DragEvent(kind, "
        "{dataTransfer: data, bubbles: true, cancelable: true})); })()")
    page.until("document.querySelectorAll('.drop li').length === 2", "two files are there")


def enrol_and_identify(page, command, folder):
    enrolled, asked = tables(command, folder)
    page.view("readers")
    before = page.browser.eval("document.querySelectorAll('tbody tr').length")
    page.until("document.querySelectorAll('tbody tr').length > 3", "readers are listed")
    before = page.browser.eval("document.querySelectorAll('tbody tr').length")
    drop(page, enrolled)
    page.set("Name or pseudonym", "newcomer")
    page.click("Enrol")
    page.until("document.querySelector('.yes')?.innerText.includes('Enrolled newcomer')", "newcomer is enrolled")
    page.until(f"document.querySelectorAll('tbody tr').length === {before + 1}", "newcomer is listed")
    page.browser.choose(".drop input[type=file]", asked)
    page.until("document.querySelector('.drop').innerText.includes('words')", "files are chosen")
    page.click("Who is it?")
    page.until("document.querySelector('[data-answer]')?.dataset.answer === 'newcomer'", "newcomer is named")
    page.click("Who is it?")
    page.until("document.querySelector('[data-answer]')?.innerText.includes('replay')", "the same again is a replay")


def by_keyboard(page):
    page.view("live")
    page.browser.eval("document.body.focus(); document.activeElement.blur()")
    seen = []
    for _ in range(12):
        page.browser.press("Tab")
        seen.append(page.browser.eval("document.activeElement.innerText.trim()"))
        if seen[-1] == "Log":
            break
    check(seen[0] == "To the content", f"the first stop leads to the content: {seen}")
    check(seen[-1] == "Log", f"the views are reached: {seen}")
    drawn = page.browser.eval("getComputedStyle(document.activeElement).outlineStyle")
    check(drawn != "none", "what has the focus shows it")
    page.browser.press("Enter")
    page.until("document.title.startsWith('Log')", "the log is opened by keyboard")
    page.until("document.querySelectorAll('tbody tr').length > 3", "the log is shown")


class Hand:
    """Somebody who reads with the mouse: how long they rest, what they skip, and how often they go back."""

    def __init__(self, seed, rest, spread, skips, returns, place):
        self.random = random.Random(seed)
        self.rest, self.spread, self.skips, self.returns, self.place = rest, spread, skips, returns, place

    def read(self, page):
        """Reads the text that is shown, word by word, and says so."""
        page.until("document.querySelectorAll('.sharp span').length > 40", "a text is shown")
        words = page.browser.eval(
            "[...document.querySelectorAll('.sharp span')].map((s) => { const r = s.getBoundingClientRect(); "
            "return [r.left, r.top + r.height / 2, r.width, s.innerText.length]; })")
        at = 0
        while at < len(words):
            left, middle, width, letters = words[at]
            page.browser.move(left + width * min(0.95, max(0.05, self.random.gauss(self.place, 0.15))), middle)
            time.sleep(self.rest * self.random.lognormvariate(0, self.spread) * (0.6 + 0.08 * letters))
            if at > 1 and self.random.random() < self.returns:
                at -= 1
            elif letters < 5 and self.random.random() < self.skips:
                at += 2
            else:
                at += 1
        page.click("I have read it")


def by_mouse(page):
    """Somebody is known, known again, and somebody else is not."""
    page.view("mouse")
    check("24 were known again" in page.text(), "it says how well it works")
    page.browser.eval("document.querySelector('input[type=checkbox]').click()")
    page.click("Begin")
    page.until("document.querySelector('main form input')", "a name is asked for")
    page.set("A name for you", "anna")
    anna = Hand(1, 0.16, 0.25, 0.1, 0.02, 0.35)
    ben = Hand(2, 0.07, 0.7, 0.6, 0.2, 0.7)
    page.click("Read three texts")
    for _ in range(3):
        anna.read(page)
    page.until("document.querySelector('main').innerText.includes('It knows anna now')", "anna is known")
    said = []
    for hand in (anna, ben):
        page.click("Read two more")
        for _ in range(2):
            hand.read(page)
        page.until("document.querySelector('[data-answer]')", "there is an answer")
        said.append(page.browser.eval("document.querySelector('[data-answer]').dataset.answer"))
    check(said[0] == "accepted", f"anna is known again: {said}")
    check(said[1] != "accepted", f"ben is not taken for anna: {said}")
    page.click("Forget everything")
    page.until("document.querySelector('main').innerText.includes('Before you begin')", "all is forgotten")


def by_closing(page, lines):
    """Who closes the tab leaves no recordings behind."""
    left = "DELETE /v1/mouse/{name} 204"
    before = lines().count(left)
    page.view("mouse")
    page.browser.eval("document.querySelector('input[type=checkbox]').click()")
    page.click("Begin")
    page.until("document.querySelector('main form input')", "there is a room")
    page.browser.open("about:blank")
    begun = time.monotonic()
    while lines().count(left) == before:
        check(time.monotonic() - begun < PATIENCE, "the room is left when the tab is closed")
        time.sleep(0.05)


def with_few_scopes(page, token):
    """A page that may do little shows what it may, and nothing breaks."""
    page.set("Token", token)
    page.click("Log in")
    page.view("live")
    for place in ("Claims to be", "Reads first"):
        page.until(f"{page.listed(place)}?.length > 30", f"the list {place}")
    page.set("Takes over", "")
    page.set("Speed", "60")
    page.click("Play")
    verdict = "document.querySelector('[data-verdict]').dataset.verdict"
    page.until(f"{verdict} === 'accept'", "the reader is accepted without administering")
    check("takes the scope scores" in page.text(), "evidence takes scores")
    check(not page.browser.eval("!!document.querySelector('.problem')"), "nothing is refused")
    page.view("readers")
    page.until("document.querySelectorAll('tbody tr').length > 3", "readers are listed")
    check("start anew" not in page.text(), "nobody starts readers anew without administering")


def names_of_controls(page):
    """Every control has a name that can be read out."""
    nameless = page.browser.eval(
        "[...document.querySelectorAll('button, input, select, a')].filter((e) => !(e.innerText?.trim() || "
        "e.getAttribute('aria-label') || e.closest('label')?.innerText.trim())).map((e) => e.outerHTML)")
    check(not nameless, f"controls without a name: {nameless}")


def pictures(page, folder):
    for scheme in ("light", "dark"):
        page.browser.scheme(scheme)
        for width in WIDTHS:
            page.browser.size(width)
            for view in VIEWS:
                page.view(view)
                time.sleep(0.3)
                names_of_controls(page)
                over = page.browser.eval("document.documentElement.scrollWidth - innerWidth")
                check(over <= 0, f"{view} is {over} pixels too wide at {width}")
                if folder:
                    page.browser.picture(folder / f"{view}-{scheme}-{width}.png")
    ground = page.browser.eval("getComputedStyle(document.body).backgroundColor")
    check(ground == "rgb(22, 24, 27)", f"dark is dark: {ground}")


def run(command, folder):
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place)
        own = place / "own.serve"
        server = subprocess.Popen([command, "serve", "--demo", "--listen", "127.0.0.1:0", "--folder", own], cwd=place,
                                  stdout=subprocess.PIPE, stderr=open(place / "log", "w"), text=True)
        token = subprocess.run([command, "token", "create", "--gallery", "demo", "--folder", own, "--name", "few",
                                "--scopes", "verify,read"], check=True, capture_output=True, text=True).stdout.strip()

        def lines():
            logged = [json.loads(line) for line in open(place / "log") if line.startswith("{")]
            return [f"{line.get('method')} {line.get('path')} {line.get('status')}" for line in logged]

        try:
            link = server.stdout.readline().strip()
            check("#token=" in link, f"the server prints a link: {link}")
            with Chromium() as browser:
                page = Page(browser)
                browser.size(1400)
                browser.open(link)
                page.until("document.querySelectorAll('nav a').length >= 5", "the link logs in")
                check("token" not in browser.eval("location.href"), "the secret does not stay in the address")
                watch_a_swap(page)
                if folder:
                    browser.picture(folder / "swap.png")
                enrol_and_identify(page, command, place)
                by_keyboard(page)
                by_mouse(page)
                pictures(page, folder)
                by_closing(page, lines)
                browser.open(link.split("#")[0])
                page.until("document.querySelectorAll('nav a').length >= 5", "the cookie is still there")
                page.click("Log out")
                page.until("document.querySelector('main').innerText.includes('Log in')", "logged out")
                with_few_scopes(page, token)
                if folder:
                    page.view("live")
                    browser.picture(folder / "few-scopes.png")
                page.click("Log out")
                page.until("document.querySelector('main').innerText.includes('Log in')", "logged out again")
                # Another part of the same page would not be loaded anew.
                browser.open("about:blank")
                browser.open(link)
                page.until("document.querySelector('main').innerText.includes('Log in')", "a link works once")
                complaints = [said for said in browser.complaints() if "401" not in said]
                check(not complaints, f"complaints: {complaints}")
        finally:
            server.send_signal(signal.SIGTERM)
            code = server.wait(timeout=45)
        check(code == 0, f"the server ended with {code}")
        log = [json.loads(line) for line in open(place / "log") if line.startswith("{")]
        wrong = [line for line in log if line.get("status", 0) >= 500]
        check(not wrong, f"answers that went wrong: {wrong}")
    print(f"{checks} checks of the server's page passed")


if __name__ == "__main__":
    out = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
    if out:
        out.mkdir(parents=True, exist_ok=True)
    run(str(pathlib.Path(sys.argv[1]).resolve()), out)
