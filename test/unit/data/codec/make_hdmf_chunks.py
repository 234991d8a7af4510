#!/usr/bin/env python3
"""Writes hdmf_chunks.json: pickled chunks as hdmf-zarr stored them.

    make_hdmf_chunks.py STORE ...

Run by hand with numcodecs; the result is committed. Small chunks, one of each dtype and beginning; names are those of
the stores and arrays.
"""

import base64
import json
import pathlib
import sys

import numcodecs

LARGEST = 1200
chunks, seen = [], set()
for store in map(pathlib.Path, sys.argv[1:]):
    for document in sorted(store.rglob(".zarray")):
        meta = json.loads(document.read_text())
        if not meta["filters"] or meta["filters"][0]["id"] != "pickle":
            continue
        for path in sorted(p for p in document.parent.iterdir() if not p.name.startswith(".")):
            data = path.read_bytes()
            for config in [meta["compressor"]] if meta["compressor"] else []:
                data = bytes(numcodecs.get_codec(config).decode(data))
            form = (json.dumps(meta["dtype"]), len(meta["shape"]), data.count(b"ZarrReference"), len(data) // 60)
            record = meta["dtype"] if isinstance(meta["dtype"], list) else None
            if len(data) <= LARGEST and form not in seen:
                seen.add(form)
                name = f"{store.name}/{document.parent.relative_to(store)}/{path.name}"
                chunks.append({"name": name, "record": record, "stored": base64.b64encode(data).decode()})
text = "[\n" + ",\n".join(json.dumps(chunk) for chunk in chunks) + "\n]\n"
pathlib.Path(__file__).with_name("hdmf_chunks.json").write_text(text)
print(len(chunks), "chunks")
