"""Exit with everything open, fork, kill: what is in the store afterwards, by zarr-python."""

import os
import pathlib
import select
import signal
import subprocess
import sys
import time

import h5py
import numpy as np
import pytest

import interpreter
from interpreter import run_once
from places import by_zarr, with_connector

KEPT = []


def fill(f):
    f["x"] = np.arange(5000)
    f["g/text"] = ["a", "b"]
    f["g"].attrs["k"] = "v"
    d = f.create_dataset("part", (100, 100), "f4", chunks=(10, 10))
    d[3:50, 7] = 1
    KEPT.extend([f, d, f["g"], f["x"], d.id.get_space(), d.id.get_type(), h5py.h5a.open(f["g"].id, b"k"), f["x"].ref])


def check(path):
    root = by_zarr(path)
    assert root["x"][...].sum() == sum(range(5000))
    assert root["part"][...].sum() == 47
    assert list(root["g/text"][...]) == ["a", "b"] and root["g"].attrs["k"] == "v"
    assert [p for p in os.listdir(path) if "partial" in p] == []


def leave_open(path):
    fill(h5py.File(path, "w"))


def leave_open_by_exit(path):
    fill(h5py.File(path, "w"))
    sys.exit(0)


def leave_open_by_error(path):
    fill(h5py.File(path, "w"))
    raise SystemExit(0)


def leave_many_open(path):
    fill(h5py.File(path, "w"))
    KEPT.append(h5py.File(path, "r"))
    KEPT.append(KEPT[-1]["g/text"])
    other = h5py.File(path + ".h5", "w", driver="core", backing_store=False)
    other["x"] = 1
    KEPT.append(other)


def leave_in_cycle(path):
    f = h5py.File(path, "w")
    fill(f)
    cycle = [f]
    cycle.append(cycle)


def leave_with_threads(path):
    import threading

    f = h5py.File(path, "w")
    fill(f)
    threads = [threading.Thread(target=lambda i=i: f.create_dataset(f"t{i}", data=np.arange(100))) for i in range(8)]
    [t.start() for t in threads]
    [t.join() for t in threads]


@pytest.mark.parametrize("leave", [leave_open, leave_open_by_exit, leave_open_by_error, leave_many_open, leave_in_cycle, leave_with_threads])
def test_exit_with_everything_open(leave, tmp_path):
    status, said = run_once(with_connector(), leave, str(tmp_path / "s.zarr"))
    assert status == 0 and "rror" not in said, said
    check(tmp_path / "s.zarr")


def fork_while_dirty(path):
    f = h5py.File(path, "w")
    fill(f)
    f.flush()
    f["x"][2] = 2000
    f["unwritten"] = 1
    child = os.fork()
    if child == 0:
        try:
            assert f["x"][10] == 10 and f["part"][3, 7] == 1 and f["g"].attrs["k"] == "v"
            assert f["x"][2] == 2000 and f["unwritten"][()] == 1 and set(f) == {"g", "part", "unwritten", "x"}
            with h5py.File(path + ".done") as other:
                assert other["x"][...].sum() == sum(range(5000))
            try:
                f["x"][0] = 99
                f.flush()
                os._exit(3)
            except Exception:
                pass
            f.close()
        except BaseException:
            import traceback

            traceback.print_exc()
            os._exit(2)
        sys.exit(0)  # an ordinary end, with all the exit handlers
    _, status = os.waitpid(child, 0)
    print("child", os.waitstatus_to_exitcode(status), "of", sorted(by_zarr(path)))
    f["x"][2] = 2
    f.close()


def done(path):
    with h5py.File(path + ".done", "w") as f:
        fill(f)
    KEPT.clear()


def test_a_forked_child_reads_and_writes_nothing(tmp_path):
    path = str(tmp_path / "s.zarr")
    status, said = run_once(with_connector(), done, path)
    assert status == 0, said
    status, said = run_once(with_connector(), fork_while_dirty, path)
    assert status == 0 and "child 0 of ['g', 'part', 'x']" in said, said
    check(path)
    assert by_zarr(path)["unwritten"][()] == 1


def watched(process):
    """It, and a descriptor that tells when it has ended; None: the kernel has no such descriptors (test/machines/portable)."""
    try:
        return process, os.pidfd_open(process)
    except OSError:
        return process, None


