#!/usr/bin/env python3
"""check_prose.py - holds comments, READMEs and pages to the style of CONTRIBUTING.md.

- comment width: a line of a comment has at most 100 columns (in src, plugin and include), also behind code; code alone has 120
- sentence: no sentence of a comment, a page or a README has "Who" or "What" as its subject, or "The same" without its noun (CHANGELOG.md apart)
- readme width: a line of a README has at most 100 columns, tables, code and single words apart
- one sentence a line: pages in docs, CONTRIBUTING.md and SECURITY.md, tables and code apart
- long sentence: a sentence of a page or a README has at most 25 words, tables and code apart; a word in backquotes is one word, the target of a
  link is none

Files that do not keep a rule yet stand in test/prose_exceptions.txt, one "rule: file" a line.
A line there whose file keeps the rule is an error, too: the list may only shrink.
Behind "long sentence: file" stands how many there are, and behind "long comment: all of src" how many sentences of comments have more than 25 words.
These numbers may only fall: --update lowers them, and a higher one is an error.
--list prints each place; --update takes lines off the list that are no longer so.
"""
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXCEPTIONS = ROOT / "test/prose_exceptions.txt"
COLUMNS = 100
WORDS = 25
TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|/\*.*?\*/|//[^\n]*', re.S)
SUBJECT = re.compile(r"(?:^(?:[\w.]+\.[ch] - )?(?:- )?|[.;:!?)] (?:- )?)(Who|What|The same)\b(.*?)(?=(?<![0-9])[.;?](?: |$)|$)(.?)")
NO_NOUN = re.compile(
    r"\s*(?:[.,:;)]|$|(?:of|but|for|as|under|where|with|in|from|by|and|to|on|at|again|after|without|if|is|holds|goes|that|which|when|way|once|before"
    r"|until|what|it|are|or)\b)"
)
ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|cf|no|St)|\.\.)\.$")
PROGRAM = r"(?:ctest|h5|hdf5|hdmf|jansson|kerchunk|lib[a-z]+|netCDF|numcodecs|pynwb|rhdf5|tensorstore|xarray|yyjson|zarr|zarrs)(?:[\w-]*)\b"
SENTENCE_END = re.compile(rf"[.!?][\"')*\]]*(?= +(?:[\"'(*]*(?:[A-Z\d]|{PROGRAM})|\[))")
ITEM = re.compile(r"\s*(?:[-*]|\d+\.) +")


def comments_of(text):
    return [(m.start(), m.end()) for m in TOKEN.finditer(text) if m[0][0] == "/"]


def words_of(comment):
    """A comment as one line of text."""
    inside = comment[2:-2] if comment.startswith("/*") else comment[2:]
    return " ".join(re.sub(r"\n[ \t]*\*(?!/) ?", "\n", inside).split())


def check_comment(text, start, end):
    """Yields (rule, line, what) of one comment."""
    first = text.count("\n", 0, start)
    lines = text.split("\n")
    for number in range(first, text.count("\n", 0, end) + 1):
        if len(lines[number]) > COLUMNS and not lines[number].endswith("\\"):
            yield "comment width", number + 1, lines[number].strip()
    for what in poor_subjects(words_of(text[start:end])):
        yield "sentence", first + 1, what


def poor_subjects(text):
    for match in SUBJECT.finditer(text):
        if NO_NOUN.match(match[2]) if match[1] == "The same" else match[3] != "?":
            yield match[1] + match[2]


def check_readme(text):
    code = False
    for number, line in enumerate(text.split("\n")):
        code ^= line.startswith("```")
        if len(line) > COLUMNS and not code and not line.startswith(("|", "```", "[![")) and " " in line.strip()[2:]:
            yield "readme width", number + 1, line


def sentences_in(text):
    """The sentences of a paragraph, without its line ends."""
    hidden = re.sub(r"`[^`]*`|\]\([^)]*\)", lambda m: m[0][0] + "X" * (len(m[0]) - 1) if m[0][0] == "]" else "X" * len(m[0]), text)
    out, begin = [], 0
    for match in SENTENCE_END.finditer(hidden):
        before = hidden[begin : match.end()]
        label = re.fullmatch(r"(?:[-*] |\d+\. )?\*\*[^*]+\*\*", before.strip())
        if not ABBREVIATION.search(before.rstrip("\"')*]")) and not label and not re.fullmatch(r"\s*\d+\.", before):
            out.append(text[begin : match.end()].strip())
            begin = match.end()
    out.append(text[begin:].strip())
    return [s for s in out if s]


def paragraphs_of(text):
    """Yields (line number, lines) of the prose of a page; an item of a list is a paragraph. Parts that a program fills are left out."""
    text = re.sub(r"(?ms)^<!-- (\w+): .*?^<!-- \1: end -->$", lambda m: "\n" * m[0].count("\n"), text)
    lines, code, first = [], False, 0
    for number, line in enumerate(text.split("\n") + [""]):
        fence = line.lstrip().startswith("```")
        label = re.fullmatch(r"\*\*[^*]+\*\*", line)
        ends = code or fence or label or not line.strip() or line.startswith(("|", "#", ">", "<", "    ")) or ITEM.match(line) or line.endswith("  ")
        if ends and lines:
            yield first, lines
            lines = []
        code ^= fence
        if not code and not fence and (not ends or ITEM.match(line) and not line.startswith("    ")):
            if not lines:
                first = number
            lines.append(line)


def count_words(sentence):
    plain = re.sub(r"\]\([^)]*\)", "]", re.sub(r"`[^`]*`", "code", ITEM.sub("", sentence, count=1) if ITEM.match(sentence) else sentence))
    return sum(bool(re.search(r"\w", word)) for word in plain.split())


