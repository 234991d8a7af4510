/* shown_type.h - the decoded value that an attribute keeps. Private to this room. */
#ifndef VZ_ATTRIBUTES_SHOWN_TYPE_H
#define VZ_ATTRIBUTES_SHOWN_TYPE_H

#include "hdf5/attributes/attribute.h"
#include "hdf5/attributes/read_value.h"

/* The value, decoded if it is not known or something changed since. It is the caller's until it is given back, because
 * HDF5 may call functions of the user's meanwhile, who may ask the same attribute. NULL + err, VZ_NOT_FOUND too. */
vz_value *vz_attribute_lend(vz_attribute *attribute, vz_error *err);
/* Elements in the form of value->bytes become the attribute's. */
bool vz_attribute_store(vz_attribute *attribute, const vz_value *value, const uint8_t *bytes, vz_error *err);
/* The same of elements as the program gave them, which may wait for their text (pending_references.h). */
bool vz_attribute_defer(vz_attribute *attribute, const vz_value *value, const uint8_t *elements, vz_error *err);

#endif
