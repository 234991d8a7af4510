/* references_internal.h - references.h for this module alone. */
#ifndef VZ_REFERENCES_REFERENCES_INTERNAL_H
#define VZ_REFERENCES_REFERENCES_INTERNAL_H

#include "hdf5/references/references.h"

/* Leaves lost references out of their sequences, for vz_references_resolve_scales. */
bool vz_references_drop_lost(vz_hierarchy *hierarchy, const vz_type_tree *form, void *elements, size_t count,
                             vz_error *err);

/* The object that a reference's text is. A bare path (hdmf-zarr, format 3) becomes an object
 * with the path alone. */
vz_json *vz_reference_parse(const char *text, vz_error *err);

/* Does a parsed text lead to another store? If that store exists, "source" becomes the name by
 * which HDF5 finds it. */
bool vz_reference_is_external(const vz_hierarchy *hierarchy, vz_json *json);

/* Replaces *token, a text's target, if it leads nowhere and an object with the text's path
 * exists: by the token of that object. */
bool vz_reference_replace_lost(vz_hierarchy *hierarchy, const vz_json *text, uint64_t *token, vz_error *err);

#endif
