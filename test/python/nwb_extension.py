"""An extension of NWB, made on the fly: attributes and datasets that are references, compounds with text and references."""

import functools
import os
import tempfile

import numpy as np
import pynwb
from hdmf.spec import DtypeSpec, RefSpec
from pynwb.spec import NWBAttributeSpec, NWBDatasetSpec, NWBGroupSpec, NWBNamespaceBuilder

NAME = "ndx-test"


def to(neurodata_type):
    return RefSpec(neurodata_type, "object")


def types():
    pair = [DtypeSpec("name", "the name", "text"), DtypeSpec("count", "how many", "int"), DtypeSpec("series", "which", to("TimeSeries"))]
    mixed = [DtypeSpec("name", "the name", "text"), DtypeSpec("weight", "how much", "float")]
    return [
        NWBDatasetSpec("references", neurodata_type_def="SeriesList", neurodata_type_inc="NWBData", dtype=to("TimeSeries"), shape=(None,)),
        NWBDatasetSpec("text and reference", neurodata_type_def="Pairs", neurodata_type_inc="NWBData", dtype=pair, shape=(None,)),
        NWBDatasetSpec("text and number", neurodata_type_def="Mixed", neurodata_type_inc="NWBData", dtype=mixed, shape=(None,)),
        NWBGroupSpec(
            doc="one thing of each kind", neurodata_type_def="Everything", neurodata_type_inc="NWBDataInterface",
            attributes=[NWBAttributeSpec("one_series", "a reference", to("TimeSeries"), required=False),
                        NWBAttributeSpec("numbers", "floats", "float", shape=(None,), required=False),
                        NWBAttributeSpec("whole", "a float without fraction", "float64", required=False),
                        NWBAttributeSpec("words", "text", "text", shape=(None,), required=False),
                        NWBAttributeSpec("yes", "a boolean", "bool", required=False),
                        NWBAttributeSpec("count", "an integer", "int", required=False)],
            datasets=[NWBDatasetSpec("references", name="many_series", neurodata_type_inc="SeriesList", quantity="?"),
                      NWBDatasetSpec("a scalar", name="scalar", dtype="float", quantity="?"),
                      NWBDatasetSpec("a text", name="label", dtype="text", quantity="?"),
                      NWBDatasetSpec("a matrix", name="matrix", dtype="float32", shape=(None, None), quantity="?", attributes=[
                          NWBAttributeSpec("origin", "a reference on a dataset", to("TimeSeries"), required=False)])]),
        NWBGroupSpec(
            doc="compounds", neurodata_type_def="Compounds", neurodata_type_inc="NWBDataInterface",
            datasets=[NWBDatasetSpec("text and reference", name="pairs", neurodata_type_inc="Pairs", quantity="?"),
                      NWBDatasetSpec("text and number", name="mixed", neurodata_type_inc="Mixed", quantity="?")])]


@functools.cache
def load():
    """Registers the extension with this process's pynwb: before a manager of types is made, that is before a file is opened."""
    where = tempfile.mkdtemp(prefix="ndx-")
    builder = NWBNamespaceBuilder("for tests", NAME, version="0.1.0", author="a", contact="c")
    builder.include_namespace("core")
    for spec in types():
        builder.add_spec("ndx-test.extensions.yaml", spec)
    builder.export("ndx-test.namespace.yaml", outdir=where)
    pynwb.load_namespaces(os.path.join(where, "ndx-test.namespace.yaml"))


def rows(*values):
    """One-dimensional: pynwb takes a list of tuples for a matrix."""
    array = np.empty(len(values), object)
    array[:] = values
    return array


def series(s, what):
    load()
    made = [s.series(f"{name}_of_{what}") for name in ("first", "second")]
    for item in made:
        s.nwb.add_acquisition(item)
    return made


def fill(s):
    first, second = series(s, "extension")
    lists, everything = pynwb.get_class("SeriesList", NAME), pynwb.get_class("Everything", NAME)
    s.module("extended").add(everything(
        name="everything", one_series=second, numbers=[1.0, 2.5], whole=3.0, words=["x", "ü"], yes=True, count=200,
        many_series=lists(name="many_series", data=[second, first, second]),
        scalar=2.0, label="text", matrix=np.ones((2, 3), "f4"), matrix__origin=first))


def fill_compounds(s):
    first, second = series(s, "compounds")
    pairs, compounds = pynwb.get_class("Pairs", NAME), pynwb.get_class("Compounds", NAME)
    s.module("extended").add(compounds(
        name="compounds", pairs=pairs(name="pairs", data=rows(("a", 1, first), ("ü", 2, second), ("", 3, first)))))


def fill_text_compounds(s):
    load()
    mixed, compounds = pynwb.get_class("Mixed", NAME), pynwb.get_class("Compounds", NAME)
    s.module("extended").add(compounds(name="with_text", mixed=mixed(name="mixed", data=rows(("a", 0.5), ("b", 1.0)))))
