"""What each program does with stores, as it is: docs/programs.md has the table, test_programs.py and test_nwb_programs.py hold it to what is
found here. `python programs.py --write` puts the rows of the programs of this environment into the page (tools/programs.sh: of all).

A program is a class with functions of a path, and of nothing else. `make` writes a file as the program does; `look` opens one, `list`
tells its members and `read` the data, which is VALUES. What they raise, or another answer, is a "no". Programs of HDF5 are tried on what
`h5zarr convert` makes of a native file of theirs, and what they make as a store is read by zarr-python. Those of Zarr are tried on what h5py
wrote, and what they write is read by h5py. program_places.py tries the same on zip files and in a bucket.
"""

import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "programs.md"
VALUES = [[0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0], [8.0, 9.0, 10.0, 11.0]]
ACTIONS = ["open", "list", "read", "write"]


def array():
    import numpy

    return numpy.array(VALUES)


class Program:
    needs, suffix, table, with_variable, writes = (), ".h5", "hdf5", False, True

    @classmethod
    def here(cls):
        return all(importlib.util.find_spec(module) for module in cls.needs)

    @classmethod
    def stored(cls, group):
        """The values, of the group that zarr-python opened."""
        return group["x"][...]


# ---- programs that speak HDF5 ----


class h5py(Program):
    name, needs = "h5py", ("h5py",)

    def make(path):
        import h5py

        with h5py.File(path, "w") as f:
            f["x"] = array()

    def look(path):
        import h5py

        h5py.File(path).close()

    def list(path):
        import h5py

        with h5py.File(path) as f:
            return [*f]

    def read(path):
        import h5py

        with h5py.File(path) as f:
            return f["x"][:]


class h5netcdf(Program):
    name, needs, suffix = "h5netcdf", ("h5netcdf",), ".nc"

    def make(path):
        import h5netcdf

        with h5netcdf.File(path, "w") as f:
            f.dimensions = {"a": 3, "b": 4}
            f.create_variable("x", ("a", "b"), float)[...] = array()

    def look(path):
        import h5netcdf

        h5netcdf.File(path, "r").close()

    def list(path):
        import h5netcdf

        with h5netcdf.File(path, "r") as f:
            return [*f.variables]

    def read(path):
        import h5netcdf

        with h5netcdf.File(path, "r") as f:
            return f.variables["x"][...]


class xarray(Program):
    name, needs, suffix, engine = "xarray, `engine=\"h5netcdf\"`", ("xarray", "h5netcdf"), ".nc", {"engine": "h5netcdf"}

    @classmethod
    def make(cls, path):
        import xarray

        xarray.Dataset({"x": (("a", "b"), array())}).to_netcdf(path, **cls.engine)

    @classmethod
    def opened(cls, path):
        import xarray

        return xarray.open_dataset(path, **cls.engine)

    @classmethod
    def look(cls, path):
        cls.opened(path).close()

    @classmethod
    def list(cls, path):
        with cls.opened(path) as d:
            return [*d.data_vars]

    @classmethod
    def read(cls, path):
        with cls.opened(path) as d:
            return d["x"].values


class xarray_netcdf4(xarray):
    name, needs, engine = "xarray, `engine=\"netcdf4\"`", ("xarray", "netCDF4"), {"engine": "netcdf4"}


class netcdf4(Program):
    name, needs, suffix = "netCDF4", ("netCDF4",), ".nc"

    def make(path):
        import netCDF4

        with netCDF4.Dataset(path, "w") as f:
            f.createDimension("a", 3)
            f.createDimension("b", 4)
            f.createVariable("x", "f8", ("a", "b"))[:] = array()

    def look(path):
        import netCDF4

        netCDF4.Dataset(path).close()

    def list(path):
        import netCDF4

        with netCDF4.Dataset(path) as f:
            return [*f.variables]

    def read(path):
        import netCDF4

        with netCDF4.Dataset(path) as f:
            return f["x"][:]


