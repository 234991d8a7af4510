/* objects_internal.h - codecs of objects: items, MessagePack, lists of objects, pickles. */
#ifndef VZ_OBJECTCODEC_OBJECTS_INTERNAL_H
#define VZ_OBJECTCODEC_OBJECTS_INTERNAL_H

#include "base/util/bytes.h"
#include "base/util/json.h"
#include "codec/codec/codec.h"

/* -- Items --
 * The payload of vlen-utf8, vlen-bytes and vlen-array. A 4-byte little-endian count of items comes
 * first, then for each item its size (4 bytes, little-endian) and its bytes. */
/* Looks at one item; false with err set refuses the payload. NULL where any bytes will do. `index`
 * is for messages. */
typedef bool (*vz_items_check)(const vz_codec *codec, vz_item item, size_t index, vz_error_class class, vz_error *err);

/* Decoded items point into the arena; NULL: into `in`. The class of a refused item is VZ_CORRUPT
 * when decoding, VZ_INVALID when encoding. */
bool vz_items_decode(const vz_codec *codec, vz_bytes in, vz_item *items, size_t count, vz_arena *arena,
                     vz_items_check check, vz_error *err);
bool vz_items_encode(const vz_codec *codec, const vz_item *items, size_t count, vz_buffer *out, vz_items_check check,
                     vz_error *err);

/* -- Msgpack --
 * MessagePack and JSON values. Byte strings that are UTF-8 are text; others, in both directions,
 * the object {"__bytes__": base64}. */
/* The one value of `in`; NULL for anything else. Extension types and keys that are no text are
 * VZ_UNSUPPORTED. */
vz_json *vz_msgpack_read(vz_bytes in, vz_error *err);
/* As msgpack-python packs; single: reals in single precision. */
bool vz_msgpack_write(const vz_json *value, bool single, vz_buffer *out, vz_error *err);

/* -- Object list --
 * The form that json2 and msgpack2 give a chunk: a list of its items, then numpy's name of the
 * type, then the shape. The items stand in lists, one level for each dimension after the first. */
/* The items of such a list, as JSON texts in the arena. A list that is flat though the shape is not
 * is accepted. */
bool vz_objectcodec_list_take(const vz_codec *codec, const vz_json *list, vz_item *items, size_t count, vz_arena *arena,
                              vz_error *err);
/* The list of a chunk; VZ_INVALID for an item that is not JSON. A missing item is null. */
vz_json *vz_objectcodec_list_make(const vz_codec *codec, const vz_item *items, size_t count, vz_error *err);
/* The value of one item. */
vz_json *vz_objectcodec_value(const vz_codec *codec, vz_item item, size_t index, vz_error *err);

/* -- Pickle codec --
 * Shared by the pickle_*.c files. A pickle is a program for a stack machine; this one builds
 * data and calls nothing. The few names that numpy's arrays and hdmf-zarr's references need
 * stand for constructors of data here. Every other name and opcode is refused. */
/* Bytes of values, stack and memo that one chunk may need. */
#define VZ_PICKLE_MEMORY_MAX ((size_t)1 << 30)
/* Members of one structure. */
#define VZ_PICKLE_MEMBERS_MAX 1024
/* Bytes of text that a chunk of so many bytes may decode to: values that are used again and again
 * make it larger. */
#define VZ_PICKLE_TEXT_BASE   ((size_t)1 << 20)
#define VZ_PICKLE_TEXT_GROWTH 64

typedef enum vz_pickled_kind {
    VZ_PICKLED_NONE,
    VZ_PICKLED_BOOL,
    VZ_PICKLED_INTEGER,
    VZ_PICKLED_REAL,
    VZ_PICKLED_TEXT,
    VZ_PICKLED_BYTES,
    VZ_PICKLED_LIST,
    VZ_PICKLED_TUPLE,
    VZ_PICKLED_DICT, /* keys and values by turns */
    VZ_PICKLED_NAME, /* of the table in pickle_globals.c */
    VZ_PICKLED_DTYPE,
    VZ_PICKLED_ARRAY,
    VZ_PICKLED_SCALAR,
} vz_pickled_kind;

