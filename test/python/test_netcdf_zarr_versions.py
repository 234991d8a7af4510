"""What netCDF programs write through the connector, opened by zarr-python 2.18, 3.0 and 3.1.0 to 3.1.3 (docs/format.md, netCDF).

Each of them shows what xarray shows of the netCDF file that the program writes natively. `make zarr-versions` has them, and sets
VZ_ZARR_VERSIONS: "VERSION=DIRECTORY ...".
"""

import functools
import json
import os

import numpy as np
import pytest

import netcdf_samples
from interpreter import Interpreter, WithOptions
from netcdf_judge import by_hdf5, said

pytest.importorskip("xarray")
pytest.importorskip("netCDF4")
pytest.importorskip("h5netcdf")
pytestmark = pytest.mark.filterwarnings("ignore")

VERSIONS = dict(each.split("=", 1) for each in os.environ.get("VZ_ZARR_VERSIONS", "").split())
FORMS = {"v2": "format=2", "v3": "format=3", "shards": "format=3;shards=512"}
NUMBERS = {2: ["v2"], 3: [*FORMS]}

UNKNOWN_IN_3_0 = "Invalid Zarr format 3 data_type"  # bytes of a fixed length, for which Zarr has a word since zarr-python 3.1

# What xarray decodes otherwise than in the netCDF file, whatever the version.
IN_64_BITS = "packed_in_32_bits"  # JSON has no 32 bits for `scale_factor`


@pytest.fixture(scope="module", params=list(VERSIONS) or ["none"])
def reader(request):
    """(version, an interpreter that imports this version)."""
    if not VERSIONS:
        pytest.skip("no earlier zarr-python here (make zarr-versions)")
    plain = {name: value for name, value in os.environ.items() if not name.startswith("HDF5_")}
    interpreter = Interpreter({**plain, "PYTHONPATH": VERSIONS[request.param], "PYTHONWARNINGS": "ignore"})
    assert interpreter.run(version) == request.param
    yield request.param, interpreter
    interpreter.stop()


def version():
    import zarr

    return zarr.__version__


# ---- what a dataset shows ----


