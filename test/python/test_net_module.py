"""The module for requests over HTTP inside of programs: beside h5py, netCDF4 and Python's ssl, which have copies of libcurl and OpenSSL of their
own; https, certificates and proxies; forked and spawned processes; and HDF5, which must not take it for a plugin."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

from places import COMMAND, PLUGIN_DIR

HERE = pathlib.Path(__file__).parent
MODULE = pathlib.Path(PLUGIN_DIR or "/nowhere") / "vol_zarr_net.so"

pytestmark = pytest.mark.skipif(not MODULE.exists(), reason="built without libcurl's development files")

# What programs of the tests begin with.
CLIENT = f"""
import ctypes, os, sys
client = ctypes.CDLL(os.environ["NET_CLIENT"])
client.client_load.restype = client.client_describe.restype = ctypes.c_char_p
def load():
    wrong = client.client_load({str(MODULE)!r}.encode())
    assert wrong is None, wrong
def get(url, ca=None, http2=False):
    text = ctypes.create_string_buffer(400)
    status = client.client_get(url.encode(), ca and ca.encode(), http2, text, ctypes.c_size_t(400))
    return status, text.value.decode()
def get_many(url, count, size, ca=None, http2=False):
    return client.client_get_many(url.encode(), ca and ca.encode(), http2, count, ctypes.c_size_t(size))
"""


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    library = tmp_path_factory.mktemp("net") / "net_client.so"
    sources = HERE.parents[1] / "src"
    subprocess.run([os.environ.get("CC", "cc"), "-std=gnu11", "-shared", "-fPIC", "-O1", "-I", str(sources), "-o",
                    str(library), str(HERE / "net_client.c"), str(sources / "base/util/error.c"), "-ldl"], check=True)
    return str(library)


def certificate(where):
    where.mkdir()
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
                    "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost", "-keyout", "key.pem", "-out", "cert.pem"],
                   cwd=where, check=True, stderr=subprocess.DEVNULL)
    return str(where / "cert.pem"), str(where / "key.pem")


@pytest.fixture(scope="module")
def servers(tmp_path_factory):
    """Ports and files: http, https, cert (of https), wrong (another certificate)."""
    where = tmp_path_factory.mktemp("servers")
    cert, key = certificate(where / "right")
    wrong, _ = certificate(where / "other")
    processes = [subprocess.Popen([sys.executable, str(HERE / "net_server.py"), *arguments], stdout=subprocess.PIPE, text=True)
                 for arguments in ((), (cert, key))]
    http, https = (int(process.stdout.readline()) for process in processes)
    yield {"http": http, "https": https, "cert": cert, "wrong": wrong}
    for process in processes:
        process.kill()
        process.wait()


def run(client, program, servers, **environment):
    """Runs a program, which prints "done" last."""
    clean = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy") and not name.endswith("CA_BUNDLE")}
    for name in ("SSL_CERT_FILE", "LD_PRELOAD"):
        clean.pop(name, None)
    if "LD_PRELOAD" in os.environ:  # a sanitizer's
        clean["LD_PRELOAD"] = os.environ["LD_PRELOAD"]
    prefix = "\n".join(f"{name} = {value!r}" for name, value in servers.items())
    result = subprocess.run([sys.executable, "-c", f"{prefix}\n{CLIENT}\n{program}\nprint('done')"], capture_output=True, text=True, timeout=120,
                            env={**clean, "NET_CLIENT": client, **environment})
    assert result.returncode == 0 and result.stdout.endswith("done\n"), result.stdout + result.stderr
    return result


@pytest.mark.parametrize("first", ["module", "others"])
def test_beside_other_copies(client, servers, tmp_path, first):
    """https by the module, by Python's ssl, and files by h5py and netCDF4, whichever was loaded first."""
    run(client, f"""
def others():
    global h5py, netCDF4
    import h5py, netCDF4, ssl, urllib.request
    with h5py.File({str(tmp_path / "a.h5")!r}, "w") as f:
        f["x"] = [1, 2]
    with netCDF4.Dataset({str(tmp_path / "b.nc")!r}, "w") as f:
        f.createDimension("d", 2)
    trusting = ssl.create_default_context(cafile=cert)
    with urllib.request.urlopen(f"https://127.0.0.1:{{https}}/bytes/7", context=trusting) as answer:
        assert answer.read() == b"x" * 7
def ours():
    load()
    assert get(f"https://127.0.0.1:{{https}}/a", cert) == (200, "asked for /a")
    assert get_many(f"https://127.0.0.1:{{https}}/bytes/200000", 100, 200000, cert) == 100
steps = [ours, others] if {first == "module"} else [others, ours]
for step in steps + steps:
    step()
print(client.client_describe())
""", servers)


