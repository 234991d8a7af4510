"""The wheel, installed by pip into an environment with h5py, PyTables and netCDF4 (tools/wheel-test.sh). Each test is a process of its
own: what is tested is what a start of Python does."""

import functools
import http.server
import os
import pathlib
import ssl
import subprocess
import sys
import threading
import zipfile

import pytest

from surroundings import ENVIRONMENT, STRICT

# What is in the environment: for musl PyTables, netCDF4 and hdf5plugin have no wheels.
MODULES = os.environ.get("VZ_WHEEL_MODULES", "h5py tables netCDF4 hdf5plugin").split()
OPENS = [module for module in ("h5py", "tables", "netCDF4") if module in MODULES]


def needs(*modules):
    missing = [module for module in modules if module not in MODULES]
    return pytest.mark.skipif(bool(missing), reason=f"{', '.join(missing)}: not in VZ_WHEEL_MODULES")


MAKE = "import vol_zarr, h5py\nwith vol_zarr.enable('create=*.zarr'), h5py.File('s.zarr', 'w') as f: f['a'] = range(5)\n"


@pytest.fixture
def run(tmp_path):
    def run(text, *arguments, **variables):
        done = subprocess.run(
            [sys.executable, *STRICT, "-c", text, *arguments],
            cwd=tmp_path,
            env={**ENVIRONMENT, **variables},
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
        return done.stdout.split()

    return run


@pytest.fixture
def store(run, tmp_path):
    run(MAKE)
    assert os.path.isdir(tmp_path / "s.zarr")
    return tmp_path / "s.zarr"


READ = {
    "h5py": "import h5py; print(h5py.File(NAME)['a'][3])",
    "tables": "import tables; f = tables.open_file(NAME); print(f.root.a[3]); f.close()",
    "netCDF4": "import netCDF4; print(netCDF4.Dataset(NAME)['a'][3])",
}


# PyTables and netCDF4 want a file that begins as HDF5 files do.
@pytest.mark.parametrize("module, name", [("h5py", "s.zarr.zip"), *((module, "s.h5") for module in OPENS)])
def test_reads_without_a_variable(run, tmp_path, module, name):
    run(f"import vol_zarr, h5py\nwith vol_zarr.enable('create=*.zip,*.h5:file'), h5py.File({name!r}, 'w') as f: f['a'] = range(5)")
    assert zipfile.ZipFile(tmp_path / name).testzip() is None
    assert run(READ[module].replace("NAME", repr(name))) == ["3"]


def test_reads_a_directory(run, store):
    assert run(READ["h5py"].replace("NAME", "'s.zarr'")) == ["3"]


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


@pytest.mark.parametrize("tls", [False, True])
def test_reads_behind_a_url(run, store, tmp_path, tls):
    """With the wheel's own libcurl and TLS library; certificates are those that the environment names."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=tmp_path))
    if tls:
        subprocess.run(
            "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost "
            "-keyout key.pem -out cert.pem".split(), cwd=tmp_path, check=True, stderr=subprocess.DEVNULL)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(tmp_path / "cert.pem", tmp_path / "key.pem")
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    name = f"{'https' if tls else 'http'}://localhost:{server.server_address[1]}/s.zarr"
    assert run(READ["h5py"].replace("NAME", repr(name)), AWS_CA_BUNDLE=str(tmp_path / "cert.pem"), no_proxy="localhost") == ["3"]
    server.shutdown()


def test_all_three_in_one_process(run, store):
    text = f"import {', '.join(reversed(OPENS))}, vol_zarr; print(len(vol_zarr.activate()), h5py.File('s.zarr')['a'][4])"
    assert run(text) == [str(len(OPENS)), "4"]


@needs("netCDF4")
def test_filters_of_netcdf4_stay(run):
    text = """
import netCDF4
with netCDF4.Dataset("f.nc", "w") as d:
    d.createDimension("x", 1000)
    d.createVariable("v", "i4", ("x",), compression="zstd")[:] = range(1000)
with netCDF4.Dataset("f.nc") as d:
    print(d["v"].filters()["zstd"], d["v"][999])
"""
    assert run(text) == ["True", "999"]


def test_the_directory_is_told_once(run):
    text = """
import h5py, importlib, vol_zarr
from vol_zarr._hdf5 import library_of
vol_zarr.activate()
importlib.reload(vol_zarr)
print(library_of("h5py").plugin_paths().count(vol_zarr.plugin_path))
"""
    assert run(text) == ["1"]
    assert run(text, HDF5_PLUGIN_PATH=run("import vol_zarr; print(vol_zarr.plugin_path)")[0]) == ["1"]


def test_a_start_of_python_imports_nothing(run):
    assert run("import sys; print('vol_zarr' in sys.modules, 'ctypes' in sys.modules, '_vol_zarr_auto' in sys.modules)") == ["False", "False", "True"]


def test_no_variable_is_set(run):
    text = "import os; before = dict(os.environ); import h5py, vol_zarr; vol_zarr.enable(create='*.zarr'); print(before == dict(os.environ))"
    assert run(text) == ["True"]


def test_switched_off(run, store):
    text = """
import h5py, sys
try:
    h5py.File("s.zarr")
except OSError:
    print("native")
import vol_zarr
try:
    print(h5py.File("s.zarr")["a"][2])
except OSError as error:  # macOS, where HDF5 2.x gets to know the connector while it starts
    print("HDF5_VOL_CONNECTOR=zarr" in str(error), sys.platform == "darwin" and h5py.version.hdf5_version_tuple >= (2,))
"""
    assert run(text, VOL_ZARR_AUTO="0") in (["native", "2"], ["native", "True", "True"])


@pytest.mark.parametrize("order", ["import h5py, vol_zarr", "import vol_zarr"])
def test_enable_before_and_after_h5py(run, order):
    text = f"""
{order}
vol_zarr.enable("create=*.zarr", format=3)
import h5py, os
for name in ("a.zarr", "a.h5"):
    with h5py.File(name, "w") as f:
        f["x"] = [1]
vol_zarr.disable()
with h5py.File("b.zarr", "w") as f:
    f["x"] = [1]
print(os.path.exists("a.zarr/zarr.json"), os.path.isfile("a.h5"), os.path.isfile("b.zarr"))
"""
    assert run(text) == ["True", "True", "True"]


@pytest.mark.parametrize("options", ["", "format=3", "compress='zstd'"])
def test_enable_without_create(run, options):
    text = f"""
import h5py, os, vol_zarr
vol_zarr.enable({options})
for name in ("a.zarr", "a.h5", "temporary"):
    h5py.File(name, "w").close()
print(os.path.isdir("a.zarr"), os.path.isfile("a.h5"), os.path.isfile("temporary"))
"""
    assert run(text) == ["True", "True", "True"]


def test_a_wrong_option_is_named(run):
    text = """
import h5py, vol_zarr
try:
    vol_zarr.enable(compres="zstd")
except ValueError as error:
    print("compres" in str(error), h5py.File("x.h5", "w").mode)
"""
    assert run(text) == ["True", "r+"]


def test_names_of_every_service_can_be_sent(run):
    """Objects of stores with such names are pickled by the name alone."""
    names = [f"{scheme}://box/x.zarr" for scheme in ("s3", "gs", "gcs", "az", "azure", "abfs", "abfss", "http", "https", "zarr+az")]
    text = f"""
import h5py, vol_zarr._pickle as p
print(all(p.FAR.match(name) and p.URL.match(name) and p._is_store(name) for name in {names}), p.FAR.match("s3x/y"), p.URL.match("/az:/y"))
"""
    assert run(text) == ["True", "None", "None"]


def test_pickled(run, store):
    text = """
import h5py, pickle, multiprocessing, sys
import vol_zarr
def last(dataset):
    return int(dataset[-1])
if __name__ == "__main__":
    f = h5py.File("s.zarr")
    print(pickle.loads(pickle.dumps(f["a"]))[3], pickle.loads(pickle.dumps(f)).mode, pickle.loads(pickle.dumps(f["/"])).name)
    with h5py.File("n.h5", "w") as n:
        n["a"] = [1]
        for thing in (n, n["a"], n["/"]):
            try:
                pickle.dumps(thing)
            except TypeError:
                print("refused")
"""
    assert run(text) == ["3", "r", "/", "refused", "refused", "refused"]


def test_spawned_processes_read_pickled_datasets(tmp_path, store):
    (tmp_path / "spawn.py").write_text("""
import h5py, multiprocessing
def last(dataset):
    return int(dataset[-1])
if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        print(pool.map(last, [h5py.File("s.zarr")["a"]] * 4))
""")
    done = subprocess.run([sys.executable, "spawn.py"], cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, timeout=120)
    assert (done.stdout.strip(), done.stderr) == ("[4, 4, 4, 4]", "")


@needs("netCDF4")
def test_programs_that_are_run(tmp_path):
    text = "import netCDF4; d = netCDF4.Dataset('n.zarr', 'w'); d.createDimension('x', 3); d.close()"
    command = [sys.executable, "-m", "vol_zarr", "run", "create=*.zarr", "--", sys.executable, "-c", text]
    assert subprocess.run(command, cwd=tmp_path, env=ENVIRONMENT, timeout=120).returncode == 0
    assert os.path.isdir(tmp_path / "n.zarr")


@needs("netCDF4", "hdf5plugin")
def test_programs_that_are_run_find_the_filters_of_wheels(run, monkeypatch):
    text = "import subprocess, sys; subprocess.run([sys.executable, '-m', 'vol_zarr', 'run', '--', 'sh', '-c', 'echo $HDF5_PLUGIN_PATH'])"
    plugin = run("import vol_zarr; print(vol_zarr.plugin_path)")[0]
    for given in ("", "/mine:/yours"):
        found = run(text, **({"HDF5_PLUGIN_PATH": given} if given else {}))[0].split(":")
        assert found[0] == plugin and {"/mine", "/yours"} & set(found) == ({"/mine", "/yours"} if given else set())
        assert ("/usr/local/hdf5/lib/plugin" in found) != bool(given)
        assert [path for path in found if path.endswith("netCDF4/plugins")] and [path for path in found if path.endswith("hdf5plugin/plugins")]


def test_h5dump_is_run(run, store, tmp_path):
    program = os.environ.get("VZ_H5DUMP")
    said = subprocess.run([program, "--version"], capture_output=True, text=True).stdout.split() if program else ["0"]
    if tuple(map(int, said[-1].split("-")[0].split("."))) < (1, 14):
        pytest.skip("no h5dump of HDF5 1.14 or newer (VZ_H5DUMP names one)")
    command = [sys.executable, "-m", "vol_zarr", "run", "--", program, "-d", "a", "s.zarr"]
    done = subprocess.run(command, cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, timeout=120)
    assert "(0): 0, 1, 2, 3, 4" in done.stdout, done.stderr


@pytest.mark.parametrize("words, status", [(["run"], 1), (["run", "--"], 1), (["run", "--", "no-such-program"], 1), ([], 0), (["path"], 0)])
def test_the_command_line(words, status):
    done = subprocess.run([sys.executable, "-m", "vol_zarr", *words], env=ENVIRONMENT, capture_output=True, text=True, timeout=120)
    assert done.returncode == status and (done.stderr == "") == (status == 0), done.stdout + done.stderr


@pytest.mark.parametrize("word", ["info", "doctor"])
def test_info_tells_of_each_module(word):
    done = subprocess.run([sys.executable, "-m", "vol_zarr", word], env=ENVIRONMENT, capture_output=True, text=True, timeout=120)
    lines = [line.split(" ")[0] for line in done.stdout.splitlines() if line.endswith(", opens stores")]
    assert done.returncode == 0 and lines == OPENS, done.stdout + done.stderr


@pytest.fixture
def old(tmp_path):
    """Runs lines where h5py has HDF5 1.12, and PyTables and netCDF4 newer ones."""
    python = os.environ.get("VZ_PY_OLD")
    if not python:
        pytest.skip("no h5py with HDF5 1.12 for this Python")

    def run(text):
        done = subprocess.run([python, *STRICT, "-W", "ignore:h5py 3.8.0 has HDF5 1.12.2:UserWarning", "-c", text], cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, timeout=120)
        assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
        return done.stdout.split()

    return run


REFERENCE = """
import doctest, inspect, pathlib, sys, vol_zarr
page = pathlib.Path(sys.argv[1]).read_text()
for name in vol_zarr.__all__:
    assert f"`{name}`" in page or f"## {name}" in page, name
    thing = getattr(vol_zarr, name)
    if inspect.isfunction(thing):
        assert thing.__doc__ and inspect.signature(thing).return_annotation is not inspect.Signature.empty, name
        assert all(parameter in page for parameter in inspect.signature(thing).parameters), name
tried = [doctest.testmod(module) for module in (vol_zarr, vol_zarr._enable, vol_zarr._doctor, vol_zarr._view)]
print(sum(each.attempted for each in tried) >= 9, sum(each.failed for each in tried))
print((pathlib.Path(vol_zarr.__file__).parent / "py.typed").exists())
"""


def test_the_page_of_reference_names_everything(run):
    """All public names and arguments, with types; and the examples in docstrings do what they say."""
    page = pathlib.Path(__file__).parents[2] / "docs" / "python-reference.md"
    assert run(REFERENCE, str(page)) == ["True", "0", "True"]


def test_the_doctor_in_python(run):
    text = """
import vol_zarr
found = vol_zarr.doctor()
print(found.works, [m.name for m in found.modules if m.works], len(found.libraries) > 0)
print("HDF5_PLUGIN_PATH" in [each["about"] for each in found.advice if each["wrong"]], str(found).count("opens stores"))
"""
    assert run(text) == ["True", *repr(OPENS).split(), "True", "False", str(len(OPENS))]


def test_the_view(run, store):
    """Of a path, for which the command finds h5py's HDF5, and of what h5py has open."""
    text = """
import h5py, vol_zarr
for source in "s.zarr", h5py.File("s.zarr"):
    print(vol_zarr.view(source).html.count("<details") > 1)
"""
    assert run(text) == ["True", "True"]


def test_a_connector_that_does_not_load_is_an_error(run, tmp_path):
    """And not a crash, as HDF5 makes of it."""
    text = """
import h5py, vol_zarr, vol_zarr._hdf5 as parts
parts.PLUGIN = "broken"
try:
    vol_zarr.enable()
except RuntimeError as error:
    print("libH5VLzarr.so" in str(error), "pip install" in str(error))
print(vol_zarr._enable.enabled_text(), vol_zarr.doctor().works)
"""
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "libH5VLzarr.so").write_bytes(b"nothing that loads")
    assert run(text) == ["True", "True", "None", "False"]


