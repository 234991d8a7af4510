"""A zip file that cannot be written: close and flush say why, what was there stays, and the same call works once there is room.
The judges: zipfile, zarr-python, the bytes."""

import json
import os

import h5py
import pytest

from zip_files import ADDED, FAILURES, OLD, NoDescriptors, NoLargeFiles, add, by_zarr_zip, error_of, holds, make_old, run, values_in

DISK = "4m"  # of small_disk


@pytest.fixture(params=list(FAILURES))
def failing(request, tmp_path, connector):
    """A zip file, and the name of what will make writing it fail."""
    where = request.getfixturevalue("small_disk") if request.param == "FullDisk" else tmp_path
    path = where / "d" / "a.zarr.zip"
    path.parent.mkdir()
    connector.run(make_old, str(path))
    return path, request.param


def close_twice(path, kind):
    before = values_in(path)
    f = h5py.File(path, "r+")
    add(f)
    failure = FAILURES[kind](path)
    errors = [error_of(f.flush), error_of(f.close)]
    readable = f["new"][3] == 3
    failure.end()
    same = values_in(path) == before
    print(json.dumps([failure.reason, errors, bool(readable), same]))
    f.close()
    assert not f.id.valid


def test_close_fails_and_works_again(failing):
    path, kind = failing
    reason, errors, readable, same = json.loads(run(close_twice, str(path), kind).splitlines()[-1])
    assert all(error and reason in error and str(path) in error for error in errors), errors
    assert readable and same
    holds(path, **ADDED)


def flush_after_close(path, kind):
    f = h5py.File(path, "r+")
    add(f)
    failure = FAILURES[kind](path)
    assert failure.reason in error_of(f.close)
    failure.end()
    f.flush()
    os._exit(0)


def test_flush_after_a_failed_close(failing):
    path, kind = failing
    run(flush_after_close, str(path), kind)
    holds(path, **ADDED)


def with_statement(path, kind):
    try:
        with h5py.File(path, "r+") as f:
            add(f)
            failure = FAILURES[kind](path)
    except Exception as error:
        print(error)
    f.close()  # nothing changed since: what cannot be written is given up
    assert not f.id.valid
    failure.end()
    with h5py.File(path, "r+") as f:
        f["later"] = 1


def test_given_up_at_the_second_close(failing):
    path, kind = failing
    assert FAILURES[kind].reason in run(with_statement, str(path), kind)
    small = {"new": ADDED["new"]} if "new" in by_zarr_zip(path) else {}  # it may have fitted
    assert kind == "FullDisk" or not small
    holds(path, old=OLD, later=1, **small)


def leave_open(path, kind):
    f = h5py.File(path, "r+")
    add(f)
    globals()["kept"] = f
    globals()["failure"] = FAILURES[kind](path)


def test_loss_at_exit_is_told(failing):
    """Nobody is there any more to be told by an exception."""
    path, kind = failing
    said = run(leave_open, str(path), kind)
    (path.parent / "ballast").unlink(missing_ok=True)
    told = [line for line in said.splitlines() if line.startswith("vol-zarr: ")]
    assert len(told) == 1 and str(path) in told[0] and FAILURES[kind].reason in told[0] and "is lost" in told[0], said
    small = {"new": ADDED["new"]} if "new" in by_zarr_zip(path) else {}
    assert kind == "FullDisk" or not small
    holds(path, old=OLD, **small)


def without_descriptors(path):
    f = h5py.File(path, "r+")
    add(f)
    failure = NoDescriptors(path)
    f.flush()
    f["old"][6] = -2
    f.close()
    failure.end()


def test_no_descriptor_is_needed(tmp_path, connector):
    path = tmp_path / "d" / "a.zarr.zip"
    path.parent.mkdir()
    connector.run(make_old, str(path))
    run(without_descriptors, str(path))
    holds(path, old=[*ADDED["old"][:6], -2, *ADDED["old"][7:]], new=ADDED["new"])


def new_file(path):
    failure = NoLargeFiles(path)
    f = h5py.File(path, "w")
    result = error_of(lambda: f.create_dataset("old", data=OLD)), error_of(f.close)
    failure.end()
    print(json.dumps(result))
    f.close()


def test_new_file_is_a_store_from_the_beginning(tmp_path):
    """Half a dataset that could not be put: with room the rest of it is there, and so is the file."""
    path = tmp_path / "d" / "a.zarr.zip"
    path.parent.mkdir()
    errors = json.loads(run(new_file, str(path)).splitlines()[-1])
    assert any(error and "File too large" in error for error in errors), errors
    assert "old" in by_zarr_zip(path) or errors[0]
    assert os.listdir(path.parent) == [path.name]


def no_room_to_create(path):
    failure = NoLargeFiles(path, 10)
    print(error_of(lambda: h5py.File(path, "w")))
    failure.end()
    with h5py.File(path, "w") as f:
        f["old"] = OLD


def test_no_room_to_create(tmp_path):
    path = tmp_path / "d" / "a.zarr.zip"
    path.parent.mkdir()
    assert "File too large" in run(no_room_to_create, str(path))
    holds(path, old=OLD)
