/* pending_references.h - values with references that wait for their JSON (vz_node_defer_attribute): a list of references is
 * kept as the program gave it, as long as nobody asks for its text. Private to this room. */
#ifndef VZ_ATTRIBUTES_PENDING_REFERENCES_H
#define VZ_ATTRIBUTES_PENDING_REFERENCES_H

#include "hdf5/attributes/read_value.h"

/* Elements of such a type, in the program's own form (hobj_ref_t): may they wait? All they refer to must have a name in
 * this store: then making their text later cannot fail for what is refused at once. */
bool vz_value_may_wait(const vz_node *node, const vz_value *value, const uint8_t *elements);
/* A copy of the value, whose elements are these; NULL + err. */
vz_value *vz_value_copy(const vz_value *value, const uint8_t *elements, vz_error *err);
/* Elements whose references are tokens get their text. */
bool vz_value_spell_out(vz_value *value, vz_hierarchy *hierarchy, vz_error *err);
void vz_value_free(vz_value *value); /* NULL is fine */

#endif
