/* categories.h - the attribute by which a column of AnnData 0.7 names its categories. In HDF5 that is an object
 * reference to <the column's group>/__categories/<name>; in Zarr, as AnnData writes and reads it, the text
 * "__categories/<name>". Such references are stored as that text, and the attribute's entry says that it is one. */
#ifndef VZ_DIALECTS_CATEGORIES_H
#define VZ_DIALECTS_CATEGORIES_H

#include "hierarchy/nodes/node.h"

/* Puts the text in the place of *json, where that is such a reference, and the type into *entry. */
bool vz_categories_shorten(const vz_node *node, const char *name, vz_json **json, vz_json **entry, vz_error *err);
/* The reference for such a text, new; NULL: it is any other value (or memory is short). */
vz_json *vz_categories_lengthen(const vz_node *node, const char *name, const vz_json *json, const vz_json *entry);

#endif
