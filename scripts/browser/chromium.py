"""Drives Chromium over a pipe: needs nothing but Python and Chromium itself."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

PATIENCE = 60.0
"""Seconds to wait for an answer of the browser."""


class Failed(Exception):
    """What the browser refused."""


class Chromium:
    """A browser with one page."""

    def __init__(self):
        self.profile = tempfile.mkdtemp(prefix="gazeprint-chromium-")
        commands, self.commands = os.pipe()
        self.answers, answers = os.pipe()

        def place():
            # The browser reads from 3 and writes to 4.
            kept = [os.dup2(end, 10 + i) for i, end in enumerate((commands, answers))]
            os.dup2(kept[0], 3)
            os.dup2(kept[1], 4)

        self.browser = subprocess.Popen(
            ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             "--disable-dev-shm-usage", "--force-color-profile=srgb", "--no-first-run",
             "--disable-background-networking", "--remote-debugging-pipe",
             f"--user-data-dir={self.profile}"],
            preexec_fn=place, close_fds=False,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(commands)
        os.close(answers)
        self.number = 0
        self.rest = b""
        self.events = []
        self.session = None
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "DOM"):
            self.send(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.browser.terminate()
        self.browser.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    def send(self, method, **params):
        """What the browser answers to a command."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + PATIENCE
        while True:
            answer = self.message(until)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise Failed(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def wait(self, event):
        """The next event of that name."""
        until = time.monotonic() + PATIENCE
        while True:
            for i, found in enumerate(self.events):
                if found.get("method") == event:
                    return self.events.pop(i)["params"]
            self.events.append(self.message(until))

    def message(self, until):
        while b"\0" not in self.rest:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.answers], [], [], left)[0]:
                raise Failed("the browser does not answer")
            part = os.read(self.answers, 1 << 20)
            if not part:
                raise Failed("the browser is gone")
            self.rest += part
        one, self.rest = self.rest.split(b"\0", 1)
        return json.loads(one)

    def open(self, url):
        self.events = [e for e in self.events if e.get("method") != "Page.loadEventFired"]
        self.send("Page.navigate", url=url)
        self.wait("Page.loadEventFired")

    def eval(self, expression):
        """The value of an expression on the page."""
        answer = self.send("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in answer:
            raise Failed(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def complaints(self):
        """Errors that the page made, and what its policy refused."""
        said = []
        for event in self.events:
            if event.get("method") == "Runtime.exceptionThrown":
                details = event["params"]["exceptionDetails"]
                said.append(details.get("exception", {}).get("description", details["text"]))
            if event.get("method") == "Log.entryAdded":
                said.append(event["params"]["entry"]["text"])
        return said

    def size(self, width, height=900):
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)

    def scheme(self, scheme):
        self.send("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": scheme}])

    def scripts(self, run):
        self.send("Emulation.setScriptExecutionDisabled", value=not run)

    def move(self, x, y):
        self.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def click(self, x, y):
        self.move(x, y)
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def press(self, key):
        codes = {"Tab": 9, "Enter": 13, "Escape": 27, "ArrowUp": 38, "ArrowDown": 40, "ArrowLeft": 37,
                 "ArrowRight": 39}
        text = {"text": "\r"} if key == "Enter" else {}
        for kind in ("keyDown", "keyUp"):
            self.send("Input.dispatchKeyEvent", type=kind, key=key, code=key,
                      windowsVirtualKeyCode=codes[key], **(text if kind == "keyDown" else {}))

    def choose(self, selector, files):
        """Puts files into the first element of a selector that takes some."""
        root = self.send("DOM.getDocument", depth=0)["root"]["nodeId"]
        node = self.send("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        self.send("DOM.setFileInputFiles", nodeId=node, files=[str(file) for file in files])

    def is_drawn(self, selector):
        """Whether the first element of a selector takes any room; asks no script of the page."""
        root = self.send("DOM.getDocument", depth=0)["root"]["nodeId"]
        node = self.send("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        if not node:
            raise Failed(f"there is no {selector}")
        try:
            return self.send("DOM.getBoxModel", nodeId=node)["model"]["width"] > 0
        except Failed:
            return False

    def picture(self, file):
        """The whole page."""
        size = self.send("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 16000),
                "scale": 1}
        shot = self.send("Page.captureScreenshot", format="png", clip=clip,
                         captureBeyondViewport=True)
        with open(file, "wb") as out:
            out.write(base64.b64decode(shot["data"]))
