/* references_internal.h - the part of references.h that only this module uses. */
#ifndef VZ_REFERENCES_REFERENCES_INTERNAL_H
#define VZ_REFERENCES_REFERENCES_INTERNAL_H

#include "hdf5/references/references.h"

/* lost_references.c, of vz_references_resolve_scales: leaves them out. */
bool vz_references_drop_lost(vz_hierarchy *hierarchy, const vz_type_tree *form, void *elements, size_t count,
                             vz_error *err);

/* The object that the text of a reference is. A bare path, as hdmf-zarr has it in format 3, is one that has only that.
 */
vz_json *vz_reference_parse(const char *text, vz_error *err);

/* Does a parsed text lead to another store? Where that is there, "source" becomes the name by which HDF5 looks for it.
 */
bool vz_reference_is_external(const vz_hierarchy *hierarchy, vz_json *json);

/* *token, which is a text's target, becomes that of the object at the text's path, where it leads nowhere and there is
 * such an object. */
bool vz_reference_replace_lost(vz_hierarchy *hierarchy, const vz_json *text, uint64_t *token, vz_error *err);

#endif
