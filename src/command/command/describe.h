/* describe.h - a node in words: what its documents say, and how large it is in the store. */
#ifndef VZ_COMMAND_DESCRIBE_H
#define VZ_COMMAND_DESCRIBE_H

#include "hierarchy/documents/link_name.h"
#include "hierarchy/nodes/node.h"

/* What the store has of an array, documents apart. */
typedef struct vz_stored_size {
    uint64_t values; /* chunks, or shards */
    uint64_t bytes;
} vz_stored_size;
bool vz_describe_stored(vz_node *array, vz_stored_size *stored, vz_error *err);
/* Chunks, or shards, that the array has room for; UINT64_MAX: more. */
uint64_t vz_describe_possible(const vz_node *array);
/* Bytes of all its elements; false: they have no fixed size (objects), or it is more than 64 bits hold. */
bool vz_describe_decoded(const vz_node *array, uint64_t *bytes);

/* The element type as the array's document spells it; borrowed, NULL where it spells none. */
const vz_json *vz_describe_dtype(const vz_node *array);
/* "array  (2, 3)  <i4" appended to `out`, with "group" for a group. NUL-terminated, not counted in size. */
bool vz_describe_short(const vz_node *node, vz_buffer *out, vz_error *err);
/* "vlen-utf8 blosc(lz4, 5)", appended likewise. */
bool vz_describe_codecs(const vz_node *array, vz_buffer *out, vz_error *err);
/* "chunks (10, 7)  blosc(lz4, 5)", appended likewise. */
bool vz_describe_storage(const vz_node *array, vz_buffer *out, vz_error *err);
/* The same as members of a JSON object: kind, shape, chunks, shards, dtype, zarr_format, and for an array that cannot
 * be understood "error". */
bool vz_describe_json(const vz_node *node, vz_json *object, vz_error *err);
/* Text as a JSON string, whatever bytes it has (hierarchy/nodes/node.h, vz_path_json). */
bool vz_describe_set_text(vz_json *object, const char *key, const char *text, vz_error *err);

/* "soft", "hard", "external", "user-defined": a link that is not the first name of a node. */
const char *vz_describe_link_word(const vz_link *link);
/* Where it leads, as it says: heap. NULL: nothing tells, or with err set. */
char *vz_describe_link_target(const vz_link *link, vz_error *err);

#endif
