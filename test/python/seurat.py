"""Writes an h5Seurat file the way R does: SeuratDisk's specification, laid out by hdf5r.

What is R's there: a matrix is column-major, so its dimensions stand reversed; text is variable UTF-8; a factor is a group of
`levels` and `values` that count from 1; a logical is int32, with 2 for NA; every dataset is chunked, deflated and can grow
without limit; attributes are vectors that cannot grow, single values too: R has no scalars.
"""

import h5py
import numpy as np

TEXT = h5py.string_dtype("utf-8")
CELLS, GENES = [f"AAAC{i:02d}-1" for i in range(12)], [f"GÈNE{i}" if i == 3 else f"GENE{i}" for i in range(7)]
NA_INTEGER = -2**31  # R's
NA_REAL = np.array([0x7FF00000000007A2], "u8").view("f8")[0]  # R's: a NaN that carries 1954


def matrix(seed, rows, columns):
    """What R holds in a matrix of rows x columns."""
    return np.random.default_rng(seed).normal(size=(rows, columns)).round(3)


def counts():
    return np.random.default_rng(1).integers(0, 3, (len(GENES), len(CELLS))).astype("f8")


def text_attribute(node, name, value):
    values = [value] if isinstance(value, str) else value
    node.attrs.create(name, values, dtype=TEXT, shape=(len(values),))


def vector(group, name, data, dtype=None):
    """Not a scalar even if of one element: R has none."""
    data = np.asarray(data, dtype=object if dtype is TEXT else dtype)
    chunks = tuple(max(n, 1) for n in data.shape)
    return group.create_dataset(name, data=data, dtype=dtype, chunks=chunks, maxshape=(None,) * data.ndim, compression="gzip",
                                compression_opts=4)


def dense(group, name, in_r):
    """A matrix of R's: its columns are rows here."""
    return vector(group, name, np.ascontiguousarray(in_r.T))


def sparse(group, name, in_r):
    """dgCMatrix: i, p and x as they are, `dims` in R's order."""
    g = group.create_group(name)
    columns = [np.flatnonzero(column) for column in in_r.T]
    vector(g, "indices", np.concatenate(columns), "i4")
    vector(g, "indptr", np.concatenate([[0], np.cumsum([len(c) for c in columns])]), "i4")
    vector(g, "data", np.concatenate([in_r[rows, j] for j, rows in enumerate(columns)]), "f8")
    g.attrs.create("dims", np.array(in_r.shape, "i4"))
    return g


def factor(group, name, codes, levels):
    g = group.create_group(name)
    vector(g, "levels", levels, TEXT)
    vector(g, "values", codes, "i4")


def logical(group, name, data):
    """True, False or None for NA."""
    d = vector(group, name, [2 if value is None else int(value) for value in data], "i4")
    text_attribute(d, "s3class", "logical")
    return d


def meta_data(f):
    """A data frame with a factor is a group; `logicals` names columns, `colnames` keeps their order."""
    g = f.create_group("meta.data")
    factor(g, "orig.ident", [1 + i % 2 for i in range(12)], ["pbmc", "größer"])
    factor(g, "cluster", [1, 2, NA_INTEGER] * 4, ["0", "1"])
    vector(g, "nCount_RNA", counts().sum(axis=0))
    vector(g, "nFeature_RNA", (counts() > 0).sum(axis=0), "i4")[3] = NA_INTEGER
    vector(g, "percent.mt", np.where(np.arange(12) == 5, NA_REAL, 0.25))
    vector(g, "is.doublet", [0, 1, 2] * 4, "i4")
    vector(g, "note", ["", "b", "ñ"] * 4, TEXT)
    text_attribute(g, "colnames", ["orig.ident", "cluster", "nCount_RNA", "nFeature_RNA", "percent.mt", "is.doublet", "note"])
    text_attribute(g, "logicals", ["is.doublet"])
    vector(g, "_index", CELLS, TEXT)
    text_attribute(g, "_index", "_index")


def meta_features(group):
    """A data frame without factors is a compound; hdf5r packs its members."""
    kind = np.dtype([("gene", TEXT), ("mean", "f8"), ("n", "i4"), ("variable", "i4")])
    rows = [(gene, 0.5 * i, i, i % 3) for i, gene in enumerate(GENES)]
    d = group.create_dataset("meta.features", data=np.array(rows, kind), chunks=(len(rows),), maxshape=(None,), compression="gzip")
    text_attribute(d, "logicals", ["variable"])
    vector(group, "meta.features.row.names", GENES, TEXT)


