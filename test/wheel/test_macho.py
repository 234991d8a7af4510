"""tools/lib/macho.py takes the binaries of the wheels for macOS, and none of these, each of which is wrong in one respect. zig makes them from a few
lines (tools/wheel-macos.sh runs this); elsewhere there is nothing to do."""

import functools
import os
import pathlib
import struct
import subprocess
import sys

import pytest

pytest.importorskip("lief", reason="for tools/wheel-macos.sh, which has LIEF")
if "VZ_ZIG" not in os.environ:
    pytest.skip("for tools/wheel-macos.sh, which has zig", allow_module_level=True)
ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools/lib"))

import macho  # noqa: E402
import macho_judges  # noqa: E402

PLUGIN = "vol_zarr/plugin/libH5VLzarr.so"
ENTRIES = """
#include <stdlib.h>
#define SHOWN __attribute__((visibility("default")))
SHOWN int H5PLget_plugin_type(void) { return 1; }
SHOWN const void *H5PLget_plugin_info(void) { return getenv("HOME"); }
"""
SIGNATURE, VERSION, UUID = 0x1D, 0x32, 0x1B  # load commands


@pytest.fixture(scope="module")
def make(tmp_path_factory):
    """The bytes of a plugin of these lines, made with these options, once."""
    tmp_path = tmp_path_factory.mktemp("made")

    @functools.lru_cache
    def make(*options, text=ENTRIES, target="aarch64-macos.11.0", name="libH5VLzarr.so"):
        (tmp_path / "plugin.c").write_text(text)
        command = [os.environ["VZ_ZIG"], "cc", "-target", target, "-shared", "-O1", "-fvisibility=hidden", "-s", "-o", name, f"-Wl,-install_name,@rpath/{name}", "plugin.c", *options]
        subprocess.run(command, cwd=tmp_path, check=True, timeout=300)
        return (tmp_path / name).read_bytes()

    return make


def complaints(data, machine="arm64", minimum=(11, 0)):
    found = macho.Complaints()
    known = macho.exported_by_system(pathlib.Path(os.environ["VZ_SYSTEM"]), machine)
    macho.check_binary(data, PLUGIN, machine, list(minimum), known, "here", found)
    return "\n".join(found)


def commands(data):
    """(where, number, size) of each load command."""
    at = 32
    for _ in range(struct.unpack_from("<I", data, 16)[0]):
        number, size = struct.unpack_from("<II", data, at)
        yield at, number, size
        at += size


def without(data, wanted):
    """The command is there, with a number that nobody knows."""
    data = bytearray(data)
    (at,) = [at for at, number, _ in commands(data) if number == wanted]
    struct.pack_into("<I", data, at, 0x7F)
    return bytes(data)


def unsigned(data):
    """As a tool leaves it that strips signatures: the last command and what it speaks of are gone."""
    data = bytearray(data)
    ((at, size, begin),) = [(at, size, struct.unpack_from("<I", data, at + 8)[0]) for at, number, size in commands(data) if number == SIGNATURE]
    count, total = struct.unpack_from("<II", data, 16)
    struct.pack_into("<II", data, 16, count - 1, total - size)
    data[at:at + size] = bytes(size)
    return bytes(data[:begin])


@pytest.mark.parametrize("machine, target", [("arm64", "aarch64-macos.11.0"), ("x86_64", "x86_64-macos.11.0")])
def test_nothing_is_wrong(make, machine, target):
    assert complaints(make(target=target), machine) == ""


def test_a_missing_signature(make):
    assert "is not signed" in complaints(unsigned(make()))


def test_a_signature_of_other_bytes(make):
    data = bytearray(make())
    data[data.index(b"HOME")] ^= 1
    assert "has a wrong signature: 1 of" in complaints(bytes(data))


def test_a_name_that_no_library_has(make):
    """HDF5's functions are found by name while the connector is loaded. One that the linker left open would be looked for in all libraries."""
    data = make("-Wl,-undefined,dynamic_lookup", text="const void *H5Fnosuch(void);" + ENTRIES.replace('getenv("HOME")', "H5Fnosuch()"))
    said = complaints(data)
    assert "wants ['_H5Fnosuch'], which libSystem does not have" in said and "does not say in which library _H5Fnosuch is" in said


def test_another_oldest_system(make):
    assert "asks for macOS [12, 0, 0], and the wheel's tag for [11, 0]" in complaints(make(target="aarch64-macos.12.0"))
    assert "does not say that it is for macOS" in complaints(without(make(), VERSION))


def test_a_name_too_many_and_one_too_few(make):
    assert "shows ['_H5Fopen'] (1) beyond its entry points, and lacks []" in complaints(make(text=ENTRIES + "SHOWN int H5Fopen(void) { return 0; }\n"))
    assert "and lacks ['_H5PLget_plugin_type']" in complaints(make(text=ENTRIES.replace("SHOWN int", "int")))


def test_another_library(make):
    make("-fvisibility=default", text="int other(void) { return 2; }\n", name="libother.dylib")
    data = make("-L.", "-lother", text=ENTRIES.replace("return 1", "return other()").replace("#define", "int other(void);\n#define"))
    assert "needs ['" in complaints(data) and "only /usr/lib/libSystem.B.dylib is on every Mac" in complaints(data)


def test_the_name_of_a_place_on_this_machine(make):
    said = complaints(make("-Wl,-install_name,/root/build/libH5VLzarr.so"))
    assert "has the install name ['/root/build/libH5VLzarr.so'], not ['@rpath/libH5VLzarr.so']" in said


def test_a_path_to_search(make):
    assert "has a path to search for libraries" in complaints(make("-Wl,-rpath,/root/lib"))


def test_another_machine(make):
    assert "is for X86_64" in complaints(make(target="x86_64-macos.11.0"))


def test_no_identifier(make):
    assert "has no identifier (LC_UUID)" in complaints(without(make(), UUID))


def test_an_hdf5_that_lacks_a_function(make, tmp_path):
    """The names are compared with those of HDF5s in wheels: here one has two of three."""
    (tmp_path / "libhdf5.1.dylib").write_bytes(make())
    found = macho.Complaints()
    macho.check_hdf5(tmp_path / "libhdf5.1.dylib", ["H5PLget_plugin_type", "H5PLget_plugin_info", "H5Fopen"], found)
    assert len(found) == 1 and "lacks ['H5Fopen'], which the connector calls" in found[0]


@pytest.mark.parametrize("fact", ["libraries", "install name", "oldest macOS", "signature"])
def test_readers_that_differ(make, tmp_path, monkeypatch, fact):
    (tmp_path / "libH5VLzarr.so").write_bytes(make())
    ours = macho_judges.by_lief(tmp_path / "libH5VLzarr.so")
    monkeypatch.setattr(macho_judges, "by_lief", lambda file: {**ours, fact: "another"})
    found = macho.Complaints()
    judges = macho_judges.compare(tmp_path / "libH5VLzarr.so", "here", found)
    assert len(found) == len(judges) and all(f"the {fact}: " in line for line in found)
