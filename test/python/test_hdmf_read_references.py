"""References in each form that hdmf-zarr gave them, as HDF5 shows them."""

import json

import h5py
import pytest

from hdmf_forms import CODECS, PICKLES, ZarrReference, encode, json2, make_array, make_group, objects, pickled, plain, ref, shown, store  # noqa: F401


@pytest.mark.parametrize("codec", CODECS)
def test_references(store, codec):
    values = [ref(), ref("/g"), ref("/")]
    if codec.startswith("pickle"):
        values = [ZarrReference(x) for x in values]
    if codec.startswith("vlen"):
        values = [json.dumps(x) for x in values]
    if codec == "vlen-bytes":
        pytest.skip("nobody wrote that")
    configuration, chunk = encode(codec, values, (3,))
    make_array(store / "a", chunk, [3], codec=configuration, zarr_dtype="object")
    value, shape, dtype = shown(store)
    assert value == [["->", "/g/t"], ["->", "/g"], ["->", "/"]] and h5py.check_ref_dtype(dtype) is h5py.Reference


@pytest.mark.parametrize("padding", [0, None, "", False])
def test_null_references(store, padding):
    make_array(store / "a", {"1": json2([padding, ref()], (2,))}, [4], codec="json2", chunks=[2], zarr_dtype="object")
    assert shown(store)[0] == ["null", "null", "null", ["->", "/g/t"]]


def test_one_reference_is_an_array(store):
    """zarr_dtype does not tell it from an array of one."""
    make_array(store / "a", json2([ref()], (1,)), [1], codec="json2", zarr_dtype="object")
    assert shown(store)[:2] == ([["->", "/g/t"]], (1,))


@pytest.mark.parametrize("protocol", PICKLES)
def test_references_as_objects_of_hdmf_zarr(store, protocol):
    values = [ZarrReference(source=".", path="/g/t"), {"source": ".", "path": "/g"}, 0]
    make_array(store / "a", pickled(objects(values, (3,)), protocol), [3], codec={"id": "pickle", "protocol": protocol}, zarr_dtype="object")
    assert shown(store)[0] == [["->", "/g/t"], ["->", "/g"], "null"]


SOURCES = [{"source": "."}, {"source": ""}, {"source": None}, {}, {"source": "x.nwb.zarr"}, {"source": "../x.nwb.zarr"},
           {"source": "./"}, {"source": "ABSOLUTE"}, {"source": "/somewhere/else/y.nwb.zarr"}, {"source": "moved/y.zarr"}]


@pytest.mark.parametrize("source", SOURCES, ids=str)
@pytest.mark.parametrize("path", ["/g/t", "g/t"])
def test_sources_that_are_this_store(store, source, path):
    value = {**source, "path": path}
    if value.get("source") == "ABSOLUTE":
        value["source"] = str(store)
    make_array(store / "a", json2([value], (1,)), [1], codec="json2", zarr_dtype="object")
    make_group(store / "b", {"r": {"zarr_dtype": "object", "value": value}})
    with h5py.File(store) as f:
        assert f[f["a"][0]].name == f[f["b"].attrs["r"]].name == "/g/t"


def test_a_reference_without_path_is_the_root(store):
    make_array(store / "a", json2([{"source": "."}], (1,)), [1], codec="json2", zarr_dtype="object")
    assert shown(store)[0] == [["->", "/"]]


def test_references_to_other_stores(store):
    """h5py's references cannot lead there: they are null, not something else of this store."""
    other = store.with_name("other.zarr")
    make_group(other)
    make_group(other / "g")
    for name, source in [("a", "../other.zarr"), ("b", str(other)), ("c", "other.zarr")]:
        make_array(store / name, json2([{"source": source, "path": "/g"}], (1,)), [1], codec="json2", zarr_dtype="object")
        assert shown(store, name)[0] == ["null"]


def test_a_reference_that_leads_nowhere(store):
    make_array(store / "a", json2([ref("/gone"), ref()], (2,)), [2], codec="json2", zarr_dtype="object")
    with h5py.File(store) as f:
        gone, there = f["a"][()]
        assert f[there].name == "/g/t"
        with pytest.raises(KeyError):
            f[gone]


def test_references_in_attributes(store):
    value = {"source": ".", "path": "/g/t"}
    attributes = {"r": {"zarr_dtype": "object", "value": ref()}, "short": {"zarr_dtype": "object", "value": value},
                  "region": {"zarr_dtype": "region", "value": value}, "many": {"zarr_dtype": "object", "value": [value, ref("/g")]}}
    make_group(store / "a", attributes)
    with h5py.File(store) as f:
        assert [f[f["a"].attrs[name]].name for name in ("r", "short", "region")] == ["/g/t"] * 3
        assert [f[r].name for r in f["a"].attrs["many"]] == ["/g/t", "/g"]


def test_references_are_written(store):
    make_array(store / "a", json2([ref(), 0], (2,)), [2], codec="json2", zarr_dtype="object")
    with h5py.File(store, "r+") as f:
        f["a"][:] = [h5py.Reference(), f["g"].ref]
        assert plain(f, f["a"][()]) == ["null", ["->", "/g"]]
    stored = json.loads((store / "a" / "0").read_bytes())
    assert stored[0] is None and (stored[1]["source"], stored[1]["path"]) == (".", "/g") and stored[2:] == ["|O", [2]]
