/* vfd_byte_source.h - files behind any driver of HDF5's: Python's file objects, images in memory, and what else an access list
 * names. Their bytes are reached by the driver alone, on the thread that called HDF5; the name is the driver's business
 * and often no path. */
#ifndef VZ_NATIVE_VFD_BYTE_SOURCE_H
#define VZ_NATIVE_VFD_BYTE_SOURCE_H

#include "hdf5/h5/h5.h"
#include "store/store/byte_source.h"

typedef enum vz_driver_kind {
    VZ_DRIVER_USUAL, /* the one that reads the file of that name */
    VZ_DRIVER_NAMED, /* others that do: what the name leads to is what they would read */
    VZ_DRIVER_BYTES, /* has bytes that only it knows */
    VZ_DRIVER_RANKS, /* several processes at once read the file of that name */
    VZ_DRIVER_NONE,  /* one that has not the bytes of one file */
} vz_driver_kind;
/* Of an access list. Makes HDF5 calls. */
vz_driver_kind vz_driver_kind_of(hid_t fapl);
/* Does it open another file under another name? What Python's file objects stand behind knows its one file. */
bool vz_driver_opens_names(hid_t fapl);

/* The bytes of the file that the list's driver knows under that name; flags: H5Fopen's or H5Fcreate's. VZ_UNSUPPORTED
 * where it is of VZ_DRIVER_NONE. */
vz_medium *vz_driver_open(const char *name, unsigned flags, hid_t fapl, vz_error *err);

#endif