def test_an_older_hdf5_is_left_alone(old):
    """Alone, and beside HDF5s that are told."""
    text = """
import h5py
with h5py.File("n.h5", "w") as f:
    f["a"] = range(5)
print(h5py.version.hdf5_version, h5py.File("n.h5")["a"][3])
"""
    assert old(text) == ["1.12.2", "3"]
    assert old("import netCDF4, tables\n" + text + "import vol_zarr; print(sorted(vol_zarr.activate()))") == ["1.12.2", "3", "['netCDF4',", "'tables']"]


def test_an_older_hdf5_is_named_once(old):
    text = """
import warnings
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    import h5py, vol_zarr
    vol_zarr.activate()
(only,) = seen
print(only.category is vol_zarr.HDF5Warning, "1.12.2" in str(only.message), "pip install --upgrade h5py" in str(only.message))
"""
    assert old(text) == ["True", "True", "True"]


def test_an_older_hdf5_cannot_be_enabled(old):
    text = """
import vol_zarr
vol_zarr.enable("create=*.zarr")
import h5py
try:
    h5py.File("s.zarr", "w")
except RuntimeError as error:
    print("1.14" in str(error))
vol_zarr.disable()
print(h5py.File("s.zarr", "w").mode)
"""
    assert old(text) == ["True", "r+"]


