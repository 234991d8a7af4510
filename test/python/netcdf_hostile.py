"""Stores of which what is said of dimensions is wrong, too much, or meant to mislead. CASES has a function for each that gives {key: document}.

Format 3 unless the function says otherwise. Each array has the values 0, 1, 2 ... in one chunk without codecs.
"""

import json
import struct

CASES = {}

MILLION = 1_000_000
MANY = 200  # arrays of a group; how cost grows with them is judged by test/bench/counts/steady.py


def case(function):
    CASES[function.__name__] = function
    return function


def cases(**values):
    """A function of one value becomes a case for each of them. A large value is a function that makes it."""

    def of(function):
        for name, value in values.items():
            CASES[f"{function.__name__}_{name}"] = lambda value=value: function(value() if callable(value) else value)
        return function

    return of


class Store(dict):
    """{key: bytes}."""

    def __init__(self, zarr_format=3, attributes=None):
        super().__init__()
        self.zarr_format = zarr_format
        self.group("", attributes)

    def group(self, path, attributes=None):
        if self.zarr_format == 3:
            self.put(path, "zarr.json", {"zarr_format": 3, "node_type": "group", "attributes": attributes or {}})
        else:
            self.put(path, ".zgroup", {"zarr_format": 2})
            self.put(path, ".zattrs", attributes or {})
        return self

    def put(self, path, name, document):
        self[f"{path}/{name}" if path else name] = document.encode() if isinstance(document, str) else json.dumps(document).encode()

    def array(self, path, shape, names=..., attributes=None, dtype="i4", **more):
        shape = list(shape)
        chunks = [min(max(1, n), 64) for n in shape]
        if self.zarr_format == 3:
            document = {"zarr_format": 3, "node_type": "array", "shape": shape, "data_type": {"i4": "int32", "f4": "float32", "i1": "int8"}[dtype],
                        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": chunks}}, "fill_value": 0, "attributes": attributes or {},
                        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}}, "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}]}
            if names is not ...:
                document["dimension_names"] = names
            self.put(path, "zarr.json", {**document, **more})
            key = "/".join(["c", *["0"] * len(shape)])
        else:
            attributes = {**({"_ARRAY_DIMENSIONS": names} if names is not ... else {}), **(attributes or {})}
            self.put(path, ".zarray", {"zarr_format": 2, "shape": shape, "chunks": chunks, "dtype": "<" + dtype if dtype != "i1" else "|i1", "compressor": None,
                                       "fill_value": None, "filters": None, "order": "C", **more})
            self.put(path, ".zattrs", attributes)
            key = ".".join(["0"] * len(shape)) or "0"
        count = 1
        for n in chunks:
            count *= n
        self[f"{path}/{key}"] = struct.pack(f"<{count}{ {'i4': 'i', 'f4': 'f', 'i1': 'b'}[dtype] }", *(range(count) if dtype != "i1" else (i % 100 for i in range(count))))
        return self


# ---- names that are none ----

NO_NAMES = {"number": 5, "text": "x", "object": {"0": "x"}, "true": True, "null": None, "numbers": [1, 2], "lists": [["y"], ["x"]], "objects": [{}, {"name": "x"}],
            "too_few": ["x"], "too_many": ["x", "y", "z"], "none": [], "nulls": [None, None], "half": [None, "x"], "empty": ["", ""], "slash": ["a/b", "/"],
            "dots": [".", "x"], "above": ["..", "../.."], "nul": ["x\0", "\0"], "nul_inside": ["a\0b", "a"], "surrogate": ["\ud800", "\udfff"],
            "very_long": ["x" * 1_000_000, "y"], "million": lambda: ["x"] * MILLION, "of_scalar": ["_scalar_", "_scalar_"], "phantom": [
                "This is a netCDF dimension but not a netCDF variable.         3", "This is a netCDF dimension but not a netCDF variable."],
            "bookkeeping": ["DIMENSION_LIST", "CLASS"], "keys": ["zarr.json", "c"], "documents": [".zarray", ".zattrs"], "percent": ["%2F", "%empty"], "hidden": ["_nc4_non_coord_", "_nc4_non_coord_a"]}


@cases(**NO_NAMES)
def names_v3(names):
    return Store().array("a", (2, 3), names).array("b", (3,), ["x"])


