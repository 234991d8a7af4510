"""Pages of h5zarr report in Chromium: nothing of a store runs or loads; at two widths, in light and dark, by keyboard; what stands out from
what is behind it is computed."""

import json
import os
import re
import shutil
import subprocess
import sys

import h5py
import numpy as np
import pytest

from places import COMMAND, ROOT
from report_pages import HOSTILE, hostile_model, hostile_text, seen

sys.path.insert(0, str(ROOT / "tools" / "docs"))
from browser import Browser  # noqa: E402

pytestmark = pytest.mark.skipif(not shutil.which("chromium"), reason="no Chromium here")

# Runs before anything of a page does: what the policy refuses, what fails, and each request.
WATCH = """
window.refused = []; window.called = [];
addEventListener('securitypolicyviolation', e => refused.push(e.violatedDirective + ' ' + e.blockedURI));
for (const name of ['alert', 'open', 'fetch']) window[name] = (...a) => { called.push(name) };
"""
ACTED = """({ran: window.ran, called, refused, title: document.title, scripts: document.scripts.length, frames: window.length,
  handlers: [...document.querySelectorAll('*')].flatMap(e => e.getAttributeNames().filter(n => n.startsWith('on'))),
  focus: document.activeElement.localName, place: location.href})"""
UNFOLD = "document.querySelectorAll('details').forEach(d => { d.open = true })"

# Of each text: how much it stands out from what is behind it (WCAG 2, "contrast ratio"); those below 4.5.
CONTRAST = """
(() => {
  const parse = text => { const n = text.match(/[\\d.]+/g).map(Number); return n.length < 4 ? [...n, 1] : n };
  const light = ([r, g, b]) => [r, g, b].map(c => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = e => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c[3] === 1) return c;
    if (c[3] !== 0) return null } return null };
  const found = [];
  let texts = 0;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const e = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim()) continue;
    texts++;
    const style = getComputedStyle(e), back = behind(e), a = light(parse(style.color)), b = back && light(back);
    const ratio = back && parse(style.color)[3] === 1 ? (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) : 0;
    if (ratio < 4.5 || style.opacity !== '1') found.push([e.className || e.localName, ratio]);
  }
  return [texts, found];
})()"""


class Watching(Browser):
    """Notes what is asked for, pages and data apart."""

    requests = []

    def message(self):
        message = super().message()
        if message.get("method") == "Network.requestWillBeSent":
            self.requests.append(message["params"]["request"]["url"])
        return message

    def asked(self):
        found = [url for url in self.requests if not url.startswith(("data:", "about:")) and not re.match("file:.*[.]html", url)]
        self.requests.clear()
        return found


@pytest.fixture(scope="module")
def browser():
    with Watching() as opened:
        opened.call("Network.enable")
        opened.call("Page.addScriptToEvaluateOnNewDocument", source=WATCH)
        yield opened


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    path = tmp_path_factory.mktemp("pages") / "x.html"
    subprocess.run([COMMAND, "report", "--from-json=-", "-o", path], input=hostile_text(), text=True, check=True)
    return path


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """One that is unfolded at first, with every kind of object."""
    model = hostile_model()
    model["nodes"] = model["nodes"][:8]
    for node in model["nodes"]:
        if node["kind"] == "group":
            node.pop("table", None)  # below which all is folded
    path = tmp_path_factory.mktemp("pages") / "small.html"
    subprocess.run([COMMAND, "report", "--from-json=-", "-o", path], input=json.dumps(model), text=True, check=True)
    return path


def test_the_watch_sees_what_acts(browser, tmp_path):
    """Without escaping the same texts run and load; with the policy alone they are refused."""
    policy = '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'">'
    body = "<!DOCTYPE html><html><head>POLICY</head><body>" + "".join(text for text in HOSTILE if "refresh" not in text and "/title" not in text)
    (tmp_path / "x.html").write_text(body.replace("POLICY", ""), errors="replace")
    browser.open(tmp_path / "x.html")
    acted = browser.run(ACTED)
    assert acted["ran"] and acted["scripts"] == 1
    assert any(url.endswith("/x") for url in browser.asked())
    (tmp_path / "x.html").write_text(body.replace("POLICY", policy), errors="replace")
    browser.open(tmp_path / "x.html")
    refused = browser.run(ACTED)
    assert refused.get("ran") is None and len(refused["refused"]) > 1
    browser.asked()


