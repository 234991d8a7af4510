# One word each for people; the work is done by tools/ and CMake.
PREFIX ?= $(HOME)/.local
PRESET ?= release
SECONDS ?= 30
SEED ?= $(shell date +%s)
KILLS ?= 1000
SEEDS ?= 5
SIZE ?= normal

.PHONY: help setup build demo wheel wheels wheel-test wheel-musl-test wheel-aarch64-test wheel-macos aarch64-test musl-test test api-test h5py-test hdf5r-test netcdf-test zarr-versions reach sanitize tsan portable-test valgrind clang fuzz hostile soak spaces net crash faults power bench bench-quick bench-growth bench-publish bench-cloud mpi-test mpi-bench fresh install deb conda docs release release-prepare notebooks format clean

help:
	@echo 'make demo      the main job on a real data set, step by step'
	@echo 'make test      everything: unit tests, C tests, Python and h5py'"'"'s tests under HDF5 1.14 and 2.x'
	@echo 'make wheel     dist/vol_zarr-*.whl for this machine, which pip installs, with every library inside'
	@echo 'make wheels    the wheels for Linux on x86-64 and aarch64, with glibc and with musl'
	@echo 'make wheel-test  installs the wheel into new Python environments and tries it'
	@echo 'make wheel-musl-test  the wheels for musl, with a CPython that is built for it'
	@echo 'make wheel-macos  the wheels for macOS, cross-compiled and checked; experimental: never run on a Mac'
	@echo 'make wheel-aarch64-test  the wheel for aarch64 under qemu-user (root on Debian: installs it)'
	@echo 'make api-test  the API tests of HDF5 itself, through the connector'
	@echo 'make h5py-test h5py'"'"'s own tests, through the connector, with both versions of h5py'
	@echo 'make hdf5r-test  Debian's own programs: R's hdf5r, ncdump, CDO, libzip (root on Debian 13: installs them)'
	@echo 'make netcdf-test  ncdump, NCO and CDO of Debian 13 on stores (root: makes a Debian 13 root)'
	@echo 'make zarr-versions  netCDF stores, opened by zarr-python 2.18, 3.0 and 3.1'
	@echo 'make reach     the tests of HDF5, netCDF-C, xarray, PyTables, pandas, astropy and others, natively and through the connector'
	@echo 'make sanitize  every test and the demo under Address- and UndefinedBehaviorSanitizer, C tests under valgrind'
	@echo 'make tsan      unit and C tests, and the Python tests with threads, under ThreadSanitizer'
	@echo 'make portable-test  the build that calls only POSIX, and every test of it while Linux refuses more'
	@echo 'make musl-test  the unit tests of a build for musl'
	@echo 'make aarch64-test  the unit and C tests of a build for aarch64, under qemu-user (root on Debian: installs it)'
	@echo 'make valgrind  the C tests under valgrind'
	@echo 'make clang     everything built by clang, warnings as errors, and its unit and C tests'
	@echo 'make fuzz      readers of stored data against altered input, under the sanitizers (SECONDS=30 for each target)'
	@echo 'make hostile   whole stores that were altered, looked at under the sanitizers (SECONDS=30)'
	@echo 'make soak      random HDF5 operations on stores and on native files, compared after each (SECONDS=30)'
	@echo 'make spaces    random dataspaces on stores and on native files, compared after each transfer (SECONDS=30, PRESET)'
	@echo 'make net       stores on a server that misbehaves, and that begins to refuse: judged by zarr-python (SECONDS=30)'
	@echo 'make crash     writers of every kind of store are killed, and what they leave is judged (KILLS=1000)'
	@echo 'make faults    every call to the system and every allocation fails, one by one'
	@echo 'make power     what a power failure may leave of a writer with sync=1 (SEEDS=5)'
	@echo 'make bench     everything side by side: this connector, native HDF5, zarr-python, zarrs, tensorstore, what is possible (SIZE=normal|full)'
	@echo 'make bench-quick  a few rows of it, in two minutes'
	@echo 'make bench-growth  how time and memory grow with chunks, nodes, attributes, threads'
	@echo 'make bench-publish  what these measured into docs/performance.md'
	@echo 'make bench-cloud  stores in a bucket, 0, 20 and 100 ms away: this connector, zarr-python, tensorstore'
	@echo 'make mpi-test  MPI programs on stores: parallel tests of HDF5 and h5py, random slabs, killed ranks (root: makes a Debian 13 root)'
	@echo 'make mpi-bench ranks that write and read stores: this connector, parallel HDF5, zarr-python under Dask (in the same root)'
	@echo 'make fresh     wheel, demo and test of a clean clone in new Debian 12 and 13 roots, and the wheel in new Debian 11, 12 and 13 roots'
	@echo 'make install   to PREFIX ($(PREFIX)): lib/hdf5/plugin-zarr/, include/H5VLzarr.h, bin/h5zarr, share/man/'
	@echo 'make deb       Debian packages, in dist/; TRY=--try installs and tries them (root, Debian 13)'
	@echo 'make conda     the conda recipe, built into a prefix and tried there'
	@echo 'make release   all that a release has, built twice in new Debian roots and compared, in dist/release/ (root, debootstrap)'
	@echo 'make release-prepare  VERSION=X.Y.Z: the version in every file that names it, also in CHANGELOG.md, the archives of stores that it writes'
	@echo 'make notebooks the notebooks of docs/notebooks, executed anew, and their pictures'
	@echo 'make docs      the pages as a site, in build/docs/site; BROWSE=--browse looks at every page in Chromium'
	@echo 'make setup build format clean    as they say (PRESET=release|debug|sanitize|tsan|clang)'

