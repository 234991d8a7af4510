/* object_list.h - the form that json2 and msgpack2 give a chunk: a list of its items (in lists, one level for each
 * dimension after the first), then numpy's name of the type, then the shape. */
#ifndef VZ_OBJECTCODEC_OBJECT_LIST_H
#define VZ_OBJECTCODEC_OBJECT_LIST_H

#include "codec/codec/codec.h"

/* The items of such a list, as JSON texts in the arena. A list that is flat though the shape is not is accepted. */
bool vz_object_list_take(const vz_codec *codec, const vz_json *list, vz_item *items, size_t count, vz_arena *arena,
                         vz_error *err);
/* The list of a chunk; VZ_INVALID for an item that is not JSON. A missing item is null. */
vz_json *vz_object_list_make(const vz_codec *codec, const vz_item *items, size_t count, vz_error *err);
/* The value of one item. */
vz_json *vz_object_value(const vz_codec *codec, vz_item item, size_t index, vz_error *err);

#endif
