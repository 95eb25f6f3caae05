"""Drives headless Chromium through a pipe (its DevTools protocol), with nothing but Python's own library."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless --no-sandbox --disable-gpu --use-gl=angle --use-angle=swiftshader --enable-unsafe-swiftshader "
    "--disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync "
    "--disable-extensions --hide-scrollbars --remote-debugging-pipe"
).split()


def program():
    return next((found for found in map(shutil.which, PROGRAMS) if found), None)


class Browser:
    def __init__(self, width=1280, height=900):
        self.profile = tempfile.mkdtemp(prefix="carom_browser_")
        commands, self.to = os.pipe()
        self.back, answers = os.pipe()

        def place_pipes():
            keep = os.dup(commands), os.dup(answers)
            os.dup2(keep[0], 3)
            os.dup2(keep[1], 4)

        self.process = subprocess.Popen(
            [program(), *FLAGS, f"--user-data-dir={self.profile}", f"--window-size={width},{height}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, close_fds=False,
            preexec_fn=place_pipes, start_new_session=True)
        os.close(commands)
        os.close(answers)
        self.buffer, self.number, self.events, self.session = b"", 0, [], None
        page = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def close(self):
        try:
            self.session = None
            self.call("Browser.close", seconds=10)
            self.process.wait(20)
        except Exception:
            os.killpg(self.process.pid, 9)
            self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    def message(self, seconds):
        end = time.monotonic() + seconds
        while b"\0" not in self.buffer:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.back], [], [], left)[0]:
                return None
            more = os.read(self.back, 1 << 20)
            if not more:
                raise RuntimeError("the browser ended")
            self.buffer += more
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, seconds=120, **parameters):
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.to, json.dumps(request).encode() + b"\0")
        while True:
            answer = self.message(seconds)
            if answer is None:
                raise RuntimeError(f"no answer to {method} within {seconds} s")
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def run(self, expression, seconds=120):
        """The value of a JavaScript expression, awaited when it is a promise."""
        result = self.call("Runtime.evaluate", seconds, expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description", details["text"]))
        return result["result"].get("value")

    def open(self, path, ready="window.carom && carom.ready", seconds=120):
        self.events.clear()
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        end = time.monotonic() + seconds
        while not self.run(f"document.readyState === 'complete' && !!({ready})"):
            if time.monotonic() > end:
                raise RuntimeError(f"{path} is not ready after {seconds} s; {self.complaints()}")
            time.sleep(0.1)

    def shade(self, value):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": value}])

    def complaints(self):
        """Script errors, console errors, and requests that leave this machine."""
        found = []
        for event in self.events:
            method, p = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                details = p["exceptionDetails"]
                found.append(details.get("exception", {}).get("description", details["text"]))
            elif method == "Runtime.consoleAPICalled" and p["type"] in ("error", "assert"):
                found.append("console: " + " ".join(str(a.get("value", a.get("description"))) for a in p["args"]))
            elif method == "Log.entryAdded" and p["entry"]["level"] == "error":
                found.append("log: " + p["entry"]["text"])
            elif method == "Network.requestWillBeSent":
                url = p["request"]["url"]
                if not url.startswith(("file:", "data:", "blob:", "about:")):
                    found.append("asks the network for " + url)
        return found + list(self.run("window.carom ? carom.errors : []"))

    def screenshot(self, path, whole_page=False):
        os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
        options = {}
        if whole_page:
            size = self.call("Page.getLayoutMetrics")["cssContentSize"]
            options = {"captureBeyondViewport": True,
                       "clip": {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}}
        data = self.call("Page.captureScreenshot", format="png", **options)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
