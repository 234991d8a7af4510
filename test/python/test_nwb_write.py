"""NWB files that pynwb writes and h5repack makes through the connector: for pynwb, hdmf-zarr and zarr-python 2 what the native file is."""

import functools

import pytest

pytest.importorskip("pynwb")
pytest.importorskip("hdmf_zarr")

import nwb_compare
import nwb_sample
from interpreter import Interpreter
from places import shared, with_connector

REAL = ["1.1.2_nwbfile.nwb", "2.1.0_nwbfile_with_extension.nwb", "ecephys_and_ogen.nwb"]


def in_hdf5(native, store):
    return nwb_compare.hdf5_differences(native, store)


@functools.cache
def objects_of(native):
    return nwb_compare.by_pynwb(native)


def in_pynwb(native, store):
    return nwb_compare.object_differences(objects_of(native), nwb_compare.by_pynwb(store))


def in_hdmf_zarr(native, store):
    """Without the environment variable that lets numcodecs decode pickle."""
    return nwb_compare.object_differences(objects_of(native), nwb_compare.by_hdmf_zarr(store))


def in_validation(native, store):
    """pynwb's validator knows compounds with references in hdmf-zarr's pickled form only (test_nwb_work.py has that)."""
    known = nwb_compare.errors_by_pynwb(native)
    assert nwb_compare.errors_by_pynwb(store) == known
    try:
        return [error for error in nwb_compare.errors_by_hdmf_zarr(store) if error not in known]
    except ValueError as error:
        assert str(error) == "compound type shorter than expected" and nwb_compare.references_in_compounds(native)
        return []


def in_zarr(native, store):
    return nwb_compare.zarr_differences(native, store)


def in_the_documents(native, store):
    return nwb_compare.rule_breaks(store)


def judged(*judges):
    return pytest.mark.parametrize("judge", judges, ids=lambda judge: judge.__name__)


quick = judged(in_hdf5, in_hdmf_zarr, in_zarr, in_the_documents)
all_judges = judged(in_hdf5, in_pynwb, in_hdmf_zarr, in_validation, in_zarr, in_the_documents)


class Made:
    """Makes each file once; what failed to be made fails each test that needs it."""

    def __init__(self, where):
        self.where, self.results = where, {}

    def __call__(self, name, make):
        path = self.where / name
        if name not in self.results:
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                make(str(path))
                self.results[name] = None
            except Exception as error:
                self.results[name] = error
        if self.results[name]:
            raise self.results[name]
        return path


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return Made(tmp_path_factory.mktemp("nwb"))


@pytest.fixture(scope="module")
def native(made):
    """A native file: of the shared data, or with one part of nwb_sample."""
    def give(name):
        return shared(f"nwb/{name}") if name in REAL else made(f"{name}.h5", lambda path: nwb_sample.write(path, [name]))

    return give


# ---- written by pynwb ----


# Classes that pynwb generates for an extension check the shape: there hdmf-zarr reads compounds with text or references in its
# own pickled form only (those with references: test_nwb_work.py).
PARTS = [part for part in nwb_sample.PARTS if "compounds" not in part]


@quick
@pytest.mark.parametrize("part", nwb_sample.PARTS)
def test_written(part, judge, made, native, connector):
    if part not in PARTS and judge == in_hdmf_zarr:
        pytest.skip("hdmf-zarr wants pickle here")
    store = made(f"written/{part}.nwb", lambda path: connector.run(nwb_sample.write, path, [part]))
    assert judge(native(part), store) == []


@all_judges
def test_written_under_a_name_that_says_nothing(judge, made, connector):
    """pynwb writes last what tells NWB: by then nearly everything is there."""
    native = made("all.h5", lambda path: nwb_sample.write(path, PARTS))
    store = made("written/all.zarr", lambda path: connector.run(nwb_sample.write, path, PARTS))
    assert judge(native, store) == []


# ---- exported by pynwb, from a native file ----


@all_judges
@pytest.mark.parametrize("name", REAL)
def test_exported(name, judge, made, native, connector):
    expected = made(f"exported/{name}.h5", lambda path: nwb_sample.export(native(name), path))
    store = made(f"exported/{name}", lambda path: connector.run(nwb_sample.export, str(native(name)), path))
    assert judge(expected, store) == []


# ---- converted by h5repack, and back ----

BOTH = {"HDF5_VOL_CONNECTOR": "zarr create=*.zarr"}  # everything goes through the connector, some names become stores
# h5repack does not translate references inside compounds (trials, icephys, extension), not between HDF5 files either.
REPACKED = [*REAL, "series", "ecephys", "ophys", "tables"]


@pytest.fixture(scope="module")
def both():
    interpreter = Interpreter(with_connector(BOTH["HDF5_VOL_CONNECTOR"]))
    yield interpreter
    interpreter.stop()


def repacked(made, native, tool, name):
    return made(f"repacked/{name}.zarr", lambda path: tool("h5repack", native(name), path, **BOTH))


@quick
@pytest.mark.parametrize("name", REPACKED)
def test_repacked(name, judge, made, native, tool):
    assert judge(native(name), repacked(made, native, tool, name)) == []


@pytest.mark.parametrize("name", REPACKED)
def test_repacked_and_back(name, made, native, tool):
    store = repacked(made, native, tool, name)
    back = made(f"back/{name}.h5", lambda path: tool("h5repack", store, path, **BOTH))
    assert back.is_file() and in_hdf5(native(name), back) == []
    tool("h5diff", native(name), back)


@pytest.mark.parametrize("name", [*REAL, "trials", "images", "icephys", "tables", "extension", "compounds_of_extension"])
def test_exported_and_back(name, made, native, both):
    """Each way by pynwb: what it makes of a store is what it makes of a native file."""
    expected = made(f"exported/{name}.h5", lambda path: nwb_sample.export(native(name), path))
    store = made(f"there/{name}.zarr", lambda path: both.run(nwb_sample.export, str(native(name)), path))
    back = made(f"back/{name}.exported.h5", lambda path: both.run(nwb_sample.export, str(store), path))
    assert nwb_compare.besides_extensions(in_hdf5(expected, back)) == []
