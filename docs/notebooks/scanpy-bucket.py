# %% [markdown]
# # scanpy on cells in a bucket
#
# scanpy reads `.h5ad` files from a disk.
# Here it reads a Zarr store in a bucket, by the same call, and only what it needs of it.
# The bucket is one of MinIO on this machine; `AWS_ENDPOINT_URL_S3` and the keys are set in the environment, as for Amazon's.
# The cells are scanpy's `pbmc68k_reduced`: 700 blood cells, 765 genes.

# %%
import os
import anndata
import boto3
import matplotlib.pyplot as plt
import scanpy as sc
import vol_zarr

s3 = boto3.client("s3", endpoint_url=os.environ["AWS_ENDPOINT_URL_S3"])
s3.create_bucket(Bucket="cells")
cells = anndata.read_h5ad("pbmc68k_reduced.h5ad")
cells

# %% [markdown]
# ## Into the bucket
#
# `enable` says that names ending in `.zarr` become stores.
# The call is AnnData's own.

# %%
with vol_zarr.enable(create="*.zarr"):
    cells.write_h5ad("s3://cells/pbmc.zarr", compression="gzip")

objects = s3.list_objects_v2(Bucket="cells")["Contents"]
print(len(objects), "objects,", round(sum(o["Size"] for o in objects) / 1e6, 2), "MB; for instance:")
for o in objects[:5]:
    print(f"{o['Size']:8}  {o['Key']}")

# %% [markdown]
# ## Out of it
#
# `backed="r"` leaves the matrix in the bucket.
# A picture of two genes fetches the columns of these genes, and what the labels and the embedding need.

# %%
stored = sc.read_h5ad("s3://cells/pbmc.zarr", backed="r")
two = stored[:, ["CD79A", "CST3"]].to_memory()
two

# %%
sc.pl.umap(two, color=["bulk_labels", "CD79A"], wspace=0.7, size=30, show=False)
plt.show()

# %% [markdown]
# ## Marker genes
#
# The usual analysis, on the cells that came from the bucket.

# %%
everything = sc.read_h5ad("s3://cells/pbmc.zarr")
sc.tl.rank_genes_groups(everything, "bulk_labels", method="t-test")
sc.pl.rank_genes_groups_dotplot(everything, n_genes=2, dendrogram=False, figsize=(9, 3.6), show=False)
plt.show()

# %% [markdown]
# ## The judge
#
# AnnData's own Zarr reader opens the same store, through zarr-python and s3fs.
# It knows nothing of this plugin.

# %%
options = {"endpoint_url": os.environ["AWS_ENDPOINT_URL_S3"]}
import zarr

theirs = anndata.read_zarr(zarr.open_group("s3://cells/pbmc.zarr", mode="r", storage_options={"client_kwargs": options}))
bool((theirs.X == cells.X).all()), theirs.obs["bulk_labels"].equals(cells.obs["bulk_labels"])
