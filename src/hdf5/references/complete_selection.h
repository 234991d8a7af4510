/* complete_selection.h - what stored references say, brought up to date: the path of an object that moved, and HDMF's
 * ids, which programs give their objects last. */
#ifndef VZ_REFERENCES_COMPLETE_SELECTION_H
#define VZ_REFERENCES_COMPLETE_SELECTION_H

#include "hdf5/references/reference.h"

/* A parsed text. *changed becomes true (else it is left alone) when it says something else now. What leads nowhere, or
 * to another store, stays what it is. */
bool vz_reference_complete(vz_hierarchy *hierarchy, vz_json *reference, bool *changed, vz_error *err);
/* Its path, if there is nothing more to it than that and HDMF's ids; else NULL. */
const char *vz_reference_bare_path(const vz_json *reference);
/* Is there an object where it leads? True, too, for one in another store. */
bool vz_reference_leads_somewhere(vz_hierarchy *hierarchy, const vz_json *reference);

/* Elements of the shown type, with text in the place of references, as vz_type_unpack gives them. */
bool vz_references_complete(const vz_reference_context *context, const vz_type_tree *shown, void *elements, size_t count,
                            bool *changed, vz_error *err);

#endif
