"""The wheel on another machine, under qemu-user (tools/wheel-aarch64-test.sh), or with another C library (tools/wheel-musl-test.sh): `prepare` and
`judge` are run here, by zarr-python, `serve` beside `work MODULE...`, which is done there by the wheels of h5py, and of PyTables and netCDF4 where
they are named. All in one process, since programs of another machine cannot be started from it. `spread` is done there, too, where it can fork."""

import functools
import http.server
import os
import ssl
import subprocess
import sys
import threading
import time

COMPRESSORS = ("auto", "blosc", "zstd", "zlib", "none")
FORMATS = (2, 3)
SHAPE, CHUNKS = (30, 7), (10, 7)
STACK = 256 << 10  # of a thread: Python itself does not run in the 128 KiB that musl gives
THREADS = ("thread-0", "thread-1", "thread-2", "thread-3")
CHILDREN = ("forked-0", "forked-1")


def values():
    import numpy

    return numpy.arange(210.0).reshape(SHAPE) / 8


def prepare():
    import zarr

    for form in FORMATS:
        group = zarr.open_group(f"theirs{form}.zarr", mode="w", zarr_format=form)
        group.create_array("x", data=values(), chunks=CHUNKS)
        group.attrs["unit"] = "µm"
    subprocess.run("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost -addext "
                   "subjectAltName=DNS:localhost -keyout key.pem -out cert.pem".split(), check=True, stderr=subprocess.DEVNULL)


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


def serve():
    """The stores by http and https, until the process is ended; `names` tells where."""
    names = []
    for scheme in "http", "https":
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory="."))
        if scheme == "https":
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain("cert.pem", "key.pem")
            server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=server.serve_forever).start()
        names.append(f"{scheme}://localhost:{server.server_address[1]}/")
    with open("names.part", "w") as file:
        file.write("\n".join(names))
    os.rename("names.part", "names")


def read_far_away():
    """By the module for remote stores, with the wheel's own libcurl and TLS library."""
    import h5py

    for _ in range(600):
        if os.path.exists("names"):
            break
        time.sleep(0.1)
    os.environ.update(AWS_CA_BUNDLE=os.path.abspath("cert.pem"), no_proxy="localhost")
    with open("names") as file:
        names = file.read().split()
    for name in names:
        for form in FORMATS:
            with h5py.File(f"{name}theirs{form}.zarr") as file:
                assert (file["x"][...] == values()).all() and file.attrs["unit"] == "µm", name
    print(f"read by {', '.join(name.split(':')[0] for name in names)}")


def work(*modules):
    import importlib
    import platform

    import h5py

    for form in FORMATS:
        with h5py.File(f"theirs{form}.zarr") as file:  # with the .pth file alone
            assert (file["x"][...] == values()).all() and file.attrs["unit"] == "µm", form
    assert "vol_zarr" in sys.modules

    read_far_away()
    for name in modules:
        importlib.import_module(name)
    import vol_zarr

    for form in FORMATS:
        for word in COMPRESSORS:
            write(f"ours-{form}-{word}.zarr", create="*.zarr", format=form, compress=word)
    write("one.h5", create="*.h5:file")
    write("native.h5", create="*.zarr")
    assert list(vol_zarr.activate()) == [name for name in ("h5py", "tables", "netCDF4") if name in modules]
    for path in ("one.h5", "native.h5"):
        if "tables" in modules:
            with sys.modules["tables"].open_file(path) as file:
                assert (file.root.x[...] == values()).all(), path
        if "netCDF4" in modules:
            with sys.modules["netCDF4"].Dataset(path) as file:
                assert (file["x"][...] == values()).all(), path
    try:
        vol_zarr.enable(compres="zstd")
    except ValueError as error:
        assert "compres" in str(error)
    else:
        raise AssertionError("a wrong option was taken")
    print(platform.machine(), "HDF5", ", ".join(f"{name} {'.'.join(map(str, of))}" for name, of in vol_zarr.activate().items()))


def write(path, **options):
    import vol_zarr

    with vol_zarr.enable(**options):
        fill(path)


def fill(path):
    import h5py

    with h5py.File(path, "w") as file:
        file.create_dataset("x", data=values(), chunks=CHUNKS)
        file["x"].attrs["unit"] = "µm"
        file["words"] = ["a", "µ"]
        file["x"][3:5, 2] = -1
        file["x"][3:5, 2] = values()[3:5, 2]
    with h5py.File(path) as file:
        assert (file["x"][...] == values()).all(), path


def spread():
    """Stores that threads and forked children write, each its own, while the parent has one open for both and its workers run."""
    import h5py
    import vol_zarr

    vol_zarr.enable(create="*.zarr", compress="zstd", format=3)
    large = 1 << 20  # enough chunks for worker threads
    with h5py.File("parent.zarr", "w") as file:
        file.create_dataset("x", data=range(large), chunks=(1 << 14,))
    threading.stack_size(STACK)
    failed = []
    with h5py.File("parent.zarr") as parent:
        assert parent["x"][...].sum() == large * (large - 1) // 2

        def step(name):
            try:
                assert parent["x"][-3:].tolist() == [large - 3, large - 2, large - 1]
                fill(f"{name}.zarr")
            except BaseException as error:
                failed.append(error)
                raise

        threads = [threading.Thread(target=step, args=(name,)) for name in THREADS]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for name in CHILDREN:
            child = os.fork()
            if child == 0:
                step(name)
                assert parent["x"][...].sum() == large * (large - 1) // 2
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0, name
        assert not failed and parent["x"][5] == 5
    print(f"written by {len(threads)} threads and {len(CHILDREN)} forked children")


def judge():
    import zarr

    def same(store, form):
        group = zarr.open_group(store, mode="r")
        assert group.metadata.zarr_format == form and (group["x"][...] == values()).all(), store
        assert group["x"].attrs["unit"] == "µm" and list(group["words"][:]) == ["a", "µ"], store

    for form in FORMATS:
        for word in COMPRESSORS:
            same(f"ours-{form}-{word}.zarr", form)
    for name in THREADS + CHILDREN:
        if os.path.exists("parent.zarr"):  # else `spread` was not done
            same(f"{name}.zarr", 3)
    same(zarr.storage.ZipStore("one.h5", mode="r"), 2)
    with open("native.h5", "rb") as file:
        assert file.read(8) == b"\x89HDF\r\n\x1a\n"
    print(f"zarr-python {zarr.__version__} reads what was written")


if __name__ == "__main__":
    os.chdir(sys.argv[2])
    {"prepare": prepare, "serve": serve, "work": work, "spread": spread, "judge": judge}[sys.argv[1]](*sys.argv[3:])