class pytables(Program):
    name, needs = "PyTables", ("tables",)

    def make(path):
        import tables

        with tables.open_file(path, "w") as f:
            f.create_array("/", "x", array())

    def look(path):
        import tables

        tables.open_file(path).close()

    def list(path):
        import tables

        with tables.open_file(path) as f:
            return [node._v_name for node in f.list_nodes("/")]

    def read(path):
        import tables

        with tables.open_file(path) as f:
            return f.root.x[:]


class pandas(Program):
    name, needs = "pandas (`HDFStore`)", ("pandas", "tables")

    def make(path):
        import pandas

        pandas.DataFrame(array()).to_hdf(path, key="x")

    def look(path):
        import pandas

        pandas.HDFStore(path, "r").close()

    def list(path):
        import pandas

        with pandas.HDFStore(path, "r") as f:
            return [key[1:] for key in f.keys()]

    def read(path):
        import pandas

        return pandas.read_hdf(path, "x").values

    def stored(group):
        return group["x/block0_values"][...]


class anndata(Program):
    name, needs, suffix = "AnnData", ("anndata",), ".h5ad"

    def make(path):
        import anndata

        anndata.AnnData(array()).write_h5ad(path)

    def look(path):
        import anndata

        anndata.read_h5ad(path, backed="r").file.close()

    def list(path):
        import anndata

        found = anndata.read_h5ad(path, backed="r")
        names = ["x"] if list(found.obs_names) == ["0", "1", "2"] else []
        found.file.close()
        return names

    def read(path):
        import anndata

        return anndata.read_h5ad(path).X

    def stored(group):
        return group["X"][...]


class pynwb(Program):
    name, needs, suffix = "pynwb (`NWBHDF5IO`)", ("pynwb",), ".nwb"

    def make(path):
        import datetime

        import pynwb

        nwb = pynwb.NWBFile("s", "i", datetime.datetime(2024, 1, 2, tzinfo=datetime.timezone.utc))
        nwb.add_acquisition(pynwb.TimeSeries(name="x", data=array(), unit="V", rate=1.0))
        with pynwb.NWBHDF5IO(path, "w") as io:
            io.write(nwb)

    def look(path):
        import pynwb

        with pynwb.NWBHDF5IO(path, "r") as io:
            io.read()

    def list(path):
        import pynwb

        with pynwb.NWBHDF5IO(path, "r") as io:
            return [*io.read().acquisition]

    def read(path):
        import pynwb

        with pynwb.NWBHDF5IO(path, "r") as io:
            return io.read().acquisition["x"].data[:]

    def stored(group):
        return group["acquisition/x/data"][...]


class read_nwb(pynwb):
    """It hands a directory to hdmf-zarr where that is installed, and HDF5 is not asked then: that counts as a no."""

    name, writes = "pynwb (`read_nwb`)", False

    @classmethod
    def opened(cls, path):
        import pynwb

        file = pynwb.read_nwb(path)
        assert isinstance(file.get_read_io(), pynwb.NWBHDF5IO), "hdmf-zarr opened it"
        return file

    @classmethod
    def look(cls, path):
        cls.opened(path).get_read_io().close()

    @classmethod
    def list(cls, path):
        return [*cls.opened(path).acquisition]

    @classmethod
    def read(cls, path):
        return cls.opened(path).acquisition["x"].data[:]


# ---- HDF5's tools: what is not a tool's business is left out ----


def beside(path, ending):
    """A native file of the tool's own: beside the store, or where VZ_PROGRAMS_SCRATCH says if that is in a bucket."""
    return os.path.join(os.environ["VZ_PROGRAMS_SCRATCH"], os.path.basename(path) + ending) if "://" in path else path + ending


