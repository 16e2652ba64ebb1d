"""A headless Chromium that a test controls by the DevTools protocol, over a pair of pipes."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


def is_installed():
    return shutil.which("chromium") is not None


class Chromium:
    def __init__(self, width=1400, height=1000):
        self.profile = tempfile.mkdtemp(prefix="holdfast-chromium-")
        to_child, self.to_browser = os.pipe()
        self.from_browser, from_child = os.pipe()
        # --remote-debugging-pipe: Chromium reads commands from descriptor 3 and writes to descriptor 4. The numbers of
        # the pipes may be 3 or 4 themselves, so they are moved away first.
        high_read, high_write = os.dup(to_child), os.dup(from_child)
        redirect = f'exec 3<&{high_read} 4>&{high_write}; exec "$@"'
        options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                   "--remote-debugging-pipe", f"--user-data-dir={self.profile}", f"--window-size={width},{height}",
                   "--disable-background-networking", "--disable-component-update", "--lang=en-GB"]
        self.process = subprocess.Popen(
            ["bash", "-c", redirect, "bash", "chromium", *options, "about:blank"],
            pass_fds=(high_read, high_write), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True)
        for fd in (to_child, from_child, high_read, high_write):
            os.close(fd)
        self.buffer = b""
        self.last_id = 0
        self.session = None
        self.events = []
        page = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def close(self):
        try:
            self.session = None
            self.call("Browser.close")
            self.process.wait(10)
        except Exception:
            self.process.kill()
            self.process.wait()
        os.close(self.to_browser)
        os.close(self.from_browser)
        shutil.rmtree(self.profile, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _read(self, deadline):
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.from_browser], [], [], max(0, deadline - time.monotonic()))
            if not ready:
                raise TimeoutError("Chromium does not answer")
            chunk = os.read(self.from_browser, 1 << 16)
            if not chunk:
                raise ConnectionError("Chromium has ended")
            self.buffer += chunk
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, timeout=60, **parameters):
        self.last_id += 1
        message = {"id": self.last_id, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to_browser, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + timeout
        while True:
            answer = self._read(deadline)
            if answer.get("id") == self.last_id:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def open(self, url):
        self.call("Page.navigate", url=url)

    def run(self, expression):
        """The value of an expression of JavaScript in the page."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def is_true(self, expression):
        return self.run(f"(() => {{ try {{ return Boolean({expression}); }} catch {{ return false; }} }})()")

    def wait_until(self, expression, seconds=30):
        """Waits until an expression is true. While a page is loaded, its elements do not exist, so it may fail."""
        deadline = time.monotonic() + seconds
        while not self.is_true(expression):
            if time.monotonic() > deadline:
                raise AssertionError(f"not true in {seconds} s: {expression}")
            time.sleep(0.05)

    def colours(self, scheme):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def size(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def screenshot(self, path):
        data = self.call("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def complaints(self):
        """Errors of the page: exceptions, failed loads, violations of its content security policy."""
        self.run("1")  # collects what has arrived
        found = []
        for e in self.events:
            if e.get("method") == "Runtime.exceptionThrown":
                found.append(e["params"]["exceptionDetails"])
            if e.get("method") == "Log.entryAdded" and e["params"]["entry"]["level"] == "error":
                found.append(e["params"]["entry"]["text"] + " " + e["params"]["entry"].get("url", ""))
        return found

    def requests(self):
        """The URLs that the page has requested."""
        self.run("1")
        return [e["params"]["request"]["url"] for e in self.events if e.get("method") == "Network.requestWillBeSent"]
