"""A one-file store on a web server: the server counts what opening it asks for, however much it holds."""

import h5py
import numpy as np
import pytest

from file_server import FileServer
from interpreter import Interpreter
from places import with_connector


@pytest.fixture
def server(tmp_path):
    (tmp_path / "served").mkdir()
    running = FileServer(tmp_path / "served")
    yield running
    running.stop()


@pytest.fixture
def writer():
    running = Interpreter(with_connector("zarr create=*.h5:file;compress=none"))
    yield running
    running.stop()


def make(path, count):
    with h5py.File(path, "w") as file:
        file.attrs["title"] = "of the root"
        file.create_dataset("x", data=np.arange(count, dtype="i4"), chunks=(1,))


def look(url):
    with h5py.File(url) as file:
        return file.attrs["title"]


@pytest.mark.parametrize("count, requests, rounds", [(10, 2, 1), (20000, 3, 2)])
def test_start_and_end_at_once(server, writer, connector, count, requests, rounds):
    """They hold the documents of the root, too, unless these lie between thousands of chunks and their directory."""
    writer.run(make, server.root / "x.h5", count)
    server.clear(together=200)
    assert connector.run(look, f"{server.url}/x.h5") == "of the root"
    assert len(server.log) == requests and server.rounds() == rounds
