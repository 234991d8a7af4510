"""The rows of the benchmark, as data."""

from dataclasses import dataclass, field, replace

ARRAY_PEERS = ("native", "native C", "vol", "vol C", "zarr", "fused", "zarrs", "tensorstore")
DIRECT = ("native direct", "vol direct")
FLOORS = ("floor", "floor codec")
SMALL_PEERS = ("native", "native C", "vol", "vol C", "vol file", "zarr")
NEWEST_FORM = ("native latest", "native C latest")
PYTHON_PEERS = ("native", "vol", "zarr", "fused", "zarrs")
DEFAULT_PEERS = ("native", "native C", "vol", "vol C")
CELLS = ("native anndata", "vol anndata", "vol file anndata", "anndata zarr")
DISK_PEERS = ("native", "vol", "vol file", "zarr")
NWB = ("native nwb", "vol nwb", "hdmf-zarr")
EDGES = {"4 MiB": 1024, "1 MiB": 512, "64 KiB": 128}
CODECS = {"none": ("none", 0), "blosc": ("blosc", 1), "zstd": ("zstd", 0), "gzip": ("gzip", 0), "blosc without shuffle": ("blosc", 0),
          "shuffle + zstd": ("zstd", 1), "shuffle + gzip": ("gzip", 1)}

# How large rows are at each size. side: of an array of float32; cells: of the AnnData object.
SIZES = {
    "tiny": {"side": 1024, "tree": 3, "nodes": 5, "stores": 3, "append": 20, "cells": 500, "texts": 1000, "attributes": 50, "objects": 30, "many": 200, "chunks": 20,
             "recording": 20_000, "series": 5, "grid": 10},
    "quick": {"side": 4096, "tree": 10, "nodes": 30, "stores": 50, "append": 500, "cells": 5000, "texts": 100_000, "attributes": 2000, "objects": 1000, "many": 20_000, "chunks": 500,
              "recording": 200_000, "series": 50, "grid": 1000},
    "normal": {"side": 8192, "tree": 30, "nodes": 100, "stores": 300, "append": 2000, "cells": 50_000, "texts": 1_000_000,
               "attributes": 10_000, "objects": 10_000, "many": 100_000, "chunks": 2000,
               "recording": 8_388_608, "series": 500, "grid": 1000},
}
SIZES["full"] = {**SIZES["normal"], "side": 16384}  # arrays of 1 GiB beside those of 256 MiB
DEFAULTS = {"codec": "none", "shuffle": 0, "direct": False, "libver": None}  # libver: what HDF5 makes unasked


@dataclass(frozen=True)
class Row:
    section: str
    name: str
    operation: str
    peers: tuple
    job: dict = field(default_factory=dict)
    make: str = ""  # the operation that makes what is read; without one the row writes
    check: tuple = ()  # the operations by which judges read what was written
    options: str = ""  # of the connector
    quick: bool = False
    own_codec: bool = False  # who is asked for no codec takes its own
    alone: bool = False  # a process is started for each figure, not forked
    floor: dict = field(default_factory=dict)  # goes into the floor's job
    like: str = ""  # the peer whose store the floor of a row that writes writes once more

    @property
    def title(self):
        return f"{self.section}: {self.name}"


