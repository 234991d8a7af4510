"""Virtual datasets of text and sequences: what h5py reads of native files, it reads of stores, of copies and of conversions."""

import h5py
import numpy as np
import pytest

from converting import convert

ALL = slice(0, h5py.h5s.UNLIMITED)
LONG = "long " * 30
ELEMENTS = {
    "text": (h5py.string_dtype(), ["a", "é", "", LONG, "e", "f"]),
    "ascii": (h5py.string_dtype("ascii"), ["a", "b", "", LONG, "e", "f"]),
    "sequence": (h5py.vlen_dtype("f4"), [np.arange(n, dtype="f4") for n in (2, 0, 1, 3, 1, 4)]),
    "compound": (np.dtype([("n", "i4"), ("s", h5py.string_dtype()), ("v", h5py.vlen_dtype("i2"))]),
                 [(n, f"s{n}", np.arange(n, dtype="i2")) for n in range(6)]),
    "array": (np.dtype([("a", h5py.string_dtype(), (2,))]), [((f"x{n}", f"y{n}"),) for n in range(6)]),
}


def elements(name):
    dtype, values = ELEMENTS[name]
    array = np.empty(len(values), dtype if dtype.kind == "V" else object)
    for i, value in enumerate(values):
        array[i] = value
    return array


def make_sources(directory):
    with h5py.File(f"{directory}/source.h5", "w") as f:
        for name, (dtype, _) in ELEMENTS.items():
            f.create_dataset(name, (6,), dtype, maxshape=(None,), chunks=(4,))[...] = elements(name)
            for i in range(2):
                f.create_dataset(f"{name}{i}", (2,), dtype)[...] = elements(name)[i:i + 2]


def make(directory):
    """Parts of two files with a gap, all of one, one that grows, blocks of numbered sources, a virtual one of a virtual one, text as fill value."""
    with h5py.File(f"{directory}/file.h5", "w") as f:
        for name, (dtype, _) in ELEMENTS.items():
            f.create_dataset(f"own {name}", (6,), dtype)[...] = elements(name)
            parts, whole, nested = (h5py.VirtualLayout((n,), dtype) for n in (9, 6, 6))
            parts[0:3] = h5py.VirtualSource("source.h5", name, (6,), dtype)[1:4]
            parts[4] = h5py.VirtualSource("missing.h5", name, (1,), dtype)
            parts[5:9:2] = h5py.VirtualSource(".", f"own {name}", (6,), dtype)[0:2]
            f.create_virtual_dataset(f"parts {name}", parts)
            if dtype.kind == "O" and name != "sequence":  # h5py cannot say it otherwise
                parts.dcpl.set_fill_value(np.array(["none"], dtype))
                f.create_virtual_dataset(f"filled {name}", parts)
            whole[:] = h5py.VirtualSource(".", f"own {name}", (6,), dtype)
            f.create_virtual_dataset(f"whole {name}", whole)
            nested[:] = h5py.VirtualSource(".", f"whole {name}", (6,), dtype)
            f.create_virtual_dataset(f"nested {name}", nested)
            growing = h5py.VirtualLayout((6,), dtype, maxshape=(None,))
            growing[ALL] = h5py.VirtualSource("source.h5", name, (6,), dtype, maxshape=(None,))[ALL]
            f.create_virtual_dataset(f"growing {name}", growing)
            numbered = h5py.VirtualLayout((0,), dtype, maxshape=(None,))
            blocks, two = h5py.h5s.create_simple((0,), (h5py.h5s.UNLIMITED,)), h5py.h5s.create_simple((2,))
            blocks.select_hyperslab((0,), (h5py.h5s.UNLIMITED,), stride=(3,), block=(2,))
            numbered.dcpl.set_virtual(blocks, b"source.h5", f"{name}%b".encode(), two)
            f.create_virtual_dataset(f"numbered {name}", numbered)
            for kind in "parts", "whole":
                f.copy(f"{kind} {name}", f"copy of {kind} {name}")


