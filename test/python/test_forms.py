"""One Zarr v2 store for each representation in the wild (shared test data): zarr-python's value, or an error with a name.

No form may hide a sibling or crash the reader."""

import os
import shutil

import h5py
import numpy as np
import pytest
import zarr

from places import unpacked

pytestmark = pytest.mark.filterwarnings("ignore")

# What h5py's error must say of a form that cannot be read.
REFUSED = {"O_vlenutf8_bad": "UTF-8", "struct_O": "json2"}
# hdmf-zarr's scalars are arrays of one element to zarr-python.
SCALARS = {"scalar_1_flag"}
# Forms that zarr-python 3 does not open, and what their script put into them.
KNOWN = {
    "O_json2": ['{"a":1}', '{"b":2}'],
    "O_vlenarray": [[1, 2], [3]],
    "dt_f16_longdouble": ["\0" * 16, "\0" * 16],
    "struct_0fill": [(1, 2.5), (3, 4.5)],
    "struct_nested": [(0, (0, 0)), (0, (0, 0))],
    "struct_subarray": [(0, [0, 0, 0]), (0, [0, 0, 0])],
}


def simple(value):
    """Text as str, byte strings (which are sequences of bytes for h5py) too, everything else as lists."""
    if isinstance(value, np.ndarray) and value.dtype == object and h5py.check_vlen_dtype(value.dtype) == np.uint8:
        return [simple(x.tobytes()) for x in value]
    if isinstance(value, np.ndarray):
        return [simple(x) for x in value] if value.ndim else simple(value[()])
    if isinstance(value, np.void) and value.dtype.names:
        return tuple(simple(value[name]) for name in value.dtype.names)
    if isinstance(value, (np.generic, str, bytes)):
        value = value.tobytes() if isinstance(value, np.void) else getattr(value, "item", lambda: value)()
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            return value
    return "NaN" if value != value else value


def shown_by_h5py(path):
    with h5py.File(path) as f:
        names = list(f)
        return {name: item_of(f, name) for name in names}


def item_of(f, name):
    try:
        item = f[name]
        return simple(item[...]) if isinstance(item, h5py.Dataset) else "group"
    except Exception as error:
        return type(error).__name__, str(error)


@pytest.fixture(scope="module")
def forms(tmp_path_factory):
    return unpacked("zarr-forms/zarr-forms.tar.gz", tmp_path_factory.mktemp("forms")) / "acc" / "v2"


@pytest.fixture(scope="module")
def shown(forms, reader):
    return {path.name: reader.run(shown_by_h5py, str(path)) for path in forms.iterdir()}


def shown_by_zarr(path):
    group = zarr.open_group(path, mode="r", use_consolidated=False)
    names = [entry.name for entry in os.scandir(path) if entry.is_dir()]
    return {name: simple(np.asarray(group[name])) if isinstance(group[name], zarr.Array) else "group" for name in names}


def test_every_form(forms, shown):
    compared = 0
    for form in sorted(path.name for path in forms.iterdir()):
        try:
            expected = shown_by_zarr(forms / form)
        except Exception:
            continue
        for name, value in expected.items():
            value = value[0] if form in SCALARS else value
            assert shown[form][name] == value, (form, name)
            compared += 1
    assert compared > 90


@pytest.mark.parametrize("form", REFUSED)
def test_refusal_names_the_reason(shown, form):
    kind, text = shown[form]["a"]
    assert kind == "OSError" and REFUSED[form] in text and "a" in text


@pytest.mark.parametrize("form", KNOWN)
def test_forms_that_zarr_python_does_not_open(shown, form):
    assert shown[form]["a"] == KNOWN[form] and set(shown[form]) <= {"a", "d0"}  # d0: its named dimension


def test_no_form_hides_its_siblings(forms, shown, tmp_path, reader):
    """All of them in one group."""
    (tmp_path / ".zgroup").write_text('{"zarr_format": 2}')
    for path in forms.iterdir():
        shutil.copytree(path, tmp_path / path.name, symlinks=True)
    together = reader.run(groups_of_h5py, str(tmp_path))
    assert together == {form: {name: value for name, value in shown[form].items() if not isinstance(value, tuple)} for form in shown}


def groups_of_h5py(path):
    with h5py.File(path) as f:
        items = {form: {name: item_of(f[form], name) for name in f[form]} for form in f}
    return {form: {n: v for n, v in items[form].items() if not isinstance(v, tuple)} for form in items}


def test_every_form_prints_with_h5dump(forms, shown, tool):
    for form in shown.keys() - set(REFUSED):
        printed = tool("h5dump", forms / form)
        arrays = [name for name, value in shown[form].items() if value != "group"]
        assert printed.count("DATASET ") >= len(arrays), form
