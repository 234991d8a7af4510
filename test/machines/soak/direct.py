"""direct.py - calls of HDF5 that h5py does not have, made on the library that h5py brings."""

import ctypes

import h5py


def library():
    with open("/proc/self/maps") as maps:
        path = next(line.split()[-1] for line in maps if "/libhdf5" in line and "/libhdf5_hl" not in line)
    return ctypes.CDLL(path)


LIBRARY = library()
ALL = 0  # H5S_ALL, H5P_DEFAULT


def call(name, *arguments):
    """Answers less than 0 are errors."""
    function = getattr(LIBRARY, name)
    function.restype = ctypes.c_int64 if name in ("H5Lget_name_by_idx", "H5Oget_comment") else ctypes.c_int
    result = function(*arguments)
    if result < 0:
        raise RuntimeError(name)
    return result


def ids(*numbers):
    return (ctypes.c_int64 * len(numbers))(*numbers)


def many(name, datasets, arrays):
    """H5Dread_multi, H5Dwrite_multi: the whole of each."""
    types = [h5py.h5t.py_create(array.dtype) for array in arrays]
    whole = ids(*[ALL] * len(arrays))
    buffers = (ctypes.c_void_p * len(arrays))(*[array.ctypes.data for array in arrays])
    call(name, ctypes.c_size_t(len(arrays)), ids(*[d.id.id for d in datasets]), ids(*[t.id for t in types]), whole, whole, ctypes.c_int64(ALL), buffers)


def copy_link(f, source, target):
    call("H5Lcopy", ctypes.c_int64(f.id.id), source.encode(), ctypes.c_int64(f.id.id), target.encode(), ctypes.c_int64(ALL), ctypes.c_int64(ALL))


def link_name(group, index, order, n):
    text = ctypes.create_string_buffer(200)
    call("H5Lget_name_by_idx", ctypes.c_int64(group.id.id), b".", ctypes.c_int(index), ctypes.c_int(order), ctypes.c_uint64(n), text, ctypes.c_size_t(200), ctypes.c_int64(ALL))
    return text.value


class LinkInfo(ctypes.Structure):
    """H5L_info2_t."""
    _fields_ = [("type", ctypes.c_int), ("corder_valid", ctypes.c_bool), ("corder", ctypes.c_int64), ("cset", ctypes.c_int), ("token", ctypes.c_uint8 * 16)]


def link_info(group, index, order, n):
    info = LinkInfo()
    call("H5Lget_info_by_idx2", ctypes.c_int64(group.id.id), b".", ctypes.c_int(index), ctypes.c_int(order), ctypes.c_uint64(n), ctypes.byref(info), ctypes.c_int64(ALL))
    return info


def comment(item):
    """The one of h5py answers with what was in the memory."""
    text = ctypes.create_string_buffer(200)
    return call("H5Oget_comment", ctypes.c_int64(item.id.id), text, ctypes.c_size_t(200)), text.value


def delete_link(group, index, order, n):
    call("H5Ldelete_by_idx", ctypes.c_int64(group.id.id), b".", ctypes.c_int(index), ctypes.c_int(order), ctypes.c_uint64(n), ctypes.c_int64(ALL))


def create_native(path):
    """An empty HDF5 file, whatever connector files are made by."""
    fapl = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    LIBRARY.H5VLget_connector_id_by_name.restype = ctypes.c_int64
    call("H5Pset_vol", ctypes.c_int64(fapl.id), ctypes.c_int64(LIBRARY.H5VLget_connector_id_by_name(b"native")), None)
    h5py.h5f.create(path.encode(), h5py.h5f.ACC_EXCL, fapl=fapl).close()