def tool(name, *arguments):
    done = subprocess.run([pathlib.Path(os.environ["VZ_HDF5"]) / "bin" / name, *arguments], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def numbers(text):
    """What h5dump prints of the dataset."""
    rows = re.findall(r"\(\d+,0\): ([^\n]*)", text)
    return [[float(n) for n in row.strip(", ").split(",")] for row in rows]


class Tool(Program):
    @classmethod
    def here(cls):
        return os.path.exists(pathlib.Path(os.environ.get("VZ_HDF5") or "/nowhere") / "bin" / cls.__name__)

    native = h5py.make


class h5ls(Tool):
    name = "h5ls"

    def look(path):
        tool("h5ls", path)

    def list(path):
        return [line.split()[0] for line in tool("h5ls", path).splitlines()]


class h5dump(Tool):
    name = "h5dump"

    def look(path):
        tool("h5dump", "-H", path)

    def list(path):
        return re.findall(r"dataset +/(\w+)", tool("h5dump", "-n", path))

    def read(path):
        return numbers(tool("h5dump", "-d", "/x", path))


class h5diff(Tool):
    name = "h5diff"

    def look(path):
        tool("h5diff", path, path)

    def read(path):
        other = beside(path, ".other.h5")
        h5py.make(other)
        tool("h5diff", path, other)
        return VALUES


class h5stat(Tool):
    name = "h5stat"

    def look(path):
        assert "# of unique datasets: 1" in tool("h5stat", path)


class h5copy(Tool):
    name, with_variable = "h5copy, with `HDF5_VOL_CONNECTOR`", True

    def look(path):
        h5copy.read(path)

    def read(path):
        copy = beside(path, ".copy.h5")
        pathlib.Path(copy).unlink(missing_ok=True)
        tool("h5copy", "-i", path, "-o", copy, "-s", "/x", "-d", "/x")
        return h5py.read(copy)

    def make(path):
        source = beside(path, ".source.native")
        h5py.make(source)
        tool("h5copy", "-i", source, "-o", path, "-s", "/x", "-d", "/x")


class h5repack(Tool):
    name, with_variable = "h5repack, with `HDF5_VOL_CONNECTOR`", True

    def look(path):
        h5repack.read(path)

    def read(path):
        copy = beside(path, ".copy.native")
        tool("h5repack", path, copy)
        return h5py.read(copy)

    def make(path):
        source = beside(path, ".source.native")
        h5py.make(source)
        tool("h5repack", source, path)


# ---- programs that speak Zarr: on what h5py wrote ----


def zipped(path):
    """Is it one file, which these programs take for a zip?"""
    return os.path.isfile(path)


class zarr_python(Program):
    name, needs, table = "zarr-python", ("zarr",), "zarr"

    def opened(path, mode="r"):
        import zarr

        store = path
        if zipped(path):
            store = zarr.ZipStore(path, mode=mode) if zarr.__version__.startswith("2.") else zarr.storage.ZipStore(path, mode=mode)
        group = zarr.open_group(store, mode="r+" if mode == "a" else "r")
        return group, (store if zipped(path) else None)

    def look(path):
        zarr_python.opened(path)

    def list(path):
        return [*zarr_python.opened(path)[0]]

    def read(path):
        return zarr_python.opened(path)[0]["x"][...]

    def write(path):
        group, store = zarr_python.opened(path, "a")
        group["x"][...] = array() + 1
        if store:
            store.close()


class zarrs(zarr_python):
    name, needs = "zarr-python with zarrs", ("zarr", "zarrs")

    def with_pipeline(function, *arguments):
        import zarr
        import zarrs  # noqa: F401

        with zarr.config.set({"codec_pipeline.path": "zarrs.ZarrsCodecPipeline"}):
            return function(*arguments)

    def read(path):
        return zarrs.with_pipeline(zarr_python.read, path)

    def write(path):
        return zarrs.with_pipeline(zarr_python.write, path)


class dask(Program):
    name, needs, table = "dask (`from_zarr`)", ("dask", "zarr"), "zarr"

    def look(path):
        dask.opened(path)

    def opened(path):
        import dask.array

        group, _ = zarr_python.opened(path)
        return dask.array.from_zarr(group["x"])

    def read(path):
        return dask.opened(path).compute(scheduler="synchronous")


class tensorstore(Program):
    name, needs, table = "tensorstore", ("tensorstore",), "zarr"

    def opened(path):
        import tensorstore

        if path.startswith("s3://"):
            bucket, _, key = path.removeprefix("s3://").partition("/")
            return tensorstore.open({"driver": "zarr", "kvstore": {"driver": "s3", "bucket": bucket, "path": key + "/x/", "aws_region": os.environ["AWS_REGION"],
                                                                   "endpoint": os.environ["AWS_ENDPOINT_URL_S3"]}}).result()
        base = {"driver": "file", "path": path}
        kvstore = {"driver": "zip", "base": base, "path": "x/"} if zipped(path) else {"driver": "file", "path": path + "/x/"}
        return tensorstore.open({"driver": "zarr", "kvstore": kvstore}).result()

    def look(path):
        tensorstore.opened(path)

    def read(path):
        return tensorstore.opened(path).read().result()

    def write(path):
        tensorstore.opened(path)[...] = array() + 1


PROGRAMS = [h5py, anndata, pynwb, read_nwb, h5netcdf, xarray, xarray_netcdf4, netcdf4, pytables, pandas, h5ls, h5dump, h5diff, h5stat, h5copy,
            h5repack, zarr_python, zarrs, dask, tensorstore]


# ---- stores that other programs wrote ----


def by_xarray(path, zarr_format):
    import xarray

    xarray.Dataset({"x": (("a", "b"), array())}, {"a": [1.0, 2, 3]}).to_zarr(path, zarr_format=zarr_format)


def by_anndata(path, zarr_format):
    import anndata

    anndata.settings.zarr_write_format = zarr_format
    anndata.AnnData(array()).write_zarr(path)


def by_zarr_python(path, zarr_format):
    import zarr

    zarr.create_group(path, zarr_format=zarr_format).create_array("x", data=array())


def by_icechunk(path, zarr_format):
    import icechunk
    import xarray

    session = icechunk.Repository.create(icechunk.local_filesystem_storage(path)).writable_session("main")
    xarray.Dataset({"x": (("a", "b"), array())}, {"a": [1.0, 2, 3]}).to_zarr(session.store, zarr_format=zarr_format, consolidated=False)
    session.commit("all")


def by_hdmf_zarr(path, zarr_format):
    import datetime

    import hdmf_zarr.nwb
    import pynwb

    nwb = pynwb.NWBFile("s", "i", datetime.datetime(2024, 1, 2, tzinfo=datetime.timezone.utc))
    nwb.add_acquisition(pynwb.TimeSeries(name="x", data=array(), unit="V", rate=1.0))
    with hdmf_zarr.nwb.NWBZarrIO(path, "w") as io:
        io.write(nwb)


class Foreign(Program):
    """A program of HDF5 on stores of another program, of both formats where that writes both."""

    table = "foreign"

    @classmethod
    def here(cls):
        return super().here() and cls.program.here()


def foreign(writer, maker, needs, programs, formats=(2, 3), what="store"):
    for program in programs:
        members = {"name": f"{program.name} on a {what} of {maker}", "needs": needs, "program": program, "writer": staticmethod(writer), "formats": formats}
        members |= {action: staticmethod(getattr(program, action)) for action in ("look", "list", "read") if hasattr(program, action)}
        yield type(f"{program.__name__}_{writer.__name__}", (Foreign,), members)


PROGRAMS += foreign(by_xarray, "xarray", ("xarray",), [h5netcdf, xarray, xarray_netcdf4, netcdf4, h5ls, h5dump])
PROGRAMS += foreign(by_anndata, "AnnData", (), [anndata])
PROGRAMS += foreign(by_hdmf_zarr, "hdmf-zarr", ("hdmf_zarr",), [pynwb], formats=(2,))
PROGRAMS += foreign(by_zarr_python, "zarr-python", ("zarr.abc",), [h5py])  # 3, which writes both formats
PROGRAMS += foreign(by_icechunk, "icechunk", ("icechunk", "xarray"), [h5py, h5netcdf, xarray, xarray_netcdf4, netcdf4, h5ls, h5dump], formats=(3,),
                    what="repository")


# ---- native HDF5 files behind a URL ----


class Elsewhere(Program):
    """A program of HDF5, given the URL of a file that h5py or itself made."""

    table = "elsewhere"

    @classmethod
    def here(cls):
        return super().here() and cls.program.here()


def elsewhere(programs):
    for program in programs:
        members = {"name": f"{program.name} on an HDF5 file behind a URL", "needs": program.needs, "suffix": program.suffix, "program": program}
        members |= {action: staticmethod(getattr(program, action)) for action in ("look", "list", "read") if hasattr(program, action)}
        yield type(f"{program.__name__}_elsewhere", (Elsewhere,), members)


PROGRAMS += elsewhere([h5py, pynwb, h5netcdf, xarray, xarray_netcdf4, netcdf4, pytables, h5ls, h5dump, h5stat])


def act(name, action, path):
    """One action of a program in this interpreter: True, or what went wrong."""
    program = next(p for p in PROGRAMS if p.__name__ == name)
    try:
        answer = getattr(program, action)(path)
        if action == "list":
            assert "x" in answer, answer
        elif action == "read":
            assert [list(map(float, row)) for row in answer] == VALUES, answer
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:300]
    return True


