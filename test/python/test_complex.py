"""HDF5 2's complex numbers (H5T_COMPLEX): each as dataset, attribute, committed, element of arrays, compounds and sequences."""

import numpy as np
import pytest
from h5py import h5a, h5d, h5f, h5s, h5t

pytestmark = pytest.mark.skipif(not hasattr(h5t, "COMPLEX"), reason="HDF5 1.14 has no H5T_COMPLEX")
NAMES = ["F16LE", "F32LE", "F32BE", "F64LE", "F64BE", "LDOUBLE"]


def type_of(name):
    return h5t.NATIVE_LDOUBLE_COMPLEX if name == "LDOUBLE" else getattr(h5t, "COMPLEX_IEEE_" + name)


def forms(base):
    member = h5t.create(h5t.COMPOUND, base.get_size() + 4)
    member.insert(b"n", 0, h5t.STD_I32LE)
    member.insert(b"z", 4, base)
    return {b"plain": base, b"array": h5t.array_create(base, (2,)), b"member": member, b"sequence": h5t.vlen_create(base)}


def elements(made):
    return np.resize(np.arange(1, 200, dtype="u1"), 4 * made.get_size()).view(np.dtype((np.void, made.get_size())))


def write_and_read(path):
    """Bytes as they were written, and whether types came back equal."""
    f, space = h5f.create(path.encode()), h5s.create_simple((4,))
    for name in NAMES:
        for form, made in forms(type_of(name)).items():
            label = name.encode() + form
            d, a = h5d.create(f, label, made, space), h5a.create(f, label, made, space)
            if form != b"sequence":
                d.write(h5s.ALL, h5s.ALL, elements(made), made)
                a.write(elements(made), made)
        type_of(name).copy().commit(f, name.encode())
    f.close()
    f, said = h5f.open(path.encode(), h5f.ACC_RDONLY), []
    for name in NAMES:
        said.append(h5t.open(f, name.encode()).equal(type_of(name)))
        for form, made in forms(type_of(name)).items():
            d, a = h5d.open(f, name.encode() + form), h5a.open(f, name.encode() + form)
            said += [d.get_type().equal(made), a.get_type().equal(made)]
            if form != b"sequence":
                read, also = np.zeros_like(elements(made)), np.zeros_like(elements(made))
                d.read(h5s.ALL, h5s.ALL, read, made)
                a.read(also, made)
                said += [read.tobytes() == elements(made).tobytes(), also.tobytes() == elements(made).tobytes()]
    f.close()
    return said


def test_complex_numbers_come_back(connector, tmp_path):
    native = write_and_read(str(tmp_path / "native.h5"))
    ours = connector.run(write_and_read, str(tmp_path / "s.zarr"))
    assert ours == native and all(ours) and len(ours) == 6 * 15
