/* store_mark.h - what the root's annotation says of the whole store: "v" (made by this connector), "dc" (default
 * codec). */
#ifndef VZ_DIALECTS_STORE_MARK_H
#define VZ_DIALECTS_STORE_MARK_H

#include "hierarchy/nodes/node.h"

/* Marks a store we have just created, in memory and on the disk: its version, and the default codec its options ask
 * for. */
bool vz_store_mark(vz_hierarchy *hierarchy, vz_error *err);
/* The compressor of datasets for which no filter was asked; NULL = none (no error). Borrowed. */
const vz_json *vz_store_default_codec(vz_hierarchy *hierarchy);

#endif
