/* json_internal.h - the inside of a JSON value, for the json_*.c files of this module only. */
#ifndef VZ_UTIL_JSON_INTERNAL_H
#define VZ_UTIL_JSON_INTERNAL_H

#include "base/util/hash.h"
#include "base/util/json.h"

struct vz_json_member {
    const char *key; /* from vz_json_key_new */
    vz_json *value;
};

/* Sizes of an array's items, as vz_json_measure adds them: from them follow those with any indent,
 * at any depth. */
typedef struct vz_json_items_size {
    vz_json_size plain, indented, deeper; /* indent 0; 1; 1, and a level deeper */
} vz_json_items_size;
/* Adds those of the items from `first` on. */
void vz_json_measure_items(const vz_json *array, size_t first, vz_json_items_size *size);

/* The text of a container in a string (json_kept_text.c). */
typedef struct vz_json_kept_text {
    uint64_t changes; /* of the moment: after another one it tells nothing */
    unsigned depth;   /* levels of containers in it */
    vz_json_items_size size;
    size_t length;
    char text[];
} vz_json_kept_text;

struct vz_json {
    vz_json_kind kind;
    unsigned shares : 29;   /* further owners */
    unsigned is_kept : 1;   /* a text that is kept has it inside */
    unsigned has_text : 1;  /* its own is kept */
    unsigned has_front : 1; /* there are places of members that left before its first one */
    size_t count;           /* bytes of text, items or members */
    size_t capacity;        /* of items or members; of a printed value: the values in it */
    union {
        char *text; /* numbers, strings, printed values: NUL-terminated, part of this allocation */
        vz_json **items;
        struct vz_json_member *members;
    };
    union {
        vz_hash_index *index;    /* of an object with more than a few members: see json_object.c */
        vz_json_kept_text *kept; /* instead of an index, where it has a text */
    };
};

/* json_value.c */
/* Where the memory of an object's members begins. Of places before its first member the last one
 * holds their number. */
struct vz_json_member *vz_json_members_memory(const vz_json *object);

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

/* json_changes.c */
/* A container changes: texts that have it inside, and its own, are void from here on. */
void vz_json_changes(vz_json *container);
uint64_t vz_json_changes_count(void); /* of such changes */
/* As vz_json_print_in_string, without the quotes of the string. */
bool vz_json_print_inside(const vz_json *value, vz_buffer *out, vz_error *err);
/* The text of a container as it is now; NULL: none is kept. */
const vz_json_kept_text *vz_json_kept(const vz_json *value);

/* Length of the number at the start of the text, 0 if there is none; *kind is VZ_JSON_INTEGER or
 * VZ_JSON_REAL. */
size_t vz_json_scan_number(const char *text, size_t size, vz_json_kind *kind);

#endif
