"""Elements of HDF5 files on a web server, by random selections, memory types and shapes, against the file on the disk that HDF5 reads: what our
workers decode, and what is left to HDF5."""

import h5py
import numpy as np
import pytest

from file_server import FileServer

RNG = np.random.default_rng(8)
SHAPE, CHUNKS = (61, 47), (8, 10)
DTYPES = ["i1", "<u2", ">i4", "<i8", ">f4", "<f8", "<f2", "S5", "V3", [("a", "<i2"), ("b", ">f8", (2,)), ("c", "S3")]]
PIPELINES = {"gzip": {"compression": "gzip"}, "shuffled": {"compression": "gzip", "shuffle": True}, "summed": {"shuffle": True, "fletcher32": True},
             "all": {"compression": "gzip", "shuffle": True, "fletcher32": True}, "shuffle alone": {"shuffle": True}, "lzf": {"compression": "lzf"},
             "none": {}}
try:
    import hdf5plugin  # noqa: F401

    PIPELINES |= {"blosc": {"compression": 32001, "compression_opts": (0, 0, 0, 0, 5, 1, 1)}, "zstd": {"compression": 32015, "compression_opts": (3,)},
                  "bzip2": {"compression": 307, "compression_opts": (9,)}, "lz4": {"compression": 32004, "compression_opts": (0,)},
                  "zstd and a sum": {"compression": 32015, "compression_opts": (3,), "shuffle": True, "fletcher32": True}}
except ImportError:
    pass


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    running = FileServer(tmp_path_factory.mktemp("served"))
    yield running
    running.stop()


def random_values(dtype, shape):
    raw = RNG.integers(0, 3, (*shape, np.dtype(dtype).itemsize), dtype="u1")
    if np.dtype(dtype).kind == "f":
        return RNG.normal(scale=100, size=shape).round().astype(dtype)
    return raw.view(dtype)[..., 0] if np.dtype(dtype).kind != "S" else RNG.integers(0, 99999, shape).astype(dtype)


def dcpl_of(more):
    dcpl = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    dcpl.set_chunk(CHUNKS)
    if more.get("shuffle"):
        dcpl.set_shuffle()
    if more.get("compression") == "gzip":
        dcpl.set_deflate(4)
    elif more.get("compression") == "lzf":
        dcpl.set_filter(h5py.h5z.FILTER_LZF, h5py.h5z.FLAG_OPTIONAL)
    elif "compression" in more:
        dcpl.set_filter(more["compression"], h5py.h5z.FLAG_OPTIONAL, more["compression_opts"])
    if more.get("fletcher32"):
        dcpl.set_fletcher32()
    return dcpl


def make(f, name, dtype, dcpl, values, part=()):
    kind = h5py.h5t.py_create(np.dtype(dtype), logical=True)
    dataset = h5py.Dataset(h5py.h5d.create(f.id, name.encode(), kind, h5py.h5s.create_simple(values.shape), dcpl))
    dataset[part] = values[part]
    return dataset


@pytest.fixture(scope="module")
def files(server):
    """(on the server, on the disk), open."""
    path = server.root / "x.h5"
    with h5py.File(path, "w") as f:
        for pipeline, more in PIPELINES.items():
            for i, dtype in enumerate(DTYPES):
                make(f, f"{pipeline} {i}", dtype, dcpl_of(more), random_values(dtype, SHAPE))
        make_special(f)
        f["large"] = np.zeros(9 << 20, "u1")  # more than is read as a whole
    with h5py.File(f"{server.url}/x.h5") as got, h5py.File(path) as wanted:
        yield got, wanted


def make_special(f):
    """Chunks that did not pass all filters, that nobody wrote, that are not filtered at the edges, and values for them."""
    values = random_values("<i4", SHAPE)
    masked = make(f, "masked", "<i4", dcpl_of(PIPELINES["shuffled"]), values)
    masked.id.write_direct_chunk((8, 10), np.ascontiguousarray(values[8:16, 10:20]).tobytes(), filter_mask=3)
    for fill in None, 7:
        dcpl = dcpl_of(PIPELINES["all"])
        if fill:
            dcpl.set_fill_value(np.array(fill, "<i4"))
        make(f, f"sparse {fill}", "<i4", dcpl, values, np.s_[20:40, 3:30])
    never = dcpl_of(PIPELINES["all"])
    never.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
    make(f, "never", "<i4", never, values, np.s_[20:40, 3:30])
    f.create_dataset("texts", data=np.array([str(i) * (i % 7) for i in range(300)], dtype=object), dtype=h5py.string_dtype(), chunks=(20,), compression="gzip")
    f.create_dataset("references", data=[f["masked"].ref, f["never"].ref] * 50, dtype=h5py.ref_dtype, chunks=(9,), compression="gzip")
    f.create_dataset("enum", data=RNG.integers(0, 2, SHAPE), dtype=h5py.enum_dtype({"A": 0, "B": 1}, "i2"), chunks=CHUNKS, compression="gzip")
    f.create_dataset("complex", data=RNG.normal(size=SHAPE) * 1j, chunks=CHUNKS, compression="gzip")
    f.create_dataset("cube", data=RNG.integers(0, 99, (9, 8, 7, 6)), chunks=(2, 3, 4, 5), compression="gzip", maxshape=(None, 8, None, 6))


# ---- random dataspaces ----


