/* zarr_python_v2.c - which arrays of format 2 zarr-python 3 can read (its 3.1, the oldest that is
 * met). */
#include "codec/codec/codec.h"
#include "metadata/metadata/format_internal.h"

#define OWN "hdf5_" /* so begin names of codecs that only this connector has */

static bool is_known_object(const vz_meta *meta)
{
    const vz_dtype *dtype = meta->dtype;
    if (dtype->object == VZ_OBJECT_BYTES) /* a fill value that is no byte string stops it */
        return !meta->fill_defined || meta->fill_item != NULL;
    return dtype->object == VZ_OBJECT_TEXT;
}

static bool is_known_struct(const vz_dtype *dtype)
{
    for (size_t i = 0; i < dtype->field_count; i++) {
        const vz_dtype_field *field = &dtype->fields[i];
        if (field->rank > 0 || field->dtype->kind == VZ_DTYPE_STRUCT || field->dtype->kind == VZ_DTYPE_OBJECT)
            return false;
    }
    return dtype->field_count > 0;
}

static bool is_known_dtype(const vz_meta *meta)
{
    switch (meta->dtype->kind) {
    case VZ_DTYPE_OBJECT:
        return is_known_object(meta);
    case VZ_DTYPE_STRUCT:
        return is_known_struct(meta->dtype);
    case VZ_DTYPE_BYTES:
    case VZ_DTYPE_UNICODE:
    case VZ_DTYPE_RAW:
        return meta->dtype->size > 0;
    default:
        return true;
    }
}

bool vz_meta_readable_v2(const vz_json *document)
{
    vz_meta *meta = vz_meta_parse_v2(document, NULL);
    bool known = meta && !meta->is_referenced && is_known_dtype(meta);
    for (size_t i = 0; known && i < meta->codecs.count; i++)
        known =
            vz_codec_find(meta->codecs.specs[i].id, false) && strncmp(meta->codecs.specs[i].id, OWN, strlen(OWN)) != 0;
    vz_meta_free(meta);
    return known;
}