def test_certificates(client, servers):
    """Only what is trusted, whoever names it: the option, or the environment, which is asked in this order."""
    run(client, """
load()
url = f"https://127.0.0.1:{https}/a"
def refused(ca=None):
    status, text = get(url, ca)
    assert status < 0 and "certificate" in text.lower(), (status, text)
refused()
refused(wrong)
status, text = get(url, "/nonexistent/bundle")
assert status < 0 and "/nonexistent/bundle" in text, text
for name in ("SSL_CERT_FILE", "CURL_CA_BUNDLE", "AWS_CA_BUNDLE"):
    os.environ[name] = cert
    assert get(url)[0] == 200, name
    os.environ[name] = wrong
    refused()
assert get(url, cert)[0] == 200
assert get(f"https://localhost:{https}/a", cert)[0] == 200
status, text = get(f"https://127.0.0.2:{https}/a", cert)
assert status < 0, "a name that the certificate does not have"
""", servers)


def test_proxies(client, servers):
    """As curl reads them: each scheme has one, no_proxy names what goes past it, HTTP_PROXY in capitals is a header of a CGI program's."""
    run(client, """
load()
proxy = f"http://127.0.0.1:{http}"
url = "http://far.invalid/a?b"
assert get(url)[0] < 0
os.environ["HTTP_PROXY"] = proxy
assert get(url)[0] < 0
os.environ["http_proxy"] = proxy
assert get(url) == (200, "asked for http://far.invalid/a?b")
os.environ["no_proxy"] = "invalid"
assert get(url)[0] < 0
del os.environ["http_proxy"], os.environ["no_proxy"]
os.environ["all_proxy"] = proxy
assert get(url) == (200, "asked for http://far.invalid/a?b")
os.environ["HTTPS_PROXY"] = proxy
os.environ["all_proxy"] = "http://127.0.0.1:1"
assert get(f"https://localhost:{https}/a", cert) == (200, "asked for /a")
""", servers)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_multiprocessing(client, servers, method):
    """A pool of processes, as loaders of data have it, made when the parent has open connections and after that requests of its own."""
    program = CLIENT + f"""
import multiprocessing
servers = {servers!r}
def work(i):
    global net_loaded
    if "net_loaded" not in globals():
        load()
        net_loaded = True
    return get_many(f"https://127.0.0.1:{{servers['https']}}/bytes/5000", 5, 5000, servers["cert"])
if __name__ == "__main__":
    assert work(0) == 5
    with multiprocessing.get_context({method!r}).Pool(3) as pool:
        answers = pool.map_async(work, range(12), chunksize=1)
        assert work(0) == 5
        assert answers.get(100) == [5] * 12
    assert work(0) == 5
"""
    where = pathlib.Path(client).parent / f"{method}.py"
    where.write_text(program)
    run(client, f"import runpy; runpy.run_path({str(where)!r}, run_name='__main__')" if method == "fork" else f"""
import subprocess
subprocess.run([sys.executable, {str(where)!r}], check=True)""", servers)


def test_end_of_the_process(client, servers):
    """Requests that are under way when a program ends do not hold it up, and do not crash it."""
    run(client, """
load()
assert get(f"https://127.0.0.1:{https}/a", cert)[0] == 200
for i in range(20):
    client.client_begin(f"http://127.0.0.1:{http}/hold".encode())
""", servers)


