"""h5zarr advise: what it says of a file is true of what its line makes. Times decide nothing here (test_advise_choice.c has the choice)."""

import json
import os
import shlex
import signal
import subprocess
import time

import h5py
import numpy as np
import pytest
import zarr

from converting import COMMAND, LIBRARIES, run

pytestmark = pytest.mark.skipif(zarr.__version__.startswith("2"), reason="zarr-python 3 reads what is made")

DATA = (np.arange(120000.0) % 997).astype("f4").reshape(400, 300)


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "it's.h5"
    with h5py.File(path, "w") as f:
        f.create_dataset("small", data=np.arange(10))
        f.create_dataset("g/large [1]", data=DATA, chunks=(50, 60), compression="gzip")
        f["text"] = "a text of no fixed size" * 1000
    return path


@pytest.fixture
def advise(tmp_path):
    """What it says as JSON; nothing of it stays in the temporary directory."""
    place = tmp_path / "tmp"
    place.mkdir()

    def ask(path, *options):
        out, _ = run("advise", "--json", "--sample=256K", "--seconds=30", "--tmp", place, *options, path)
        assert list(place.iterdir()) == []
        return json.loads(out)

    return ask


def follow(line, where):
    """Runs the line as a shell would; the path of what it made."""
    words = shlex.split(line)
    assert words[:2] == ["h5zarr", "convert"]
    subprocess.run(["bash", "-c", line], check=True, cwd=where, stdout=subprocess.DEVNULL,
                   env={**os.environ, "PATH": f"{COMMAND.parent}:{os.environ['PATH']}",
                        "VOL_ZARR_HDF5": str(LIBRARIES["tools"] or LIBRARIES["wheel"])})
    return where / words[3]


def test_the_line_makes_what_was_measured(tmp_path, source, advise):
    said = advise(source)
    best = said["ways"][said["best"]]
    assert (said["dataset"], said["shape"], said["sample"], said["sample_start"]) == ("/g/large [1]", [400, 300], [200, 300], [100, 0])
    assert said["datasets"] == 3 and said["all_datasets"] and not said["one_file"]
    assert [way["what"] for way in said["ways"]][:2] == ["as it is", "1 MiB"] and said["ways"][0]["chunks"] == [50, 60]
    assert {way["compress"] for way in said["ways"]} == {"auto", "blosc", "zstd", "zlib", "none"}
    for way in said["ways"]:
        assert way["measured"] and all(way[key] > 0 for key in ("write", "whole", "rows", "columns", "random_rows", "stored")), way
        if way["compress"] == "none":
            assert way["stored"] >= 200 * 300 * 4
    made = zarr.open_group(follow(said["line"], tmp_path), mode="r")
    array = made["g/large [1]"]
    as_it_is = best["compress"] == "auto"
    assert as_it_is or list(array.chunks) == best["chunks"]
    assert np.array_equal(array[...], DATA)
    names = {"blosc": "blosc", "zstd": "zstd", "zlib": "zlib", "auto": "zlib"}
    found = [c.to_dict().get("name", c.to_dict().get("id")) if hasattr(c, "to_dict") else c.codec_id for c in array.compressors]
    assert names.get(best["compress"], "") in str(found) and (found == [] or best["compress"] != "none"), (found, best)
    assert made["small"][...].tolist() == list(range(10))


def test_a_dataset_of_a_store(tmp_path, advise):
    group = zarr.open_group(tmp_path / "x.zarr", mode="w", zarr_format=3)
    group.create_array("a", data=DATA, chunks=(7, 300))
    group.create_array("b", data=np.zeros(1000000))
    said = advise(tmp_path / "x.zarr", "--dataset=/a")
    assert said["dataset"] == "/a" and said["ways"][0]["chunks"] == [7, 300]
    made = follow(said["line"], tmp_path)
    assert made == tmp_path / "x-new.zarr" and list(zarr.open_array(made / "a", mode="r").chunks) == said["ways"][said["best"]]["chunks"]


@pytest.mark.parametrize("dtype", ["?", "S5", "c16", "V3", [("a", "i1"), ("b", "f8")], "i4"])
def test_types(tmp_path, advise, dtype):
    with h5py.File(tmp_path / "x.h5", "w") as f:
        f.create_dataset("a", data=np.frombuffer(np.random.default_rng(1).integers(0, 2, 54000, dtype="u1"), dtype)[:2000].reshape(50, -1)
                         if dtype != "i4" else np.arange(2000, dtype="i4"))
    assert all(way["measured"] for way in advise(tmp_path / "x.h5")["ways"])


def test_a_terabyte(tmp_path, advise):
    """A sample is read, and named."""
    with h5py.File(tmp_path / "x.h5", "w") as f:
        f.create_dataset("a", shape=(1000000, 125000), dtype="f8", chunks=(1000, 100))
    said = advise(tmp_path / "x.h5")
    assert 8 * said["sample"][0] * said["sample"][1] <= 256 << 10 and all(start > 0 for start in said["sample_start"])
    text, _ = run("advise", "--sample=256K", "--tmp", tmp_path, tmp_path / "x.h5")
    assert f"sample  ({said['sample'][0]}, {said['sample'][1]})" in text and " of 931.3 GiB\n" in text
    assert text.splitlines()[-1].startswith("h5zarr convert ")