def stored(name, path):
    """Is what the program made a store with its values, as zarr-python sees it?"""
    program = next(p for p in PROGRAMS if p.__name__ == name)
    try:
        values = program.stored(zarr_python.opened(path)[0])
        return [list(map(float, row)) for row in values] == VALUES
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:300]


class Trial:
    """`user` has the plugin's path alone, `creator` the variable too; `convert` makes a store of a native file."""

    def __init__(self, directory, user, creator, convert):
        self.directory, self.user, self.creator, self.convert = pathlib.Path(directory), user, creator, convert
        self.why = {}

    def places(self, program):
        return {"directory": str(self.directory / f"{program.__name__}.zarr"), "file": str(self.directory / f"{program.__name__}{program.suffix}")}

    def cells(self, program):
        """{action: "yes", "one file", "directory", "no" or "-"}"""
        works = {action: {} for action in ACTIONS}
        if program.table in ("foreign", "elsewhere"):
            return self.of_others(program) if program.table == "foreign" else self.behind_a_url(program)
        for kind, path in self.places(program).items():
            found = self.of_hdf5(program, path) if program.table == "hdf5" else self.of_zarr(program, path)
            for action, answer in found.items():
                works[action][kind] = answer is True
                if answer is not True:
                    self.why[program.name, action, kind] = answer
        return {action: word(kinds) for action, kinds in works.items()}

    def tried(self, program, path):
        names = {"open": "look", "list": "list", "read": "read"}
        runner = self.creator if program.with_variable else self.user
        return {action: runner.run(act, program.__name__, name, path) for action, name in names.items() if hasattr(program, name)}

    def of_hdf5(self, program, path):
        native, made = str(self.directory / f"{program.__name__}.native"), path.replace(program.__name__, program.__name__ + "-made")
        self.user.run(program.native if issubclass(program, Tool) else program.make, native)
        self.convert(native, path, self.user.environment)
        found = self.tried(program, path)
        if program.writes and hasattr(program, "make"):
            done = self.creator.run(act, program.__name__, "make", made)
            found["write"] = done if done is not True else self.stored(program, made)
        return found

    def stored(self, program, path):
        return self.user.run(stored, program.__name__, path)

    def of_zarr(self, program, path):
        self.creator.run(h5py.make, path)
        found = self.tried(program, path)
        if hasattr(program, "write"):
            done = self.user.run(act, program.__name__, "write", path)
            found["write"] = done if done is not True else bool((self.user.run(h5py.read, path) == array() + 1).all())
        return found


    def of_others(self, program):
        """As directories and through doorways, in each format; nothing is written."""
        works = {action: {} for action in ACTIONS}
        for zarr_format in program.formats:
            directory = str(self.directory / f"{program.__name__}-{zarr_format}.zarr")
            self.user.run(program.writer, directory, zarr_format)
            for kind, path in {"directory": directory, "file": doorway(directory)}.items():
                for action, answer in self.tried(program, path).items():
                    works[action][kind] = works[action].get(kind, True) and answer is True
                    if answer is not True:
                        self.why[program.name, action, kind, zarr_format] = answer
        return {action: word(kinds) for action, kinds in works.items()}

    def behind_a_url(self, program):
        from file_server import FileServer

        file = self.directory / f"{program.__name__}{program.suffix}"
        self.user.run(program.program.native if issubclass(program.program, Tool) else program.program.make, str(file))
        server, works = FileServer(self.directory), {action: {} for action in ACTIONS}
        try:
            url = f"{server.url}/{file.name}"
            for kind, path in {"URL": url, "doorway": doorway(url, str(file.with_suffix(".door")))}.items():
                for action, answer in self.tried(program, path).items():
                    works[action][kind] = answer is True
                    if answer is not True:
                        self.why[program.name, action, kind] = answer
        finally:
            server.stop()
        return {action: word(kinds) for action, kinds in works.items()}


