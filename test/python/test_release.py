"""tools/release: the version and its copies, what a release refuses, how two builds are compared, what a wheel says is inside of it."""

import io
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile

import pytest

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools" / "lib"))
import sbom  # noqa: E402

GIT = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"]
TOOLS = ["tools", "test/python/data", "python/vol_zarr/__init__.py", "recipe", "CITATION.cff", "docs/h5zarr.1", "debian", "CMakeLists.txt", "CHANGELOG.md"]


def run(*command, where=None):
    done = subprocess.run([str(word) for word in command], cwd=where, capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def checkout(tmp_path):
    """A repository with the files that releases read, as they are here."""
    where = tmp_path / "checkout"
    for name in TOOLS:
        target = where / name
        target.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if (ROOT / name).is_dir() else shutil.copy)(ROOT / name, target)
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


def test_copies_agree():
    assert version(ROOT, "--check") == (0, "")


def test_version_is_set_everywhere(checkout):
    assert version(checkout, "--set", "1.20.3") == (0, "") == version(checkout, "--check")
    assert version(checkout) == (0, "1.20.3\n")
    assert "## 1.20.3 (unreleased)\n" in (checkout / "CHANGELOG.md").read_text()
    debian = (checkout / "debian/changelog").read_text()
    assert debian.startswith("vol-zarr (1.20.3)") and "\nvol-zarr (0.1.0)" in debian
    (checkout / "recipe/recipe.yaml").write_text("version: \"1.20.4\"\n")
    status, said = version(checkout, "--check")
    assert status == 1 and "recipe/recipe.yaml says 1.20.4" in said


def test_release_refuses(checkout):
    (checkout / "new.txt").write_text("not committed\n")
    assert "not committed" in refused(checkout) and "new.txt" in refused(checkout)
    (checkout / "new.txt").unlink()
    assert version(checkout, "--set", "1.20.3")[0] == 0
    commit(checkout)
    assert "no vol-zarr-1.20.3.tar.xz" in refused(checkout)
    changes = checkout / "CHANGELOG.md"
    changes.write_text(changes.read_text().replace("## 1.20.3 (unreleased)\n", ""))
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
    changes = checkout / "CHANGELOG.md"
    changes.write_text(changes.read_text().replace("## 1.20.3 (unreleased)\n", "## 1.20.3 (unreleased)\n\n- New: [a page](docs/a.md).\n"))
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
    for package, file, digest, _ in rows:
        assert [h["content"] for ref in components[package]["externalReferences"] for h in ref.get("hashes", [])] == [digest]
        assert file.split("_")[1].startswith(components[package]["version"]) and components[package]["licenses"]