typedef enum vz_pickle_name {
    VZ_PICKLE_RECONSTRUCT,
    VZ_PICKLE_SCALAR,
    VZ_PICKLE_NDARRAY,
    VZ_PICKLE_DTYPE,
    VZ_PICKLE_REFERENCE, /* hdmf-zarr's, a dict */
    VZ_PICKLE_ENCODE,
    VZ_PICKLE_DICT,
    VZ_PICKLE_BYTES,
    VZ_PICKLE_INERT, /* may be named, in the metadata of a dtype, and not be used */
} vz_pickle_name;

typedef struct vz_pickled vz_pickled;

typedef struct vz_pickled_list {
    vz_pickled **items;
    size_t count, capacity;
} vz_pickled_list;

/* numpy's dtype. A structure has names and fields, an array member base and shape. */
typedef struct vz_pickled_dtype {
    char kind; /* numpy's letter */
    size_t size;
    bool big_endian, built;
    const vz_pickled *names;  /* a tuple, or NULL */
    const vz_pickled *fields; /* a dict of tuples (dtype, offset ...) */
    const vz_pickled *base;   /* a dtype, or NULL */
    const vz_pickled *shape;  /* a tuple */
} vz_pickled_dtype;

typedef struct vz_pickled_array {
    const vz_pickled *shape; /* a tuple; NULL: not built yet */
    const vz_pickled *dtype;
    vz_pickled *data; /* a list of objects in C order, or the bytes as they lie in memory */
    bool fortran;
} vz_pickled_array;

struct vz_pickled {
    vz_pickled_kind kind;
    bool flag;     /* of a bool; of an integer: negative */
    bool printing; /* is being printed: met again, it holds itself */
    bool printed;  /* as an item: where its text is, is known */
    size_t text_at, text_size;
    union {
        uint64_t magnitude; /* of an integer */
        double real;
        vz_bytes bytes; /* of text too */
        vz_pickled_list list;
        vz_pickle_name name;
        vz_pickled_dtype dtype;
        vz_pickled_array array;
        struct {
            const vz_pickled *dtype;
            vz_pickled *data;
        } scalar;
    };
};

typedef struct vz_unpickler {
    vz_bytes in;
    size_t at;
    vz_arena arena;
    vz_pickled_list stack;
    size_t *marks; /* heights of the stack */
    size_t mark_count, mark_capacity;
    vz_pickled **memo; /* NULL: no such entry */
    size_t memo_count, memo_capacity;
    vz_pickled *small[256]; /* integers, made once */
    vz_error *err;
} vz_unpickler;

/* ---- the machine (pickle_stack.c, pickle_run.c) ---- */

/* Runs the program: its value, or NULL. */
vz_pickled *vz_unpickle(vz_unpickler *u, vz_bytes in, vz_error *err);
void vz_unpickler_clear(vz_unpickler *u);
/* A zeroed value of that kind, or NULL. */
vz_pickled *vz_unpickler_new(vz_unpickler *u, vz_pickled_kind kind);
void *vz_unpickler_take(vz_unpickler *u, size_t size);
bool vz_unpickler_append(vz_unpickler *u, vz_pickled_list *list, vz_pickled *value);

/* ---- names and what they make (pickle_globals.c) ---- */

bool vz_pickle_find_name(vz_unpickler *u, vz_bytes module, vz_bytes name, vz_pickle_name *found);
/* The opcodes REDUCE, NEWOBJ and BUILD. NULL or false for uses that numpy and hdmf-zarr never
 * write. */
vz_pickled *vz_pickle_reduce(vz_unpickler *u, const vz_pickled *callee, const vz_pickled *arguments);
vz_pickled *vz_pickle_new_object(vz_unpickler *u, const vz_pickled *class, const vz_pickled *arguments);
bool vz_pickle_build(vz_unpickler *u, vz_pickled *target, const vz_pickled *state);
/* An integer in 0..most. */
bool vz_pickled_size(const vz_pickled *value, uint64_t most, uint64_t *size);

