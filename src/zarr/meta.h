/* meta.h - an array's metadata in one model; meta_v2.c knows the v2 spelling and nobody else does. */
#ifndef VZ_ZARR_META_H
#define VZ_ZARR_META_H

#include "zarr/dtype.h"

typedef struct vz_array_meta {
    int format; /* 2 */
    unsigned rank;
    uint64_t shape[VZ_MAX_RANK];
    uint64_t chunks[VZ_MAX_RANK]; /* each >= 1 */
    vz_dtype *dtype;
    bool fill_defined; /* v2: fill_value is not null */
    uint8_t *fill;     /* dtype->size bytes in the array's byte order; zeros when undefined; for objects a vz_item
                        * whose data is `fill_item` */
    uint8_t *fill_item;
    bool order_f;         /* elements of a chunk lie first-dimension-fastest */
    char separator;       /* '.' or '/' between chunk coordinates */
    vz_json *filters;     /* NULL or array of configurations, object codec included */
    vz_json *compressor;  /* NULL or a configuration */
    uint64_t chunk_count; /* elements of one chunk */
    size_t chunk_size;    /* bytes of one decoded chunk (items count sizeof(vz_item)) */
} vz_array_meta;

#define VZ_CHUNK_MAX_SIZE ((size_t)1 << 34) /* bytes of one decoded chunk: beyond it a document is taken for hostile   \
                                             */

/* Parses ".zarray". Every missing key, wrong JSON type, negative, zero (chunks) or overflowing number, unknown dtype,
 * rank over VZ_MAX_RANK and chunk over VZ_CHUNK_MAX_SIZE is an error that names the key. Does not look codecs up. */
vz_array_meta *vz_meta_parse_v2(const vz_json *document, vz_error *err);
/* Writes the model into `document` (edited in place: members it does not know survive; or a fresh object when new).
 * Keys of a new document come in zarr-python's order, dimension_separator always among them. */
bool vz_meta_print_v2(const vz_array_meta *meta, vz_json *document, vz_error *err);
vz_array_meta *vz_meta_copy(const vz_array_meta *meta, vz_error *err);
void vz_meta_free(vz_array_meta *meta);

/* Sets the fill value to dtype->size raw bytes (or undefined when bytes is NULL). Objects: bytes is a vz_item. */
bool vz_meta_set_fill(vz_array_meta *meta, const void *bytes, vz_error *err);
/* Recomputes chunk_count and chunk_size; VZ_LIMIT when they overflow. */
bool vz_meta_settle(vz_array_meta *meta, vz_error *err);

/* "prefix/1.2" or "prefix/1/2" into key; prefix "" = the root; rank 0: "0". */
bool vz_chunk_key(const vz_array_meta *meta, const char *prefix, const uint64_t *chunk, char *key, size_t size,
                  vz_error *err);

#endif