def wait_for_the_end(process, descriptor):
    if descriptor is not None:
        select.select([descriptor], [], [])
    while descriptor is None and os.getppid() == process:
        time.sleep(0.01)


def survive(path, what):
    """A parent that ends at once, with data that it never wrote; its child goes on, as a daemon does."""
    f = h5py.File(path, "w")
    d = f.create_dataset("x", (1000,), "i4", chunks=(100,))
    f.flush()
    d[...] = 7
    f.attrs["late"] = "yes"
    parent = watched(os.getpid())
    children = [os.fork()]
    if what == "two" and children != [0]:
        children.append(os.fork())
    if 0 not in children:
        if what == "parent writes":
            d[0] = 8
            f.flush()
        if what == "parent closes":
            d[0] = 8
            f.close()
        os._exit(0)
    if what == "grandchild" and os.fork():
        os._exit(0)
    wait_for_the_end(*parent)
    said = {}
    if what == "goes on":
        d[1] = 9
        f.create_group("g")
    for step, call in (("flush", f.flush), ("close", f.close)):
        try:
            call()
            said[step] = "ok"
        except Exception as error:
            said[step] = str(error)
    with open(f"{path}.told by {os.getpid()}", "w") as out:
        out.write(repr(said))
    os._exit(0)


def told_by_children(path, count):
    for _ in range(2000):
        told = [text for text in (told.read_text() for told in pathlib.Path(path).parent.glob("*.told by *")) if text.endswith("}")]
        if len(told) == count:
            return [eval(text) for text in told]
        time.sleep(0.05)
    raise AssertionError(f"{len(told)} of {count} children have told")


OK = {"flush": "ok", "close": "ok"}


@pytest.mark.parametrize("name", ["s.zarr", "s.zarr.zip", "s.h5"])
@pytest.mark.parametrize("what", ["plain", "goes on", "grandchild"])
def test_a_child_writes_what_a_parent_left(what, name, tmp_path):
    """As native HDF5, which is asked the same."""
    if what == "grandchild" and watched(os.getpid())[1] is None:
        pytest.skip("without such descriptors nothing tells whether a parent's parent still runs")
    path = str(tmp_path / name)
    status, said = run_once(with_connector("zarr create=*.zarr*"), survive, path, what)
    assert status == 0, said
    assert told_by_children(path, 1) == [OK]
    with h5py.File(path) as f:
        assert f["x"][...].tolist() == [7, 9 if what == "goes on" else 7] + [7] * 998
        assert f.attrs["late"] == "yes" and ("g" in f) == (what == "goes on")


@pytest.mark.parametrize("name", ["s.zarr", "s.zarr.zip"])
@pytest.mark.parametrize("what", ["parent writes", "parent closes"])
def test_a_child_of_a_parent_that_went_on_writing_says_that_it_cannot(what, name, tmp_path):
    path = str(tmp_path / name)
    status, said = run_once(with_connector(), survive, path, what)
    assert status == 0, said
    (told,) = told_by_children(path, 1)
    assert "not written" in told["flush"] and "not written" in told["close"], told
    if name == "s.zarr" or what == "parent closes":
        with h5py.File(path) as f:
            assert f["x"][...].tolist() == [8] + [7] * 999 and f.attrs["late"] == "yes"


def test_of_two_children_one_writes(tmp_path):
    path = str(tmp_path / "s.zarr")
    status, said = run_once(with_connector(), survive, path, "two")
    assert status == 0, said
    told = told_by_children(path, 2)
    assert sorted(t["close"] == "ok" for t in told) == [False, True], told
    assert by_zarr(path)["x"][...].tolist() == [7] * 1000 and by_zarr(path).attrs["late"] == "yes"


