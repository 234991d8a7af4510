"""h5zarr report: pages are well-formed and harmless whatever a store says; what they tell is what zarr-python, h5py and h5zarr check tell."""

import base64
import json
import os
import re
import shutil
import subprocess

import h5py
import numpy as np
import pytest
import zarr

from file_server import FileServer
from places import COMMAND
from report_pages import HOSTILE, hostile_text, read, seen

HDF5 = {"VOL_ZARR_HDF5": os.environ.get("VZ_HDF5", "")}
EMPTY = '{"report": 1, "name": "x", "nodes": []}'


def report(*arguments, given=None):
    return subprocess.run([COMMAND, "report", *arguments], input=given, capture_output=True, text=True, env={**os.environ, **HDF5}, timeout=120)


def page_of(*arguments):
    done = report(*arguments, "-o", "-")
    assert (done.returncode, done.stderr) == (0, "")
    return read(done.stdout)


def model_of(*arguments):
    done = report("--json", *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def nodes_of(model):
    return {node["path"]: node for node in model["nodes"]}


# ---- pages of models, without HDF5 ----


def test_hostile_texts_are_text():
    done = report("--from-json=-", "-o", "-", given=hostile_text())
    assert (done.returncode, done.stderr) == (0, "")
    page = read(done.stdout)
    for text in HOSTILE:
        assert page.text.count(seen(text)) > 10, text
    assert not re.search("<script|javascript:|https?:|//example", re.sub("&[a-z#0-9]+;", "", re.sub(r'<bdi>.*?</bdi>|(alt|aria-label)="[^"]*"|<title>.*?</title>', "", done.stdout, flags=re.S)))


def test_texts_that_are_no_utf8():
    name = "base64:" + base64.b64encode(b"caf\xe9\xff<b>").decode()
    model = {"report": 1, "name": name, "nodes": [{"level": 0, "name": name, "path": "/", "kind": "group", "attributes": [{"name": "a", "value": "base64:"}]}]}
    page = read(report("--from-json=-", "-o", "-", given=json.dumps(model)).stdout)
    assert page.text.count("caf\\xe9\\xff<b>") == 3


def test_a_page_is_bounded(tmp_path):
    text, many = "x" * 20_000, 2500
    model = {"report": 1, "name": "x", "nodes": [{"level": i, "name": "n", "path": "/", "kind": "group", "elements": text} for i in range(many)]}
    (tmp_path / "x.json").write_text(json.dumps(model))
    assert report("--from-json", tmp_path / "x.json", "-o", tmp_path / "x.html").returncode == 0
    page = (tmp_path / "x.html").read_bytes()
    assert 32 << 20 < len(page) < 34 << 20
    without = int(re.search(rb"(\d+) objects are here without details", page)[1])
    assert page.count(b"... and 3616 bytes more") == many - without > 1000


@pytest.mark.parametrize("text", ["", "{", "[]", '{"nodes": []}', "[" * 1000, "7", "\0"])
def test_what_is_no_model(tmp_path, text):
    (tmp_path / "x.json").write_text(text)
    done = report("--from-json", tmp_path / "x.json", "-o", tmp_path / "x.html")
    assert done.returncode == 1 and done.stderr.startswith("h5zarr: ") and not (tmp_path / "x.html").exists()


@pytest.mark.parametrize("line", [[], ["x.zarr"], ["-o", "x.html"], ["x", "y", "-o", "-"], ["x", "--from-json", "y", "-o", "-"], ["x", "--nodes", "0", "-o", "-"],
                                  ["x", "--nodes", "many", "-o", "-"], ["x", "--quick", "--check", "-o", "-"], ["--from-json", "x", "--json"]])
def test_wrong_command_lines(line):
    done = report(*line)
    assert (done.returncode, done.stdout) == (2, "") and done.stderr.startswith("h5zarr: report: ")


def test_where_the_page_goes(tmp_path):
    page, other, link = tmp_path / "x.html", tmp_path / "notes.txt", tmp_path / "link.html"
    other.write_text("mine")
    link.symlink_to("x.html")

    def write(*arguments):
        return report("--from-json=-", "-o", *arguments, given=EMPTY)

    assert write(page).returncode == 0 and read(page.read_text())
    umask = os.umask(0o22)
    os.umask(umask)
    assert page.stat().st_mode & 0o777 == 0o666 & ~umask
    first = page.read_text()
    assert write(link).returncode == 0 and link.is_symlink() and page.read_text() == first
    refused = write(other)
    assert refused.returncode == 1 and "--overwrite" in refused.stderr and other.read_text() == "mine"
    assert write(other, "--overwrite").returncode == 0 and other.read_text() == first
    for wrong in (tmp_path, tmp_path / "none" / "x.html", "s3://bucket/x.html"):
        assert write(wrong).returncode == 1
    assert write("/dev/full").returncode == 1
    assert sorted(os.listdir(tmp_path)) == ["link.html", "notes.txt", "x.html"]


# ---- pages of stores and files ----


def fill(f):
    f.attrs["title"] = "cells & more"
    f["a"] = np.arange(1200.0).reshape(40, 30)
    f["a"].attrs["unit"] = "K"
    part = f.create_dataset("g/part", (100, 80), chunks=(10, 10), dtype="i4", compression="gzip")
    part[:30, :20] = np.arange(600).reshape(30, 20)
    f["g/text"] = ["Ann", "Bo"]
    f["curve"] = np.sin(np.arange(500) / 30)
    f["g/hard"] = f["a"]
    f["soft"] = h5py.SoftLink("/nowhere")


@pytest.fixture(scope="module")
def forms(tmp_path_factory):
    """An HDF5 file, and stores of its content: {kind: path}."""
    where = tmp_path_factory.mktemp("report")
    made = {"h5": where / "cells.h5", "zarr": where / "cells.zarr", "zip": where / "cells.zarr.zip", "v3": where / "three.zarr", "file": where / "one.h5",
            "json": where / "cells.json"}
    with h5py.File(made["h5"], "w") as f:
        fill(f)
    options = {"zarr": [], "zip": [], "v3": ["--format=3"], "file": ["--container=file"]}
    for kind, more in options.items():
        subprocess.run([COMMAND, "convert", made["h5"], made[kind], *more, "--quiet"], check=True, env={**os.environ, **HDF5})
    subprocess.run([COMMAND, "virtual", made["h5"], made["json"], "--quiet"], check=True, env={**os.environ, **HDF5})
    return made


KINDS = ["h5", "zarr", "zip", "v3", "file", "json"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind(forms, kind):
    page, model = page_of(forms[kind]), model_of(forms[kind])
    nodes = nodes_of(model)
    assert {path: node["kind"] for path, node in nodes.items()} == {
        "/": "group", "/a": "array", "/curve": "array", "/g": "group", "/g/hard": "link", "/g/part": "array", "/g/text": "array", "/soft": "link"}
    assert nodes["/a"]["shape"] == "(40, 30)" and nodes["/a"]["type"] == "float64" and nodes["/a"]["decoded"] == 9600
    assert nodes["/g/hard"]["target"] == "another name of /a" and nodes["/soft"]["target"] == "to /nowhere"
    assert [(a["name"], a["value"]) for a in nodes["/a"]["attributes"]] == [("unit", "K")]
    assert ["Range", "0 to 1199"] in nodes["/a"]["statistics"]
    assert nodes["/g/text"]["elements"] == "Ann\nBo"
    assert model["totals"]["groups"] == 2 and model["totals"]["arrays"] == 4 and model["totals"]["attributes"] == 2
    for words in ("cells & more", "/g/part", "(100, 80)", "0 to 1199", "another name of /a"):
        assert words in page.text
    assert len(page.pictures) >= 3


def test_sizes_and_maps_are_those_of_zarr_python(forms):
    group = zarr.open_group(forms["zarr"], mode="r")
    nodes = nodes_of(model_of(forms["zarr"]))
    stored = {p.name: p.stat().st_size for p in (forms["zarr"] / "g/part").iterdir() if p.name[0].isdigit()}
    part = nodes["/g/part"]
    assert part["decoded"] == group["g/part"].nbytes and part["stored"] == sum(stored.values())
    assert part["map"]["columns"] == 8 and part["map"]["rows"] == 10
    assert {f"{i // 8}.{i % 8}" for i, cell in enumerate(part["map"]["cells"]) if cell} == set(stored)
    most = max(stored.values())
    assert all(abs(part["map"]["cells"][8 * int(k[0]) + int(k[2])] - 100 * size / most) <= 1 for k, size in stored.items())
    assert part["map"]["text"].startswith("6 of 80 chunks are stored")
    tree = json.loads(subprocess.run([COMMAND, "tree", "--json", forms["zarr"]], capture_output=True, check=True).stdout)
    assert {m["name"]: m["stored"] for m in tree["members"] if m["kind"] == "array"} == {n: nodes["/" + n]["stored"] for n in ("a", "curve")}


@pytest.mark.parametrize("kind", ["h5", "zip"])
def test_a_part_of_it(forms, kind):
    assert [n["path"] for n in model_of(forms[kind] / "g")["nodes"]] == ["/g", "/g/hard", "/g/part", "/g/text"]
    assert [n["path"] for n in model_of(forms[kind] / "g/part")["nodes"]] == ["/g/part"]


def test_a_page_of_a_model_is_the_page(forms, tmp_path):
    model = report("--json", forms["zarr"]).stdout
    (tmp_path / "x.json").write_text(model)
    made = [re.sub("Made by .* UTC", "", report(*how, "-o", "-").stdout) for how in ([forms["zarr"]], ["--from-json", tmp_path / "x.json"])]
    assert made[0] == made[1] and len(made[0]) > 10_000


def test_quick_reads_no_element(forms, tmp_path):
    path = tmp_path / "x.zarr"
    shutil.copytree(forms["zarr"], path)
    for chunk in path.rglob("[0-9].*"):
        chunk.write_bytes(b"")
    model = model_of(path, "--quick")
    assert not any(key in node for node in model["nodes"] for key in ("picture", "statistics", "elements", "map"))
    assert model["check"]["text"] == "Not checked (--quick)." and "--quick" in model["notes"][0]
    assert nodes_of(model)["/a"]["shape"] == "(40, 30)"


def test_servers(forms, tmp_path):
    server = FileServer(forms["h5"].parent)
    for kind in ("h5", "zip"):
        here, there = (nodes_of(model_of(place)) for place in (forms[kind], f"{server.url}/{forms[kind].name}"))
        assert here == there and "picture" in there["/a"]
    shutil.copytree(forms["zarr"], tmp_path / "x.zarr")
    subprocess.run([COMMAND, "consolidate", tmp_path / "x.zarr"], check=True)
    server.stop()
    server = FileServer(tmp_path)  # which lists nothing, so that nobody knows what is stored
    here, there = (nodes_of(model_of(place)) for place in (tmp_path / "x.zarr", f"{server.url}/x.zarr"))
    server.stop()
    assert "map" not in there["/g/part"] and any("not known which chunks" in note for note in there["/g/part"]["notes"])
    assert "stored" not in there["/a"] and there["/a"]["picture"] == here["/a"]["picture"] and there["/a"]["statistics"] == here["/a"]["statistics"]


# ---- what is wrong ----


def test_what_check_finds_is_on_the_page(forms, tmp_path):
    path = tmp_path / "x.zarr"
    shutil.copytree(forms["zarr"], path)
    chunk = next((path / "g/part").glob("0.0"))
    chunk.write_bytes(chunk.read_bytes()[:-9])
    (path / "<script>b").mkdir()
    found = json.loads(subprocess.run([COMMAND, "check", "--json", path], capture_output=True).stdout)["findings"]
    done = report("--check", path, "-o", tmp_path / "x.html")
    assert done.returncode == 1 and done.stderr == f"h5zarr: {path}: something is wrong or cannot be read: the report tells what\n"
    page = read((tmp_path / "x.html").read_text())
    assert "Wrong: 1 found." in page.text
    for finding in found:
        assert finding["text"] in page.text and finding["object"] in page.text
    assert {f["kind"] for f in found} == {"chunk", "foreign", "link"}
    quick = json.loads(report("--json", path).stdout)  # the elements were read for the picture
    assert quick["check"]["wrong"] == 0 and quick["totals"]["unreadable"] > 0


@pytest.mark.parametrize("kind", ["h5", "zip", "file"])
def test_a_file_is_not_replaced_by_its_report(forms, tmp_path, kind):
    path = tmp_path / forms[kind].name
    shutil.copy(forms[kind], path)
    (tmp_path / "link").symlink_to(path.name)
    before = path.read_bytes()
    for output in (path, tmp_path / "link"):
        for more in ([], ["--overwrite"]):
            done = report(path, "-o", output, *more)
            assert done.returncode == 1 and done.stderr.startswith("h5zarr: ") and path.read_bytes() == before


def test_no_store(tmp_path):
    (tmp_path / "text").write_text("hello\n" * 1000)
    for path in (tmp_path / "text", tmp_path / "missing", tmp_path):
        done = report(path, "-o", tmp_path / "x.html")
        assert done.returncode == 1 and done.stderr.startswith(f"h5zarr: {path}"), done.stderr
    assert not (tmp_path / "x.html").exists()


def test_an_hdf5_file_that_was_cut(forms, tmp_path):
    data = forms["h5"].read_bytes()
    for size in (len(data) // 2, len(data) - 100):
        (tmp_path / "cut.h5").write_bytes(data[:size])
        done = report(tmp_path / "cut.h5", "-o", tmp_path / "x.html")
        assert done.returncode == 1 and all(line.startswith("h5zarr: ") for line in done.stderr.splitlines())


# ---- bounds ----


def test_what_is_left_out_is_said(tmp_path):
    path = tmp_path / "many.h5"
    with h5py.File(path, "w") as f:
        for i in range(520):
            f.create_group(f"many/{i:03d}/below")
        for i in range(105):
            f.attrs[f"a{i:03d}"] = i
        f.create_dataset("large", (10**6, 10**6), chunks=(1000, 1000), dtype="f8")[:10, :10] = 1
        f.create_group("g").attrs["long"] = "y" * 60_000
    page, model = page_of(path), model_of(path)
    nodes = nodes_of(model)
    assert nodes["/many"]["members"] == 520 and len([p for p in nodes if re.fullmatch("/many/[^/]*", p)]) == 500
    assert "20 of its members are not shown." in nodes["/many"]["notes"]
    assert len(nodes["/"]["attributes"]) == 100 and "5 more attributes are not shown." in nodes["/"]["notes"]
    assert nodes["/g"]["attributes"][0]["value"] == "y" * 2000 and nodes["/g"]["attributes"][0]["note"] == "(the first 2000 of 60000 bytes)"
    assert nodes["/large"]["decoded"] == 8 * 10**12 and nodes["/large"]["map"]["text"].startswith("1 of 1000000 chunks are stored")
    assert "What this page does not have" in page.text and "20 objects at least" in page.text
    few = model_of("--nodes=7", path)
    assert len(few["nodes"]) == 7 and any("7 objects in all" in note for note in few["notes"])


def test_hostile_names_in_a_file(tmp_path):
    path = tmp_path / "hostile.h5"
    names = [text.replace("/", "\u2215").replace("\0", "") for text in HOSTILE]
    with h5py.File(path, "w") as f:
        for name in names:
            f[name] = ["x"]
            f.attrs[name] = name
        f[b"caf\xe9\xff<b>"] = 1
    for form in (path, tmp_path / "hostile.zarr"):
        if form != path:
            subprocess.run([COMMAND, "convert", path, form, "--quiet"], check=True, env={**os.environ, **HDF5})
        page = page_of(form)
        for name in names:
            assert page.text.count(seen(name)) >= 4, name
        assert "caf\\xe9\\xff<b>" in page.text
