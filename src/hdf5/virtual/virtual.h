/* virtual.h - virtual datasets: their elements are those of other datasets, in this store, in other
 * stores and in HDF5 files. Those are opened as any program opens them. Elements without a source,
 * or whose source is missing, have the fill value. */
#ifndef VZ_VIRTUAL_VIRTUAL_H
#define VZ_VIRTUAL_VIRTUAL_H

#include "hdf5/datasets/space.h"
#include "hdf5/handles/handle.h"

/* Unlimited mappings: the dataset is as large as its sources are now. */
bool vz_virtual_refresh(vz_handle *handle, vz_error *err);
bool vz_virtual_read(vz_handle *handle, hid_t mem_type, hid_t mem_space, hid_t file_space, hid_t dxpl, void *buf,
                     vz_error *err);
bool vz_virtual_write(vz_handle *handle, hid_t mem_type, hid_t mem_space, hid_t file_space, hid_t dxpl, const void *buf,
                      vz_error *err);

/* May the dimensions be these? The limited mappings must fit. */
bool vz_virtual_check_extent(vz_handle *handle, const hsize_t *dims, vz_error *err);

/* Datasets of LINDI's whose elements another file has. */
bool vz_virtual_is_linked(const vz_handle *handle);
bool vz_virtual_read_linked(vz_handle *handle, hid_t mem_type, hid_t mem_space, hid_t file_space, hid_t dxpl, void *buf,
                            vz_error *err);

/* ---- for the files of this module ---- */

/* The list with the handle's view and prefix. */
hid_t vz_virtual_source_dapl(const vz_handle *handle);

#endif
