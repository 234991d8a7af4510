"""zarrs reads big-endian arrays of format 2."""
import zarr
import zarrs  # noqa: F401

from told import told

zarr.open_group("b.zarr", mode="w", zarr_format=2).create_array("n", shape=(3,), dtype=">i4")[:] = [0, 1, 2]
with zarr.config.set({"codec_pipeline.path": "zarrs.ZarrsCodecPipeline"}):
    try:
        told(zarr.open_group("b.zarr", mode="r")["n"][:].tolist() == [0, 1, 2])
    except RuntimeError as error:
        print(error)
        told(False)