def daemonise(path):
    """Two forks, and each descriptor is another one afterwards; the process that opened the store goes on."""
    f = h5py.File(path, "w")
    d = f.create_dataset("x", (1000,), "i4", chunks=(100,))
    f.flush()
    d[...] = 7
    f.attrs["late"] = "yes"
    ended, ending = os.pipe()
    if os.fork() == 0:
        between = os.getpid()
        if os.fork():
            os._exit(0)
        os.close(ended)
        count = max(map(int, os.listdir("/proc/self/fd"))) + 1
        kept = os.dup2(ending, count)
        os.closerange(0, count)
        for _ in range(count):
            os.open("/dev/zero", os.O_RDWR)
        while os.getppid() == between:
            time.sleep(0.01)
        for call in (f.flush, lambda: d.__setitem__(0, 99), f.close):
            try:
                call()
                os.write(kept, b"ok\n")
            except Exception as error:
                os.write(kept, str(error).replace("\n", " ").encode() + b"\n")
        os._exit(0)
    os.close(ending)
    with os.fdopen(ended) as told:
        print(told.read())
    f.close()


def flush_in_child(path):
    f = h5py.File(path, "w")
    f["x"] = np.arange(10)
    child = os.fork()
    if child == 0:
        try:
            f.flush()
            os._exit(0)
        except Exception as error:
            os._exit(4 if "its parent's to write" in str(error) else 5)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    f.close()
    print(status)


def test_a_flush_in_a_child_is_no_promise_of_its_parent(tmp_path):
    path = str(tmp_path / "s.zarr")
    assert run_once(with_connector(), flush_in_child, path) == (0, "4\n")
    assert by_zarr(path)["x"][...].sum() == 45


@pytest.mark.parametrize("name", ["s.zarr", "s.zarr.zip"])
def test_a_daemon_of_a_process_that_goes_on_writes_nothing(name, tmp_path):
    """What was the descriptor that tells of its end is another file's by then."""
    path = str(tmp_path / name)
    status, said = run_once(with_connector(), daemonise, path)
    flush, write, close = said.strip().splitlines()
    assert status == 0 and "its parent's to write" in flush and "open it anew to write" in write and close == "ok", said
    with h5py.File(path) as f:
        assert f["x"][...].tolist() == [7] * 1000 and f.attrs["late"] == "yes"


def write_store(path):
    with h5py.File(path, "w") as f:
        f["y"] = np.arange(100)


def fork_and_write_other(path):
    with h5py.File(path, "w") as f:
        fill(f)
    KEPT.clear()
    child = os.fork()
    if child == 0:
        write_store(path + ".child")
        sys.exit(0)
    write_store(path + ".parent")
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_forked_child_writes_a_store_of_its_own(tmp_path):
    path = str(tmp_path / "s.zarr")
    status, said = run_once(with_connector(), fork_and_write_other, path)
    assert status == 0, said
    check(path)
    for who in ("child", "parent"):
        assert by_zarr(f"{path}.{who}")["y"][...].sum() == 4950


def read_part(arguments):
    path, i = arguments
    with h5py.File(path) as f:
        return int(f["x"][i * 100:(i + 1) * 100].sum())


def pool_of_processes(path):
    import multiprocessing

    with h5py.File(path, "w") as f:
        fill(f)
    KEPT.clear()
    with h5py.File(path), multiprocessing.get_context("fork").Pool(3) as pool:
        print(sum(pool.map(read_part, [(path, i) for i in range(50)])))


def test_multiprocessing_readers(tmp_path):
    status, said = run_once(with_connector(), pool_of_processes, str(tmp_path / "s.zarr"))
    assert (status, said.strip()) == (0, str(sum(range(5000)))), said


def write_for_ever(path):
    with h5py.File(path, "w") as f:
        f["first"] = np.arange(1000)
        d = f.create_dataset("grown", (0, 100), "f8", maxshape=(None, 100), chunks=(10, 100))
        f.flush()
        print("ready", flush=True)
        for i in range(10**9):
            d.resize(i + 1, axis=0)
            d[i] = i
            f.attrs["i"] = i
            f[f"n/{i}"] = np.full(10, i)
            if i % 3 == 0:
                f.flush()


