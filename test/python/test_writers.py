"""Several processes that write into one store at once: what each wrote is there afterwards, by zarr-python."""

import json
import pathlib
import subprocess
import sys

import h5py
import numpy as np
import pytest

import interpreter
from places import by_zarr, with_connector

WRITERS, ROUNDS = 4, 12
STEPS, NAMES = 400, 8  # of the writers at random


def make(path):
    with h5py.File(path, "w") as f:
        f.create_dataset("common", (WRITERS * 100, 50), "i4", chunks=(10, 50), fillvalue=-1)
        f.create_group("group")
        f["group"].attrs["old"] = "kept"


def write_some(path, me):
    """Own datasets, groups, attributes and chunks, among those of the others; opened anew each round or kept open."""
    wait_for_start(path)
    for i in range(ROUNDS):
        with h5py.File(path, "r+") as f:
            f[f"own{me}/n{i}"] = np.full((20, 20), 1000 * me + i)
            f[f"group/d{me}_{i}"] = [me, i]
            f["group"].attrs[f"a{me}_{i}"] = i
            f.attrs[f"r{me}"] = i
            f["common"].attrs[f"c{me}_{i}"] = "text"
            f["common"][me * 100 + 8 * i:me * 100 + 8 * (i + 1)] = me
            if i % 3 == 0:
                f.flush()
                f["group"].attrs[f"after{me}_{i}"] = i


def keep_open(path, me):
    """The same without closing: flushes alone."""
    wait_for_start(path)
    with h5py.File(path, "r+") as f:
        for i in range(ROUNDS):
            f[f"own{me}/n{i}"] = np.full((20, 20), 1000 * me + i)
            f[f"group/d{me}_{i}"] = [me, i]
            for name, at in (("a", f["group"]), ("c", f["common"])):
                at.attrs[f"{name}{me}_{i}"] = i
            f.attrs[f"r{me}"] = i
            f["common"][me * 100 + 8 * i:me * 100 + 8 * (i + 1)] = me
            f.flush()


def wait_for_start(path):
    print("ready", flush=True)
    sys.stdin.readline()


def at_once(function, path, connector="zarr"):
    """WRITERS interpreters that begin together; none may say anything or fail."""
    code = ("import sys; sys.path.insert(0, sys.argv[1]); import test_writers; "
            "getattr(test_writers, sys.argv[2])(sys.argv[3], int(sys.argv[4]))")
    command = [sys.executable, "-c", code, str(interpreter.HERE), function.__name__, path]
    running = [subprocess.Popen([*command, str(me)], env=with_connector(connector), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True) for me in range(WRITERS)]
    assert [process.stdout.readline() for process in running] == ["ready\n"] * WRITERS
    for process in running:
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in running:
        said, _ = process.communicate(timeout=120)
        assert (process.returncode, said) == (0, "")


@pytest.mark.parametrize("function", [write_some, keep_open], ids=["opened anew", "kept open"])
def test_several_writers(connector, tmp_path, function):
    path = str(tmp_path / "s.zarr")
    connector.run(make, path)
    at_once(function, path)
    root = by_zarr(path)
    everybody = [(me, i) for me in range(WRITERS) for i in range(ROUNDS)]
    for me, i in everybody:
        assert root[f"own{me}/n{i}"][...].min() == root[f"own{me}/n{i}"][...].max() == 1000 * me + i
        assert root[f"group/d{me}_{i}"][...].tolist() == [me, i]
    assert {f"a{me}_{i}" for me, i in everybody} | {"old"} <= set(root["group"].attrs)
    assert {f"c{me}_{i}" for me, i in everybody} <= set(root["common"].attrs)
    assert [root.attrs[f"r{me}"] for me in range(WRITERS)] == [ROUNDS - 1] * WRITERS
    common = root["common"][...].reshape(WRITERS, 100, 50)
    for me in range(WRITERS):
        assert (common[me, :8 * ROUNDS] == me).all() and (common[me, 8 * ROUNDS:] == -1).all()
    with h5py.File(path, "r") as f:
        assert set(f["group"]) == {f"d{me}_{i}" for me, i in everybody}


ELEMENTS = 96


