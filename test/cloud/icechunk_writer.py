"""icechunk_writer.py KIND JSON - for an interpreter with icechunk: writes a repository by icechunk's own storage to MinIO (s3) or Azurite (azure),
with two branches, a tag, split manifests, and chunks inline, native and virtual; prints what zarr-python reads through icechunk, as JSON."""

import json
import sys
import warnings

import icechunk
import numpy as np
import zarr

warnings.simplefilter("ignore")


def storage_of(kind, at):
    if kind == "s3":
        return icechunk.s3_storage(bucket=at["bucket"], prefix=at["prefix"], region=at["region"], endpoint_url=at["url"], allow_http=True,
                                   access_key_id=at["key"], secret_access_key=at["secret"], force_path_style=True)
    return icechunk.azure_storage(account=at["account"], container=at["bucket"], prefix=at["prefix"], access_key=at["secret"],
                                  config={"azure_endpoint": at["url"], "azure_allow_http": "true"})


def config_of(kind, at):
    config = icechunk.RepositoryConfig.default()
    config.inline_chunk_threshold_bytes = 64
    parts = {icechunk.ManifestSplitCondition.AnyArray(): {icechunk.ManifestSplitDimCondition.Any(): 3}}
    config.manifest = icechunk.ManifestConfig(splitting=icechunk.ManifestSplittingConfig.from_dict(parts))
    if kind == "s3":
        store = icechunk.s3_store(region=at["region"], endpoint_url=at["url"], allow_http=True, s3_compatible=True, force_path_style=True)
        config.set_virtual_chunk_container(icechunk.VirtualChunkContainer(f"s3://{at['bucket']}/", store))
    return config


def fill(repository, kind, at):
    random = np.random.default_rng(3)
    session = repository.writable_session("main")
    root = zarr.group(session.store)
    root.create_array("g/large", shape=(40, 30), chunks=(5, 5), dtype="f8")[...] = random.normal(size=(40, 30))
    root.create_array("small", shape=(9,), chunks=(3,), dtype="i2")[...] = np.arange(9)
    if kind == "s3":
        root.create_array("virtual", shape=(30,), chunks=(10,), dtype="u1", compressors=None, fill_value=7)
        for chunk in 0, 2:
            session.store.set_virtual_ref(f"virtual/c/{chunk}", f"s3://{at['bucket']}/{at['virtual']}", offset=20 * chunk, length=10)
    first = session.commit("first")
    repository.create_tag("v1", snapshot_id=first)
    repository.create_branch("dev", snapshot_id=first)
    session = repository.writable_session("dev")
    zarr.open_group(session.store)["small"][:3] = -5
    session.commit("on dev")
    session = repository.writable_session("main")
    zarr.open_group(session.store)["g/large"][7:20] = 0.5
    session.commit("second")


def main():
    kind, at = sys.argv[1], json.loads(sys.argv[2])
    access = {f"s3://{at['bucket']}/": icechunk.s3_credentials(access_key_id=at["key"], secret_access_key=at["secret"])} if kind == "s3" else {}
    more = {"spec_version": at["version"]} if icechunk.__version__ >= "2" else {}
    repository = icechunk.Repository.create(storage_of(kind, at), config=config_of(kind, at),
                                            authorize_virtual_chunk_access=icechunk.containers_credentials(access), **more)
    fill(repository, kind, at)
    read = {}
    for word, which in ("@branch.main", {"branch": "main"}), ("@branch.dev", {"branch": "dev"}), ("@tag.v1", {"tag": "v1"}):
        root = zarr.open_group(repository.readonly_session(**which).store, mode="r")
        read[word] = {name: node[...].tolist() for name, node in root.members(max_depth=None) if isinstance(node, zarr.Array)}
    print(json.dumps(read))


main()