@pytest.mark.parametrize("milliseconds", [5, 40, 150, 300])
def test_kill_while_writing(milliseconds, tmp_path):
    path = str(tmp_path / "s.zarr")
    code = f"import sys; sys.path.insert(0, {str(interpreter.HERE)!r}); import test_processes as t; t.write_for_ever({path!r})"
    process = subprocess.Popen([sys.executable, "-c", code], env=with_connector(), stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    time.sleep(milliseconds / 1000)
    process.send_signal(signal.SIGKILL)
    process.wait()
    root = by_zarr(path)
    assert root["first"][...].sum() == 499500
    grown = root["grown"][...]
    assert all(row.min() == row.max() and row[0] in (0, i) for i, row in enumerate(grown))
    for name, array in root["n"].arrays() if "n" in root else []:
        assert set(array[...]) <= {0, int(name)}
    with h5py.File(path) as f:
        assert f["first"][...].sum() == 499500 and (f["grown"][...] == grown).all()
        f.visititems(lambda name, item: item[...] if isinstance(item, h5py.Dataset) else None)


def append_after(path):
    with h5py.File(path, "r+") as f:
        f["after"] = 1
        list(f)


def test_leftovers_of_versions_without_leases(tmp_path, connector):
    """Their names tell a process, which says nothing in another container: only what is old goes away."""
    path = tmp_path / "s.zarr"
    process = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, text=True)
    connector.run(write_store, str(path))
    old, fresh = (path / f"{os.uname().nodename}-{process.stdout.strip()}-{n}.partial" for n in (1, 2))
    mine = path / "user.partial"
    for file in (old, fresh, mine):
        file.write_text("half of")
    for file in (old, mine):
        os.utime(file, (time.time() - 8 * 24 * 3600,) * 2)
    connector.run(append_after, str(path))
    assert not old.exists() and fresh.exists() and mine.exists()
    fresh.unlink()
    assert sorted(by_zarr(path)) == ["after", "y"]


TEXTS = 8


def lengthen_for_ever(path):
    dtype = np.dtype([("k", "i4"), ("s", h5py.string_dtype())])
    with h5py.File(path, "w") as f:
        for n in range(TEXTS):
            f.create_dataset(f"g/{n}", data=np.array([(i, f"t{i}") for i in range(200)], dtype), chunks=(10,))
    print("ready", flush=True)
    length = 1
    while True:
        length = length % 2000 * 2
        for n in range(TEXTS):
            with h5py.File(path, "r+") as f:
                f[f"g/{n}"][0] = (0, "x" * max(length, 1))


@pytest.mark.parametrize("name", ["s.zarr", "s.zarr.zip"])
@pytest.mark.parametrize("milliseconds", [5, 70, 200])
def test_kill_while_text_in_records_grows(milliseconds, name, tmp_path, connector):
    path = str(tmp_path / name)
    code = f"import sys; sys.path.insert(0, {str(interpreter.HERE)!r}); import test_processes as t; t.lengthen_for_ever({path!r})"
    process = subprocess.Popen([sys.executable, "-c", code], env=with_connector(), stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    time.sleep(milliseconds / 1000)
    process.send_signal(signal.SIGKILL)
    process.wait()
    with h5py.File(path) as f:
        by_h5py = {n: f[f"g/{n}"][...] for n in range(TEXTS)}
    for n, records in by_h5py.items():
        assert list(records["k"]) == list(range(200))
        assert [text.decode() for text in records["s"][1:]] == [f"t{i}" for i in range(1, 200)]
        assert set(records["s"][0]) <= set(b"x") or records["s"][0] == b"t0"
        if name == "s.zarr":
            plain = by_zarr(path)[f"g/{n}"][...]
            assert list(plain["s"]) == [text.decode() for text in records["s"]]
    connector.run(append_after, path)
    if name == "s.zarr":
        assert sorted(by_zarr(path)) == ["after", "g"] and not list((tmp_path / name).glob("*.partial"))


def move_and_die(path, dialect):
    os.environ["VOL_ZARR_DIALECT"] = dialect
    with h5py.File(path, "w") as f:
        f["x"] = np.arange(20)
        f["g/y"] = np.arange(5)
    f = h5py.File(path, "r+")
    f.flush()
    f.create_group("new/below")
    f.move("x", "new/below/x")
    f.move("g", "new/g")
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("dialect", ["plain", "hdmf"])
def test_what_moved_below_a_new_group_is_there_after_a_kill(dialect, tmp_path):
    path = tmp_path / "s.zarr"
    status, said = run_once(with_connector(), move_and_die, str(path), dialect)
    assert status == -signal.SIGKILL, said
    root = by_zarr(path)
    found = {name: root[name][...].tolist() for name in ("x", "new/below/x", "g/y", "new/g/y") if name in root}
    assert found == {"new/below/x": list(range(20)), "new/g/y": list(range(5))}
