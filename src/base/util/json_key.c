/* json_key.c - the keys of members. Those that nearly every document of a store has are not
 * copied. */
#include "base/util/json_internal.h"
#include <stdlib.h>

#define LONGEST 21 /* of those that follow */

/* Shorter ones first. */
static const char common[][LONGEST + 1] = {
    "a",
    "d",
    "i",
    "k",
    "n",
    "s",
    "t",
    "id",
    "kind",
    "name",
    "path",
    "_HDF5",
    "cname",
    "dtype",
    "level",
    "order",
    "shape",
    "chunks",
    "clevel",
    "codecs",
    "endian",
    "source",
    "filters",
    "shuffle",
    "dataset",
    "checksum",
    "metadata",
    "typesize",
    "blocksize",
    "data_type",
    "node_type",
    "separator",
    "dimension",
    "object_id",
    "attributes",
    "chunk_grid",
    "compressor",
    "fill_value",
    "zarr_dtype",
    "chunk_shape",
    "zarr_format",
    "configuration",
    "dimension_names",
    "must_understand",
    "source_object_id",
    "_ARRAY_DIMENSIONS",
    "chunk_key_encoding",
    "dimension_separator",
    "storage_transformers",
    "consolidated_metadata",
};

/* Where those of each length begin. */
static const uint8_t first[LONGEST + 2] = {0,  0,  7,  8,  8,  11, 17, 22, 25, 28, 34, 39,
                                           41, 41, 42, 42, 44, 45, 46, 47, 48, 49, 50};

static const char *find_common(const char *text, size_t length)
{
    if (length > LONGEST)
        return NULL;
    for (size_t i = first[length]; i < first[length + 1]; i++)
        if (common[i][0] == text[0] && memcmp(common[i], text, length) == 0)
            return common[i];
    return NULL;
}

const char *vz_json_key_new(const char *text, size_t length, vz_error *err)
{
    const char *found = find_common(text, length);
    if (found)
        return found;
    char *key = malloc(length + 1);
    if (!key) {
        vz_fail_memory(err);
        return NULL;
    }
    memcpy(key, text, length);
    key[length] = '\0';
    return key;
}

void vz_json_key_free(const char *key)
{
    const uintptr_t place = (uintptr_t)key, start = (uintptr_t)common;
    if (place < start || place >= start + sizeof common)
        free((char *)place);
}