def copy_away(directory):
    with h5py.File(f"{directory}/file.h5") as f, h5py.File(f"{directory}/copies.h5", "w") as g:
        for name in ELEMENTS:
            for kind in "own", "parts", "whole":
                f.copy(f"{kind} {name}", g)


def grow(directory):
    with h5py.File(f"{directory}/source.h5", "r+") as f:
        for name in ELEMENTS:
            f[name].resize((8,))
            f[name][6:] = elements(name)[2:4]


def plain(value):
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, (np.ndarray, np.void, tuple)):
        return [plain(each) for each in value]
    return value.item() if isinstance(value, np.generic) else value


def look(path):
    told = {}
    with h5py.File(path) as f:
        for name, d in f.items():
            selected = [d[...], d[1::2], d[[0, 2, 5]] if len(d) > 5 else None, d[4] if len(d) > 4 else None, d[2:2]]
            told[name] = (d.shape, d.maxshape, str(d.dtype), [plain(s) for s in selected])
    return told


@pytest.fixture(scope="module")
def where(tmp_path_factory, connector):
    path = tmp_path_factory.mktemp("virtual-objects")
    for name in "native", "store", "mixed":
        (path / name).mkdir()
    for work in make_sources, make, copy_away:
        work(path / "native")
        connector.run(work, str(path / "store"))
    make_sources(path / "mixed")
    connector.run(make, str(path / "mixed"))
    return path


def test_elements_are_those_of_native_files(where, connector):
    native = look(where / "native/file.h5")
    assert connector.run(look, str(where / "store/file.h5")) == native
    assert native["filled text"][3][0] == ["é", "", LONG, "none", "none", "a", "none", "é", "none"]
    assert len(native) == 8 * len(ELEMENTS) + 2


def test_sources_may_lie_in_native_files(where, connector):
    assert connector.run(look, str(where / "mixed/file.h5")) == look(where / "native/file.h5")


def test_copies_in_other_files(where, connector):
    native = look(where / "native/copies.h5")
    assert connector.run(look, str(where / "store/copies.h5")) == native
    assert native["whole text"][3][0] == ["a", "é", "", LONG, "e", "f"]


def test_conversions_have_the_elements(where, connector, tmp_path):
    """Of other files they have the elements, of themselves the mappings."""
    native = look(where / "native/file.h5")
    convert(where / "native/file.h5", tmp_path / "file.zarr")
    convert(where / "store/file.h5", tmp_path / "file.h5")
    assert connector.run(look, str(tmp_path / "file.zarr")) == look(tmp_path / "file.h5")
    for path in tmp_path / "file.zarr", tmp_path / "file.h5":
        with h5py.File(path) as f:
            assert {name for name in f if f[name].is_virtual} == {f"{how}{kind} {name}" for name in ELEMENTS for how, kind in
                                                                  (("", "whole"), ("copy of ", "whole"), ("", "nested"))}
        converted = look(path)
        assert {name: said[3] for name, said in converted.items()} == {name: said[3] for name, said in native.items()}


def write(path):
    """What is written to the virtual dataset is in its source. Native HDF5 crashes here."""
    with h5py.File(path, "r+") as f:
        for name in ELEMENTS:
            f[f"whole {name}"][1:3] = elements(name)[4:6]
    with h5py.File(path) as f:
        return {name: plain(f[f"own {name}"][...]) for name in ELEMENTS}


def test_writing_reaches_the_source(where, connector):
    written = connector.run(write, str(where / "mixed/file.h5"))
    for name in ELEMENTS:
        expected = elements(name)
        expected[1:3] = elements(name)[4:6]
        assert written[name] == plain(expected)


def test_sources_that_grow(where, connector):
    grow(where / "native")
    connector.run(grow, str(where / "store"))
    native = look(where / "native/file.h5")
    assert connector.run(look, str(where / "store/file.h5")) == native
    assert native["growing text"][0] == (8,)
