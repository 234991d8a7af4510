#!/usr/bin/env python3
"""make_parquet.py - writes the Parquet files beside it, for test_kerchunk_parquet.c: 20 references each, by fastparquet and by pyarrow with
pages of both versions. Needs pandas, fastparquet and pyarrow."""

import pathlib

import pandas

HERE = pathlib.Path(__file__).parent
ROWS = range(20)


def kind(i):
    return ("absent", "raw", "path", "path")[i % 4]


def main():
    frame = pandas.DataFrame({"path": [f"f{i % 3}" if kind(i) == "path" else None for i in ROWS],
                              "offset": [10 * i if kind(i) == "path" and i != 19 else 0 for i in ROWS],
                              "size": [i if kind(i) == "path" and i != 19 else 0 for i in ROWS],
                              "raw": [f"raw{i}".encode() if kind(i) == "raw" else None for i in ROWS]})
    known = {"object_encoding": {"raw": "bytes", "path": "utf8"}, "has_nulls": ["path", "raw"], "stats": False, "index": False}
    frame.to_parquet(HERE / "fastparquet.parq", engine="fastparquet", compression="zstd", **known)
    frame.astype({"path": "category"}).to_parquet(HERE / "categories.parq", engine="fastparquet", compression="zstd", **known)
    frame.to_parquet(HERE / "pyarrow.parq", engine="pyarrow", compression="zstd", index=False)
    frame.to_parquet(HERE / "pages.parq", engine="pyarrow", compression="none", index=False, data_page_version="2.0", row_group_size=6)
    frame.to_parquet(HERE / "plain.parq", engine="pyarrow", compression="zstd", index=False, use_dictionary=False, data_page_version="2.0")


main()
