"""h5zarr show: values, statistics, pictures and chunks as h5py, numpy, zlib and zarr-python have them."""

import json
import os
import pathlib
import struct
import subprocess
import zlib

import h5py
import numpy as np
import pytest
import zarr

from places import COMMAND, unpack

pytestmark = pytest.mark.skipif(zarr.__version__.startswith("2"), reason="zarr-python 3 writes these stores")
HDF5 = {"VOL_ZARR_HDF5": os.environ.get("VZ_HDF5", "")}
KINDS = ("h5", "zarr", "zip", "one", "json")


def fill(f):
    noise = np.random.default_rng(7)
    grid = noise.normal(size=(30, 20)).astype("f4")
    grid[3, 4] = np.nan
    f.create_dataset("grid", data=grid, chunks=(7, 6), compression="gzip", shuffle=True)
    f.create_dataset("cube", data=np.arange(24 * 10 * 12).reshape(24, 10, 12), chunks=(5, 5, 12))
    f.create_dataset("long", data=noise.integers(-5, 5, 5000).astype("i2"), chunks=(999,))
    f.create_dataset("colours", data=noise.integers(0, 256, (40, 60, 3)).astype("u1"), chunks=(20, 20, 3))
    holes = f.create_dataset("holes", shape=(50, 40), chunks=(10, 10), dtype="i4", fillvalue=-9)
    holes[0:10, 10:20] = 5
    holes[45:50, 30:40] = np.arange(50).reshape(5, 10)
    f["large"] = np.array([2**63, 2**64 - 1], dtype="u8")
    f["text"] = ["Ann", "Bo", "Ann", ""]
    f["flag"] = np.array([True, False, True])
    f["rows"] = np.array([(1, 2.5, b"x"), (3, 4.5, b"yy")] * 10, dtype=[("a", "i4"), ("b", "f8"), ("c", "S4")])
    f["scalar"] = 2.5
    f["grid"].attrs["unit"] = "K"


@pytest.fixture(scope="module")
def stores(tmp_path_factory):
    """The same arrays in an HDF5 file and four kinds of stores."""
    place = tmp_path_factory.mktemp("stores")
    names = {"h5": place / "x.h5", "zarr": place / "x.zarr", "zip": place / "x.zip", "one": place / "x.one.zarr", "json": place / "x.json"}
    with h5py.File(names["h5"], "w") as f:
        fill(f)
    for kind, more in ("zarr", ()), ("zip", ()), ("one", ("--container", "file")):
        subprocess.run([COMMAND, "convert", "-q", *more, names["h5"], names[kind]], check=True, env={**os.environ, **HDF5})
    subprocess.run([COMMAND, "virtual", names["h5"], names["json"]], check=True, env={**os.environ, **HDF5}, capture_output=True)
    return names


@pytest.fixture
def show(h5zarr):
    return lambda *arguments, expect=0: json.loads(h5zarr("show", "--json", *arguments, expect=expect, **HDF5).stdout)


def arrays(path):
    with h5py.File(path, "r") as f:
        return {name: f[name][()] for name in f}


NUMBERS = ("grid", "cube", "long", "colours", "large", "scalar")


@pytest.mark.parametrize("kind", KINDS)
def test_numbers_are_numpys(show, stores, kind):
    for name, values in arrays(stores["h5"]).items():
        if name not in NUMBERS:
            continue
        said = show(f"{stores[kind]}/{name}")
        facts = said["statistics"]
        finite = np.asarray(values, dtype="f8")[np.isfinite(values)]
        assert facts["counted"] == facts["of"] == np.size(values) and not facts["sampled"], name
        assert (facts["least"], facts["greatest"]) == (np.nanmin(values), np.nanmax(values)), name
        assert np.allclose([facts["mean"], facts["deviation"]], [finite.mean(), finite.std()], rtol=1e-12), name
        assert facts.get("nan", 0) == np.isnan(values).sum()
        distinct = np.unique(values[~np.isnan(values)] if values.dtype.kind == "f" and values.shape else values)
        assert facts["distinct"] == len(distinct) if len(distinct) <= 1024 else "distinct" not in facts


def shown(values):
    return [shown(each) for each in values] if isinstance(values, (list, np.ndarray)) and np.ndim(values) else (
        "NaN" if isinstance(values, np.floating) and np.isnan(values) else float(str(values)) if isinstance(values, np.floating) else values.item())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name, part", [("grid", "[3:30:4, -3:]"), ("cube", "[..., 5]"), ("cube", "[10:20, :, 3]"), ("long", "[-4:]"), ("grid", "[3]"),
                                        ("grid", "[5:5]"), ("large", "[:]"), ("flag", "[::2]")])
def test_parts_are_numpys(show, stores, kind, name, part):
    wanted = eval(f"arrays(stores['h5'])[name]{part}")
    (said,) = show(f"{stores[kind]}/{name}", part, "--values")["values"]
    assert said["values"] == shown(wanted)
    assert show(f"{stores[kind]}/{name}{part}", "--values")["values"] == [said]