def test_nothing_runs_or_loads(browser, page):
    for anchor in ("", "#n5"):
        browser.call("Page.navigate", until="Page.loadEventFired", url="about:blank")  # or the second is a place of the first
        browser.open(page, anchor)
        browser.run(UNFOLD + "; document.querySelectorAll('a, summary, img, svg').forEach(e => { for (const t of ['click', 'mouseover', 'focus', 'load'])"
                    " e.dispatchEvent(new Event(t)) })")
        acted = browser.run(ACTED)
        assert acted.pop("title").startswith("</title></style><svg onload=") and acted.pop("place").startswith("file:")
        assert acted == {"called": [], "refused": [], "scripts": 0, "frames": 0, "handlers": [], "focus": "body"}
    assert browser.asked() == []
    text = browser.run("document.body.textContent")
    assert all(seen(hostile) in text for hostile in HOSTILE)
    elements = browser.run("[...new Set([...document.querySelectorAll('*')].map(e => e.localName))]")
    assert not {"script", "iframe", "link", "form", "button", "object", "embed", "input", "base"} & set(elements)
    assert browser.run("[...document.images].filter(i => i.complete && i.naturalWidth === 0).length") == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 320])
def test_it_fits_and_stands_out(browser, page, scheme, width):
    browser.prefers(scheme)
    browser.size(width, 800, width < 500)
    browser.open(page)
    browser.run(UNFOLD)
    assert browser.run("[document.documentElement.scrollWidth, innerWidth]") == [width, width]
    wide = "[...document.querySelectorAll('body *')].filter(e => !e.parentElement.closest('.table') && e.getBoundingClientRect().right > innerWidth + 1).map(e => e.localName)"
    assert browser.run(wide) == []
    texts, weak = browser.run(CONTRAST)
    assert texts > 500 and weak == []
    back = browser.run("getComputedStyle(document.documentElement).backgroundColor")
    assert (int(re.search(r"\d+", back)[0]) < 64) == (scheme == "dark")


def test_contrast_is_seen(browser, tmp_path):
    (tmp_path / "x.html").write_text('<html style="background:#fff"><body><p class="weak" style="color:#888">a<p style="color:#000">b')
    browser.open(tmp_path / "x.html")
    texts, weak = browser.run(CONTRAST)
    assert texts == 2 and [name for name, _ in weak] == ["weak"]


