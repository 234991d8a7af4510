"""Repositories that the installed icechunk writes in this very test: of format version 1 by icechunk 1.1 (Python 3.11), of both by 2.3. It is the
judge of what is read, too. What data/ has of other commits and forms, test_icechunk.py looks at."""

import warnings

import h5py
import numpy as np
import pytest

icechunk = pytest.importorskip("icechunk")

import zarr

VERSIONS = [1, 2] if int(icechunk.__version__.split(".")[0]) >= 2 else [1]


def create(path, version, source):
    config = icechunk.RepositoryConfig.default()
    config.inline_chunk_threshold_bytes = 64
    config.set_virtual_chunk_container(icechunk.VirtualChunkContainer(f"file://{source.parent}/", icechunk.local_filesystem_store(str(source.parent))))
    more = {"spec_version": version} if VERSIONS != [1] else {}
    return icechunk.Repository.create(icechunk.local_filesystem_storage(str(path)), config=config,
                                      authorize_virtual_chunk_access={f"file://{source.parent}/": None}, **more)


def fill(repository, source):
    """Inline, native and virtual chunks; two branches and a tag."""
    session = repository.writable_session("main")
    root = zarr.group(session.store, attributes={"title": "é"})
    root.create_array("g/large", shape=(40, 30), chunks=(5, 30), dtype="f8")[...] = np.random.default_rng(3).normal(size=(40, 30))
    root.create_array("small", shape=(9,), chunks=(3,), dtype="i2")[...] = np.arange(9)
    root.create_array("virtual", shape=(30,), chunks=(10,), dtype="u1", compressors=None, fill_value=7)
    for chunk in 0, 2:
        session.store.set_virtual_ref(f"virtual/c/{chunk}", f"file://{source}", offset=20 * chunk, length=10)
    first = session.commit("first")
    repository.create_tag("v1", snapshot_id=first)
    repository.create_branch("dev", snapshot_id=first)
    session = repository.writable_session("dev")
    zarr.open_group(session.store)["small"][:3] = -5
    session.commit("on dev")
    session = repository.writable_session("main")
    zarr.open_group(session.store)["g/large"][7:20] = 0.5
    del zarr.open_group(session.store)["small"]
    session.commit("second")
    return first


@pytest.mark.parametrize("version", VERSIONS)
def test_what_icechunk_writes_and_reads(tmp_path, version):
    source = tmp_path / "x.bin"
    source.write_bytes(bytes(range(100)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        repository = create(tmp_path / "repo", version, source)
        first = fill(repository, source)
    commits = {"@branch.main": {"branch": "main"}, "@branch.dev": {"branch": "dev"}, "@tag.v1": {"tag": "v1"}, f"@{first}": {"snapshot_id": first}}
    for word, which in commits.items():
        theirs = zarr.open_group(repository.readonly_session(**which).store, mode="r")
        with h5py.File(f"{tmp_path}/repo|icechunk:{word}", "r") as ours:
            names = [name for name, node in theirs.members(max_depth=None) if isinstance(node, zarr.Array)]
            assert len(names) == (2 if word == "@branch.main" else 3) and ours.attrs["title"] == "é"
            found = []
            ours.visititems(lambda name, item: found.append(name) if isinstance(item, h5py.Dataset) else None)
            assert sorted(found) == sorted(names)
            for name in names:
                np.testing.assert_array_equal(ours[name][...], theirs[name][...], err_msg=f"{word} {name}")
    with h5py.File(tmp_path / "repo", "r") as ours:
        assert sorted(ours) == ["g", "virtual"] and ours["virtual"][20:].tolist() == list(range(40, 50))
