"""pytest plugin of reach.sh: fixtures that suites want from a conftest.py which their wheels do not have."""

import pytest


@pytest.fixture(params=[{}, {"compression": "gzip", "compression_opts": 6}], ids=["plain", "gzip"])
def compression_kwargs(request):
    """hickle: what its dump() gives to create_dataset."""
    return request.param