def whole_arrays(size, section):
    side = SIZES[size]["side"]
    for codec, (name, shuffle) in CODECS.items():
        for chunk, edge in EDGES.items():
            job = {"shape": [side, side], "chunk": [edge, edge], "codec": name, "shuffle": shuffle}
            peers = tuple(p for p in ARRAY_PEERS if p != "tensorstore" or not shuffle or name == "blosc")  # it has no filters
            floors = FLOORS if name != "none" else FLOORS[:1]
            quick = (codec, chunk) in (("none", "4 MiB"), ("blosc", "64 KiB"))
            yield Row(section, f"read, {codec}, {chunk}", "array_read", peers + DIRECT + floors, job, make="array_write", quick=quick)
            quick = (codec, chunk) in (("none", "64 KiB"), ("zstd", "4 MiB"))
            yield Row(section, f"write, {codec}, {chunk}", "array_write", peers + floors, job, check=("array_read",), quick=quick)
    for chunk in "4 MiB", "64 KiB":
        job = {"shape": [side, side], "chunk": [EDGES[chunk], EDGES[chunk]]}
        yield Row(section, f"write, whatever codec is the default, {chunk}", "array_write", (*DEFAULT_PEERS, "floor"), job, check=("array_read",),
                  own_codec=True, floor={"codec": "blosc", "shuffle": 1})
    for codec in "none", "zstd":
        job = {"shape": [side, side // 2], "chunk": [side, side // 2], "codec": codec, "shuffle": 0}
        yield Row(section, f"read, {codec}, one chunk", "array_read", ARRAY_PEERS + FLOORS[:1], job, make="array_write")
        yield Row(section, f"write, {codec}, one chunk", "array_write", ARRAY_PEERS + FLOORS[:1], job, check=("array_read",))


def parts(size):
    side = SIZES[size]["side"]
    square = {"shape": [side, side], "chunk": [512, 512], "codec": "blosc", "shuffle": 1}
    cells = {"shape": [side * 5 // 1000 * 1000, 2000], "chunk": [200, 2000], "codec": "blosc", "shuffle": 1}
    python = tuple(p for p in ARRAY_PEERS if not p.endswith(" C"))
    for kind, count, job in ("slabs", 20, square), ("column", 1, square), ("rows", 200, cells), ("boxes", 300, square):
        names = {"slabs": "20 slabs across chunks", "column": "a column", "rows": "200 random rows, one by one",
                 "boxes": "300 boxes of 100 x 100"}
        yield Row("Parts of a blosc array", names[kind], "array_boxes", ARRAY_PEERS + FLOORS[:1], {**job, "kind": kind, "count": count},
                  make="array_write", quick=kind == "rows")
    yield Row("Parts of a blosc array", "256 sorted rows at once", "array_fancy", python + FLOORS[:1], {**cells, "count": 256}, make="array_write")
    multi = {"shape": [side // 4, side // 4], "chunk": [256, 256], "codec": "blosc", "shuffle": 1, "sets": 10}
    for single in 0, 1:
        name = "10 datasets, one by one" if single else "10 datasets by `H5Dread_multi`"
        yield Row("Parts of a blosc array", name, "array_multi", ("native C", "vol C", "floor"), {**multi, "single": single}, make="array_write")


def shards(size):
    side = SIZES[size]["side"]
    job = {"shape": [side, side], "chunk": [256, 256], "shards": shard_shape(side), "codec": "zstd", "shuffle": 0}
    peers, options = (*(p for p in ARRAY_PEERS if not p.endswith(" C")), "floor"), "format=3;shards=16M"
    floor = {"layout": "shards"}
    yield Row("Shards of 16 MiB, zstd", "write", "array_write", peers, job, check=("array_read",), options=options, floor=floor)
    yield Row("Shards of 16 MiB, zstd", "read", "array_read", peers, job, make="array_write", floor=floor)
    for kind, count, name in (("boxes", 300, "300 boxes of 100 x 100"), ("rows", 200, "200 rows, one by one"),
                              ("slabs", 20, "20 slabs across chunks")):
        yield Row("Shards of 16 MiB, zstd", name, "array_boxes", peers, {**job, "kind": kind, "count": count}, make="array_write", floor=floor)


def shard_shape(side, chunk=256, chunks=64):
    """As the connector makes them of `shards=16M`: whole trailing dimensions first."""
    across = min(side // chunk, chunks)
    return [chunks // across * chunk, across * chunk]


def zips(size):
    side = SIZES[size]["side"]
    for codec in "none", "blosc":
        job = {"shape": [side, side], "chunk": [512, 512], "codec": codec, "shuffle": int(codec == "blosc"), "zip": True}
        peers, options, floor = ("native", "vol", "zarr", "fused", "floor"), "container=zip", {"layout": "zip"}
        yield Row("In a zip file", f"write, {codec}, 1 MiB", "array_write", peers, job, check=("array_read",), options=options, floor=floor)
        yield Row("In a zip file", f"read, {codec}, 1 MiB", "array_read", peers, job, make="array_write", floor=floor)


def elements(size):
    sizes = SIZES[size]
    csr = {"shape": [sizes["cells"], 2000], "chunk": [262144], "codec": "blosc", "shuffle": 1}
    yield Row("Sparse, compound, text", "CSR, its three arrays", "csr_read", PYTHON_PEERS + FLOORS[:1], csr, make="csr_write", quick=True)
    yield Row("Sparse, compound, text", "CSR, 200 batches of 64 rows", "csr_batches", (*PYTHON_PEERS, "floor"), {**csr, "count": 200},
              make="csr_write")
    many = {"count": sizes["texts"], "codec": "blosc", "shuffle": 1}
    yield Row("Sparse, compound, text", f"write {many['count']:,} compounds", "compounds_write", ("native", "vol", "zarr", "floor"), many,
              check=("compounds_read",), like="zarr")
    yield Row("Sparse, compound, text", f"read {many['count']:,} compounds", "compounds_read", ("native", "vol", "zarr", "floor"), many,
              make="compounds_write")
    many = {"count": sizes["texts"], "codec": "blosc", "shuffle": 1}
    yield Row("Sparse, compound, text", f"write {many['count']:,} texts", "strings_write", (*SMALL_PEERS, "floor"), many,
              check=("strings_read",), quick=True)
    yield Row("Sparse, compound, text", f"read {many['count']:,} texts", "strings_read", (*SMALL_PEERS, "floor"), many,
              make="strings_write")


def small(size):
    sizes = SIZES[size]
    tree = {"groups": sizes["tree"], "nodes": sizes["nodes"]}
    count, section, peers = sizes["tree"] * sizes["nodes"], "Many small things", (*SMALL_PEERS, *NEWEST_FORM, "floor")
    yield Row(section, f"create {count:,} datasets", "tree_create", peers, tree, check=("tree_walk", "tree_read"), quick=True)
    yield Row(section, f"list {count:,} names, five opens", "tree_list", peers, {**tree, "opens": 5}, make="tree_create", quick=True)
    yield Row(section, f"walk {count:,} datasets", "tree_walk", peers, tree, make="tree_create")
    yield Row(section, "the same, `consolidated=use`", "tree_walk", ("native", "vol", "zarr", "floor"), {**tree, "consolidated": True},
              make="tree_create", options="consolidated=use")
    yield Row(section, f"read {count:,} datasets", "tree_read", peers, tree, make="tree_create")
    if size in ("normal", "full"):
        yield Row(section, "list 10,000 groups", "tree_list", (*DEFAULT_PEERS, *NEWEST_FORM, "floor"),
                  {"groups": 10_000, "nodes": 0, "opens": 1}, make="tree_create")
    for opens, name in (1, "open, one attribute"), (100, "the same 100 times"):
        yield Row(section, name, "tree_open", ("native", "native latest", "vol", "zarr", "floor"), {**tree, "opens": opens}, make="tree_create", alone=opens == 1)
    stores = {"count": sizes["stores"]}
    yield Row(section, f"create {sizes['stores']} stores", "stores_create", peers, stores, check=("stores_check",))
    yield Row(section, f"open {sizes['stores']} stores", "stores_open", peers, stores, make="stores_create")
    append = {"count": sizes["append"], "shape": [sizes["append"], 500]}
    yield Row(section, f"append {sizes['append']:,} rows", "rows_append", (*SMALL_PEERS, "floor"), append, check=("array_read",), quick=True)
    attributes = {"count": sizes["attributes"]}
    yield Row(section, f"write {attributes['count']:,} attributes", "attributes_write", peers, attributes, check=("attributes_read",))
    yield Row(section, f"read {attributes['count']:,} attributes", "attributes_read", peers, attributes, make="attributes_write")
    # In a file of HDF5's oldest form the time of attributes grows with the square of their number: seven minutes for 100,000.
    many, others = {"count": sizes["many"]}, tuple(p for p in peers if p not in ("native", "native C"))
    yield Row(section, f"write {many['count']:,} attributes", "attributes_write", others, many, check=("attributes_read",))
    yield Row(section, f"read {many['count']:,} attributes", "attributes_read", others, many, make="attributes_write")
    objects, own = {"count": sizes["objects"]}, ("native", "vol", "vol file", "native latest")
    yield Row(section, f"delete {objects['count']:,} groups", "objects_delete", (*own, "zarr"), objects, check=("objects_left",))
    yield Row(section, f"rename {objects['count']:,} groups", "objects_rename", own, objects, check=("objects_left",))
    yield Row(section, f"move {objects['count']:,} groups", "objects_move", own, objects, check=("objects_left",))
    grid = {"shape": [sizes["grid"], 1000], "chunk": [1, 1]}
    yield Row(section, f"the grid of {sizes['grid'] * 1000:,} chunks", "array_grid", ("native C", "vol C", "floor"), grid)


def disk(size):
    """On a real disk. `cold`: the system has forgotten the bytes of what is read; synced: all of it is on the disk at the end, where a peer
    can be asked for that."""
    sizes, section = SIZES[size], "On a real disk"
    tree = {"groups": sizes["tree"], "nodes": sizes["nodes"], "disk": True}
    count, check = sizes["tree"] * sizes["nodes"], ("tree_walk", "tree_read")
    yield Row(section, f"create {count:,} datasets", "tree_create", DISK_PEERS, tree, check=check)
    yield Row(section, f"create {count:,} datasets, synced", "tree_create", DISK_PEERS[:3], {**tree, "sync": True}, check=check, options="sync=1")
    yield Row(section, f"walk {count:,} datasets", "tree_walk", DISK_PEERS, tree, make="tree_create")
    yield Row(section, f"walk {count:,} datasets, cold", "tree_walk", DISK_PEERS, {**tree, "cold": True}, make="tree_create")
    stores = {"count": sizes["stores"], "disk": True}
    yield Row(section, f"create {sizes['stores']} stores", "stores_create", DISK_PEERS, stores, check=("stores_check",))
    side = sizes["side"]
    array = {"shape": [side, side], "chunk": [1024, 1024], "codec": "zstd", "shuffle": 0, "disk": True}
    peers = (*DISK_PEERS, "tensorstore")
    yield Row(section, "write, zstd, 4 MiB", "array_write", peers, array, check=("array_read",))
    yield Row(section, "write, zstd, 4 MiB, synced", "array_write", ("native", "vol", "vol file", "tensorstore"), {**array, "sync": True},
              check=("array_read",), options="sync=1")
    yield Row(section, "read, zstd, 4 MiB", "array_read", peers, array, make="array_write")
    yield Row(section, "read, zstd, 4 MiB, cold", "array_read", peers, {**array, "cold": True}, make="array_write")
    few = {"shape": [sizes["chunks"], 1024], "chunk": [1, 1024], "disk": True}
    for options, name in ("", ""), ("format=3;shards=4M", ", in shards of 4 MiB"):
        yield Row(section, f"write {sizes['chunks']:,} chunks of 4 KiB{name}", "array_write", peers if not options else ("native", "vol"), few,
                  check=("array_read",), options=options)
    cells = {"shape": (sizes["cells"], 2000), "dense": False, "disk": True}
    what = f"{sizes['cells']:,} x 2,000 sparse"
    yield Row(section, f"write, {what}", "cells_write", CELLS, cells, check=("cells_read",))
    yield Row(section, f"read, {what}, cold", "cells_read", CELLS, {**cells, "cold": True}, make="cells_write")


def programs(size):
    sizes = SIZES[size]
    small, large = sizes["cells"], 2 * sizes["cells"]
    for shape, kind in ((700, 765), "real"), ((small, 2000), "sparse"), ((large, 2000), "sparse"), ((large, 2000), "dense"):
        what = f"{shape[0]:,} x {shape[1]:,} {kind}"
        job = {"shape": shape, "dense": kind != "sparse", **({"real": True} if kind == "real" else {})}
        yield Row("AnnData", f"write, {what}", "cells_write", CELLS + FLOORS[:1], job, check=("cells_read",), like="vol anndata")
        yield Row("AnnData", f"read, {what}", "cells_read", CELLS + FLOORS[:1], job, make="cells_write", quick=kind == "real")
        if kind != "real" and (kind, shape[0]) != ("sparse", large):
            both = {**job, "filtered": 1}
            yield Row("AnnData", f"read, {what}, both compressed", "cells_read", CELLS[:2] + FLOORS[:1], both, make="cells_write")
            yield Row("AnnData", f"open backed, {what}", "cells_backed", CELLS[:3] + FLOORS[:1], job, make="cells_write", floor={"without": "X"})
            yield Row("AnnData", f"2,000 random rows, {what}", "cells_rows", CELLS[:2] + FLOORS[:1], {**job, "count": 2000}, make="cells_write")
            yield Row("AnnData", f"2,000 random rows, {what}, both compressed", "cells_rows", CELLS[:2] + FLOORS[:1], {**both, "count": 2000},
                      make="cells_write")
    for recording in 0, 1:
        count = sizes["recording" if recording else "series"]
        what = f"a recording of {count * 128 / 2**20:,.0f} MiB" if recording else f"{count} series"
        job = {"recording": recording, "count": count}
        options = "compress=none" if recording else ""
        yield Row("NWB by pynwb", f"write {what}", "nwb_write", NWB + FLOORS[:1], job, check=("nwb_read",), options=options, like="vol nwb")
        yield Row("NWB by pynwb", f"read {what}", "nwb_read", NWB + FLOORS[:1], job, make="nwb_write")


def rows(size):
    """Of a size; `full` has whole arrays of both sizes."""
    found = [*whole_arrays("normal" if size == "full" else size, "Whole arrays")]
    if size == "full":
        found += whole_arrays("full", "Whole arrays of 1 GiB")
    for each in parts, shards, zips, elements, small, programs, disk:
        found += each(size)
    return [same_codec(row) for row in found if size != "quick" or row.quick]


def same_codec(row):
    """The connector compresses what asks for no filter, as zarr-python does; here nobody else would."""
    writes, codec = not row.make, row.job.get("codec", DEFAULTS["codec"])
    if not writes or codec != "none" or row.own_codec or row.operation in ("cells_write", "nwb_write"):
        return row
    return replace(row, options=";".join(filter(None, (row.options, "compress=none"))))