def word(kinds):
    if not kinds:
        return "-"
    good = [kind for kind, works in kinds.items() if works]
    return "yes" if len(good) == len(kinds) else {"file": "one file"}.get(good[0], good[0]) if good else "no"


# ---- the page ----


def table_of(text, table, columns):
    """{name: {column: cell}} of a table of the page."""
    lines = re.search(rf"<!-- {table}: filled.*?-->\n(.*?)<!-- {table}: end -->", text, re.S)[1].strip().splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]
    return {name: dict(zip(columns, rest, strict=True)) for name, *rest in cells}


def rows():
    """{name: {action: cell}} of the page."""
    text = PAGE.read_text()
    return {name: cells for table in ("hdf5", "zarr", "foreign", "elsewhere") for name, cells in table_of(text, table, ACTIONS).items()}


def put_table(table, columns, programs, known):
    """Writes a table into the page; rows of programs of other environments stay."""
    text = PAGE.read_text()
    known = {**table_of(text, table, columns), **known}
    lines = ["| " + " | ".join(["program", *columns]) + " |", "|---" * (1 + len(columns)) + "|"]
    lines += ["| " + " | ".join([p.name, *(known[p.name][column] for column in columns)]) + " |" for p in programs if p.name in known]
    begin, end = f"<!-- {table}: filled by tools/programs.sh -->\n", f"<!-- {table}: end -->"
    before, rest = text.split(begin)
    PAGE.write_text(before + begin + "\n" + "\n".join(lines) + "\n\n" + end + rest.split(end, 1)[1])


