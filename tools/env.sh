#!/usr/bin/env bash
# env.sh [--build] - prints, as shell assignments, where tools/setup.sh put things:  eval "$(tools/env.sh)"
#
#   VZ_HDF5      prefix of an HDF5 1.14 (include/, lib/, bin/h5dump ...); with --build empty where there are only headers
#   VZ_HDF5_HEADERS directory with hdf5.h
#   VZ_API_TEST  directory with h5_api_test and testhdf5, empty if not built
#   VZ_PY        Python with today's h5py, anndata, zarr      VZ_PY114  Python with an h5py that carries HDF5 1.14
#   VZ_PY_HDMF   Python with pynwb and hdmf-zarr 0.13         VZ_PY_HDMF14 with hdmf-zarr 0.14, empty where it was not made
#   VZ_MINIO, VZ_CLOUD_PROXY, VZ_AZURITE   servers of the tests of remote stores, empty if not built
#   VZ_GO_MEMBERS a program in Go that reads zip files, empty if not built
#   VZ_PY_DEMO   Python with h5py, anndata, zarr: that of VZ_PY where it is there
#   VZ_DATA      10x_pbmc68k_reduced.h5ad                     VZ_SHARED ../shared of the checkout, empty if not there
set -euo pipefail

TOOLS=$(cd "$(dirname "$0")" && pwd)
. "$TOOLS/lib/common.sh"
. "$TOOLS/lib/hdf5.sh"
. "$TOOLS/lib/python.sh"
. "$TOOLS/lib/data.sh"
. "$TOOLS/lib/cloud.sh"

hdf5_find_headers
if [ "${1:-}" = --build ]; then
    [ -n "$VZ_HDF5_HEADERS" ] || die "no headers of HDF5 1.14 yet: run tools/setup.sh --build-only"
else
    [ -n "$VZ_HDF5" ] || die "no HDF5 1.14 yet: run tools/setup.sh"
fi
VZ_API_TEST=''
if [ -x "$HDF5_API_TEST_DIR/h5_api_test" ]; then VZ_API_TEST=$HDF5_API_TEST_DIR; fi
VZ_SHARED=''
if [ -d "$VZ_ROOT/../shared" ]; then VZ_SHARED=$(cd "$VZ_ROOT/../shared" && pwd); fi
hdmf14=''
if [ -f "$VZ_PY_HDMF14/.stamp" ]; then hdmf14=$VZ_PY_HDMF14/bin/python; fi
VZ_MINIO='' VZ_CLOUD_PROXY='' VZ_AZURITE='' VZ_GO_MEMBERS=''
if [ -x "$MINIO_PROGRAM" ]; then VZ_MINIO=$MINIO_PROGRAM; fi
if [ -x "$PROXY_PROGRAM" ]; then VZ_CLOUD_PROXY=$PROXY_PROGRAM; fi
if [ -x "$MEMBERS_PROGRAM" ]; then VZ_GO_MEMBERS=$MEMBERS_PROGRAM; fi
if [ -x "$AZURITE_PROGRAM" ]; then VZ_AZURITE=$AZURITE_PROGRAM; fi
printf 'export VZ_%s=%q\n' ROOT "$VZ_ROOT" CACHE "$VZ_CACHE" HDF5 "$VZ_HDF5" HDF5_HEADERS "$VZ_HDF5_HEADERS" API_TEST "$VZ_API_TEST" \
    PY "$VZ_PY_MAIN/bin/python" PY114 "$VZ_PY_114/bin/python" PY_HDMF "$VZ_PY_HDMF/bin/python" PY_HDMF14 "$hdmf14" PY_DEMO "$(python_demo)/bin/python" \
    DATA "$DATA_FILE" SHARED "$VZ_SHARED" MINIO "$VZ_MINIO" CLOUD_PROXY "$VZ_CLOUD_PROXY" AZURITE "$VZ_AZURITE" \
    GO_MEMBERS "$VZ_GO_MEMBERS"