def test_many_small_datasets(tmp_path, advise):
    """One file serves better than a thousand small ones, and the line makes one."""
    with h5py.File(tmp_path / "x.h5", "w") as f:
        for i in range(400):
            f[f"d{i}"] = np.arange(5)
    said = advise(tmp_path / "x.h5")
    assert said["one_file"] and said["files"] == 1200
    made = follow(said["line"], tmp_path)
    assert made.is_file() and h5py.is_hdf5(made)


def test_no_time(source, advise):
    """One way is tried anyway; the others are named as not measured."""
    said = advise(source, "--seconds=0.0001")
    assert [way["measured"] for way in said["ways"]].count(True) == 1 and said["best"] == 0


def test_text(tmp_path, source):
    text, _ = run("advise", "--sample=256K", "--seconds=30", "--tmp", tmp_path, "--for=columns", source)
    lines = text.splitlines()
    assert lines[0] == "/g/large [1]  (400, 300)" and lines[1].startswith("sample  (200, 300) at (100, 0), 234.4 KiB of 468.8 KiB")
    assert lines[3].split() == ["chunks", "codec", "shards", "stored", "write", "whole", "rows", "columns", "random", "rows"]
    assert len([line for line in lines if line.startswith("* ")]) == 1
    assert shlex.split(lines[-1])[:3] == ["h5zarr", "convert", str(source)]


@pytest.mark.parametrize("options", [["--for=rows-and"], ["--seconds=0"], ["--seconds=x"], ["--seconds=nan"], ["--sample=1"], ["--sample=2G"], ["--sample=x"]])
def test_wrong_options(source, options):
    _, said = run("advise", *options, source, expect=2)
    assert said.startswith("h5zarr: advise: ") and len(said.splitlines()) == 1


def test_nothing_to_try(tmp_path, source):
    with h5py.File(tmp_path / "text.h5", "w") as f:
        f["a"] = ["some", "text"]
        f["empty"] = np.zeros((0, 3))
    (tmp_path / "none").write_text("no file of ours")
    for path, why in [("text.h5", "no dataset with elements of a fixed size"), ("none", "neither an HDF5 file nor a Zarr store"), ("gone", "No such file")]:
        assert why in run("advise", "--tmp", tmp_path, tmp_path / path, expect=1)[1]
    assert "/nothing" in run("advise", "--dataset=/nothing", "--tmp", tmp_path, source, expect=1)[1]
    assert "no temporary directory" in run("advise", "--tmp", tmp_path / "gone", source, expect=1)[1]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted(tmp_path, number):
    """Nothing stays behind, and the signal is what it ends by."""
    with h5py.File(tmp_path / "x.h5", "w") as f:
        f.create_dataset("a", data=np.random.default_rng(1).integers(0, 9, 8 << 20))
    place = tmp_path / "tmp"
    place.mkdir()
    process = subprocess.Popen([COMMAND, "advise", "--seconds=600", "--sample=64M", "--tmp", place, tmp_path / "x.h5"], stdout=subprocess.PIPE,
                               preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),  # a shell's background jobs ignore SIGINT
                               env={**os.environ, "VOL_ZARR_HDF5": str(LIBRARIES["tools"] or LIBRARIES["wheel"])})
    deadline = time.monotonic() + 60
    while not list(place.glob("*/0.zarr")):
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.01)
    process.send_signal(number)
    out, _ = process.communicate(timeout=60)
    assert (process.returncode, out, list(place.iterdir())) == (-number, b"", [])


def test_killed(tmp_path, source):
    """What SIGKILL leaves goes with the next run there, when nothing lives that made it."""
    with h5py.File(tmp_path / "x.h5", "w") as f:
        f.create_dataset("a", data=np.random.default_rng(1).integers(0, 9, 8 << 20))
    place = tmp_path / "tmp"
    place.mkdir()
    process = subprocess.Popen([COMMAND, "advise", "--seconds=600", "--sample=64M", "--tmp", place, tmp_path / "x.h5"], stdout=subprocess.PIPE,
                               env={**os.environ, "VOL_ZARR_HDF5": str(LIBRARIES["tools"] or LIBRARIES["wheel"])})
    deadline = time.monotonic() + 60
    while not list(place.glob("*/0.zarr")):
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.01)
    living = sorted(each.name for each in place.iterdir())
    run("advise", "--sample=64K", "--seconds=0.1", "--tmp", place, source)
    assert sorted(each.name for each in place.iterdir()) == living  # it lives: nothing of it went
    process.kill()
    process.communicate()
    assert len(list(place.iterdir())) == 2
    said = ""
    while list(place.iterdir()):  # its other process ends in a moment
        assert time.monotonic() < deadline
        said = run("advise", "--sample=64K", "--seconds=0.1", "--tmp", place, source)[1]
    assert "which a command that was killed had left, was removed" in said