def test_all_kinds_say_the_same(h5zarr, stores):
    """But for filters and bytes, which a store may have others of."""
    for name in arrays(stores["h5"]):
        texts = {kind: h5zarr("show", "--values", "--statistics", "--picture", f"{stores[kind]}/{name}", **HDF5).stdout.split("\n", 1)[1]
                 for kind in KINDS}
        assert len(set(texts.values())) == 1, (name, texts)


def test_only_stored_elements_count(show, stores):
    for kind in KINDS:
        said = show(f"{stores[kind]}/holes")
        stored = [5] * 100 + [*range(50)]  # and the fill value in the rest of a stored chunk
        facts = said["statistics"]
        assert facts["of"] == 2000 and facts["absent_chunks"] == 18, kind
        assert facts["counted"] == 200 and facts["least"] == -9, (kind, facts)
        assert np.isclose(facts["mean"], np.mean(stored + [-9] * 50))
        assert said["fill"] == "-9" and said["chunks"]["stored"] == 2 and said["chunks"]["possible"] == 20


def test_chunks_are_zarr_pythons(show, stores):
    group = zarr.open_group(stores["zarr"], mode="r")
    for name in ("grid", "cube", "long", "holes"):
        array, said = group[name], show(f"{stores['zarr']}/{name}", "--chunks")["chunks"]
        assert said["grid"] == list(array.cdata_shape) and said["stored"] == array.nchunks_initialized, name
        assert said["bytes"] == sum(each.stat().st_size for each in (stores["zarr"] / name).iterdir() if each.name[0] != "."), name
        assert sum(cell[1] for row in said["map"] for cell in row) == said["stored"]
    holes = show(f"{stores['zarr']}/holes", "--chunks")["chunks"]["map"]
    stored = [[cell[1] for cell in row] for row in holes]
    assert stored == [[0, 1, 0, 0], [0] * 4, [0] * 4, [0] * 4, [0, 0, 0, 1]]


def test_chunks_of_different_shapes(show, tmp_path):
    """Stored by zarr-python 3.4, with the elements that it reads there."""
    where = unpack(pathlib.Path(__file__).parent / "data/zarr34-grids.tar.xz", tmp_path) / "zarr34-grids"
    with np.load(where / "expected.npz") as expected:
        for name, grid, absent in ("cube", [3, 2, 2], 0), ("missing", [3, 2], 4), ("ragged", [500], 0):
            said, values = show(where / "grids.zarr" / name), expected[name]
            assert said["chunks"]["grid"] == grid and said["chunks"]["shapes_differ"] and said["errors"] == []
            assert sum(cell[1] for row in said["chunks"]["map"] for cell in row) == said["chunks"]["stored"] == np.prod(grid) - absent
            assert (said["statistics"]["least"], said["statistics"]["greatest"]) == (values.min(), values.max())
            assert said["statistics"]["absent_chunks"] == absent
            assert said["chunks"]["decoded"] == said["statistics"]["counted"] * values.itemsize
            assert absent or said["statistics"]["counted"] == values.size


def pixels(path):
    """(grey or colours, opacity) of a PNG file, by zlib alone."""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, chunks = 8, []
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        assert zlib.crc32(kind + body) == struct.unpack(">I", data[at + 8 + size:at + 12 + size])[0]
        chunks.append((kind, body))
        at += 12 + size
    assert [kind for kind, _ in chunks] == [b"IHDR", b"IDAT", b"IEND"]
    width, height, depth, colour, *rest = struct.unpack(">IIBBBBB", chunks[0][1])
    channels = {4: 2, 6: 4}[colour]
    assert depth == 8 and rest == [0, 0, 0]
    rows = np.frombuffer(zlib.decompress(chunks[1][1]), "u1").reshape(height, 1 + width * channels)
    assert not rows[:, 0].any()
    image = rows[:, 1:].reshape(height, width, channels)
    return image[..., :-1].squeeze(), image[..., -1]


def grey(values):
    low, high = np.nanmin(values), np.nanmax(values)
    return np.floor((values - low) / (high - low) * 255 + 0.5)


@pytest.mark.parametrize("kind", KINDS)
def test_png_of_few_elements(h5zarr, stores, tmp_path, kind):
    values = arrays(stores["h5"])["grid"]
    h5zarr("show", "--picture", "--png", tmp_path / "a.png", f"{stores[kind]}/grid", **HDF5)
    image, opacity = pixels(tmp_path / "a.png")
    zoom = len(image) // 30
    assert image.shape == (30 * zoom, 20 * zoom) and zoom == 9
    assert (np.kron(~np.isnan(values), np.full((zoom, zoom), 255)) == opacity).all()
    wanted = np.kron(np.nan_to_num(grey(values.astype("f8"))), np.ones((zoom, zoom)))
    assert np.abs(image.astype("f8") - wanted).max() <= 1


def test_png_of_colours(h5zarr, stores, tmp_path):
    h5zarr("show", "--picture", "--png", tmp_path / "a.png", "--size", 60, f"{stores['zarr']}/colours", **HDF5)
    picture, opacity = pixels(tmp_path / "a.png")
    zoom = picture.shape[0] // 40
    assert (picture[::zoom, ::zoom] == arrays(stores["h5"])["colours"]).all() and (opacity == 255).all()


