/* json.h - JSON values that keep what a document said: number text, key order, NaN and
 * infinities, integers of any size, any string.
 *
 * Numbers are held as their text: what was read prints again byte for byte. Bare NaN, Infinity
 * and -Infinity are numbers (reals). Strings are length-counted UTF-8 and may hold NUL. Lone
 * surrogates \uD800..\uDFFF survive as CESU-style three bytes. Two side by side that make a pair
 * print, and so read back, as the character they stand for. Values are trees owned by their parent;
 * "new" returns and "take" arguments pass ownership, everything else borrows. */
#ifndef VZ_UTIL_JSON_H
#define VZ_UTIL_JSON_H

#include "base/util/bytes.h"
#include "base/util/memory_budget.h"

typedef enum vz_json_kind {
    VZ_JSON_NULL,
    VZ_JSON_FALSE,
    VZ_JSON_TRUE,
    VZ_JSON_INTEGER, /* text without '.', exponent, NaN or infinity */
    VZ_JSON_REAL,
    VZ_JSON_STRING,
    VZ_JSON_ARRAY,
    VZ_JSON_OBJECT,
    VZ_JSON_PRINTED, /* see vz_json_printed */
} vz_json_kind;

typedef struct vz_json vz_json;

/* VZ_CORRUPT with line and cause for anything that is not one JSON value. NaN and infinities are
 * allowed; of duplicate keys the last counts, in the first's place. VZ_LIMIT beyond
 * VZ_JSON_MAX_DEPTH or VZ_JSON_MAX_SIZE. A byte order mark is skipped. */
vz_json *vz_json_parse(const char *text, size_t size, vz_error *err);
/* Parses a text, but fails with VZ_LIMIT beyond so many values. */
vz_json *vz_json_parse_within(const char *text, size_t size, size_t values, vz_error *err);
/* Text of the value. indent 0 = compact ("," and ":"), else that many blanks per level with ": "
 * and newlines, as zarr-python writes. Raw UTF-8, not \u escapes (except control characters and
 * lone surrogates). VZ_LIMIT for what vz_json_parse would not read. */
bool vz_json_print(const vz_json *value, int indent, vz_buffer *out, vz_error *err);
/* The text, with its quotes, of the string that holds the compact text of the value. */
bool vz_json_print_in_string(const vz_json *value, vz_buffer *out, vz_error *err);

/* Keeps the text of an array, or of an object of few members, as it stands in such a string, until
 * something in it changes. `before`: an array whose text was kept, with which it may begin; NULL:
 * none. No memory: nothing is kept. */
void vz_json_keep_text(vz_json *value, const vz_json *before);

/* Size of a value as text with that indent; characters that would be escaped count as one. */
typedef struct vz_json_size {
    size_t values, bytes;
    unsigned depth; /* of the deepest value; what is in a printed one does not count */
} vz_json_size;
/* Adds those of a value that stands so deep in the text. */
void vz_json_measure(const vz_json *value, unsigned indent, unsigned depth, vz_json_size *size);
/* Where the value of the first such member stands in the text of an object, if it is an object.
 * Nothing else of the text is checked. */
bool vz_json_find_object(const char *text, size_t size, const char *key, size_t *start, size_t *length);
/* Passes over an array or object whose text comes in parts, the first of which begins with its
 * bracket. Only strings and brackets are looked at. Begins as {0}. */
typedef struct vz_json_skip {
    bool ends;    /* its last bracket was met */
    size_t depth; /* this and what follows are its own */
    bool in_string, is_escaped;
} vz_json_skip;
/* Bytes of the part that are the container's; all of them where it goes on. */
size_t vz_json_skip_on(vz_json_skip *skip, const void *text, size_t size);
/* The members of an object in a text, before it is parsed. `visit` gets each key and the text of
 * its value, which lies in `object`, and stops at its first false. Of containers only the brackets
 * are checked. Keys with a NUL are passed over. VZ_CORRUPT: it is no such text; members before what
 * is wrong have been visited. */
typedef bool (*vz_json_visit)(void *context, const char *key, vz_bytes value, vz_error *err);
bool vz_json_each_member(vz_bytes object, vz_json_visit visit, void *context, vz_error *err);

void vz_json_free(vz_json *value);        /* NULL is fine */
void vz_json_free_secret(vz_json *value); /* the same, when all texts in it are overwritten */
vz_json *vz_json_copy(const vz_json *value, vz_error *err);
/* The same value with one more owner, who frees it, too: as long as it has several, nobody may
 * change it. */
