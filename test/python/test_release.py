"""tools/release: the version and its copies, what a release refuses, how two builds are compared, what a wheel says is inside of it."""

import io
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import types
import zipfile

import pytest

ROOT = pathlib.Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "tools/lib"), str(ROOT / "tools/release")]
import conda_package  # noqa: E402
import sbom  # noqa: E402
import wheel as wheel_maker  # noqa: E402

GIT = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"]
TOOLS = ["tools", "test/python/data", "python/vol_zarr/__init__.py", "recipe", "CITATION.cff", "docs/h5zarr.1", "debian", "CMakeLists.txt", "CHANGELOG.md",
         "README.md", "docs/limits.md", "docs/format.md", "docs/packages.md", "docs/wheel.md", "include", "LICENSE"]


def run(*command, where=None):
    done = subprocess.run([str(word) for word in command], cwd=where, capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def checkout(tmp_path):
    """A repository with the files that releases read, as they are here, but for the newest part of the changelog: nobody released it."""
    where = tmp_path / "checkout"
    for name in TOOLS:
        target = where / name
        target.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if (ROOT / name).is_dir() else shutil.copy)(ROOT / name, target)
    changes = where / "CHANGELOG.md"
    changes.write_text(re.sub(r"(?m)^## (\S+).*", r"## \1 (unreleased)", changes.read_text(), count=1))
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "all"]):
        assert run(*GIT, *command, where=where)[0] == 0
    return where


def commit(where):
    assert run(*GIT, "add", "-A", where=where)[0] == 0 and run(*GIT, "commit", "-q", "-m", "more", where=where)[0] == 0


def version(where, *arguments):
    return run(sys.executable, where / "tools/release/version.py", *arguments)


def refused(where):
    """What a release says before it builds anything; where only the machine lacks something, nothing was wrong with the tree."""
    status, said = run(where / "tools/release.sh", "compare", where=where)
    assert status != 0
    return said


def changelog(where):
    return (where / "CHANGELOG.md").read_text()


def test_copies_agree():
    assert version(ROOT, "--check") == (0, "")


def test_version_is_set_everywhere(checkout):
    assert version(checkout, "--set", "1.20.3") == (0, "") == version(checkout, "--check")
    assert version(checkout) == (0, "1.20.3\n")
    assert len(re.findall(r"(?m)^## 1.20.3 \(\d{4}-\d\d-\d\d\)$", changelog(checkout))) == 1 and "(unreleased)" not in changelog(checkout)
    assert "\nVersion 1.20.3 is " in (checkout / "README.md").read_text() and (checkout / "docs/limits.md").read_text().startswith("# Limits of 1.20.3\n")
    debian = (checkout / "debian/changelog").read_text()
    assert debian.startswith("vol-zarr (1.20.3) UNRELEASED") and debian.count("vol-zarr (") == 1
    (checkout / "recipe/recipe.yaml").write_text("version: \"1.20.4\"\n")
    status, said = version(checkout, "--check")
    assert status == 1 and "recipe/recipe.yaml says 1.20.4" in said


def test_what_was_released_stays(checkout):
    """Of the version after it, whose part in the changelog is empty: that is no release yet."""
    assert version(checkout, "--set", "1.20.3")[0] == 0
    debian = checkout / "debian/changelog"
    debian.write_text(debian.read_text().replace("UNRELEASED", "unstable"))
    assert version(checkout, "--set", "1.20.4")[0] == 0
    assert debian.read_text().startswith("vol-zarr (1.20.4) UNRELEASED") and "\nvol-zarr (1.20.3) unstable" in debian.read_text()
    first, second = re.findall(r"(?m)^## .*", changelog(checkout))[:2]
    assert first.startswith("## 1.20.4 (") and second.startswith("## 1.20.3 (")
    status, said = version(checkout, "--check")
    assert status == 1 and 'nothing below "## 1.20.4"' in said


# Where metadata names the place of the source: the address.
ADDRESSES = {"tools/lib/wheel.py": r"(?m)^Project-URL: [^,]+, (\S+)", "CITATION.cff": r'(?m)^(?:url|repository-code): "?([^"\s]+)',
             "debian/control": r"(?m)^Homepage: (\S+)", "recipe/recipe.yaml": r'(?m)^  (?:homepage|repository): "?([^"\s]+)',
             "tools/release/conda_package.py": r'"dev_url": "([^"]+)"'}