def test_hdf5_does_not_load_it(client, servers, tmp_path):
    """HDF5 loads what it takes for plugins; libcurl is not for programs without remote names."""
    run(client, f"""
import h5py
try:
    h5py.File({str(tmp_path / "none.zarr")!r})
except FileNotFoundError:
    pass
maps = open("/proc/self/maps").read()
assert "libH5VLzarr" in maps and "vol_zarr_net" not in maps, maps
""", servers, HDF5_PLUGIN_PATH=PLUGIN_DIR, HDF5_VOL_CONNECTOR="zarr")


def test_every_hdf5_finds_it(client, servers):
    """A second HDF5 library in a process has a copy of the plugin, which lies in no directory."""
    result = run(client, """
import glob, pathlib
import h5py, netCDF4
name = f"http://127.0.0.1:{http}/none.zarr"
beside = pathlib.Path(netCDF4.__file__).parents[1]
other = ctypes.CDLL(glob.glob(str(beside / "netcdf4.libs" / "libhdf5-*.so*"))[0])
assert other.H5open() == 0
where = os.environ.pop("HDF5_PLUGIN_PATH") # as the wheel tells HDF5 of the plugin
h5py.h5pl.append(where.encode())
assert other.H5PLappend(where.encode()) >= 0
try:
    h5py.File(name)
except OSError as error:
    print(error)
other.H5Eset_auto2.argtypes = [ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p] # netCDF4 turns messages off
assert other.H5Eset_auto2(0, ctypes.cast(other.H5Eprint2, ctypes.c_void_p), None) == 0
other.H5Fopen.restype = ctypes.c_int64
other.H5Fopen.argtypes = [ctypes.c_char_p, ctypes.c_uint, ctypes.c_int64]
assert other.H5Fopen(name.encode(), 0, 0) < 0
maps = open("/proc/self/maps").read()
assert ("memfd:libH5VLzarr" in maps or "/libH5VLzarr-" in maps) and "vol_zarr_net" in maps
""", servers, HDF5_PLUGIN_PATH=PLUGIN_DIR)
    text = "zarr.json: JSON, line 1: not a value"  # of what the server answers
    assert text in result.stdout and text in result.stderr, result.stdout + result.stderr


def test_exports_one_name():
    names = subprocess.run(["nm", "-D", "--defined-only", str(MODULE)], capture_output=True, text=True, check=True).stdout.split()[2::3]
    ours = [name for name in names if not name.startswith(("_init", "_fini", "__asan", "__ubsan", "__odr_asan", "__start_", "__stop_"))]
    assert ours == ["vz_net_functions_for"]


def started_by_name(where):
    return "h5zarr", {"PATH": str(where)}


def started_by_path(where):
    return str(where / "h5zarr"), {}


def started_by_link(where):
    return str(where / "link"), {}


@pytest.mark.parametrize("started", [started_by_name, started_by_path, started_by_link], ids=lambda started: started.__name__)
@pytest.mark.parametrize("layout", ["build", "lib/hdf5/plugin-zarr", "lib/hdf5/plugin"], ids=["build", "installed", "conda"])
def test_the_command_finds_the_module(started, layout, tmp_path):
    """Wherever h5zarr was found: nobody listens on port 1, and that is what it says. A wheel's layout is that of a build; Debian's has a
    build of its own, which debian/tests/installed asks."""
    where, plugin = COMMAND.parent, pathlib.Path(PLUGIN_DIR)
    if layout != "build":
        where = tmp_path / "bin"
        where.mkdir()
        shutil.copy(COMMAND, where)
        shutil.copytree(plugin, tmp_path / layout)
    if started is started_by_link:
        (tmp_path / "link").symlink_to(where / "h5zarr")
        where = tmp_path
    program, variables = started(where)
    environment = {name: value for name, value in os.environ.items() if name != "HDF5_PLUGIN_PATH"}
    done = subprocess.run([program, "ls", "http://127.0.0.1:1/x.zarr"], env={**environment, **variables}, capture_output=True, text=True)
    assert done.returncode == 1 and "vol_zarr_net.so" not in done.stderr and "connect" in done.stderr.lower(), done.stderr
