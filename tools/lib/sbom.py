"""What is inside of a wheel, as a CycloneDX document (version 1.6): each static library with its version, licence, source and checksum.

It lies in the wheel (sboms/, as PEP 770 says) and beside it in a release. The same input makes the same bytes."""

import datetime
import json
import os
import re
import uuid

UPSTREAM = {  # source package: its licence, where it is made
    "bzip2": ("bzip2-1.0.6", "https://sourceware.org/bzip2/"),
    "c-blosc": ("BSD-3-Clause AND MIT", "https://github.com/Blosc/c-blosc"),
    "curl": ("curl", "https://github.com/curl/curl"),
    "expat": ("MIT", "https://github.com/libexpat/libexpat"),
    "libdeflate": ("MIT", "https://github.com/ebiggers/libdeflate"),
    "libzstd": ("BSD-3-Clause", "https://github.com/facebook/zstd"),
    "lz4": ("BSD-2-Clause", "https://github.com/lz4/lz4"),
    "openssl": ("Apache-2.0", "https://github.com/openssl/openssl"),
    "xz-utils": ("LicenseRef-xz-public-domain", "https://github.com/tukaani-project/xz"),
    "zlib": ("Zlib", "https://github.com/madler/zlib"),
}
NOT_SPDX = {"LicenseRef-xz-public-domain": "public domain"}  # what SPDX has no name for
SOURCES = "https://sources.debian.org/src"


def licences(expression):
    if expression in NOT_SPDX:
        return [{"license": {"name": NOT_SPDX[expression]}}]
    return [{"expression": expression}]


def debian_version(directories, package):
    """That of the source package whose files were unpacked."""
    (first,) = (where / package / "debian/changelog" for where in directories if (where / package).is_dir())
    return re.match(r"\S+ \(([^)]+)\)", first.read_text(encoding="utf-8"))[1]


def library(directories, package, file, digest, suite):
    licence, home = UPSTREAM[package]
    version = debian_version(directories, package)
    source = re.match(r"([^_]+)_", file)[1]
    return {
        "type": "library",
        "bom-ref": package,
        "name": package,
        "version": re.sub(r"^\d+:|-[^-]*$", "", version),
        "description": f"linked statically, from Debian's source package ({suite}), with its patches",
        "licenses": licences(licence),
        "purl": f"pkg:deb/debian/{source}@{version.replace(':', '%3A').replace('+', '%2B')}?arch=source&distro={suite}",
        "externalReferences": [
            {"type": "website", "url": home},
            {"type": "source-distribution", "url": f"{SOURCES}/{source}/{version}/", "comment": f"the checksum is that of {file}",
             "hashes": [{"alg": "SHA-256", "content": digest}]},
        ],
    }


def compiler(requirements):
    """Whose run-time routines are linked into what it compiles."""
    version, digest = re.search(r"^ziglang==(\S+) --hash=sha256:(\w+)", requirements, re.M).groups()
    return {
        "type": "library",
        "bom-ref": "ziglang",
        "name": "ziglang",
        "version": version,
        "description": "the compiler; parts of its run-time library are linked",
        "licenses": licences("MIT"),
        "purl": f"pkg:pypi/ziglang@{version}",
        "externalReferences": [
            {"type": "website", "url": "https://ziglang.org"},
            {"type": "distribution", "url": f"pkg:pypi/ziglang@{version}", "hashes": [{"alg": "SHA-256", "content": digest}]},
        ],
    }


def unwinder(requirements):
    """LLVM's libunwind, as the compiler brings it: musl has none of its own."""
    return {**compiler(requirements), "bom-ref": "libunwind", "name": "libunwind", "description": "linked statically, from the compiler's sources",
            "licenses": licences("Apache-2.0 WITH LLVM-exception")}


def document(version, target, pins, directories, requirements):
    """pins: the tables of static.sh and static_net.sh."""
    rows = sorted(line.split() for line in pins.splitlines() if line.split())
    components = [library(directories, package, file, digest, suite) for package, file, digest, suite in rows] + [compiler(requirements)]
    if target.endswith("-musl"):
        components.append(unwinder(requirements))
    metadata = {"component": {"type": "library", "bom-ref": "vol-zarr", "name": "vol-zarr", "version": version,
                              "licenses": licences("BSD-3-Clause"), "purl": f"pkg:generic/vol-zarr@{version}",
                              "properties": [{"name": "vol-zarr:machine", "value": target}]}}
    if "SOURCE_DATE_EPOCH" in os.environ:
        time = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
        metadata = {"timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ"), **metadata}
    content = {"metadata": metadata, "components": components,
               "dependencies": [{"ref": "vol-zarr", "dependsOn": [each["bom-ref"] for each in components]}]}
    serial = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(content, sort_keys=True))
    head = {"$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json", "bomFormat": "CycloneDX", "specVersion": "1.6",
            "serialNumber": f"urn:uuid:{serial}", "version": 1}
    return json.dumps({**head, **content}, indent=2) + "\n"