def addresses_differ(where):
    found = {file: set(re.findall(pattern, (where / file).read_text())) for file, pattern in ADDRESSES.items()}
    return len({tuple(sorted(each)) for each in found.values()}) > 1 or any(len(each) > 1 for each in found.values())


def test_metadata_names_one_place_or_none(checkout):
    """docs/packages.md lists what is missing while there is none."""
    assert not addresses_differ(checkout)
    assert "### Before the first publication" in (checkout / "docs/packages.md").read_text()
    for file, line in (("CITATION.cff", "repository-code: https://a.example/b\n"), ("debian/control", "Homepage: https://a.example/b\n")):
        before = (checkout / file).read_text()
        (checkout / file).write_text(line + before)
        assert addresses_differ(checkout)
        (checkout / file).write_text(before)


def test_changelog_says_nothing_twice():
    """A rebase that went wrong left entries there twice."""
    entries = [" ".join(entry.split())[:50] for entry in re.split(r"(?m)^- ", (ROOT / "CHANGELOG.md").read_text())[1:]]
    assert len(entries) > 60 and [entry for entry in entries if entries.count(entry) > 1] == []


def test_a_package_index_gets_no_links_to_files():
    text = wheel_maker.metadata(types.SimpleNamespace(platform="manylinux_2_28_x86_64"))
    assert "The reference has all names" in text and re.findall(r"\]\((?!\w+://)", text) == []
    assert "Development Status :: " in text and "Project-URL" not in text


def test_the_wheel_for_macos_says_that_it_is_experimental():
    text = wheel_maker.metadata(types.SimpleNamespace(platform="macosx_11_0_arm64"))
    assert "experimental: it was never run on a Mac" in text.split("\n\n")[1] and "Operating System :: MacOS" in text
    assert "experimental" not in wheel_maker.metadata(types.SimpleNamespace(platform="manylinux_2_28_x86_64")).split("\n\n")[1]


def test_conda_package_has_what_the_recipe_installs(tmp_path):
    for file in ("plugin/libH5VLzarr.so", "plugin/vol_zarr_net.so", "bin/h5zarr"):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_bytes(b"x")
    listed = re.findall(r"(?m)^        - (\S+/\S+)$", (ROOT / "recipe/recipe.yaml").read_text())
    for_builds = {"lib/cmake/vol_zarr/*.cmake", "lib/pkgconfig/vol_zarr.pc"}
    assert set(conda_package.payload(tmp_path)) == set(listed) - for_builds


def test_release_goes_on_where_it_stopped(checkout):
    """All steps but two are done for this commit. What another commit left counts for nothing."""
    assert run("bash", "-n", checkout / "tools/release.sh")[0] == 0
    work = checkout / "build/make-release"
    (checkout / ".gitignore").write_text("build/\ndist/\n__pycache__/\n")
    commit(checkout)
    steps = re.search(r"STEPS=\((.*?)\)", (checkout / "tools/release.sh").read_text())[1].split()
    for name in ("done", "build-1", "build-2"):
        (work / name).mkdir(parents=True)
    for step in steps:
        if step != "compare":
            (work / "done" / step).write_text("1 s\n")
    for build in ("build-1", "build-2"):
        (work / build / "a.whl").write_bytes(b"x")
    (work / "commit").write_text(run("git", "rev-parse", "HEAD", where=checkout)[1])
    status, said = run(checkout / "tools/release.sh", where=checkout)
    if "a release cannot be built here" in said:
        pytest.skip("a release cannot be built here")
    assert status == 0 and "wheels-1: there (1 s)" in said and "compare: done" in said and "a.whl: alike" in said, said
    (work / "build-2/a.whl").write_bytes(b"y")
    status, said = run(checkout / "tools/release.sh", "compare", where=checkout)
    assert status != 0 and "a.whl: NOT ALIKE" in said and not (work / "done/compare").exists()
    status, said = run(checkout / "tools/release.sh", "finish", where=checkout)
    assert status != 0 and "finish comes after compare" in said


def test_release_refuses(checkout):
    (checkout / "new.txt").write_text("not committed\n")
    assert "not committed" in refused(checkout) and "new.txt" in refused(checkout)
    (checkout / "new.txt").unlink()
    assert version(checkout, "--set", "1.20.3")[0] == 0
    commit(checkout)
    assert "no vol-zarr-1.20.3.tar.xz" in refused(checkout)
    (checkout / "CHANGELOG.md").write_text(re.sub("(?m)^## 1.20.3.*\n", "", changelog(checkout)))
    commit(checkout)
    assert 'no heading "## 1.20.3"' in refused(checkout)