def press(browser, key, code):
    for kind in ("keyDown", "keyUp"):
        text = {"text": "\r"} if key == "Enter" and kind == "keyDown" else {}
        browser.call("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code, **text)


def test_by_keyboard(browser, small):
    """Tab reaches each link and each object in the order of the page, the focus is seen, and Enter folds."""
    browser.prefers("light")
    browser.size(1280, 800)
    browser.open(small)
    wanted = browser.run("document.querySelectorAll('a, summary, .table').length")
    assert wanted > 10
    places = []
    for _ in range(wanted):
        press(browser, "Tab", 9)
        element, style, width, top = browser.run(
            "(e => [[...document.querySelectorAll('a, summary, .table')].indexOf(e), getComputedStyle(e).outlineStyle, parseFloat(getComputedStyle(e).outlineWidth),"
            " e.getBoundingClientRect().top])(document.activeElement)")
        assert style == "solid" and width >= 2 and -1 <= top <= 800
        places.append(element)
    assert places == list(range(wanted))
    browser.run("[...document.querySelectorAll('summary')].at(-1).focus()")
    opened = "document.activeElement.parentElement.open"
    before = browser.run(opened)
    press(browser, "Enter", 13)
    assert browser.run(opened) is not before


def test_for_those_who_do_not_see_it(browser, small):
    """Names that Chromium tells to screen readers: of pictures, maps, parts; and words beside all colours."""
    browser.open(small)
    nodes = browser.call("Accessibility.getFullAXTree")["nodes"]
    named = [(n["role"]["value"], n.get("name", {}).get("value", "")) for n in nodes if not n["ignored"]]
    pictures = [name for role, name in named if role in ("image", "img")]
    assert len(pictures) >= 4 and {name[:name.index("/")] for name in pictures} == {"Picture of the elements of ", "Map of the chunks of "}
    assert {name for role, name in named if role == "region"} == {"Summary", "Check", "Largest arrays", "All objects"}
    assert {"main", "navigation", "banner", "contentinfo"} <= {role for role, _ in named}
    assert browser.run("[...document.querySelectorAll('.bad, .good')].every(e => e.textContent.trim() !== '')")
    sides = set(re.findall(r"h(\d+)v", browser.run("document.querySelector('svg[role=img] path').getAttribute('d')")))
    assert {"2", "18"} <= sides and len(sides) == 3  # a chunk that is not stored, the largest, and one between


def test_on_paper(browser, page):
    """Dark on white whatever the screen has, without links to jump by, and what is folded is there."""
    browser.size(1280, 800)
    browser.open(page)
    seen_now = "[...document.querySelectorAll('details:not([open])')].map(e => getComputedStyle(e, '::details-content').contentVisibility === 'visible')"
    assert not any(browser.run(seen_now))
    browser.call("Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    try:
        shown = browser.run(seen_now)
        assert len(shown) > 5 and all(shown)
        assert browser.run("getComputedStyle(document.documentElement).backgroundColor") == "rgb(255, 255, 255)"
        assert browser.run("getComputedStyle(document.querySelector('nav')).display") == "none"
        texts, weak = browser.run(CONTRAST)
        assert texts > 500 and weak == []
    finally:
        browser.call("Emulation.setEmulatedMedia", media="")


def test_nothing_moves(browser, page):
    browser.open(page)
    moving = ("[...document.querySelectorAll('*')].map(e => getComputedStyle(e)).filter(s => s.animationName !== 'none' || s.scrollBehavior !== 'auto' ||"
              " s.transitionDuration.split(', ').some(t => parseFloat(t) > 0)).length")
    assert browser.run(moving) == 0
    assert browser.run("document.querySelectorAll('marquee, blink, animate, animateTransform, set').length") == 0


def test_tables_for_those_who_do_not_see_them(browser, small):
    browser.open(small)
    nodes = browser.call("Accessibility.getFullAXTree")["nodes"]
    roles = [n["role"]["value"] for n in nodes if not n["ignored"]]
    assert {"table", "caption", "columnheader", "rowheader", "cell"} <= set(roles)
    assert all(browser.run("[...document.querySelectorAll('.table')].map(e => e.getAttribute('aria-label').startsWith('Rows of /'))"))


# The pixels of a picture, as Chromium decodes it.
PIXELS = """
(async () => { const image = new Image(); image.src = SOURCE; await image.decode();
  const canvas = document.createElement('canvas'); [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
  const context = canvas.getContext('2d'); context.drawImage(image, 0, 0);
  return [canvas.width, canvas.height, [...context.getImageData(0, 0, canvas.width, canvas.height).data]] })()"""


def package():
    """The Python package of this checkout."""
    sys.path.insert(0, str(ROOT / "python"))
    from vol_zarr import _view

    sys.path.remove(str(ROOT / "python"))
    return _view


def test_a_frame_in_a_notebook(browser, page, tmp_path):
    """The page is in it, links within it work, and it can do nothing to what is around it."""
    (tmp_path / "x.html").write_text("<!DOCTYPE html><body>" + package().View(HOSTILE[1], page.read_text())._repr_html_())
    browser.asked()
    browser.open(tmp_path / "x.html")
    assert browser.run("[window.ran === undefined, document.scripts.length, window.length, called.length]") == [True, 0, 1, 0]
    assert browser.asked() == []
    outer, browser.session = browser.session, None
    try:
        (frame,) = [target for target in browser.call("Target.getTargets")["targetInfos"] if target["type"] == "iframe"]  # a process of its own
        browser.session = browser.call("Target.attachToTarget", targetId=frame["targetId"], flatten=True)["sessionId"]
        inside = json.dumps(browser.call("DOM.getDocument", depth=-1))
    finally:
        browser.session = outer
    assert inside.count('"DETAILS"') > 5 and '"SCRIPT"' not in inside and "</script><script>" in inside


def model_of_path(path):
    done = subprocess.run([COMMAND, "report", "--json", path], capture_output=True, env={**os.environ, "VOL_ZARR_HDF5": os.environ.get("VZ_HDF5", "")}, check=True)
    return json.loads(done.stdout)


def model_of_handle(path):
    with h5py.File(path) as f:
        return package().Walk(h5py, f, False, 100).model


@pytest.mark.parametrize("make", [model_of_path, model_of_handle])
def test_pictures_are_the_elements(browser, tmp_path, make):
    """Grey from the least to the greatest; what is NaN is transparent."""
    values = np.linspace(-1, 1, 1200).reshape(40, 30)
    values[3, 4] = np.nan
    with h5py.File(tmp_path / "x.h5", "w") as f:
        f["a"] = values
    picture = make(tmp_path / "x.h5")["nodes"][1]["picture"]
    browser.call("Page.navigate", until="Page.loadEventFired", url="about:blank")
    width, height, pixels = browser.run(PIXELS.replace("SOURCE", f"'data:image/png;base64,{picture['png']}'"))
    assert (width, height) == (30, 40)
    pixels = np.array(pixels, float).reshape(40, 30, 4)
    assert pixels[3, 4, 3] == 0 and (pixels[..., 3] == 255).sum() == 1199
    shown = np.isfinite(values)
    assert (pixels[shown][:, 0] == pixels[shown][:, 1]).all() and (pixels[shown][:, 1] == pixels[shown][:, 2]).all()
    assert np.abs(pixels[..., 0] - (values + 1) / 2 * 255)[shown].max() <= 1
    assert "black for -1 to white for 1" in picture["text"] and "1 of 1200 pixels have no value" in picture["text"]
