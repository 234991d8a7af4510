/* bytes.h - spans of memory, growing buffers, arenas, checked arithmetic, fixed-endian loads and
 * stores. */
#ifndef VZ_UTIL_BYTES_H
#define VZ_UTIL_BYTES_H

#include "base/util/error.h"
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef struct vz_bytes {
    const uint8_t *data;
    size_t size;
} vz_bytes;

/* Bytes that lie in several places, one part behind the other; one part at least. */
typedef struct vz_parts {
    const vz_bytes *list;
    size_t count;
} vz_parts;

/* Those that lie in one place. */
static inline vz_parts vz_parts_of(const vz_bytes *bytes)
{
    return (vz_parts){bytes, 1};
}

/* Bytes of a stored value of which not all need be wanted. It owns nothing; it is checked
 * against the value by vz_os_range_resolve (base/os/file.h). */
typedef struct vz_range {
    enum { VZ_RANGE_ALL, VZ_RANGE_AT, VZ_RANGE_SUFFIX } kind;
    uint64_t offset; /* VZ_RANGE_AT */
    uint64_t size;   /* AT: bytes wanted; SUFFIX: the last so many bytes */
} vz_range;
#define VZ_WHOLE ((vz_range){.kind = VZ_RANGE_ALL})

/* A buffer that grows up to `limit`, or (fixed) stands for memory of the caller that never
 * grows. Zero-initialised = empty, growing, without limit. */
typedef struct vz_buffer {
    uint8_t *data;
    size_t size;
    size_t capacity;
    size_t limit;  /* 0: none; otherwise no reservation beyond it succeeds (VZ_LIMIT) */
    bool borrowed; /* data is owned by the caller: capacity is final, clear does not free */
} vz_buffer;

/* A buffer that stands for exactly `size` bytes at `data`, e.g. the chunk's place in the user's
 * memory. */
vz_buffer vz_buffer_borrow(void *data, size_t size);

/* Makes room for `size` bytes in all (not more than before). Contents up to ->size stay; ->size
 * does not change. */