def random_slab(shape):
    start, count, stride, block = [], [], [], []
    for n in shape:
        b = int(RNG.integers(1, 4))
        s = int(RNG.integers(b, b + 5))
        first = int(RNG.integers(0, n - b + 1))
        start.append(first)
        stride.append(s)
        block.append(b)
        count.append(int(RNG.integers(1, (n - b - first) // s + 2)))
    return tuple(start), tuple(count), tuple(stride), tuple(block)


def random_space(shape):
    space = h5py.h5s.create_simple(shape)
    how = RNG.integers(0, 4)
    if how == 1:
        space.select_hyperslab(*random_slab(shape))
    elif how == 2:
        space.select_hyperslab(*random_slab(shape))
        for op in RNG.choice([h5py.h5s.SELECT_OR, h5py.h5s.SELECT_XOR], 2):
            space.select_hyperslab(*random_slab(shape), op=int(op))
    elif how == 3:
        space.select_elements(np.stack([RNG.integers(0, n, 40) for n in shape], axis=1))
    return space


def memory_for(count):
    """A dataspace with so many elements selected: all of it, or with gaps."""
    if RNG.random() < 0.5:
        return h5py.h5s.create_simple((count,))
    space = h5py.h5s.create_simple((2 * count + 3,))
    space.select_hyperslab((1,), (count,), (2,))
    return space


NUMBERS = ["<i4", ">i8", "<f4", "<f8", "u1"]


def transfers(dataset):
    for _ in range(6):
        space = random_space(dataset.shape)
        count = space.get_select_npoints()
        if count:
            is_number = dataset.dtype.kind in "iuf" and h5py.check_enum_dtype(dataset.dtype) is None
            dtype = np.dtype(RNG.choice(NUMBERS)) if is_number and RNG.random() < 0.4 else dataset.dtype
            yield space, memory_for(count), dtype


def read(dataset, space, memory, dtype):
    into = np.frombuffer(bytes([99]) * (memory.shape[0] * dtype.itemsize), dtype).copy()
    dataset.id.read(memory, space, into)
    return into


def names_of(f):
    return [name for name in f if name not in ("large", "texts", "references")]


def test_random_elements(files):
    got, wanted = files
    count = 0
    for name in names_of(wanted):
        for transfer in transfers(wanted[name]):
            a, b = read(got[name], *transfer), read(wanted[name], *transfer)
            assert a.tobytes() == b.tobytes(), (name, transfer[2], list(transfer[0].get_select_bounds()))
            count += 1
    assert count > 400


def test_whole_datasets(files):
    got, wanted = files
    for name in names_of(wanted):
        assert got[name][...].tobytes() == wanted[name][...].tobytes(), name
    assert list(got["texts"]) == list(wanted["texts"])
    assert [got[r].name for r in got["references"]] == [wanted[r].name for r in wanted["references"]]


def test_rows(files):
    got, wanted = files
    for i in range(SHAPE[0]):
        np.testing.assert_array_equal(got["all 3"][i], wanted["all 3"][i])


def test_several_at_once(files):
    """H5Dread_multi, and a transform of the program's."""
    got, wanted = files
    dxpl = h5py.h5p.create(h5py.h5p.DATASET_XFER)
    if hasattr(dxpl, "set_data_transform"):
        dxpl.set_data_transform("2 * x")
    for name in "all 3", "gzip 5":
        into = [np.zeros(SHAPE, wanted[name].dtype) for _ in range(2)]
        for each, f in zip(into, files):
            f[name].id.read(h5py.h5s.ALL, h5py.h5s.ALL, each, dxpl=dxpl)
        assert into[0].tobytes() == into[1].tobytes()


def test_damaged_chunk(server):
    """An error where HDF5 has one."""
    data = RNG.integers(0, 1 << 60, (200, 200))
    with h5py.File(server.root / "damaged.h5", "w") as f:
        x = f.create_dataset("x", data=data, chunks=(50, 50), compression="gzip", fletcher32=True)
        place = x.id.get_chunk_info(5)
    with open(server.root / "damaged.h5", "r+b") as file:
        file.seek(place.byte_offset + place.size // 2)
        byte = file.read(1)
        file.seek(-1, 1)
        file.write(bytes([byte[0] ^ 255]))
    for name in server.root / "damaged.h5", f"{server.url}/damaged.h5":
        with h5py.File(name) as f:
            with pytest.raises(OSError):
                f["x"][...]
            np.testing.assert_array_equal(f["x"][150:, 150:], data[150:, 150:])


def test_scattered_points(server):
    """Chunks of elements that lie far apart come together, once it is known where they are."""
    data = RNG.integers(0, 1 << 40, (2000, 1000))
    with h5py.File(server.root / "points.h5", "w") as f:
        f.create_dataset("x", data=data, chunks=(100, 50), compression="gzip", shuffle=True)
    points = np.stack([RNG.permutation(2000)[:60], RNG.permutation(1000)[:60]], axis=1)
    with h5py.File(f"{server.url}/points.h5") as f:
        space, into = f["x"].id.get_space(), np.zeros(60, data.dtype)
        f["x"][0, :60]
        space.select_elements(points)
        server.clear(together=80)
        f["x"].id.read(h5py.h5s.create_simple((60,)), space, into)
        assert server.rounds() <= 2, server.log
    np.testing.assert_array_equal(into, data[points[:, 0], points[:, 1]])