setup:
	@tools/setup.sh

build:
	@tools/setup.sh --no-python
	@tools/build.sh $(PRESET)

demo:
	@tools/setup.sh --demo
	@tools/build.sh release
	@tools/demo.sh

wheel:
	@tools/setup.sh --wheel
	@tools/wheel.sh

wheels:
	@tools/setup.sh --wheel
	@tools/wheel.sh x86_64 aarch64 x86_64-musl aarch64-musl

wheel-test:
	@tools/wheel-test.sh

wheel-musl-test:
	@tools/setup.sh --demo
	@tools/wheel-musl-test.sh

wheel-macos:
	@tools/setup.sh --wheel
	@tools/wheel-macos.sh

wheel-aarch64-test:
	@tools/setup.sh --demo
	@tools/wheel-aarch64-test.sh

test:
	@tools/setup.sh
	@tools/test.sh $(PRESET)

api-test:
	@tools/setup.sh --no-python --api-test
	@tools/build.sh $(PRESET)
	@tools/api-test.sh build/$(PRESET)/plugin

h5py-test:
	@tools/setup.sh
	@tools/build.sh $(PRESET)
	@tools/h5py-test.sh build/$(PRESET)/plugin

hdf5r-test:
	@tools/setup.sh
	@tools/build.sh $(PRESET)
	@tools/hdf5r-test.sh $(PRESET)

netcdf-test:
	@tools/setup.sh
	@tools/build.sh $(PRESET)
	@tools/netcdf-test.sh $(PRESET)

zarr-versions:
	@tools/setup.sh
	@tools/build.sh $(PRESET)
	@tools/zarr-versions.sh $(PRESET)

reach:
	@tools/setup.sh
	@tools/build.sh $(PRESET)
	@tools/reach.sh $(PRESET)

sanitize:
	@tools/setup.sh
	@tools/test.sh sanitize

tsan:
	@tools/setup.sh
	@tools/tsan.sh

portable-test:
	@tools/setup.sh
	@tools/portable.sh

aarch64-test:
	@tools/setup.sh --build-only
	@tools/aarch64-test.sh

musl-test:
	@tools/setup.sh --demo
	@tools/musl-test.sh

valgrind:
	@tools/setup.sh --no-python
	@tools/valgrind.sh

clang:
	@tools/setup.sh --no-python
	@tools/clang.sh

fuzz:
	@tools/setup.sh --no-python
	@tools/fuzz.sh $(SECONDS)

hostile:
	@tools/setup.sh
	@tools/build.sh sanitize
	@tools/hostile.sh --seconds $(SECONDS) --seed $(SEED) --jobs $$(nproc)

soak:
	@tools/setup.sh
	@tools/build.sh $(PRESET)
	@tools/soak.sh $(PRESET) --seconds $(SECONDS) --seed $(SEED) --jobs $$(nproc)

spaces:
	@tools/setup.sh --no-python
	@tools/build.sh $(PRESET)
	@tools/spaces.sh $(PRESET) --seconds $(SECONDS) --seed $(SEED)

net:
	@tools/setup.sh
	@tools/build.sh $(PRESET)
	@tools/net.sh $(PRESET) --seconds $(SECONDS) --seed $(SEED)

crash:
	@tools/setup.sh
	@tools/build.sh $(PRESET)
	@tools/crash.sh $(PRESET) --kills $(KILLS)

faults:
	@tools/setup.sh
	@tools/build.sh $(PRESET)
	@tools/faults.sh $(PRESET) --all --jobs $$(nproc)

power:
	@tools/setup.sh
	@tools/build.sh $(PRESET)
	@tools/power.sh $(PRESET) --all --seeds $(SEEDS) --jobs $$(nproc)

bench:
	@tools/setup.sh
	@tools/build.sh release
	@tools/bench.sh run --size $(SIZE)

bench-quick:
	@tools/setup.sh
	@tools/build.sh release
	@tools/bench.sh run --size quick

bench-growth:
	@tools/setup.sh
	@tools/build.sh release
	@tools/bench.sh growth

bench-publish:
	@tools/bench.sh publish

bench-cloud:
	@tools/setup.sh
	@tools/build.sh release
	@tools/bench.sh cloud

mpi-test:
	@tools/mpi-test.sh

mpi-bench:
	@tools/mpi-test.sh --bench

fresh:
	@tools/setup.sh --wheel
	@tools/wheel.sh
	@tools/fresh.sh --wheel
	@tools/fresh.sh

install:
	@tools/setup.sh --build-only
	@tools/build.sh release
	@cmake --install build/release --prefix '$(PREFIX)'
	@echo 'Use it with:  export HDF5_PLUGIN_PATH=$(PREFIX)/lib/hdf5/plugin-zarr'

deb:
	@tools/setup.sh --no-python
	@tools/deb.sh $(TRY)

conda:
	@tools/setup.sh --no-python
	@tools/conda.sh $(PACKAGE)

docs:
	@tools/docs.sh $(BROWSE)

release:
	@tools/release.sh

release-prepare:
	@tools/setup.sh
	@tools/release/prepare.sh $(VERSION)

notebooks:
	@tools/setup.sh
	@tools/build.sh release
	@tools/notebooks.sh

format:
	@tools/format.sh

clean:
	rm -rf build demo-out