vz_json *vz_json_share(vz_json *value);
/* A new object with the very values of another one, each of which has one more owner. */
vz_json *vz_json_share_members(const vz_json *object, vz_error *err);
/* Before a change: a value of which others are owners, too, is copied. False: no memory, and it
 * is as it was. */
bool vz_json_own(vz_json **value, vz_error *err);
/* Same kind and content; numbers are equal if their texts are, or if they are equal as numbers
 * of the same kind. Key order does not matter. */
bool vz_json_equal(const vz_json *a, const vz_json *b);

vz_json_kind vz_json_kind_of(const vz_json *value);
const char *vz_json_kind_name(const vz_json *value); /* "a string", "an array" ... for messages */

/* Constructors: NULL with err set when out of memory; vz_json_string and _text also (VZ_INVALID)
 * when it is not UTF-8. */
vz_json *vz_json_null(vz_error *err);
vz_json *vz_json_bool(bool value, vz_error *err);
vz_json *vz_json_int64(int64_t value, vz_error *err);
vz_json *vz_json_uint64(uint64_t value, vz_error *err);
/* Shortest text that reads back equal, always with '.' or exponent, whatever the locale; NaN,
 * Infinity, -Infinity bare. */
vz_json *vz_json_double(double value, vz_error *err);
vz_json *vz_json_string(const char *text, size_t length, vz_error *err);
vz_json *vz_json_text(const char *text, vz_error *err); /* NUL-terminated */
vz_json *vz_json_array(vz_error *err);
vz_json *vz_json_object(vz_error *err);

/* A value that is known by its text alone, as vz_json_print made it with some indent, with so
 * many values in it. It can be put into another one, measured, printed with its indent, copied,
 * compared by its text, and freed. No reader sees what is in it. */
vz_json *vz_json_printed(const char *text, size_t length, size_t values, vz_error *err);
/* Its text; NULL: it is no such value. */
const char *vz_json_get_printed(const vz_json *value, size_t *length);

/* Readers. False (no error set) when the value is not of that kind or does not fit. */
bool vz_json_get_bool(const vz_json *value, bool *out);
bool vz_json_get_int64(const vz_json *value, int64_t *out);   /* integers only */
bool vz_json_get_uint64(const vz_json *value, uint64_t *out); /* integers only */
bool vz_json_get_double(const vz_json *value, double *out);   /* integers and reals; 1e999 does not
                                                               * fit */
/* The string's bytes (NUL-terminated as well); NULL if it is no string. length may be NULL. */
const char *vz_json_get_string(const vz_json *value, size_t *length);
const char *vz_json_number_text(const vz_json *value);   /* NULL if no number */
bool vz_json_is(const vz_json *value, const char *text); /* is it that very string? NULL value:
                                                          * false */

/* Arrays. */
size_t vz_json_length(const vz_json *value); /* array or object; else 0 */
/* NULL beyond the end or no array */
vz_json *vz_json_at(const vz_json *array, size_t index);
/* NULL take = failed constructor: returns false */
bool vz_json_append(vz_json *array, vz_json *take, vz_error *err);

/* Objects: ordered. */
vz_json *vz_json_get(const vz_json *object, const char *key); /* NULL: absent or no object */
/* The member's text, NUL-terminated; NULL: absent, no string, or one with a NUL inside. */
const char *vz_json_get_text(const vz_json *object, const char *key);
/* Keeps the place of a key that is there. Frees `take` when it fails, as vz_json_append does. */
bool vz_json_set(vz_json *object, const char *key, vz_json *take, vz_error *err);
bool vz_json_set_text(vz_json *object, const char *key, const char *text, vz_error *err);
bool vz_json_remove(vz_json *object, const char *key);     /* false: was not there; linear time, as
                                                            * detach */
vz_json *vz_json_detach(vz_json *object, const char *key); /* removes and hands over; NULL:
                                                            * absent */
/* Keeps the place; VZ_NOT_FOUND without `from`, VZ_EXISTS if `to` is taken. */
bool vz_json_rename(vz_json *object, const char *from, const char *to, vz_error *err);
/* The index-th member in order, O(1); false beyond the end. Keys are NUL-terminated; a NUL
 * inside a key is held as the two bytes C0 80, which no UTF-8 contains, and printed as \u0000. */
bool vz_json_member(const vz_json *object, size_t index, const char **key, vz_json **value);
/* The position of a key in the order, or -1. */
ptrdiff_t vz_json_index(const vz_json *object, const char *key);

#endif