def make_shared(path):
    """Arrays whose chunks hold elements of every writer."""
    with h5py.File(path, "w") as f:
        f.create_dataset("raw", (ELEMENTS,), "i4", chunks=(24,), fillvalue=7)
        f.create_dataset("gzip", (ELEMENTS,), "f8", chunks=(48,), compression="gzip", fillvalue=7)
        f.create_dataset("square", (8, ELEMENTS // 8), "i2", chunks=(4, 6), fillvalue=7)
        f.create_dataset("text", (ELEMENTS,), h5py.string_dtype(), chunks=(32,))


def steps(me):
    """What a writer does: (array, number of an element of his own, value, does a flush follow?)."""
    rng = np.random.default_rng(me)
    for _ in range(150):
        name = ["raw", "gzip", "square", "text"][rng.integers(4)]
        at = int(rng.integers(ELEMENTS // WRITERS)) * WRITERS + me
        value = int(rng.integers(1000)) if rng.integers(3) else 7
        yield name, at, value, rng.integers(4) == 0


def write_elements(path, me):
    wait_for_start(path)
    with h5py.File(path, "r+") as f:
        for name, at, value, flushes in steps(me):
            f[name][np.unravel_index(at, f[name].shape)] = f"text {value}" if name == "text" else value
            if flushes:
                f.flush()


@pytest.mark.parametrize("options", ["", "format=3", "format=3;shards=1K", "format=3;shards=1K;skip_fill=1", "skip_fill=1"])
def test_elements_of_the_same_chunks(connector, tmp_path, options):
    """Each writes elements of his own: none is lost, though they lie in the same chunks."""
    path = str(tmp_path / "s.zarr")
    interpreter.run_once(with_connector(f"zarr {options}"), make_shared, path)
    at_once(write_elements, path, f"zarr {options}")
    expected = {name: {} for name in ("raw", "gzip", "square", "text")}
    for me in range(WRITERS):
        for name, at, value, _ in steps(me):
            expected[name][at] = f"text {value}" if name == "text" else value
    root = by_zarr(path)
    for name, values in expected.items():
        fill = "" if name == "text" else 7
        assert root[name][...].ravel().tolist() == [values.get(at, fill) for at in range(ELEMENTS)], name


def annotate(path, me):
    """Types that JSON alone does not tell, at the same objects as everybody's; references and moves of one's own."""
    wait_for_start(path)
    types = ["i1", "u2", "f4", "u8"]
    with h5py.File(path, "r+") as f:
        for i in range(ROUNDS):
            for at in (f, f["group"], f["common"]):
                at.attrs[f"t{me}_{i}"] = np.dtype(types[me]).type(i)
            f[f"group/own{me}/n{i}"].attrs["self"] = f[f"group/own{me}/n{i}"].ref
            f.attrs[f"ref{me}_{i}"] = f[f"group/own{me}/n{i}"].ref
            f[f"soft{me}_{i}"] = h5py.SoftLink("/common")
            f[f"hard{me}_{i}"] = f["common"]
            f.flush()
            f.move(f"group/own{me}/n{i}", f"group/own{me}/moved{i}")
            f.flush()


@pytest.mark.parametrize("form", ["", " format=3"], ids=["v2", "v3"])
def test_annotations_of_several_writers(connector, tmp_path, form):
    path = str(tmp_path / "s.zarr")
    subprocess.run([sys.executable, "-c", "import sys; sys.path.insert(0, sys.argv[1]); import test_writers; "
                    "test_writers.make_owned(sys.argv[2])", str(interpreter.HERE), path],
                   env={**with_connector(), "HDF5_VOL_CONNECTOR": "zarr" + form}, check=True)
    at_once(annotate, path)
    assert connector.run(what_is_annotated, path) == [["i1", "u2", "f4", "u8"][me] for me in range(WRITERS)]


def make_owned(path):
    make(path)
    with h5py.File(path, "r+") as f:
        for me in range(WRITERS):
            for i in range(ROUNDS):
                f.create_group(f"group/own{me}/n{i}").attrs["number"] = 100 * me + i


def what_is_annotated(path):
    """Each writer's type, after everything else was checked."""
    with h5py.File(path, "r") as f:
        for me in range(WRITERS):
            for i in range(ROUNDS):
                assert f[f.attrs[f"ref{me}_{i}"]].attrs["number"] == 100 * me + i
                moved = f[f"group/own{me}/moved{i}"]
                assert f[moved.attrs["self"]] == moved
                assert f.get(f"soft{me}_{i}", getlink=True).path == "/common"
                assert f[f"hard{me}_{i}"] == f["common"]
        assert h5py.h5o.get_info(f["common"].id).rc == 1 + WRITERS * ROUNDS
        found = [{at.attrs.get_id(f"t{me}_{i}").dtype.str[1:] for at in (f, f["group"], f["common"])
                  for i in range(ROUNDS)} for me in range(WRITERS)]
        assert all(len(types) == 1 for types in found)
        return [types.pop() for types in found]


# ---- at random ----

TYPES = ["i1", "u2", "f4", "u8", ">i4"]
ODD = {"empty": h5py.Empty("f8"), "no rows": np.zeros((0, 2), "i4"), "text": "\u00e4", "true": True}
LINKS = ["soft", "ext", "hard", "group"]


def make_common(path):
    with h5py.File(path, "w", track_order=True) as f:
        f["array"] = np.arange(3)
        f["type"] = np.dtype([("a", "i4")])
        f["target"] = 1
        for name, track_order in (("group", False), ("ordered", True)):
            f.create_group(name, track_order=track_order)


def change_attribute(f, rng, me, has):
    at = f[str(rng.choice(["/", "/array", "/type", "/group"]))]
    name, what = f"w{me}_{rng.integers(NAMES)}", str(rng.choice([*TYPES, *ODD, "none"]))
    if name in at.attrs:
        del at.attrs[name]
    if what in TYPES:
        at.attrs.create(name, int(rng.integers(100)), dtype=what)
    elif what in ODD:
        at.attrs[name] = ODD[what]
    has[f"{at.name} {name}"] = what


def make_link(f, name, kind):
    if kind == "soft":
        f[name] = h5py.SoftLink("/target")
    elif kind == "ext":
        f[name] = h5py.ExternalLink("nowhere.h5", "/x")
    elif kind == "hard":
        f[name] = f["target"]
    elif kind == "group":
        f.create_group(name).attrs["t"] = np.uint16(3)


def change_link(f, rng, me, has):
    name, kind = f"{rng.choice(['group', 'ordered'])}/l{me}_{rng.integers(NAMES)}", str(rng.choice([*LINKS, "none"]))
    if has.get(name, "none") != "none":
        del f[name]
    make_link(f, name, kind)
    has[name] = kind


def change_at_random(path, me):
    """Names of one's own, in groups and at objects that all change."""
    wait_for_start(path)
    rng, has = np.random.default_rng(me), {}
    f = h5py.File(path, "r+")
    for _ in range(STEPS):
        step = rng.random()
        if step < 0.15:
            f.flush()
        elif step < 0.17:
            f.close()
            f = h5py.File(path, "r+")
        else:
            (change_attribute if step < 0.6 else change_link)(f, rng, me, has)
    f.close()
    pathlib.Path(f"{path}.{me}").write_text(json.dumps(has))


def kind_of(f, name):
    group, link = name.split("/")
    if link not in list(f[group]):
        return "none"
    found = f.get(name, getlink=True)
    if isinstance(found, h5py.HardLink):
        return "hard" if f[name] == f["target"] else "group" if f[name].attrs.get_id("t").dtype == "u2" else "another"
    return "soft" if isinstance(found, h5py.SoftLink) else "ext"


def value_of(f, name):
    at, name = name.split()
    if name not in f[at].attrs:
        return "none"
    value = f[at].attrs[name]
    for what, odd in ODD.items():
        if type(value) is type(odd) or isinstance(value, np.bool_) and odd is True:
            if not isinstance(odd, np.ndarray) or value.shape == odd.shape and value.dtype == odd.dtype:
                return what
    return next(t for t in TYPES if f[at].attrs.get_id(name).dtype == t)


def what_is_there(path, names):
    with h5py.File(path, "r") as f:
        said = {name: (value_of if " " in name else kind_of)(f, name) for name in names}
        ordered = f["ordered"]
        orders = [ordered.id.links.get_info(name.encode()).corder for name in ordered]
        others = [f"{g}/{n}" for g in ("group", "ordered") for n in f[g] if f"{g}/{n}" not in names]
        others += [f"{at} {n}" for at in ("/", "/array", "/type", "/group") for n in f[at].attrs if f"{at} {n}" not in names]
        return said, len(orders) - len(set(orders)), others, h5py.h5o.get_info(f["target"].id).rc


@pytest.mark.parametrize("options", ["zarr", "zarr format=3", "zarr dialect=hdmf"])
def test_changes_at_random(connector, tmp_path, options):
    """Also of what readers of other conventions are told: links that lead to objects."""
    path = tmp_path / "s.zarr"
    interpreter.run_once(with_connector(options), make_common, str(path))
    at_once(change_at_random, str(path), options)
    has = {name: what for me in range(WRITERS) for name, what in json.loads(pathlib.Path(f"{path}.{me}").read_text()).items()}
    said, twice, others, names = connector.run(what_is_there, str(path), list(has))
    assert {name: (has[name], said[name]) for name in has if has[name] != said[name]} == {}
    assert (twice, others, names) == (0, [], 1 + list(has.values()).count("hard"))
    for group in ("group", "ordered"):
        told = by_zarr(path)[group].attrs.get("zarr_link") or by_zarr(path)[group].attrs.get("_LINKS", [])
        assert {entry["name"] for entry in told} == {n.split("/")[1] for n, w in has.items() if n.startswith(group + "/") and w in ("soft", "hard")}