def wheel(text, time):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(zipfile.ZipInfo("inside.py", (time, 1, 1, 0, 0, 0)), text)
    return out.getvalue()


def tar_of(data):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        member = tarfile.TarInfo("data.txt")
        member.size = len(data)
        archive.addfile(member, io.BytesIO(data))
    return out.getvalue()


def deb(inside):
    return b"!<arch>\n" + f"{'data.tar':<16}{0:<12}{0:<6}{0:<6}{100644:<8}{len(inside):<10}`\n".encode() + inside


def compared(where, first, second):
    for name, files in (("1", first), ("2", second)):
        shutil.rmtree(where / name, ignore_errors=True)
        (where / name).mkdir()
        for file, data in files.items():
            (where / name / file).write_bytes(data)
    return run(sys.executable, ROOT / "tools/release/compare.py", where / "1", where / "2")


def test_builds_are_compared(tmp_path):
    first = {"a.whl": wheel("x", 1980), "a.deb": deb(tar_of(b"x"))}
    status, said = compared(tmp_path, first, first)
    assert status == 0 and said.count("alike") == 2 and "NOT" not in said
    status, said = compared(tmp_path, first, {**first, "a.whl": wheel("y", 1980)})
    assert status == 1 and "a.whl: NOT ALIKE in inside.py" in said
    status, said = compared(tmp_path, first, {**first, "a.whl": wheel("x", 1981)})  # the time of an entry
    assert status == 1 and "a.whl: NOT ALIKE in inside.py" in said
    status, said = compared(tmp_path, first, {**first, "a.deb": deb(tar_of(b"y"))})
    assert status == 1 and "a.deb: NOT ALIKE in data.tar, data.tardata.txt" in said
    status, said = compared(tmp_path, first, {"a.whl": first["a.whl"]})
    assert status == 1 and "a.deb: only one" in said
    assert compared(tmp_path, {}, {})[0] == 1


def test_notes_are_of_one_version(checkout):
    assert version(checkout, "--set", "1.20.3")[0] == 0
    (checkout / "CHANGELOG.md").write_text(re.sub("(?m)^(## 1.20.3.*\n)", "\\1\n- New: [a page](docs/a.md).\n\n## 1.20.2\n", changelog(checkout)))
    out = checkout / "out"
    out.mkdir()
    (out / "vol_zarr-1.20.3-py3-none-any.whl").write_bytes(b"")
    assert run(sys.executable, checkout / "tools/release/notes.py", out)[0] == 0
    notes = (out / "NOTES.md").read_text()
    assert notes.startswith("# vol-zarr 1.20.3\n\n- New: a page.\n\n## Files\n") and "| `vol_zarr-1.20.3-py3-none-any.whl` | wheel" in notes


def test_inside_of_a_wheel(tmp_path, monkeypatch):
    """The rows of the tables of both scripts; the schema is judged by tools/release/check_sbom.py."""
    tables = "".join(re.search(r"_SOURCES='\n(.*?)'", (ROOT / "tools/lib" / name).read_text(), re.S)[1] for name in ("static.sh", "static_net.sh"))
    rows = [line.split() for line in tables.splitlines()]
    for package, file, *_ in rows:
        (tmp_path / package / "debian").mkdir(parents=True)
        (tmp_path / package / "debian/changelog").write_text(f"{package} (1:{file.split('_')[1].split('.orig')[0]}-3) unstable; urgency=low\n")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    text = sbom.document("1.0.0", "x86_64", tables, [tmp_path], (ROOT / "tools/requirements-zig.txt").read_text())
    assert text == sbom.document("1.0.0", "x86_64", tables, [tmp_path], (ROOT / "tools/requirements-zig.txt").read_text())
    components = {each["name"]: each for each in json.loads(text)["components"]}
    assert json.loads(text)["metadata"]["timestamp"] == "2023-11-14T22:13:20Z" and len(components) == len(rows) + 1 and "ziglang" in components
    of_musl = sbom.document("1.0.0", "x86_64-musl", tables, [tmp_path], (ROOT / "tools/requirements-zig.txt").read_text())
    assert {each["name"] for each in json.loads(of_musl)["components"]} == components.keys() | {"libunwind"}
    for package, file, digest, _ in rows:
        assert [h["content"] for ref in components[package]["externalReferences"] for h in ref.get("hashes", [])] == [digest]
        assert file.split("_")[1].startswith(components[package]["version"]) and components[package]["licenses"]
