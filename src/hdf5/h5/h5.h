/* h5.h - HDF5 for the rooms above the line. Nobody includes <hdf5.h> itself: the functions are those of the library
 * that loaded us, reached through a table that plugin/host.c fills, under their ordinary names. Data symbols
 * (H5T_NATIVE_INT ...) are read through pointers at each use, since their values change over H5close/H5open.
 *
 * Built with the headers of 1.14; runs with 2.x. */
#ifndef VZ_H5_H5_H
#define VZ_H5_H5_H

#include <hdf5.h>
#include <H5VLconnector.h>
#include <H5VLconnector_passthru.h>
#include <H5VLnative.h>
#include <H5FDdevelop.h>
#include <H5PLextern.h>
#include <stdbool.h>

/* What 2.x has and the 1.14 headers do not declare. */
herr_t H5VLopen_lib_context(void **context);
herr_t H5VLclose_lib_context(void *context);
hid_t H5Tdecode2(const void *buf, size_t buf_size);
hid_t H5Tcomplex_create(hid_t base_type_id);
herr_t H5Dread_chunk1(hid_t dset_id, hid_t dxpl_id, const hsize_t *offset, uint32_t *filters, void *buf);
herr_t H5Dread_chunk2(hid_t dset_id, hid_t dxpl_id, const hsize_t *offset, uint32_t *filters, void *buf,
                      size_t *buf_size);

#ifndef H5_HAVE_PARALLEL /* of libraries with MPI, whichever; handles are of its sizes */
herr_t H5Pget_fapl_mpio(hid_t fapl_id, void *comm, void *info);
herr_t H5Pget_dxpl_mpio(hid_t dxpl_id, H5FD_mpio_xfer_t *xfer_mode);
herr_t H5Pset_dxpl_mpio(hid_t dxpl_id, H5FD_mpio_xfer_t xfer_mode);
#endif

typedef struct vz_h5_table {
#define VZ_H5_FUNCTION(name) __typeof__(name) *name;
#define VZ_H5_OPTIONAL(name) __typeof__(name) *name; /* NULL in hosts that lack it */
#define VZ_H5_DATA(name)     hid_t *name;
#include "hdf5/h5/functions.def" /* made by CMake from functions.txt */
#include "hdf5/h5/data.def"      /* made by CMake from data.txt */
#undef VZ_H5_FUNCTION
#undef VZ_H5_OPTIONAL
#undef VZ_H5_DATA
    unsigned major, minor, release; /* of the host, known after the first file callback */
} vz_h5_table;

extern vz_h5_table vz_h5;

/* Fills the functions and data pointers by asking `find` for each name (NULL: not there). Returns NULL, or the first
 * function that the host must have and lacks; the table is then empty. A data symbol that is not there reads as
 * H5I_INVALID_HID. Makes no HDF5 call. */
typedef void *(*vz_h5_find)(void *context, const char *name, bool is_data);
const char *vz_h5_bind(vz_h5_find find, void *context);

#undef H5OPEN
#define H5OPEN
#undef H5CHECK
#define H5CHECK
#ifndef VZ_H5_NO_NAMES /* only for the file that fills the table by name */
#include "hdf5/h5/names.h"  /* #define H5Fcreate (vz_h5.H5Fcreate), #define H5T_NATIVE_INT_g (*vz_h5.H5T_NATIVE_INT_g) ... */
#endif

#endif