bool vz_buffer_reserve(vz_buffer *buffer, size_t size, vz_error *err);
bool vz_buffer_append(vz_buffer *buffer, const void *data, size_t size, vz_error *err);
bool vz_buffer_printf(vz_buffer *buffer, vz_error *err, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Frees what is owned and returns to the empty state (keeps limit). */
void vz_buffer_clear(vz_buffer *buffer);

/* One element of an array of objects (text, byte strings, sequences) in decoded form. `data` is
 * owned by an arena. A missing item is {NULL, 0}. Elements of such arrays are `sizeof(vz_item)`
 * bytes in decoded chunks and buffers. */
typedef struct vz_item {
    const uint8_t *data;
    uint64_t size; /* bytes */
} vz_item;

/* Memory for many small pieces, freed at once. Zero-initialised = empty. Not thread-safe. */
typedef struct vz_arena {
    struct vz_arena_block *blocks;
    size_t used; /* bytes handed out in all */
} vz_arena;

/* `size` bytes aligned for anything, or NULL with err set; size 0 gives a valid pointer. */
void *vz_arena_alloc(vz_arena *arena, size_t size, vz_error *err);
void *vz_arena_copy(vz_arena *arena, const void *data, size_t size, vz_error *err);

/* Moves all blocks of `from` into `into`, so that pointers into it stay valid as long as `into`
 * lives. */
void vz_arena_adopt(vz_arena *into, vz_arena *from);
void vz_arena_clear(vz_arena *arena);

/* false on overflow; the result is then untouched. */
static inline bool vz_mul(uint64_t a, uint64_t b, uint64_t *result)
{
    uint64_t product;
    if (__builtin_mul_overflow(a, b, &product))
        return false;
    *result = product;
    return true;
}
static inline bool vz_add(uint64_t a, uint64_t b, uint64_t *result)
{
    uint64_t sum;
    if (__builtin_add_overflow(a, b, &sum))
        return false;
    *result = sum;
    return true;
}

static inline uint32_t vz_bytes_load_le32(const void *p)
{
    const uint8_t *b = p;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}
static inline uint64_t vz_bytes_load_le64(const void *p)
{
    return (uint64_t)vz_bytes_load_le32(p) | (uint64_t)vz_bytes_load_le32((const uint8_t *)p + 4) << 32;
}
static inline void vz_bytes_store_le32(void *p, uint32_t v)
{
    uint8_t *b = p;
    b[0] = (uint8_t)v, b[1] = (uint8_t)(v >> 8), b[2] = (uint8_t)(v >> 16), b[3] = (uint8_t)(v >> 24);
}
static inline void vz_bytes_store_le64(void *p, uint64_t v)
{
    vz_bytes_store_le32(p, (uint32_t)v);
    vz_bytes_store_le32((uint8_t *)p + 4, (uint32_t)(v >> 32));
}

#define VZ_DECIMAL_SIZE 21 /* any 64-bit number's digits, and a NUL */

/* Writes the number's digits, NUL-terminated, and returns how many; many times faster than
 * snprintf. */
static inline size_t vz_decimal(uint64_t number, char text[VZ_DECIMAL_SIZE])
{
    char digits[VZ_DECIMAL_SIZE];
    size_t count = 0, length;
    do
        digits[count++] = (char)('0' + number % 10);
    while (number /= 10);
    for (length = 0; length < count; length++)
        text[length] = digits[count - 1 - length];
    text[length] = '\0';
    return length;
}

/* Base64 (RFC 4648, with padding). Encode: a NUL-terminated heap string (caller frees) or NULL.
 * Decode: appends to `out`; VZ_CORRUPT on anything that is not base64. */
char *vz_base64_encode(const void *data, size_t size, vz_error *err);
bool vz_base64_decode(const char *text, size_t length, vz_buffer *out, vz_error *err);

/* Length of the UTF-8 sequence at `data` (1..4), 0 if there is none: overlong forms, values
 * beyond U+10FFFF and, unless `surrogates`, U+D800..U+DFFF are none. */
size_t vz_utf8_sequence(const void *data, size_t size, bool surrogates);
bool vz_utf8_valid(const void *data, size_t size); /* without surrogates */
/* The code point of a sequence of that length, 1 to 4. */
uint32_t vz_utf8_code_point(const void *data, size_t length);

/* A 64-bit hash of bytes (FNV-1a with a final mix); the same in every process. `seed` chains. */
uint64_t vz_hash(const void *data, size_t size, uint64_t seed);

/* Another one for long texts, eight bytes at a time: for comparing within a process, never
 * stored. */
uint64_t vz_hash_long(const void *data, size_t size);

/* That of a document's text; never 0. */
static inline uint64_t vz_hash_text(const void *text, size_t size)
{
    return vz_hash_long(text, size) | 1;
}

/* A hash of `size` bytes that come in parts. Each but the last is a multiple of VZ_HASH_STEP. */
#define VZ_HASH_LANES 4
#define VZ_HASH_STEP  (8 * VZ_HASH_LANES)
typedef struct vz_long_hash {
    uint64_t lanes[VZ_HASH_LANES], rest;
} vz_long_hash;
void vz_hash_begin(vz_long_hash *hash, size_t size);
void vz_hash_more(vz_long_hash *hash, const void *data, size_t size);
uint64_t vz_hash_end(const vz_long_hash *hash);

/* At least `size` zeros, never freed; NULL if there is no memory, or beyond VZ_DTYPE_MAX_SIZE. */
const uint8_t *vz_zeros(size_t size);

/* -- Key path --
 * paths, and keys of stores, compared part by part. */
/* The part of `path` behind `prefix`: "" if they are equal, "/..." if the path is below it; NULL:
 * it is neither. Borrowed. */
static inline const char *vz_key_below(const char *path, const char *prefix)
{
    const size_t length = strlen(prefix);
    if (strncmp(path, prefix, length) != 0 || (path[length] != '\0' && path[length] != '/'))
        return NULL;
    return path + length;
}

/* Is the key that prefix, or below it? All keys are below the empty one. */
static inline bool vz_key_is_within(const char *key, const char *prefix)
{
    return !*prefix || vz_key_below(key, prefix);
}

/* -- Percent encoding --
 * percent-encoding (RFC 3986, section 2). */
/* Appends a byte: as it is if it is one of RFC 3986's unreserved ones, or stands in `also`; else
 * as %XX. */
bool vz_percent_append(vz_buffer *out, uint8_t byte, const char *also, vz_error *err);

/* Encodes all bytes of a text. */
bool vz_percent_encode(vz_buffer *out, const char *text, const char *also, vz_error *err);

#endif