def test_png_of_means_and_of_single_elements(h5zarr, tmp_path):
    values = np.arange(600 * 400, dtype="f8").reshape(600, 400)
    with h5py.File(tmp_path / "x.h5", "w") as f:
        f.create_dataset("means", data=values, chunks=(100, 50))
        wide = f.create_dataset("strided", shape=(100_000, 40_000), chunks=(1000, 1000), dtype="u1", compression="gzip")
        wide[2000:3000, 2000:3000] = 7  # where a pixel in the terminal lies, too
        wide[50_000:51_000, 20_000:21_000] = 9
    said = h5zarr("show", "--picture", "--png", tmp_path / "a.png", "--size", 300, tmp_path / "x.h5/means", **HDF5).stdout
    assert "a pixel is the mean of its area" in said
    image, _ = pixels(tmp_path / "a.png")
    assert image.shape == (300, 200)
    wanted = values.reshape(300, 2, 200, 2).mean(axis=(1, 3))
    assert np.abs(image - grey(wanted)).max() <= 1
    said = h5zarr("show", "--picture", "--png", tmp_path / "b.png", "--size", 300, tmp_path / "x.h5/strided", **HDF5).stdout
    assert "a pixel is one element of its area" in said
    image, opacity = pixels(tmp_path / "b.png")
    zoom = len(image) // 300 or 1
    rows, columns = ((2 * np.arange(n) + 1) * size // (2 * n) for n, size in ((300, 100_000), (120, 40_000)))
    inside = lambda at, first: (at >= first) & (at < first + 1000)
    stored = inside(rows, 2000)[:, None] & inside(columns, 2000) | inside(rows, 50_000)[:, None] & inside(columns, 20_000)
    assert (opacity[::zoom, ::zoom] == 255 * stored).all()


def test_a_sample_says_so(h5zarr, show, tmp_path):
    with h5py.File(tmp_path / "x.h5", "w") as f:
        f["line"] = np.arange(3_000_000)
        large = f.create_dataset("large", shape=(10**6, 10**6), chunks=(1000, 1000), dtype="f4", compression="gzip")
        large[0:10, 0:10] = 1
    said = show(tmp_path / "x.h5/line")["statistics"]
    assert said["sampled"] and said["of"] == 3_000_000 and said["counted"] < 1.1 * 2**20
    assert "elements, a sample" in h5zarr("show", tmp_path / "x.h5/line", **HDF5).stdout
    said = show(tmp_path / "x.h5/large")
    assert said["statistics"]["of"] == 10**12 and said["statistics"]["absent_chunks"] == 10**6 - 1
    assert not said["statistics"]["sampled"] and said["statistics"]["counted"] == 10**6
    assert "1,000,000 of 1,000,000,000,000 elements" in h5zarr("show", tmp_path / "x.h5/large", **HDF5).stdout


def test_damaged_chunks_are_named(h5zarr, show, stores, tmp_path):
    subprocess.run(["cp", "-r", stores["zarr"], tmp_path / "x.zarr"], check=True)
    (tmp_path / "x.zarr/grid/1.2").write_bytes(b"no chunk")
    said = show(tmp_path / "x.zarr/grid", expect=1)
    assert any("chunk (1, 2)" in line for line in said["errors"])
    values = arrays(stores["h5"])["grid"]
    values[7:14, 12:18] = np.nan
    assert said["statistics"]["counted"] == 600 - 42
    assert said["statistics"]["least"] == pytest.approx(np.nanmin(values)) and said["statistics"]["greatest"] == pytest.approx(np.nanmax(values))
    text = h5zarr("show", tmp_path / "x.zarr/grid", expect=1, **HDF5)
    assert "!" in text.stdout and "chunk (1, 2)" in text.stderr and "chunks: 20 of 20" in text.stdout


def test_compound_data_is_a_table(show, h5zarr, stores):
    for kind in KINDS:
        table = show(f"{stores[kind]}/rows")["table"]
        assert [column["name"] for column in table["columns"]] == ["a", "b", "c"] and table["rows"] == 20
        assert table["head"] == [[1, 2.5, "x"], [3, 4.5, "yy"]] * 2 + [[1, 2.5, "x"]] and len(table["tail"]) == 5


def test_usage(h5zarr, stores, tmp_path):
    for arguments in ([f"{stores['h5']}/grid", "[99]"], [f"{stores['h5']}/grid", "[1,2,3]"], [f"{stores['h5']}/grid", "[0:"], [stores["h5"], "[0]"],
                      ["--rows", "0", stores["h5"]], []):
        assert h5zarr("show", *arguments, expect=2, **HDF5).stdout == ""
    for missing in (f"{stores['h5']}/none", tmp_path / "none.zarr", f"{stores['zip']}/none", f"{stores['zarr']}/grid/none"):
        assert "none" in h5zarr("show", missing, expect=1, **HDF5).stderr
    (tmp_path / "text.txt").write_text("precious")
    h5zarr("show", "--png", tmp_path / "text.txt", f"{stores['h5']}/grid", expect=1, **HDF5)
    assert (tmp_path / "text.txt").read_text() == "precious"