def put(found):
    for table in ("hdf5", "zarr", "foreign", "elsewhere"):
        programs = [program for program in PROGRAMS if program.table == table]
        put_table(table, ACTIONS, programs, {p.name: found[p.name] for p in programs if p.name in found})


def interpreters(**more):
    from interpreter import Interpreter
    from places import with_connector

    plain = {key: value for key, value in os.environ.items() if key != "HDF5_VOL_CONNECTOR"}
    plain["VOL_ZARR_DOORWAYS"] = "anywhere"  # to this machine, where the tests' server is
    return Interpreter({**plain, **more}), Interpreter(with_connector("zarr create=*.zarr,*.zip,*.h5:file,*.h5ad:file,*.nc:file,*.nwb:file", **more))


def doorway(store, path=None):
    from places import COMMAND

    path = path or store.replace(".zarr", ".door")
    subprocess.run([COMMAND, "door", store, path], check=True, capture_output=True, timeout=60)
    return path


def convert(native, store, environment):
    from places import COMMAND

    kind = {"zarr": "directory", "zip": "zip"}.get(store.rsplit(".", 1)[1], "file")
    command = [COMMAND, "convert", f"--container={kind}", "--hdf5", os.environ["VZ_HDF5"] + "/lib/libhdf5.so", native, store]
    subprocess.run(command, check=True, capture_output=True, timeout=60, env=environment)


def main():
    import program_places

    with program_places.trial() as trial:
        found = {program.name: trial.cells(program) for program in PROGRAMS if program.here()}
        places = {program.name: program_places.cells(trial, program) for program in program_places.programs_here()}
    for where, why in trial.why.items():
        print(f"{', '.join(map(str, where))}: {why}", file=sys.stderr)
    if sys.argv[1:] == ["--write"]:
        put(found)
        program_places.put(places)
    else:
        print(json.dumps([found, places], indent=1))


if __name__ == "__main__":
    # Interpreters import this file by its name.
    import programs

    programs.main()
