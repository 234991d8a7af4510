"""Random programs that write and edit netCDF files (netcdf_edits.py), natively and through the connector: after each session HDF5 programs and
the netCDF libraries see alike, and xr.open_zarr shows what xr.open_dataset shows of the native file.

VZ_NETCDF_EDITS=FIRST-LAST runs these seeds instead of the few that CI has.
"""

import gc
import os

import pytest

import netcdf_edits
from interpreter import Died, Interpreter, WithOptions
from netcdf_judge import by_hdf5, by_zarr, difference, different_lines, for_engine, header, said
from places import with_connector

pytest.importorskip("xarray")
pytest.importorskip("netCDF4")
pytest.importorskip("h5netcdf")
pytestmark = pytest.mark.filterwarnings("ignore")

FORMS = ["format=2", "format=3", "format=3;shards=512"]
SEEDS = [1, 4]
OPERATIONS = {"w": 24, "a": 8}


def seeds():
    first, _, last = os.environ.get("VZ_NETCDF_EDITS", "").partition("-")
    return range(int(first), int(last or first) + 1) if first else SEEDS


@pytest.fixture(scope="module")
def writers():
    plain = {name: value for name, value in os.environ.items() if not name.startswith("HDF5_")}
    made = [Interpreter(with_connector("zarr create=*.zarr,*.one:file")), Interpreter(plain)]
    yield made
    for each in made:
        each.stop()


def plan_of(seed):
    """The form, the container, and the library of each session."""
    draw = netcdf_edits.Draw([seed])
    later = ["netcdf4", "netcdf4", "h5netcdf", "h5py", "anything" if seed % 3 == 0 else "h5py"]
    libraries = [draw.one_of(["netcdf4", "h5netcdf"])] + [draw.one_of(later) for _ in range(draw.number(1, 4))]
    return FORMS[seed % 3], draw.one_of(["zarr", "one"]), libraries


def groups_in(nodes):
    return ["/"] + sorted("/" + name for name, node in nodes.items() if "dtype" not in node and name != "/")


def dataset_of(path, engine, group):
    """In a reader: the undecoded dataset, or the word for what was raised."""
    from xarray.backends.file_manager import FILE_CACHE

    try:
        return by_hdf5(path, engine, group, raw=True)
    except Exception as error:
        word = type(error).__name__
    finally:
        FILE_CACHE.clear()  # has the file open where it could not be shown
    gc.collect()
    return word


def seen(reader, path, groups):
    """{(engine, group): the undecoded dataset, or a word}. netCDF-C ends at some files."""
    def of(engine, group):
        try:
            return reader.run(dataset_of, for_engine(path, engine), engine, group)
        except Died:
            return "died"

    return {(engine, group): of(engine, group) for engine in ("h5netcdf", "netcdf4") for group in groups}


def compared(expected, found):
    """Text of a difference; "" where both show alike, or the library does not open the native file. h5netcdf does not read a variable that
    is shorter than its unlimited dimension; in a store none is."""
    if isinstance(expected, str):
        return ""
    return f"{found} was raised" if isinstance(found, str) else difference(expected, found)


def agreed(expected, group):
    """What both libraries show of a native file; None where they do not."""
    a, b = (expected[engine, group] for engine in ("h5netcdf", "netcdf4"))
    return None if isinstance(a, str) or isinstance(b, str) or difference(a, b) else a


def named(data, nodes, group):
    """Without variables that have no scales: netCDF-C gives them some dimension of that length."""
    def has_names(name):
        node = nodes.get(f"{group}/{name}".strip("/")) or nodes.get(f"{group}/_nc4_non_coord_{name}".strip("/"))
        return not node or not node["shape"] or node["scale"] or all(node["scales"])

    return data.drop_vars([name for name in data.variables if not has_names(name)])


def checked(reader, native, store):
    """What differs: {check: text}."""
    nodes = [reader.run(netcdf_edits.shown_by_hdf5, path) for path in (native, store)]
    found = {"by HDF5": "\n".join(netcdf_edits.different_nodes(*nodes))}
    groups = groups_in(nodes[0])
    expected, ours = seen(reader, native, groups), seen(reader, store, groups)
    for engine, group in expected:
        found[f"{engine} {group}"] = compared(expected[engine, group], ours[engine, group])
    for group in groups:
        if (data := agreed(expected, group)) is not None:
            found[f"open_zarr {group}"] = said(lambda: difference(*(named(each, nodes[0], group) for each in (data, by_zarr(store, group, raw=True)))))
    if all(agreed(expected, group) is not None for group in groups):
        found["header"] = said(lambda: different_lines(*(reader.run(header, path) for path in (native, for_engine(store, "netcdf4")))))
    return {check: text for check, text in found.items() if text}


@pytest.mark.parametrize("seed", seeds())
def test_programs(writers, reader, tmp_path, seed):
    form, container, libraries = plan_of(seed)
    native, store = tmp_path / "a.nc", tmp_path / f"a.{container}"
    connector = WithOptions(writers[0], form)
    for number, library in enumerate(libraries):
        mode, words = ("w" if number == 0 else "a"), [seed, number]
        path = store if number == 0 or library != "netcdf4" else for_engine(store, "netcdf4")
        try:
            expected = said_of(writers[1], native, library, mode, words)
        except Died:
            return  # netCDF-C ends at some files natively
        ours = said_of(connector, path, library, mode, words)
        about = f"seed {seed}, {form}, {container}: {libraries[: number + 1]}\n"
        assert expected == ours, about
        if not isinstance(expected, list) or library == "anything":
            reader.run(netcdf_edits.shown_by_hdf5, store)
            return  # the library does not open the native file either, or references lead nowhere
        wrong = checked(reader, native, store)
        assert not wrong, about + "\n".join([str(expected), *(f"== {check}\n{text}" for check, text in wrong.items())])


def said_of(writer, path, library, mode, words):
    """What each operation answered; the word for what was raised when the file was opened or closed."""
    try:
        return writer.run(netcdf_edits.session, path, library, mode, words, OPERATIONS[mode])
    except Died:
        raise
    except Exception as error:
        return getattr(error, "kind", repr(error))