def long_sentences(text):
    """Yields (line, sentence) of a page."""
    for first, lines in paragraphs_of(text):
        for sentence in sentences_in(" ".join(l.strip() for l in lines)):
            if count_words(sentence) > WORDS:
                yield first + 1, sentence


def long_comments(text):
    """Yields (line, sentence) of the comments of a file of C. An item of a list is a sentence, and a dash parts what a comment names from what it says.
    Indented lines are tables, drawings and code: they end a sentence."""
    for start, end in comments_of(text):
        inside = text[start:end].removeprefix("/*").removeprefix("//").removesuffix("*/")
        inside = re.sub(r"(?:\n[ \t]*\*(?: {4,}[^\n]*)?(?=\n|$))+", "\n * - ", inside)
        for item in re.split(r"\n[ \t]*\* - |(?<=[^-]) -{1,2} (?=[a-z])|(?<=\w\w[.;])\s(?:[ \t]*\* )?(?=\*\w|-?\d+: |NULL: |[a-z_]+(?:, [a-z_]+)*: )", inside):
            for sentence in sentences_in(words_of("/*" + item + "*/")):
                if count_words(sentence) > WORDS:
                    yield text.count("\n", 0, start) + 1, sentence


def check_page(text):
    for first, lines in paragraphs_of(text):
        item = ITEM.match(lines[0])
        body = [lines[0][item.end() :] if item else lines[0], *lines[1:]]
        joined = sentences_in(" ".join(l.strip() for l in body))
        if joined != [l.strip() for l in body]:
            yield "one sentence a line", first + 1, lines[0]


def sources():
    return sorted([*ROOT.glob("src/*/*/*.[ch]"), *ROOT.glob("plugin/*.[ch]"), *ROOT.glob("include/*.h")])


def pages():
    folders = [p for d in ("docs", "src", "test", "tools", "recipe", "python", "examples") for p in ROOT.glob(d + "/**/*.md")]
    return sorted([*folders, *ROOT.glob("*.md")])


def counted():
    """Yields (name, places) of what has an upper bound instead of a list."""
    everything = []
    for path in sources():
        everything += [f"{path.relative_to(ROOT)}:{line}: {s}" for line, s in long_comments(path.read_text(encoding="utf-8"))]
    yield "long comment: all of src", everything
    for path in pages():
        name = path.relative_to(ROOT)
        yield f"long sentence: {name}", [f"{name}:{line}: {s}" for line, s in long_sentences(path.read_text(encoding="utf-8"))]


def check_counts(bounds):
    """Complaints about numbers that rose, or that fell without being lowered; and the numbers of today."""
    bad, now = [], {}
    for name, places in counted():
        bound = bounds.pop(name, 0)
        if places:
            now[name] = len(places)
        if len(places) > bound:
            shown = places if "--list" in sys.argv or bound == 0 else places[-3:] + ["... (--list prints all)"]
            bad += [f"{p} ({WORDS} words at most)" if p[0] != "." else p for p in shown] + [f"{name}: {len(places)} are longer, at most {bound} may be"]
        elif len(places) < bound:
            bad.append(f"{name} {bound}: only {len(places)} are left: write that number into {EXCEPTIONS.relative_to(ROOT)}")
    return bad + [f"{name} {bound}: no longer so: take it off {EXCEPTIONS.relative_to(ROOT)}" for name, bound in bounds.items()], now


def violations():
    """Yields (rule, file, line, what)."""
    for path in sources():
        text = path.read_text(encoding="utf-8")
        for start, end in comments_of(text):
            for rule, line, what in check_comment(text, start, end):
                yield rule, path.relative_to(ROOT), line, what
    for path in pages():
        for first, lines in paragraphs_of(path.read_text(encoding="utf-8")) if path.name != "CHANGELOG.md" else ():
            for what in poor_subjects(" ".join(line.strip() for line in lines)):
                yield "sentence", path.relative_to(ROOT), first + 1, what
    readmes = [ROOT / "README.md", *ROOT.glob("src/**/*.md"), *(p for d in ("test", "tools") for p in ROOT.glob(d + "/**/README.md"))]
    for path in sorted(readmes):
        for rule, line, what in check_readme(path.read_text(encoding="utf-8")):
            yield rule, path.relative_to(ROOT), line, what
    for path in sorted([*ROOT.glob("docs/*.md"), ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md"]):
        for rule, line, what in check_page(path.read_text(encoding="utf-8")):
            yield rule, path.relative_to(ROOT), line, what


def main():
    found = collections.defaultdict(list)
    for rule, path, line, what in violations():
        found[f"{rule}: {path}"].append(f"{path}:{line}: {rule}: {what[:100]}")
    head, *known = EXCEPTIONS.read_text().splitlines()
    bounds = {match[1]: int(match[2]) for match in (re.fullmatch(r"(long .*) (\d+)", line) for line in known) if match}
    known = [line for line in known if not line.startswith("long ")]
    bad, now = check_counts(dict(bounds))
    if "--list" in sys.argv:
        print("\n".join(p for places in [*found.values(), *dict(counted()).values()] for p in places))
    if "--update" in sys.argv:
        known = [l for l in known if l in found]
        lower = [f"{name} {min(now[name], bound)}" for name, bound in bounds.items() if name in now]
        EXCEPTIONS.write_text("\n".join([head, *lower, *known]) + "\n")
    bad += [p for line, places in sorted(found.items()) if line not in known for p in places]
    bad += [f"{line}: no longer so: take it off {EXCEPTIONS.relative_to(ROOT)}" for line in known if line not in found]
    print("\n".join(bad + [f"{len(found)} files do not keep a rule, {len(known)} are on the list; long sentences: {now or 'none'}"]))
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
