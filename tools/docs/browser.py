"""A headless Chromium, spoken to over pipes in its own protocol (DevTools): pages are opened as files, and scripts run in them."""

import itertools
import json
import os
import pathlib
import subprocess
import tempfile

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--hide-scrollbars"]


class Browser:
    """`with Browser() as browser`: one page of it. It has no network but what a page asks for, and finds no host but those of `hosts`."""

    hosts = ""  # rules before "MAP * ~NOTFOUND", with a comma behind each

    def __enter__(self):
        self.profile = tempfile.TemporaryDirectory()
        theirs, self.ours = os.pipe()
        self.answers, their_answers = os.pipe()
        command = ["chromium", *FLAGS, "--remote-debugging-pipe", f"--host-resolver-rules={self.hosts}MAP * ~NOTFOUND", f"--user-data-dir={self.profile.name}", "about:blank"]
        # Chromium reads from 3 and writes to 4.
        script = f'exec "$@" 8<&{theirs} 9>&{their_answers} 3<&8 4>&9'
        self.process = subprocess.Popen(["bash", "-c", script, "bash", *command], pass_fds=(theirs, their_answers), stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        os.close(theirs)
        os.close(their_answers)
        self.numbers, self.unread, self.session = itertools.count(1), b"", None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Page.enable")
        return self

    def __exit__(self, *_):
        os.close(self.ours)
        self.process.terminate()
        self.process.wait()
        os.close(self.answers)
        self.profile.cleanup()

    def message(self):
        while b"\0" not in self.unread:
            more = os.read(self.answers, 1 << 16)
            if not more:
                raise SystemExit("Chromium ended")
            self.unread += more
        text, _, self.unread = self.unread.partition(b"\0")
        return json.loads(text)

    def call(self, method, until=None, **parameters):
        """The result of a call; with `until` also after an event of that name has come."""
        number, result = next(self.numbers), None
        call = {"id": number, "method": method, "params": parameters, **({"sessionId": self.session} if self.session else {})}
        os.write(self.ours, json.dumps(call).encode() + b"\0")
        while result is None or until:
            message = self.message()
            if message.get("id") == number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                result = message["result"]
            elif message.get("method") == until:
                until = None
        return result

    def open(self, path, anchor=""):
        self.call("Page.navigate", until="Page.loadEventFired", url=pathlib.Path(path).resolve().as_uri() + anchor)

    def run(self, script):
        """The value of a script, a promise's too."""
        done = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in done:
            raise RuntimeError(done["exceptionDetails"])
        return done["result"].get("value")

    def prefers(self, scheme):
        """What the system's setting of light or dark is."""
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def size(self, width, height, phone=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=phone)

    def picture(self, path):
        import base64

        pathlib.Path(path).write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))