def test_what_is_in_the_wheel():
    """Three binaries, and the licence of each library that is inside; small without the module that has TLS inside."""
    path = os.environ["VZ_WHEEL"]
    module = "vol_zarr/plugin/vol_zarr_net.so"
    with zipfile.ZipFile(path) as wheel:
        names = wheel.namelist()
        assert os.path.getsize(path) - wheel.getinfo(module).compress_size < 4 << 20
    assert sorted(name for name in names if name.startswith(("vol_zarr/plugin/", "vol_zarr/bin/"))) == ["vol_zarr/bin/h5zarr", "vol_zarr/plugin/libH5VLzarr.so", module]
    licences = {name.split("/")[2] for name in names if "/licenses/" in name}
    unwinder = {"libunwind"} if "musllinux" in path else set()
    assert licences == unwinder | {"LICENSE", "bzip2", "c-blosc", "curl", "expat", "libdeflate", "libzstd", "lz4", "openssl", "xz-utils", "zlib", "zig"}
    assert not [name for name in names if name.endswith("METADATA") and "Requires-Dist" in zipfile.ZipFile(path).read(name).decode()]


def test_h5zarr_converts_with_the_hdf5_of_a_wheel(tmp_path, store):
    program = os.path.join(os.path.dirname(sys.executable), "h5zarr")
    for words in (["check", "s.zarr"], ["convert", "--verify", "--quiet", "s.zarr", "n.h5"], ["doctor"]):
        done = subprocess.run([program, *words], cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "n.h5").read_bytes().startswith(b"\x89HDF\r\n\x1a\n")


def test_shells_find_what_completes_h5zarr(run):
    files = ["man/man1/h5zarr.1", "bash-completion/completions/h5zarr", "zsh/site-functions/_h5zarr", "fish/vendor_completions.d/h5zarr.fish"]
    text = "import pathlib, sys; print(all((pathlib.Path(sys.prefix) / 'share' / file).stat().st_size > 1000 for file in sys.argv[1:]))"
    assert run(text, *files) == ["True"]
