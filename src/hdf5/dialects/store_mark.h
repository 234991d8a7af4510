/* store_mark.h - the root's marks of the whole store: "v" (made by this connector), "dc"
 * (default codec). */
#ifndef VZ_DIALECTS_STORE_MARK_H
#define VZ_DIALECTS_STORE_MARK_H

#include "hierarchy/nodes/node.h"

/* Marks a store that we have just created, in memory and on disk: version, and the default codec
 * of its options. */
bool vz_dialect_mark_store(vz_hierarchy *hierarchy, vz_error *err);
/* The compressor of datasets without a filter; NULL: none (no error). Borrowed. */
const vz_json *vz_dialect_default_codec(vz_hierarchy *hierarchy);

#endif
