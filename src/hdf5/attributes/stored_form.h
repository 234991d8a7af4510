/* stored_form.h - elements with references in the form that goes to and from a memory type (vz_reference_form): the
 * same elements, but for the room that a reference takes. Private to this room. */
#ifndef VZ_ATTRIBUTES_STORED_FORM_H
#define VZ_ATTRIBUTES_STORED_FORM_H

#include "hdf5/attributes/read_value.h"

typedef struct vz_attribute_form {
    hid_t type; /* owned */
    vz_type_tree *layout;
    uint8_t *bytes; /* the value's elements, in which references are text; text and sequences lie in the arena */
    vz_arena arena;
} vz_attribute_form;

bool vz_attribute_form_init(vz_attribute_form *form, const vz_value *value, hid_t mem_type, vz_error *err);
/* Elements of the form, whose references are text, as elements of the value's type: they live as long as the form. */
uint8_t *vz_attribute_form_undo(vz_attribute_form *form, const vz_value *value, const uint8_t *elements, vz_error *err);
void vz_attribute_form_clear(vz_attribute_form *form);

#endif
