"""Mistakes that people make, and what they are told: which store, which object, what is wrong, and where that is not clear, what to do."""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys

import h5py
import numcodecs
import numpy as np
import pytest
import zarr

from converting import COMMAND
from interpreter import run_once
from places import ROOT, with_connector

MISTAKES = []
DISK = "1m"  # of small_disk


def mistake(error, *words):
    def keep(function):
        MISTAKES.append(pytest.param(function, error, words, id=function.__name__))
        return function

    return keep


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A directory with a store: two arrays and a group."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def store(form=2, **array):
    root = zarr.open_group("s.zarr", mode="w", zarr_format=form)
    root.create_array("a", data=np.arange(1000, dtype="i4"), chunks=(100,), **array)
    root.create_group("g")
    return "s.zarr"


def edit(path, **members):
    file = pathlib.Path(path)
    document = {**json.loads(file.read_text()), **members}
    file.write_text(json.dumps({name: value for name, value in document.items() if name not in members or value is not None}))


def cut(path, size):
    file = pathlib.Path(path)
    file.write_bytes(file.read_bytes()[:size])


def read():
    with h5py.File("s.zarr") as f:
        return f["a"][:]


OPENED = []


def writable():
    OPENED.append(h5py.File(store(), "r+"))
    return OPENED[-1]