def text_of(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def shown(data):
    """{name: [dimensions, type, values, attributes]} of a dataset, as text of JSON: numpy's types differ between versions."""
    def value_of(value):
        value = value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value
        return [repr(each) for each in value] if isinstance(value, list) else text_of(value) if isinstance(value, (str, bytes)) else repr(value)

    def of(variable):
        values = variable.values
        if values.dtype.kind in "mM":
            values = values.astype(values.dtype.kind + "8[ns]")
        is_text = values.dtype.kind in "SUTO"
        flat = values.ravel().tolist()
        return [list(variable.dims), "text" if is_text else str(values.dtype.newbyteorder("=")), [text_of(each) if is_text else repr(each) for each in flat],
                {key: value_of(value) for key, value in variable.attrs.items()}]

    found = {name: of(data.variables[name]) for name in data.variables}
    return json.dumps([found, sorted(data.coords), {key: value_of(value) for key, value in data.attrs.items() if key != "_NCProperties"}], sort_keys=True)


def by_this_version(store, group, raw):
    """In a reader: what xr.open_zarr shows of a group."""
    import xarray

    decode = {"decode_cf": False, "mask_and_scale": False} if raw else {"decode_timedelta": True}
    with xarray.open_zarr(store, group=group, chunks=None, **decode) as found:
        return shown(found.load())


def of_file(path, engine, group, raw):
    import xarray

    with xarray.open_dataset(path, engine=engine, group=group, **({"decode_cf": False} if raw else {"decode_timedelta": True})) as found:
        return shown(found.load())


# ---- each sample ----


@pytest.fixture(scope="module")
def written(connector, tmp_path_factory):
    """written(sample, engine, form) -> the store, and what xarray shows of the native file: {(group, raw): text}."""
    where = tmp_path_factory.mktemp("written")

    @functools.cache
    def native(name, engine):
        path = where / f"{name}.{engine}.nc"
        netcdf_samples.write(name, path, engine)
        return {(group, raw): of_file(path, engine, group, raw) for group in netcdf_samples.SAMPLES[name].groups for raw in (False, True)}

    @functools.cache
    def made(name, engine, form):
        store = where / f"{name}.{engine}.{form}.zarr"
        WithOptions(connector, f"create=*.zarr;{FORMS[form]}").run(netcdf_samples.write, name, store, engine)
        return store, native(name, engine)

    return made


@pytest.mark.parametrize("name", netcdf_samples.SAMPLES)
def test_samples(reader, written, name):
    number, interpreter = reader
    wrong = []
    for engine in netcdf_samples.SAMPLES[name].engines:
        for form in NUMBERS[int(number[0])]:
            store, expected = written(name, engine, form)
            for (group, raw), text in expected.items():
                if name == IN_64_BITS and not raw:
                    continue
                found = said(lambda: interpreter.run(by_this_version, store, group, raw))
                if found != text and not (number.startswith("3.0.") and UNKNOWN_IN_3_0 in found and "null_terminated_bytes" in found):
                    wrong.append(f"{engine} {form} {group} {'undecoded' if raw else ''}\n{text}\nexpected, found\n{found}")
    assert not wrong, f"zarr-python {number}: " + "\n".join(wrong)


# ---- what has an annotation of its own ----


def write_beside(path, count):
    """An enumeration, for which Zarr has no word, and `count` arrays of numbers along one dimension."""
    import h5py

    with h5py.File(path, "w") as f:
        x = f.create_dataset("x", data=np.arange(3))
        x.make_scale("x")
        for i in range(count):
            f.create_dataset(f"n{i:03}", data=np.arange(3) + i).dims[0].attach_scale(x)
        kinds = h5py.enum_dtype({"red": 0, "blue": 2}, "u1")
        f.create_dataset("colour", data=np.array([0, 2, 0], "u1"), dtype=kinds).dims[0].attach_scale(x)


def opened(store):
    """In a reader: {array: its elements, or the word for an error}, each array by itself."""
    import zarr

    def elements(name):
        try:
            return zarr.open_array(store, path=name, mode="r")[...].tolist()
        except Exception:
            return "refused"

    return {name: elements(name) for name in sorted(each for each in os.listdir(store) if os.path.isdir(os.path.join(store, each)))}


def has_member(version):
    """Does this version open arrays of format 3 with a member that `must_understand` excuses?"""
    return tuple(map(int, version.split("."))) >= (3, 1, 4)


@pytest.fixture(scope="module")
def beside(connector, tmp_path_factory):
    """beside(form, count): a store of write_beside."""
    where = tmp_path_factory.mktemp("beside")

    @functools.cache
    def made(form, count):
        WithOptions(connector, f"create=*.zarr;{FORMS[form]}").run(write_beside, where / f"{form}{count}.zarr", count)
        return where / f"{form}{count}.zarr"

    return made


@pytest.mark.parametrize("form", ["v2", "v3"])
def test_a_type_that_zarr_has_no_word_for(reader, beside, form):
    """In format 3 zarr-python before 3.1.4 refuses that array, and no other."""
    number, interpreter = reader
    if form not in NUMBERS[int(number[0])]:
        return
    expected = {"x": [0, 1, 2], "n000": [0, 1, 2], "n001": [1, 2, 3], "colour": [0, 2, 0] if form == "v2" or has_member(number) else "refused"}
    assert interpreter.run(opened, str(beside(form, 2))) == expected


@pytest.mark.parametrize("form", ["v2", "v3"])
def test_more_arrays_than_a_group_annotates(reader, beside, form):
    """A group's annotation has those of its first 256 arrays."""
    number, interpreter = reader
    if form not in NUMBERS[int(number[0])]:
        return
    found = interpreter.run(opened, str(beside(form, 300)))
    refused = [name for name, elements in found.items() if elements == "refused"]
    assert len(found) == 302
    assert len(refused) == (0 if form == "v2" or has_member(number) else 302 - 256)
    assert all(elements == [int(name[1:]) + i for i in range(3)] for name, elements in found.items() if name[0] == "n" and elements != "refused")
