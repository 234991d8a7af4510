/* region_reference.h - the selection of a region reference as JSON: "all", "none", {"points": [[...] ...]},
 * {"start", "stride", "count", "block"}, or {"blocks": [[first ..., last ...] ...]}. */
#ifndef VZ_REFERENCES_REGION_REFERENCE_H
#define VZ_REFERENCES_REGION_REFERENCE_H

#include "hdf5/h5/h5.h"
#include "base/util/json_parse.h"

vz_json *vz_region_print(hid_t space, vz_error *err);
/* Selects it in a dataspace that has the dataset's extent. VZ_CORRUPT when it is none of these or does not fit. */
bool vz_region_select(hid_t space, const vz_json *region, vz_error *err);

#endif
