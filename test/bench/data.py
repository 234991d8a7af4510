"""What is written: made from fixed seeds, the same for everybody. Large arrays lie in a file of raw numbers."""

import os
import pickle

import numpy as np


def smooth(path, shape):
    """float32 with noise in the low bits, as measured data has: blosc-lz4 takes it to less than half."""
    x = np.linspace(0, 40, shape[1], dtype="f4")
    y = np.linspace(0, 40, shape[0], dtype="f4")
    rng = np.random.default_rng(7)
    with open(path, "wb") as file:
        for row in range(0, shape[0], 1024):
            wave = np.sin(x)[None, :] * np.cos(y[row : row + 1024])[:, None]
            (np.round(wave * 4096 + rng.integers(0, 16, wave.shape)) / 4096).astype("f4").tofile(file)


def load(path, shape):
    return np.fromfile(path, "f4").reshape(shape)


def kept(path, make):
    """What takes long to make is made once and kept beside the files of a run."""
    if not os.path.exists(path):
        with open(path, "wb") as file:
            pickle.dump(make(), file, protocol=5)
    with open(path, "rb") as file:
        return pickle.load(file)


def boxes(kind, shape, count):
    """int64 (start, start, edge, edge) of each box that is read."""
    rng = np.random.default_rng(11)
    if kind == "fancy":
        return np.array([[row, 0, 1, shape[1]] for row in fancy_rows(shape, count)])
    if kind == "column":
        return np.array([[0, shape[1] // 3 + 1, shape[0], 1]])
    if kind == "rows":
        return np.array([[row, 0, 1, shape[1]] for row in rng.integers(0, shape[0], count)])
    if kind == "slabs":
        edges = np.array([shape[0] // 5 + 7, shape[1] // 5 + 7])
        return np.array([[*rng.integers(0, np.array(shape) - edges), *edges] for _ in range(count)])
    assert kind == "boxes"
    return np.array([[*rng.integers(0, np.array(shape) - 100), 100, 100] for _ in range(count)])


def fancy_rows(shape, count):
    return np.sort(np.random.default_rng(12).choice(shape[0], min(count, shape[0]), replace=False))


def strings(count):
    return [f"cell-{i * 7919 % 10000000:07d}" for i in range(count)]


def compounds(count):
    values = np.zeros(count, [("time", "<f8"), ("id", "<i4"), ("value", "<f4")])
    values["time"] = np.arange(count) / 30
    values["id"] = np.arange(count) % 977
    values["value"] = np.random.default_rng(5).normal(size=count)
    return values


def sparse(rows, columns):
    """Counts of genes in cells, a tenth of them not zero."""
    import scipy.sparse

    rng = np.random.default_rng(3)
    # A thousand rows again and again: to draw each of them takes longer than what is measured.
    few = min(rows, 1000)
    picked = [np.flatnonzero(rng.random(columns) < 0.1).astype("i4") for _ in range(few)]
    indices = np.concatenate([picked[row % few] for row in range(rows)])
    indptr = np.concatenate([[0], np.cumsum([len(picked[row % few]) for row in range(rows)])]).astype("i4")
    values = (1 + rng.poisson(0.6, len(indices))).astype("f4")
    return scipy.sparse.csr_matrix((values, indices, indptr), shape=(rows, columns))


def anndata_object(rows, columns, dense):
    import anndata
    import pandas

    rng = np.random.default_rng(4)
    matrix = rng.normal(size=(rows, columns)).astype("f4") if dense else sparse(rows, columns)
    obs = pandas.DataFrame({"type": pandas.Categorical(rng.choice(["T", "B", "NK"], rows)), "n": rng.integers(0, 9, rows)},
                           index=[f"cell{i}" for i in range(rows)])
    var = pandas.DataFrame({"gene": [f"G{i}" for i in range(columns)]}, index=[f"g{i}" for i in range(columns)])
    return anndata.AnnData(matrix, obs=obs, var=var, obsm={"X_pca": rng.normal(size=(rows, 20)).astype("f4")}, uns={"title": "cells"})
