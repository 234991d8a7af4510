"""Pages of h5zarr report, read as a browser reads them; texts that would be markup, a script or an order where a page does not take care."""

import html.parser
import json
import re

# Each in a place of its own in names, values and types. None may act, and all must be seen.
HOSTILE = [
    "</script><script>window.ran='script'</script>",
    "\"><img src=x onerror=\"window.ran='image'\">",
    "' onfocus='window.ran=1' autofocus='",
    "</title></style><svg onload=window.ran='svg'>",
    "--><iframe src=\"javascript:parent.ran='frame'\"></iframe><!--",
    "<link rel=stylesheet href=//example.org/x.css><meta http-equiv=refresh content=0;url=//example.org>",
    "&lt;b&gt; &amp;amp; &#60;img src=x onerror=window.ran=1&#62;",
    "]]></details></ul></main><form action=//example.org><button autofocus>",
    "javascript:window.ran=1",
    "invoice\u202egnp.exe\u2066\u2028\u200e\ufeff\U000e0041",
    "\x1b]0;title\x07\x1b[31m\x85\x00end",
    "%s%n{0}${x}{{y}}",
]
VOID = {"meta", "link", "img", "br", "hr", "input"}
ALLOWED = {
    "html", "head", "meta", "title", "style", "body", "header", "nav", "main", "section", "footer", "h1", "h2", "p", "ul", "ol", "li", "a", "dl", "dt", "dd",
    "span", "bdi", "div", "details", "summary", "figure", "figcaption", "img", "svg", "path", "rect", "table", "caption", "thead", "tbody", "tr", "th", "td",
}
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e0fff\udc80-\udcff]")
POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


class Page(html.parser.HTMLParser):
    """The elements of a page; complaints: what is not balanced, not allowed, or not harmless."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.complaints, self.ids, self.links, self.words, self.pictures, self.policy = [], [], [], [], [], [], None
        self.feed(text)
        self.close()
        self.complaints += [f"not closed: {name}" for name in self.open]
        self.complaints += [f"leads nowhere: {link}" for link in self.links if link not in self.ids]
        if UNSEEN.search(text):
            self.complaints.append(f"unseen: {UNSEEN.search(text)!r}")
        self.text = "".join(self.words)

    def handle_starttag(self, name, attributes):
        given = dict(attributes)
        if name not in ALLOWED or len(given) != len(attributes):
            self.complaints.append(f"<{name} {given}>")
        for key, value in attributes:
            harmless = key in {"lang", "charset", "http-equiv", "content", "name", "class", "aria-label", "aria-labelledby", "aria-hidden", "role", "id",
                               "href", "open", "tabindex", "scope", "colspan", "alt", "src", "width", "height", "viewbox", "d", "preserveaspectratio"}
            if not harmless or key == "href" and not re.fullmatch(r"#[\w-]+", value) or key == "src" and not re.fullmatch(r"data:image/png;base64,[\w+/=]+", value):
                self.complaints.append(f"{name} {key}={value}")
        if given.get("http-equiv") == "Content-Security-Policy":
            self.policy = given["content"]
        self.ids += [given["id"]] if "id" in given else []
        self.links += [given["href"][1:]] if "href" in given else []
        if name == "img" or given.get("role") == "img":
            self.pictures.append(given)
        if name not in VOID:
            self.open.append(name)

    def handle_startendtag(self, name, attributes):
        if name not in ("path", "rect"):
            self.complaints.append(f"<{name}/>")
        self.handle_starttag(name, attributes)
        self.handle_endtag(name)

    def handle_endtag(self, name):
        if not self.open or self.open.pop() != name:
            self.complaints.append(f"</{name}>")

    def handle_data(self, data):
        if self.open and self.open[-1] != "style":
            self.words.append(data)

    def handle_comment(self, data):
        self.complaints.append(f"comment: {data}")


def read(text):
    page = Page(text)
    assert page.complaints == []
    assert page.policy == POLICY
    assert len(page.ids) == len(set(page.ids))
    assert all(picture.get("alt") or picture.get("aria-label") for picture in page.pictures)
    return page


def seen(text):
    """As the page shows it."""
    def number(match):
        code = ord(match[0])
        return f"\\x{code - 0xdc00:02x}" if 0xdc80 <= code <= 0xdcff else f"\\x{code:02x}" if code < 0x80 else f"U+{code:04X}"

    return UNSEEN.sub(number, text)


def hostile_model():
    """A model with hostile texts wherever it may have text, and members of wrong kinds."""
    wrong = [None, 5, -1, 1e300, True, [], {}, ["x"], {"level": "x"}, 2**63]
    png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="
    nodes = [{"level": 0, "name": "/", "path": "/", "kind": "group"}]
    for i, text in enumerate(HOSTILE):
        nodes.append({
            "level": 1 + i % 3, "name": text, "path": "/" + text, "kind": ["array", "group", "type", "link", "unreadable", text][i % 6], "shape": text,
            "type": text, "storage": text, "target": text, "elements": text, "stored": i, "decoded": 2**60, "statistics": [[text, text], [text], text, []],
            "attributes": [{"name": text, "value": text, "type": text, "note": text}, {}, text], "notes": [text],
            "picture": {"width": 4, "height": 3, "png": png if i % 2 else text, "text": text},
            "table": {"what": text, "noun": text, "rows": [5, 2**64 - 1, text][i % 3], "has_index": i % 2 == 0, "columns": [{"name": text, "type": text}, text, {}],
                      "head": [[text, None, text], text, [text]], "tail": [[5, text]], "columns_left_out": 7},
            "map": {"columns": 2, "rows": 2, "cells": [0, 50, 100, text], "text": text}})
    for value in wrong:
        nodes.append({key: value for key in nodes[1]})
        nodes.append(value)
        nodes.append({**nodes[1], "picture": {"width": value, "height": 3, "png": png}, "map": {"columns": value, "rows": 1, "cells": value},
                      "table": {key: value for key in ("what", "rows", "columns", "head", "tail", "has_index", "columns_left_out")}})
        nodes.append({**nodes[1], "table": value})
    every = HOSTILE + wrong
    return {
        "report": 1, "name": HOSTILE[3], "made": HOSTILE[0], "facts": [[text, text] for text in every], "notes": every, "totals": {"stored": 7, "groups": 1},
        "check": {"text": HOSTILE[1], "wrong": 3, "left_out": 2**64 - 1, "findings": [{"label": t, "wrong": True, "object": t, "text": t} for t in every],
                  "remarks": every},
        "largest": [{"path": text, "node": 0, "stored": 5} for text in HOSTILE] + wrong, "nodes": nodes}


def hostile_text():
    return json.dumps(hostile_model())