@cases(**NO_NAMES)
def names_v2(names):
    return Store(2).array("a", (2, 3), names).array("b", (3,), ["x"])


# ---- names that contradict each other ----


@case
def two_lengths_in_one_array():
    return Store().array("a", (2, 3), ["x", "x"]).array("x", (2,), ["x"])


@case
def two_lengths_in_a_group():
    return Store().array("a", (2,), ["x"]).array("b", (3,), ["x"])


@case
def variables_in_a_circle():
    return Store().array("x", (2,), ["y"]).array("y", (2,), ["z"]).array("z", (2,), ["x"])


@case
def its_own_dimension_twice():
    return Store().array("x", (2, 2), ["x", "x"]).array("y", (2,), ["x"])


@case
def as_netcdf_would_show_it():
    """`c` is shown as `_nc4_non_coord_c`, a name that is taken."""
    return Store().array("c", (2,), ["x"]).array("_nc4_non_coord_c", (2,), ["x"]).array("d", (3,), ["c"])


@case
def not_understood_of_the_name():
    """The array that has the name of a dimension says no shape; another would be shown beside it."""
    store = Store().array("_nc4_non_coord_c", (2,), ["x"]).array("d", (3,), ["c"])
    store.put("c", "zarr.json", {"node_type": "array"})
    return store


@case
def prefix_alone():
    return Store().array("_nc4_non_coord_", (2,), ["_nc4_non_coord_"]).array("_nc4_non_coord__nc4_non_coord_", (2,), ["_nc4_non_coord_"])


@case
def a_group_of_the_name():
    return Store().array("a", (2,), ["g"]).group("g").array("g/a", (2,), ["a"])


@case
def a_scale_above_of_another_length():
    return Store().array("x", (2,), ["x"]).group("g").array("g/a", (3,), ["x"]).group("g/h").array("g/h/b", (2,), ["x"])


@case
def of_every_rank():
    return Store().array("a", [1] * 32, ["x"] * 32).array("x", (1,), ["x"]).array("b", [1] * 33, ["x"] * 33)


@case
def endless():
    """Lengths that nobody can count; nothing is stored."""
    store = Store().array("a", (2**62, 2**63 - 1), ["y", "x"]).array("b", (2**62,), ["y"])
    return store


# ---- many ----


@case
def many_arrays_of_one_dimension():
    store = Store()
    for i in range(MANY):
        store.array(f"a{i}", (2, 3), ["y", "x"])
    return store


@case
def many_dimensions():
    store = Store()
    for i in range(MANY):
        store.array(f"a{i}", (2, 3), [f"y{i}", f"x{i}"])
    return store


@case
def deep():
    """Each group has to look for its dimension in all those above."""
    store, path = Store(), ""
    for i in range(100):
        path = f"{path}/g" if path else "g"
        store.group(path).array(f"{path}/a", (i + 1,), ["x"])
    return store


# ---- NCZarr ----

REFERENCES = {"number": 7, "text": "/x", "object": {}, "null": None, "none": [], "too_few": ["/x"], "too_many": ["/y", "/x", "/x"], "numbers": [1, 2], "no_slash": ["y", "x"], "end": ["/y/", "/"],
              "nul": ["/y\0", "/x"], "circle": ["/a", "/a"], "elsewhere": ["/nowhere/y", "/../../x"], "million": lambda: ["/x"] * MILLION, "deep": ["/g" * 100_000, "/x"]}


@cases(**REFERENCES)
def nczarr_references(references):
    return Store(2, {"_nczarr_superblock": {"version": "2.0.0"}, "_nczarr_group": {"dimensions": {"y": 2, "x": 3}}}).array(
        "a", (2, 3), attributes={"_nczarr_array": {"dimension_references": references}}).array("b", (3,), ["x"])


@cases(**REFERENCES)
def nczarr_references_of_old(references):
    return Store(2).array("a", (2, 3), _NCZARR_ARRAY={"dimrefs": references}).array("b", (3,), ["x"])


@cases(number=3, text="x", none={}, list=[["x", 3]], lengths={"x": -1, "y": 1.5, "z": "3", "w": None, "v": [], "u": 2**64, "t": 1e300},
       contradiction={"x": 2, "y": 2**63}, objects={"x": {"size": -1}, "y": {"size": {"size": 1}}, "z": {}}, unlimited={"x": {"size": 3, "unlimited": -1}, "y": {"size": 2, "unlimited": "yes"}},
       names={"": 1, "/": 2, "a/b": 3, ".": 1, "..": 2, "\0": 3, "x": 3}, the_array={"a": 7, "b": 9}, huge={"x": 3, "unused": 2**62, "growing": {"size": 2**62, "unlimited": 1}},
       million=lambda: {f"d{i}": i for i in range(MILLION)})
