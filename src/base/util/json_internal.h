/* json_internal.h - the inside of a JSON value, for the json_*.c files of this module only. */
#ifndef VZ_UTIL_JSON_INTERNAL_H
#define VZ_UTIL_JSON_INTERNAL_H

#include "base/util/hash.h"
#include "base/util/json.h"

struct vz_json_member {
    const char *key; /* from vz_json_key_new */
    vz_json *value;
};

struct vz_json {
    vz_json_kind kind;
    unsigned shares; /* further owners */
    size_t count;    /* bytes of text, items or members */
    size_t capacity; /* of items or members; of a printed value: the values in it */
    union {
        char *text; /* numbers, strings, printed values: NUL-terminated, part of this allocation */
        vz_json **items;
        struct vz_json_member *members;
    };
    vz_hash_index *index; /* of an object with more than a few members: see json_object.c */
};

/* A number of that very text, which must be one. */
vz_json *vz_json_number(vz_json_kind kind, const char *text, size_t length, vz_error *err);
/* A string without looking at its bytes. */
vz_json *vz_json_trusted_string(const char *text, size_t length, vz_error *err);
/* Room for one more element of `size` bytes in the array at *elements. */
bool vz_json_grow(vz_json *value, void **elements, size_t size, vz_error *err);

/* A key, to be given back by vz_json_key_free; length: without NUL. */
const char *vz_json_key_new(const char *text, size_t length, vz_error *err);
void vz_json_key_free(const char *key); /* NULL is fine */

/* Takes `key` (from vz_json_key_new, valid) and `take`; false frees both. The last of equal keys
 * counts and has the first's place. */
bool vz_json_set_key(vz_json *object, const char *key, vz_json *take, vz_error *err);
/* Adds a key that the object does not have. */
bool vz_json_add_key(vz_json *object, const char *key, vz_json *take, vz_error *err);

/* Length of the number at the start of the text, 0 if there is none; *kind is VZ_JSON_INTEGER or
 * VZ_JSON_REAL. */
size_t vz_json_scan_number(const char *text, size_t size, vz_json_kind *kind);

#endif
