"""Creation order of links and attributes, the root's too, is what a native file shows, before and after reopening."""

import h5py

NAMES = "zyxabc"


def fill(path):
    with h5py.File(path, "w", track_order=True) as f:
        for tracked in (f, f.create_group("group", track_order=True)):
            for name in NAMES:
                tracked.create_group(name)
        for tracked in (f, f["group"], f.create_dataset("data", data=1, track_order=True), f.create_group("plain")):
            for name in NAMES:
                tracked.attrs[name] = 1
        return seen(f)


def seen(f):
    return {name: (list(f[name].attrs), list(f[name]) if isinstance(f[name], h5py.Group) else None)
            for name in ("/", "group", "data", "plain")}


def test_creation_order_is_as_native(tmp_path, connector):
    native, store = str(tmp_path / "native.h5"), str(tmp_path / "ours.zarr")
    expected = fill(native)
    assert expected["/"][0] == list(NAMES)
    assert connector.run(fill, store) == expected
    with h5py.File(native) as theirs, h5py.File(store) as ours:
        assert seen(ours) == seen(theirs)
