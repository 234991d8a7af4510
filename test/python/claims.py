"""What pages say of a program and of stores, and the rows of docs/programs.md that it must agree with (test_claims.py).

A sentence that names a program of NAMES and a word of KINDS is a claim. It is found by its words, and CLAIMS has what it says. A new sentence of
that kind fails the test until it has a line here. A line fails when docs/programs.md, which is filled by running the programs, says
something else.
"""

import re

# How pages name a program -> its row in docs/programs.md.
NAMES = {r"PyTables": "PyTables", r"\bpandas\b": "pandas (`HDFStore`)", r"\bnetCDF4\b": "netCDF4", r"read_nwb": "pynwb (`read_nwb`)",
         r"NWBHDF5IO": "pynwb (`NWBHDF5IO`)", r"read_h5ad": "AnnData", r'engine="netcdf4"': 'xarray, `engine="netcdf4"`',
         r'engine="h5netcdf"': 'xarray, `engine="h5netcdf"`', r"\bh5ls\b": "h5ls", r"\bh5dump\b": "h5dump", r"\bh5diff\b": "h5diff"}
KINDS = re.compile(r"regular file|one[- ]file|director(?:y|ies)|doorway|look(?:s)? (?:for|at) a file|(?:wants?|takes?) a file|\bstores?\b|\.zarr\b")

# What is said of the programs of a sentence: that they want a regular file; that they open directories and files; that they write stores; that they
# work with some kind of store; nothing that a row of programs.md tells.
FILE, ANY, WRITE, SOME, NOTHING = "one file", "yes", "write", "some", None

CLAIMS = {
    "README.md": {
        "Some programs look for a regular file before they ask HDF5: PyTables, pandas, netCDF4 and `pynwb.read_nwb`.": FILE,
    },
    "docs/limits.md": {
        "PyTables, pandas, netCDF4, silx, h5io, astropy and cooler look for a regular file": FILE,
        "Nor do xarray without `engine=`, `pynwb.read_nwb` and `validate(path=)`": FILE,
        'h5py, `engine="h5netcdf"` and HDF5\'s tools open directories as they are.': ANY,
        "For netCDF4 a directory can also be marked as a container of DAOS": FILE,
        '**`to_netcdf` of what `engine="h5netcdf"` opened refuses a store with zstd**': SOME,
        "**Text of a fixed size in stores of others**": NOTHING,
    },
    "docs/start-biology.md": {
        "With the plugin `read_h5ad` opens both": ANY,
        "Any program that calls `read_h5ad` reads the store.": ANY,
        "| an `.h5ad`, and want a store |": WRITE,
        "| a store, and a program that calls `read_h5ad` | give it the store's path |": ANY,
    },
    "docs/start-neuroscience.md": {"Programs that call `NWBHDF5IO` read the store as they read a file:": ANY},
    "docs/netcdf.md": {
        'netCDF-C wants a regular file: `engine="netcdf4"`, netCDF4, ncdump, NCO and CDO open a store through a *doorway*.': FILE,
        '`to_netcdf("x.zarr", engine="netcdf4")`, `nccopy`, `ncks --no_tmp_fl` and `cdo -f nc4` write stores': WRITE,
        "| a store in a bucket |": ANY,
    },
    "docs/python.md": {"Some programs look at a file before they open it: `h5py.is_hdf5`, PyTables, pandas, netCDF4": FILE},
    "docs/anndata.md": {"`read_h5ad` reads the store as it reads the file.": ANY},
    "docs/nwb.md": {
        '`pynwb.read_nwb("x.nwb.zarr")` takes hdmf-zarr for every directory': FILE,
    },
    "docs/wheel.md": {
        "the h5py, PyTables and netCDF4 of that environment open Zarr stores as HDF5 files.": SOME,
        "PyTables and netCDF4 want a regular file": FILE,
        '`anndata.read_h5ad("x.zarr")`, `pandas.read_hdf`, `xarray.open_dataset` and pynwb follow': SOME,
        "A `.pth` file imports one small module": NOTHING,
    },
    "docs/s3.md": {  # names in buckets, which programs.md does not try
        "| `h5dump`, `h5ls`, `h5repack` of HDF5 1.14 |": NOTHING,
        "pynwb's own mode \"r\" wants a file": NOTHING,
        "they look for a file before HDF5 is asked: give them a [doorway]": NOTHING,
    },
    "docs/start-application.md": {},
    "docs/troubleshooting.md": {"A script can ask: `h5ls --vol-name=zarr x.zarr` on any store": ANY},
}
