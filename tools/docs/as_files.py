"""What the site does when it is opened as files: search, the switch for dark mode, contrast, the width of a phone (browse.py calls it)."""

import collections
import json
import re

from browser import Browser

PHONE, DESK = (375, 812), (1280, 900)
SCHEME = "document.body.getAttribute('data-md-color-scheme')"
# Pages that search must find, by what is typed.
SEARCHES = {"sharding": "docs/", "read_nwb": "docs/programs.html", "credentials": "docs/s3-credentials.html"}
SEARCH = """new Promise((done) => {
    const field = document.querySelector('[data-md-component=search-query]'), end = Date.now() + 20000;
    document.querySelector('[data-md-toggle=search]').click();
    const look = () => {
        const found = [...document.querySelectorAll('.md-search-result a')].map((a) => a.href);
        if (found.length || Date.now() > end)
            return done(found);
        field.focus();
        field.value = %s;
        field.dispatchEvent(new KeyboardEvent('keyup', {bubbles: true, key: 'a'}));
        setTimeout(look, 300);
    };
    look();
})"""
# The next button of the palette; what is clicked is the label that shows.
SWITCH = "[...document.querySelectorAll('[data-md-component=palette] label')].find((label) => !label.hidden).click()"
# Texts whose colour stands out too little from what is behind them: [ratio, where, text]. WCAG's numbers: 4.5, large texts 3.
CONTRAST = """(() => {
    const parse = (text) => { const n = text.match(/[\\d.]+/g).map(Number); return text.startsWith('color(') ? [n[0] * 255, n[1] * 255, n[2] * 255, n[3] ?? 1] : [n[0], n[1], n[2], n[3] ?? 1]; };
    const over = (a, b) => [0, 1, 2].map((i) => a[i] * a[3] + b[i] * (1 - a[3])).concat(1);
    const light = (c) => { const [r, g, b] = c.map((v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
    const behind = (e) => { const layers = []; for (; e; e = e.parentElement) layers.push(parse(getComputedStyle(e).backgroundColor));
                            return layers.reverse().reduce((under, layer) => over(layer, under), [255, 255, 255, 1]); };
    const shows = (e) => { for (; e; e = e.parentElement) { const s = getComputedStyle(e); if (s.visibility === 'hidden' || s.display === 'none' || s.opacity === '0') return false; } return true; };
    const bad = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const e = walker.currentNode.parentElement, text = walker.currentNode.data.trim(), box = e.getBoundingClientRect();
        if (!text || !box.width || !box.height || e.closest('script, style, noscript, .md-search') || !shows(e)) continue;
        const style = getComputedStyle(e), back = behind(e), fore = over(parse(style.color), back);
        const [a, b] = [light(fore), light(back)].sort((x, y) => y - x), ratio = (a + 0.05) / (b + 0.05);
        const size = parseFloat(style.fontSize), large = size >= 24 || size >= 18.66 && style.fontWeight >= 700;
        if (ratio < (large ? 3 : 4.5) - 0.005) bad.push([ratio.toFixed(2), e.tagName.toLowerCase() + (e.className ? '.' + e.className : ''), text.slice(0, 40)]);
    }
    return JSON.stringify(bad);
})()"""
STILL = "document.head.insertAdjacentHTML('beforeend', '<style>* { transition: none !important; animation: none !important }</style>')"


def search(browser, site):
    for typed, wanted in SEARCHES.items():
        browser.open(site / "docs" / "options.html")
        found = browser.run(SEARCH % json.dumps(typed))
        if not any(f"/{wanted}" in address for address in found):
            yield f"search for {typed!r} as a file finds {found[:3]}, not {wanted}"
        yield from (f"search for {typed!r} finds {address}, a page for developers" for address in found if re.search(r"/site/(src|test|tools)/", address))


def dark_mode(browser, site):
    """The system's setting counts until somebody chooses; a choice is kept on other pages, and in the next look at the first one."""
    home, other = site / "index.html", site / "docs" / "options.html"
    for system, scheme in (("light", "default"), ("dark", "slate")):
        browser.prefers(system)
        browser.open(home)
        if browser.run(SCHEME) != scheme:
            yield f"a system that is {system} gets {browser.run(SCHEME)}"
    browser.prefers("light")
    browser.open(home)
    seen = []
    for _ in range(3):
        browser.run(SWITCH)
        shown = browser.run(SCHEME)
        browser.open(other)
        kept = browser.run(SCHEME)
        browser.open(home)
        seen.append((shown, kept, browser.run(SCHEME)))
    if seen != [("default",) * 3, ("slate",) * 3, ("default",) * 3]:
        yield f"the switch for dark mode: {seen}"


def contrast(browser, site, pages):
    """Each page in both schemes, and each kind of text once."""
    found = collections.Counter()
    for page in pages:
        browser.open(site / page)
        browser.run(STILL)
        for scheme in "default", "slate":
            browser.run(f"document.body.setAttribute('data-md-color-scheme', '{scheme}')")
            for ratio, where, text in json.loads(browser.run(CONTRAST)):
                found[f"contrast {ratio} ({scheme}) of {where}: {text!r}, as on {page}" if (ratio, scheme, where) not in found else None] += 1
                found[ratio, scheme, where] += 1
    yield from (text for text in found if isinstance(text, str))


def phone(browser, site, pages):
    browser.size(*PHONE, phone=True)
    for page in pages:
        browser.open(site / page)
        width = browser.run("Math.max(document.documentElement.scrollWidth, document.body.scrollWidth)")
        if width > PHONE[0]:
            yield f"{page}: {width} pixels wide on a phone"
    browser.size(*DESK)


def complaints(site, pages):
    with Browser() as browser:
        browser.size(*DESK)
        yield from search(browser, site)
        yield from dark_mode(browser, site)
        yield from contrast(browser, site, pages)
        yield from phone(browser, site, pages[:: max(1, len(pages) // 20)])