def assays(f):
    rna = f.create_group("assays/RNA")
    text_attribute(rna, "key", "rna_")
    sparse(rna, "counts", counts())
    sparse(rna, "data", np.log1p(counts()))
    dense(rna, "scale.data", matrix(2, 3, len(CELLS)))
    vector(rna, "scaled.features", GENES[:3], TEXT)
    vector(rna, "features", GENES, TEXT)
    vector(rna, "variable.features", GENES[1:4], TEXT)
    meta_features(rna)
    rna.create_group("misc")
    peaks = f.create_group("assays/ATAC")  # a class of another package, derived from Assay
    text_attribute(peaks, "key", "atac_")
    text_attribute(peaks, "s4class", "Signac:ChromatinAssay")
    dense(peaks, "data", matrix(3, 4, len(CELLS)))
    vector(peaks, "features", [f"chr1-{i}-{i + 9}" for i in range(4)], TEXT)


def reductions(f):
    pca = f.create_group("reductions/pca")
    for name, value in (("active.assay", "RNA"), ("key", "PC_")):
        text_attribute(pca, name, value)
    pca.attrs.create("global", np.array([0], "i4"))
    dense(pca, "cell.embeddings", matrix(4, len(CELLS), 5))
    dense(pca, "feature.loadings", matrix(5, 3, 5))
    vector(pca, "features", GENES[:3], TEXT)
    vector(pca, "stdev", [3.0, 2, 1, 0.5, 0.25])
    pca.create_group("misc")
    vector(pca.create_group("jackstraw"), "empirical.p.values", np.zeros((0, 0)))


def commands(f):
    """Command logs: what was called stands in attributes, its parameters are a list."""
    g = f.create_group("commands/FindNeighbors.RNA.pca")
    text_attribute(g, "name", "FindNeighbors.RNA.pca")
    text_attribute(g, "time.stamp", "2024-02-29 12:00:00")
    text_attribute(g, "assay.used", "RNA")
    text_attribute(g, "call.string", ["FindNeighbors(object = pbmc, ", "    dims = 1:10)"])
    vector(g, "dims", range(1, 11), "i4")
    vector(g, "prune.SNN", [1 / 15])
    vector(g, "reduction", ["pca"], TEXT)
    logical(g, "do.plot", [False])


def lists(f):
    f.create_group("misc")
    tools = f.create_group("tools")
    text_attribute(tools.create_group("run"), "s3class", ["outcome", "list"])
    text_attribute(tools["run"], "names", ["a", "b"])
    vector(tools["run"], "a", [1, 2, 3], "i4")
    vector(tools["run"], "a__names__", ["x", "y", "z"], TEXT)  # of a vector with names
    inner = tools.create_group("run/b")
    text_attribute(inner, "names", ["b1", "b2", "flags", "cube"])
    vector(inner, "b1", ["hello"], TEXT)
    vector(inner, "b2", ["tomato", "potato", "NA"], TEXT)
    logical(inner, "flags", [True, False, None])
    vector(inner, "cube", np.arange(24.0).reshape(4, 3, 2))
    image = f.create_group("images/slice1")
    text_attribute(image, "s4class", "Seurat:VisiumV1")
    vector(image, "image", np.random.default_rng(6).random((3, 8, 9)))
    text_attribute(image, "assay", "RNA")
    factors = image.create_group("scale.factors")
    text_attribute(factors, "s3class", "scalefactors")
    vector(factors, "spot", [0.17])


def write(path):
    with h5py.File(path, "w") as f:
        for name, value in (("project", "SeuratProject"), ("active.assay", "RNA"), ("version", "3.1.5.9900")):
            text_attribute(f, name, value)
        vector(f, "cell.names", CELLS, TEXT)
        vector(f, "active.ident.levels", ["0"], TEXT)
        factor(f, "active.ident", [1] * 12, ["0"])
        meta_data(f)
        assays(f)
        reductions(f)
        text_attribute(sparse(f.create_group("graphs"), "RNA_nn", np.eye(12)), "assay.used", "RNA")
        f.create_group("neighbors")
        commands(f)
        lists(f)
