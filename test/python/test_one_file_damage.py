"""One damaged byte in a one-file store: what h5py reads is what was written, or an error. The judge is what was written."""

import os
import random
import signal
import subprocess
import zipfile

import h5py
import numpy as np
import pytest

from interpreter import Interpreter
from places import COMMAND, with_connector
from zip_files import run

X = np.arange(1, 61, dtype="i4").reshape(6, 10)
Z = np.arange(1, 3001, dtype="f8").reshape(30, 100)


def write(f):
    g = f.create_group("group")
    g.attrs["unit"] = "mV"
    g.create_dataset("x", data=X, chunks=(2, 5))
    g.create_dataset("z", data=Z, chunks=(10, 100), compression="gzip")
    f["names"] = ["Ann", "Bo"]


def write_closed(path):
    with h5py.File(path, "w", userblock_size=512) as f:
        write(f)


def write_killed(path):
    """Its last flushes are delta records."""
    f = h5py.File(path, "w")
    for i in range(60):
        f.create_group(f"many/{i}")
    f.flush()
    f.close()
    f = h5py.File(path, "r+")
    write(f)
    f.flush()
    f["group/late"] = X
    f.flush()
    os.kill(os.getpid(), signal.SIGKILL)


def read_all(f):
    """Each value, or that it could not be read."""
    told = {}
    for name in ("group/x", "group/z", "names", "group/late", "group"):
        try:
            told[name] = f[name].attrs["unit"] if name == "group" else f[name][...].tolist()
            if name == "group/z":
                told["row"] = f[name][17].tolist()
        except (OSError, KeyError, RuntimeError):
            told[name] = None
    return told


EXPECTED = {"group/x": X.tolist(), "group/z": Z.tolist(), "row": Z[17].tolist(), "names": [b"Ann", b"Bo"], "group": "mV",
            "group/late": X.tolist()}


def look_at_each(path, places):
    """At which of them something is wrong: the byte there is another one while all is read."""
    wrong, refused, told = [], 0, 0
    with open(path, "r+b") as file:
        for place, mask in places:
            file.seek(place)
            byte = file.read(1)[0]
            file.seek(place)
            file.write(bytes([byte ^ mask]))
            file.flush()
            try:
                with h5py.File(path, "r") as f:
                    seen = read_all(f)
                told += 1
                wrong += [(place, mask, name) for name, value in seen.items() if value not in (None, EXPECTED[name])]
            except OSError:
                refused += 1
            file.seek(place)
            file.write(bytes([byte]))
            file.flush()
    return wrong, refused, told


def structures(data):
    """Bytes that are not zeros, of which there is a megabyte before a guard."""
    return [i for i, byte in enumerate(data) if byte]


@pytest.mark.parametrize("how, options", [("closed", ""), ("closed", ";format=3"), ("closed", ";format=3;shards=1M"), ("killed", "")])
def test_one_byte_anywhere(how, options, tmp_path):
    path = tmp_path / "one.zarr"
    connector = "zarr create=*.zarr:file" + options
    if how == "closed":
        run(write_closed, str(path), connector=connector)
    else:
        run(write_killed, str(path), connector=connector, status=-signal.SIGKILL)
    places = structures(path.read_bytes())
    chosen = [(place, 1 << bit) for bit, place in zip([i % 8 for i in range(400)], random.Random(7).sample(places, 400))]
    reader = Interpreter(with_connector())
    try:
        assert reader.run(look_at_each, str(path), [(places[-1], 0)])[::2] == ([], 1)
        wrong, refused, told = reader.run(look_at_each, str(path), chosen)
    finally:
        reader.stop()
    assert wrong == []
    assert refused > 10 and told > 100


# ---- what h5zarr check tells ----


def check(path):
    done = subprocess.run([COMMAND, "check", path], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def damage(path, place):
    with open(path, "r+b") as file:
        file.seek(place)
        byte = file.read(1)[0]
        file.seek(place)
        file.write(bytes([byte ^ 1]))


def test_check_tells_of_a_damaged_directory(tmp_path):
    path = tmp_path / "one.zarr"
    run(write_closed, str(path), connector="zarr create=*.zarr:file")
    assert check(path)[0] == 0
    damage(path, path.read_bytes().rindex(b"group/x/0.0"))  # the name in the central directory
    status, said = check(path)
    assert status != 0 and "central directory is damaged" in said


def test_check_tells_of_damage_that_readers_get_over(tmp_path):
    path = tmp_path / "one.zarr"
    run(write_closed, str(path), connector="zarr create=*.zarr:file")
    whole = path.read_bytes()
    for place, word in ((1024 + 40, "slot"), (1536 + 40, "slot"), (whole.rindex(b"PK\5\6") + 1, "end record")):
        path.write_bytes(whole)
        damage(path, place)
        status, said = check(path)
        assert status != 0 and "damaged" in said and word in said, said
    subprocess.run([COMMAND, "compact", path], check=True, capture_output=True)
    assert check(path)[0] == 0


def test_what_another_program_adds_is_no_damage(tmp_path):
    """zipfile keeps our comment, whose checksum does not hold any more."""
    path = tmp_path / "one.zarr"
    run(write_closed, str(path), connector="zarr create=*.zarr:file")
    with zipfile.ZipFile(path, "a") as archive:
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("names/.zattrs", '{"added": 1}')
    said = check(path)[1]
    assert "another program changed the file" in said and "damaged store" not in said
    assert run(print_added, str(path)) == "1\n"


def print_added(path):
    with h5py.File(path, "r") as f:
        assert (f["group/x"][...] == X).all()
        print(f["names"].attrs["added"])