def nczarr_dimensions(dimensions):
    return Store(2, {"_nczarr_group": {"dimensions": dimensions}}).array("a", (2, 3), ["y", "x"]).array("b", (3,), ["x"])


@cases(number=3, list=["<i4"], kinds={"n": 4, "s": "<i9", "l": "i4", "f": ">f2", "o": "", "e": "|J0"}, ranges={"n": "<u1", "f": "<i2", "big": "<i4", "l": "|i1", "s": "<f8"},
       of_what_is_derived={"DIMENSION_LIST": "<i4", "CLASS": "<i4", "NAME": "<f8", "REFERENCE_LIST": "<u8", "_FillValue": "<i8", "_ARRAY_DIMENSIONS": "<i4"},
       many=lambda: {f"t{i}": "<i4" for i in range(MILLION // 10)})
def nczarr_types(types):
    attributes = {"_nczarr_attr": {"types": types}, "n": -1, "f": 1e300, "big": 2**70, "l": [1, 300, -2], "s": "NaN", "o": {"a": 1}, "e": [], "m": [[1], 2, "x"], "CLASS": 3, "NAME": [1], "_FillValue": [1]}
    return Store(2, attributes).array("x", (3,), ["x"], attributes).array("a", (2, 3), ["y", "x"], attributes)


@cases(zero=0, negative=-1, half=0.5, text="1", long=["1"] * 1000)
def nczarr_scalars(scalar):
    return Store(2).array("a", (1,), ["_scalar_"]).array("b", (2,), ["_scalar_"], {"_nczarr_array": {"scalar": scalar}}).array(
        "c", (1, 1), ["_scalar_", "_scalar_"], {"_nczarr_array": {"scalar": 1}})


# ---- missing values ----

FILLS = {"text": "x", "base64_short": "AAAA", "base64_long": "A" * 400_000, "base64_bad": "!!!!!!!!!!!=", "list": [], "two": [1, 2], "nested": [[1]], "object": {"a": 1}, "null": None,
         "true": True, "too_large": 2**70, "infinite": float("inf"), "word": "NaN", "out_of_range": 300, "half": 0.5, "long": list(range(100_000))}


@cases(**FILLS)
def missing_values(value):
    store = Store()
    for dtype in ("i4", "f4", "i1"):
        store.array("of_" + dtype, (3,), ["x"], {"_FillValue": value}, dtype)
    return store


# ---- attributes of ours, and of scales, in stores of others ----


@case
def scales_by_attributes():
    """What says that it is a scale already, in JSON."""
    attributes = {"CLASS": "DIMENSION_SCALE", "NAME": "y", "DIMENSION_LIST": [["x"]], "REFERENCE_LIST": "x", "_Netcdf4Dimid": -1, "_Netcdf4Coordinates": [7, 8, 9]}
    return Store().array("x", (3,), ["x"], attributes).array("a", (2, 3), ["y", "x"], attributes).array("DIMENSION_LIST", (2,), ["y"], attributes)


@cases(object={}, text="{}", names=json.dumps({"ad": ["z", "z"]}), dimensions=json.dumps({"ds": {"x": 5}, "dn": [["x", 1 << 62]], "ar": {"a": {"ad": ["q"]}, "b": 7}}), arrays=json.dumps({"ar": [1, 2, 3]}))
def annotations(annotation):
    properties = {"_NCProperties": "version=2", "_nc_hdf5": annotation, "_HDF5": annotation}
    return Store(3, properties).array("x", (3,), ["x"], properties).array("a", (2, 3), ["y", "x"], properties)


def write(name, path):
    """The store of a case as a directory, or as a zip file."""
    store = CASES[name]()
    if path.suffix == ".zip":
        import zipfile

        with zipfile.ZipFile(path, "w") as archive:
            for key, data in store.items():
                archive.writestr(key, data)
        return store
    for key, data in store.items():
        where = path / key
        where.parent.mkdir(parents=True, exist_ok=True)
        where.write_bytes(data)
    return store