def with_options(text, action="h5py.File('n.zarr', 'w')", **variables):
    """In a process with this value of HDF5_VOL_CONNECTOR. What it ends with is raised here."""
    environment = {**os.environ, **variables, **({"HDF5_VOL_CONNECTOR": text} if text else {})}
    done = subprocess.run([sys.executable, "-c", f"import h5py\n{action}"], env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1, done.stderr
    name, _, message = done.stderr.strip().splitlines()[-1].partition(": ")
    raise next((known for known in (FileNotFoundError, PermissionError, FileExistsError, BlockingIOError) if known.__name__ == name), OSError)(message)


def beside(action, options="zarr", mode="'r+'", name="s.zarr"):
    """`action` in a second process, while the first one has the store open."""
    with_options(options, f"import subprocess, sys\nf = h5py.File('{name}', {mode}); {action}")


def command(*arguments, status=1, **variables):
    """h5zarr. What it says is raised here."""
    done = subprocess.run([COMMAND, *arguments], env={**os.environ, **variables}, capture_output=True, text=True, timeout=120)
    assert done.returncode == status, done
    raise (FileNotFoundError if "No such file" in done.stderr else FileExistsError if "File exists" in done.stderr else OSError)(done.stderr)


def in_bucket(status, code, message, **variables):
    """Opens a store in a bucket whose server refuses everything."""
    server = subprocess.Popen([sys.executable, ROOT / "test/python/refusing_server.py", str(status), code, message], stdout=subprocess.PIPE, text=True)
    try:
        keys = {"AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": "wrong", "AWS_REGION": "us-east-1", **variables}
        with_options(None, "h5py.File('s3://bucket/x.zarr')", AWS_ENDPOINT_URL_S3=f"http://127.0.0.1:{server.stdout.readline().strip()}", **keys)
    finally:
        server.kill()
        server.wait()


# ---- names and modes ----


@mistake(FileNotFoundError, "nothing.zarr", "No such file or directory")
def a_path_that_is_not_there():
    h5py.File("nothing.zarr")


@mistake(FileNotFoundError, "no/x.zarr", "No such file or directory")
def a_directory_above_that_is_not_there():
    with_options("zarr", "h5py.File('no/x.zarr', 'w')")


@mistake(OSError, "plain", "neither a Zarr store nor an HDF5 file")
def a_directory_that_is_no_store():
    os.mkdir("plain")
    with_options("zarr", "h5py.File('plain')")


@mistake(FileExistsError, "s.zarr", "exists")
def exclusive_creation_over_a_store():
    store()
    with_options("zarr", "h5py.File('s.zarr', 'x')")


@mistake(ValueError, "s.zarr", "opened read-only", 'mode "r+"')
def a_dataset_in_a_store_that_is_open_for_reading():
    with h5py.File(store()) as f:
        f["b"] = 1


@mistake(OSError, "s.zarr", "/a", "opened read-only", 'mode "r+"')
def elements_in_a_store_that_is_open_for_reading():
    with h5py.File(store()) as f:
        f["a"][0] = 1


@mistake(OSError, "s.zarr", "opened read-only", 'mode "r+"')
def an_attribute_in_a_store_that_is_open_for_reading():
    with h5py.File(store()) as f:
        f["a"].attrs["x"] = 1


@mistake(ValueError, "s.zarr", "opened read-only", 'mode "r+"')
def a_group_in_a_store_that_is_open_for_reading():
    with h5py.File(store()) as f:
        f.create_group("h")


@mistake(KeyError, "s.zarr", "opened read-only", 'mode "r+"')
def deleting_from_a_store_that_is_open_for_reading():
    with h5py.File(store()) as f:
        del f["a"]


@mistake(OSError, "s.zarr", "already open read-only in this process", "close each file of it that is open", "h5py.File")
def writing_to_a_store_that_is_open_for_reading_elsewhere():
    with h5py.File(store()):
        h5py.File("s.zarr", "r+")


@mistake(OSError, "text.txt", "neither a Zarr store nor an HDF5 file")
def a_file_that_is_no_store():
    pathlib.Path("text.txt").write_text("hello")
    with_options("zarr", "h5py.File('text.txt')")


@mistake(OSError, "s.zarr", "is open in this process", "close it first")
def emptying_a_store_that_is_open():
    store()
    with_options("zarr", "f = h5py.File('s.zarr'); h5py.File('s.zarr', 'w')")


@mistake(FileExistsError, "d.zarr", "not replaced", "move it away first")
def replacing_a_directory_of_other_files():
    os.mkdir("d.zarr")
    pathlib.Path("d.zarr/notes.txt").write_text("x")
    with_options("zarr", "h5py.File('d.zarr', 'w')")


@mistake(FileNotFoundError, "s.zarr/no", "No such file or directory")
def a_path_into_a_store_that_leads_nowhere():
    h5py.File(store() + "/no")


@mistake(FileNotFoundError, "nothing.zarr", "No such file or directory")
def a_command_without_its_store():
    command("check", "nothing.zarr")


@mistake(FileExistsError, "t.zarr", "is there already", "--overwrite")
def converting_to_a_name_that_is_taken():
    store()
    os.mkdir("t.zarr")
    command("convert", "s.zarr", "t.zarr")


@mistake(OSError, '"chek"', "did you mean check?")
def a_subcommand_that_there_is_not():
    command("chek", "s.zarr", status=2)


# ---- objects ----


@mistake(KeyError, "s.zarr", 'no link "zz"')
def an_object_that_is_not_there():
    h5py.File(store())["zz"]


@mistake(ValueError, "s.zarr", '"a"', "name already exists")
def a_group_with_a_name_that_is_taken():
    writable().create_group("a")


@mistake(ValueError, "s.zarr", '"g"', "name already exists")
def a_dataset_with_a_name_that_is_taken():
    writable().create_dataset("g", data=1)


@mistake(OSError, "s.zarr", "a/", "is not a group")
def a_path_through_an_array():
    writable()["a/b"] = 1


@mistake(KeyError, "s.zarr", "too many links")
def a_link_that_leads_to_itself():
    f = writable()
    f["l"] = h5py.SoftLink("/l")
    f["l"]


@mistake(KeyError, "s.zarr", 'no link "nowhere"')
def a_link_that_leads_nowhere():
    f = writable()
    f["l"] = h5py.SoftLink("/nowhere")
    f["l"]


@mistake(KeyError, "gone.zarr", "No such file or directory")
def a_link_to_a_store_that_is_gone():
    f = writable()
    f["l"] = h5py.ExternalLink("gone.zarr", "/x")
    f["l"]


@mistake(OSError, "d.h5", "../s.zarr", "doorways=anywhere")
def a_doorway_that_leads_out_of_its_directory():
    store()
    os.mkdir("d")
    subprocess.run([COMMAND, "door", "s.zarr", "d/d.h5"], check=True, capture_output=True)
    h5py.File("d/d.h5")


@mistake(KeyError, "s.zarr: /a", "locate attribute: 'zz'")
def an_attribute_that_is_not_there():
    h5py.File(store())["a"].attrs["zz"]


@mistake(KeyError, "s.zarr", "g/h/i", 'no link "h"')
def a_path_whose_middle_is_not_there():
    h5py.File(store())["g/h/i"]


@mistake(ValueError, "s.zarr", 'no link "zz"')
def moving_what_is_not_there():
    writable().move("zz", "y")


@mistake(RuntimeError, "s.zarr: zz", 'no link "zz"')
def copying_what_is_not_there():
    writable().copy("zz", "y")


@mistake(ValueError, "required filter 39999 is not registered")
def a_filter_that_nobody_has():
    creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    creation.set_chunk((5,))
    creation.set_filter(39999, h5py.h5z.FLAG_MANDATORY)
    h5py.h5d.create(writable().id, b"x", h5py.h5t.NATIVE_INT32, h5py.h5s.create_simple((10,)), creation)


# ---- two programs ----


SECOND = "done = subprocess.run([sys.executable, '-c', 'import h5py; f = h5py.File(\\'{}\\', \\'r+\\'); f[\\'y\\'] = 1; f.close()'], capture_output=True, text=True); " \
         "sys.stderr.write(done.stderr); sys.exit(done.returncode)"


@mistake(BlockingIOError, "z.zarr.zip", "another program has this file open and is writing to it", "wait until it has closed it")
def two_writers_of_a_zip_file():
    beside("f['x'] = 1; f.flush(); " + SECOND.format("z.zarr.zip"), "zarr create=*.zip", "'w'", "z.zarr.zip")


@mistake(BlockingIOError, "s.zarr", "another process has locked the store (option locking)", "wait until it has closed it")
def a_store_that_is_locked():
    store()
    beside(SECOND.format("s.zarr"), "zarr locking=1")


@mistake(OSError, "s.zarr", "file is already open for write/SWMR write", "swmr=True")
def a_second_writer_beside_swmr():
    store()
    beside("f.swmr_mode = True; " + SECOND.format("s.zarr"), mode="'r+', libver='latest'")


# ---- damage: each names the store, the chunk or document, and the command that finds the rest ----

CHECK = "h5zarr check s.zarr"


@mistake(OSError, "s.zarr: a/0", "blosc", "cut short", "20 bytes of", CHECK)
def a_chunk_of_blosc_that_is_cut_short():
    store(compressors=numcodecs.Blosc())
    cut("s.zarr/a/0", 20)
    read()


@mistake(OSError, "s.zarr: a/0", "blosc", "cut short", CHECK)
def a_chunk_of_blosc_that_is_empty():
    store(compressors=numcodecs.Blosc())
    cut("s.zarr/a/0", 0)
    read()


@mistake(OSError, "s.zarr: a/0", "zlib", "cut short", CHECK)
def a_chunk_of_zlib_that_is_cut_short():
    store(compressors=numcodecs.Zlib())
    cut("s.zarr/a/0", 20)
    read()


@mistake(OSError, "s.zarr: a/0", "zstd", CHECK)
def a_chunk_of_zstd_that_is_cut_short():
    store(compressors=numcodecs.Zstd())
    cut("s.zarr/a/0", 20)
    read()


@mistake(OSError, "s.zarr: a/0", "has 4 bytes, must have 400", CHECK)
def a_chunk_without_a_codec_that_is_cut_short():
    store(compressors=None)
    cut("s.zarr/a/0", 4)
    read()


@mistake(OSError, "s.zarr: a/c/0", "checksum", CHECK)
def a_byte_that_flipped():
    store(3, compressors=[zarr.codecs.Crc32cCodec()])
    data = bytearray(pathlib.Path("s.zarr/a/c/0").read_bytes())
    data[5] ^= 1
    pathlib.Path("s.zarr/a/c/0").write_bytes(data)
    read()


@mistake(OSError, "s.zarr: a/c/0", "30 bytes are too few")
def a_shard_that_is_cut_short():
    store(3, shards=(500,))
    cut("s.zarr/a/c/0", 30)
    read()


@mistake(KeyError, "s.zarr: /a", ".zarray", "JSON, line", CHECK)
def a_document_that_is_cut_short():
    store()
    cut("s.zarr/a/.zarray", 20)
    h5py.File("s.zarr")["a"]


@mistake(OSError, "s.zarr", "dtype")
def a_document_without_a_type():
    store()
    edit("s.zarr/a/.zarray", dtype=None)
    read()


@mistake(OSError, "s.zarr", '.zgroup', "zarr_format 9", "not supported")
def a_format_of_the_future():
    store()
    edit("s.zarr/.zgroup", zarr_format=9)
    h5py.File("s.zarr")


@mistake(OSError, "s.zarr: a", 'codec "snake" is not supported')
def a_codec_that_nobody_has():
    store()
    edit("s.zarr/a/.zarray", compressor={"id": "snake"})
    read()


@mistake(OSError, "s.zarr: /a", 'data_type: "int7"', "not supported")
def a_type_that_nobody_has():
    store(3)
    edit("s.zarr/a/zarr.json", data_type="int7")
    read()


@mistake(OSError, "o.h5", "no central directory (is it complete?)")
def a_one_file_store_that_is_cut_short():
    subprocess.run([sys.executable, "-c", "import h5py; h5py.File('o.h5', 'w')['x'] = range(100)"], check=True,
                   env={**os.environ, "HDF5_VOL_CONNECTOR": "zarr create=*.h5:file"})
    cut("o.h5", os.path.getsize("o.h5") - 40)
    with_options("zarr", "h5py.File('o.h5')")


@mistake(OSError, "s.zarr: a/0", "lz4", CHECK)
def a_chunk_of_lz4_that_is_cut_short():
    store(compressors=numcodecs.LZ4())
    cut("s.zarr/a/0", 20)
    read()


@mistake(OSError, "s.zarr: a/0", "bz2", CHECK)
def a_chunk_of_bz2_that_is_cut_short():
    store(compressors=numcodecs.BZ2())
    cut("s.zarr/a/0", 20)
    read()


# ---- options ----


@mistake(OSError, 'unknown option "formt"', "format", "compress")
def an_option_that_there_is_not():
    with_options("zarr formt=2")


@mistake(OSError, "option format", '"5"', "2 to 3")
def a_value_that_an_option_does_not_take():
    with_options("zarr format=5")


@mistake(OSError, "perhaps meant: create=*.zarr;format=3")
def a_blank_between_options():
    with_options("zarr create=*.zarr format=3")


@mistake(OSError, "option compress", '"lzma2"', "zstd")
def a_compressor_that_there_is_not():
    with_options("zarr compress=lzma2")


@mistake(OSError, "VOL_ZARR_FORMAT", '"x"')
def a_wrong_value_in_the_environment():
    store()
    with_options("zarr", "h5py.File('s.zarr')", VOL_ZARR_FORMAT="x")


@mistake(OSError, "VOL_ZARR_FORMAT", '"x"', "2 to 3")
def a_wrong_value_in_the_environment_of_the_command():
    store()
    command("ls", "s.zarr", VOL_ZARR_FORMAT="x")


ENABLE = "import sys; sys.path.insert(0, {!r}); import vol_zarr; ".format(str(ROOT / "python"))


@mistake(OSError, 'unknown option "formt"', "compress")
def an_option_that_the_package_does_not_know():
    with_options(None, ENABLE + "vol_zarr.enable(formt=3)")


@mistake(OSError, "h5py", "cannot open Zarr stores", "pip install --upgrade h5py")
def an_hdf5_that_is_too_old():
    with_options(None, ENABLE + "vol_zarr._hdf5.OLDEST = (9, 0, 0); vol_zarr.enable()")


# ---- the machine ----


@mistake(PermissionError, "ro/n.zarr", "cannot create the directory", "Permission denied")
def a_directory_that_may_not_be_written_to():
    os.mkdir("ro", 0o555)
    with_options("zarr", f"{UNPRIVILEGED}; h5py.File('ro/n.zarr', 'w')")


@mistake(PermissionError, "s.zarr: a/0", "Permission denied")
def a_chunk_that_may_not_be_read():
    store()
    os.chmod("s.zarr/a/0", 0)
    with_options("zarr", f"{UNPRIVILEGED}; h5py.File('s.zarr')['a'][:]")


@mistake(PermissionError, "s.zarr", "cannot write to the directory", "Permission denied")
def a_store_that_may_not_be_changed():
    store()
    os.chmod("s.zarr", 0o555)
    with_options("zarr", f"{UNPRIVILEGED}; h5py.File('s.zarr', 'r+')")


@mistake(OSError, "n.zarr", "File too large")
def a_file_that_may_not_grow():
    limit = "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))"
    with_options("zarr compress=none", f"{limit}\nf = h5py.File('n.zarr', 'w'); f['x'] = [1.5] * 10000; f.close()")


@mistake(OSError, "http://127.0.0.1:", "Failed to connect", "3 times")
def a_server_that_is_not_there():
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        h5py.File(f"http://127.0.0.1:{nobody.getsockname()[1]}/x.zarr")


@mistake(OSError, "https://no-such-host.invalid/x.zarr", "Could not resolve host")
def a_host_that_there_is_not():
    h5py.File("https://no-such-host.invalid/x.zarr")


LONG = ("The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. "
        "For more information, see REST Authentication.")


@mistake(PermissionError, "s3://bucket/x.zarr", "SignatureDoesNotMatch: The request signature we calculated does not match the signature you provided.; the secret")
def a_wrong_secret():
    in_bucket(403, "SignatureDoesNotMatch", LONG)


@mistake(PermissionError, "s3://bucket/x.zarr", "InvalidAccessKeyId", "correct the variables or the profile")
def a_key_that_the_server_does_not_know():
    in_bucket(403, "InvalidAccessKeyId", "The AWS Access Key Id you provided does not exist in our records.")


@mistake(PermissionError, "s3://bucket/x.zarr", "ExpiredToken", "get new credentials")
def a_token_that_has_expired():
    in_bucket(400, "ExpiredToken", "The provided token has expired.")


@mistake(PermissionError, "s3://bucket/x.zarr", "AccessDenied")
def a_bucket_that_is_not_ours():
    in_bucket(403, "AccessDenied", "Access Denied")


@mistake(FileNotFoundError, "s3://bucket/x.zarr", "no such bucket")
def a_bucket_that_there_is_not():
    in_bucket(404, "NoSuchBucket", "The specified bucket does not exist")


@mistake(OSError, "s3://bucket/x.zarr", "PermanentRedirect", "must be addressed using the specified", "endpoint")
def a_bucket_of_another_region():
    in_bucket(301, "PermanentRedirect", "The bucket you are attempting to access must be addressed using the specified endpoint")


# As a user who may do less: root may do everything. The machine of the tests may run them as somebody else already.
# With HDF5_VOL_CONNECTOR set, which loads the plugin before: it may lie where that user finds no way.
UNPRIVILEGED = "import os; os.getuid() == 0 and os.setuid(65534)"


@pytest.fixture
def open_to_others(here):
    """Another user finds the way to the test's directory, and back at its end root can remove it."""
    changed = []
    for directory in [here, *here.parents]:
        mode = directory.stat().st_mode
        if os.getuid() == 0 and not mode & 0o001 and str(directory) != "/":
            os.chmod(directory, mode | 0o011)
            changed.append((directory, mode))
    yield
    for directory, mode in changed:
        if directory.exists():
            os.chmod(directory, mode)


@pytest.mark.parametrize("act, error, words", MISTAKES)
def test_mistake(here, open_to_others, act, error, words):
    with pytest.raises(error) as caught:
        act()
    while OPENED:
        OPENED.pop().close()
    text = str(caught.value)
    assert [word for word in words if word not in text] == [], text
    shutil.rmtree("s.zarr", ignore_errors=True)


def fill(path):
    with h5py.File(path, "w") as f:
        f.create_dataset("x", data=np.arange(1 << 20, dtype="i8"), chunks=(1 << 17,))


def test_a_full_disk(small_disk):
    status, said = run_once(with_connector("zarr compress=none"), fill, str(small_disk / "n.zarr"))
    assert status != 0
    assert all(word in said for word in ("n.zarr", "No space left on device")), said


# ---- one type of error for one mistake, whichever way it is made, and that of an HDF5 file where HDF5 has the mistake, too ----

NATIVE = {"create a dataset": lambda f: f.create_dataset("b", data=1), "create a group": lambda f: f.create_group("h"), "delete": lambda f: f.__delitem__("a"),
          "write": lambda f: f["a"].__setitem__(0, 1), "write an attribute": lambda f: f["a"].attrs.__setitem__("x", 1), "move": lambda f: f.move("a", "b"),
          "no object": lambda f: f["zz"], "no attribute": lambda f: f["a"].attrs["zz"], "resize": lambda f: f["a"].resize((5,)),
          "link": lambda f: f.__setitem__("c", h5py.SoftLink("/a")), "write to a group's attribute": lambda f: f["g"].attrs.__setitem__("x", 1)}


@pytest.mark.parametrize("act", NATIVE)
def test_errors_have_the_types_of_native_files(here, act):
    with h5py.File("n.h5", "w") as f:
        f.create_dataset("a", data=range(10), chunks=(5,), maxshape=(10,))
        f.create_group("g")
    store()
    types = []
    for name in "n.h5", "s.zarr":
        with h5py.File(name) as f, pytest.raises(Exception) as caught:
            NATIVE[act](f)
        types.append(caught.type)
    assert types[0] is types[1]


SAME = {
    "nothing there": (FileNotFoundError, lambda: h5py.File("no.zarr"), lambda: h5py.File("no.zarr", "r+"), lambda: with_options("zarr", "h5py.File('no.zarr')"),
                      lambda: h5py.File("s.zarr/no"), lambda: command("ls", "no.zarr"), lambda: command("convert", "no.zarr", "x.h5")),
    "taken": (FileExistsError, lambda: with_options("zarr", "h5py.File('s.zarr', 'x')"), lambda: with_options("zarr", "h5py.File('d.zarr', 'w')"),
              lambda: with_options("zarr", "h5py.File('d.zarr', 'a')"), lambda: command("convert", "s.zarr", "d.zarr")),
    "a wrong option": (OSError, lambda: with_options("zarr formt=2", "h5py.File('s.zarr')"), lambda: with_options("zarr formt=2", "h5py.File('n.zarr', 'w')"),
                       lambda: with_options(None, ENABLE + "vol_zarr.enable(formt=2)"), lambda: with_options(None, ENABLE + "vol_zarr.enable('formt=2')"),
                       lambda: command("convert", "--formt=2", "s.zarr", "n.zarr", status=2)),
}


@pytest.mark.parametrize("mistake_of", SAME)
def test_one_type_of_error(here, mistake_of):
    store()
    os.mkdir("d.zarr")
    pathlib.Path("d.zarr/notes.txt").write_text("x")
    error, *ways = SAME[mistake_of]
    for way in ways:
        with pytest.raises(error) as caught:
            way()
        assert caught.type is error, caught.value


@pytest.mark.parametrize("lines", ["import h5py; vol_zarr.enable(formt=3)", "vol_zarr.enable(formt=3); import h5py; h5py.File('n.zarr', 'w')"])
def test_a_wrong_option_is_one_type_in_python(here, lines):
    """At once where h5py is there, else with the first file."""
    done = subprocess.run([sys.executable, "-c", ENABLE + lines], capture_output=True, text=True, timeout=120)
    assert done.returncode == 1 and 'OptionError: unknown option "formt"' in done.stderr, done


def test_a_text_file_is_not_to_be_checked(here):
    """"h5zarr check" would say no more."""
    pathlib.Path("text.txt").write_text("hello")
    with pytest.raises(OSError) as caught:
        with_options("zarr", "h5py.File('text.txt')")
    assert "h5zarr check" not in str(caught.value)