/* ---- text (pickle_json.c, pickle_numpy.c, pickle_scalar.c) ---- */

/* Appends the value's JSON text. */
bool vz_pickled_print(vz_pickled *value, unsigned depth, vz_buffer *out, vz_error *err);
bool vz_pickled_print_bytes(vz_bytes bytes, vz_buffer *out, vz_error *err);
bool vz_pickled_print_text(vz_bytes text, vz_buffer *out, vz_error *err);
bool vz_pickled_print_integer(uint64_t magnitude, bool negative, vz_buffer *out, vz_error *err);
bool vz_pickled_print_real(double real, vz_buffer *out, vz_error *err);
/* One element of numpy's memory. */
bool vz_pickled_print_element(const vz_pickled_dtype *dtype, vz_bytes element, unsigned depth, vz_buffer *out,
                              vz_error *err);
/* An array that was built, of elements that are bytes, as nested lists. */
bool vz_pickled_print_array(const vz_pickled_array *array, unsigned depth, vz_buffer *out, vz_error *err);
/* The extents along all dimensions and their product. */
bool vz_pickled_shape(const vz_pickled *tuple, uint64_t *shape, unsigned *rank, uint64_t *count, vz_error *err);

/* ---- writing (pickle_write.c, pickle_record.c) ---- */

typedef struct vz_pickle_field {
    char *name;
    char kind;     /* numpy's letter */
    char order[2]; /* "<", ">", "|" */
    char code[16]; /* "i4", "U3" */
    uint32_t size; /* bytes in numpy's memory */
    uint32_t offset;
} vz_pickle_field;

/* State of the codec: the structure whose rows the items are; without fields, items are values of
 * any kind. */
typedef struct vz_pickle_record {
    vz_pickle_field *fields;
    size_t field_count;
    uint32_t size;
    bool read_only; /* has members that are not written: structures, arrays, times */
} vz_pickle_record;

/* Reads the structure from its dtype in format 2. */
bool vz_pickle_record_read(vz_pickle_record *record, const vz_json *dtype, vz_error *err);
void vz_pickle_record_clear(vz_pickle_record *record);
bool vz_pickle_write(const vz_codec *codec, const vz_item *items, size_t count, vz_buffer *out, vz_error *err);

/* -- Pickle stack --
 * The state on which opcodes work. */
/* NULL: no opcode of data. */
typedef bool (*vz_pickle_operation)(vz_unpickler *u);
extern const vz_pickle_operation vz_pickle_operations[256];

/* ---- the program's bytes: all of them fail where the program ends ---- */

bool vz_unpickler_ends(vz_unpickler *u);
const uint8_t *vz_unpickler_read(vz_unpickler *u, uint64_t size);
/* A little-endian number of 1, 2, 4 or 8 bytes. */
bool vz_unpickler_number(vz_unpickler *u, unsigned size, uint64_t *number);
bool vz_unpickler_line(vz_unpickler *u, vz_bytes *line);

/* ---- the stack ---- */

bool vz_unpickler_push(vz_unpickler *u, vz_pickled *value); /* NULL: false */
vz_pickled *vz_unpickler_top(vz_unpickler *u);
vz_pickled *vz_unpickler_pop(vz_unpickler *u);
/* How many values lie above the last mark. */
size_t vz_unpickler_available(const vz_unpickler *u);
/* Takes the last mark away: *values are those above it, which stay valid until something is
 * pushed. */
bool vz_unpickler_pop_mark(vz_unpickler *u, vz_pickled ***values, size_t *count);

/* Twice the room for an array of the arena, zeroed; what was there before is copied, and its place
 * lost. */
void *vz_unpickler_grown(vz_unpickler *u, const void *array, size_t element, size_t *capacity);

#endif
