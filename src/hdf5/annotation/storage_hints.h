/* storage_hints.h - creation properties by which a native file chooses how it stores links and attributes. A store has
 * no use for them, but tells them again: annotation "pl", where they are not HDF5's defaults. */
#ifndef VZ_ANNOTATION_STORAGE_HINTS_H
#define VZ_ANNOTATION_STORAGE_HINTS_H

#include "hdf5/h5/h5.h"
#include "hdf5/annotation/annotation.h"

/* Of any object: H5Pset_attr_phase_change ("ap"). Added to `properties`. */
bool vz_object_hints_store(vz_json *properties, hid_t ocpl, vz_error *err);
void vz_object_hints_show(const vz_json *properties, hid_t ocpl);
/* Of a group, besides: H5Pset_link_phase_change ("lp"), H5Pset_est_link_info ("le"), H5Pset_local_heap_size_hint
 * ("lh").
 */
bool vz_group_hints_store(vz_json *properties, hid_t gcpl, vz_error *err);
void vz_group_hints_show(const vz_json *properties, hid_t gcpl);

#endif
