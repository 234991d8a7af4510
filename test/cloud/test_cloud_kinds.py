"""The C tests of what every kind of store does alike, over a bucket of a real server: the same programs run over directories, zip files and
memory in test/unit, and over the server that test/unit/support/mock_server.h plays."""

import os
import pathlib
import re
import subprocess

import pytest
from places import PLUGIN_DIR

PROGRAMS = ["unit_test_bucket_kinds", "unit_test_bucket_kinds_keys", "unit_test_bucket_requests"]


@pytest.mark.parametrize("program", PROGRAMS)
def test_kinds(place, proxy, program):
    path = pathlib.Path(PLUGIN_DIR).parent / "test" / program
    if not path.exists():
        pytest.skip("the C tests were not built here")
    done = subprocess.run([path], capture_output=True, text=True, errors="replace", timeout=500,
                          env={**os.environ, "VZ_LIVE_STORES": place / "live"})
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    count = int(re.search(r"(\d+) test\(s\) run", said)[1])
    assert said.count("[       OK ]") == count > 0 and len(proxy.log()) > count, said
