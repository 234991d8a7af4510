/* dtype.h - the type of a Zarr array's elements, as a tree. v2 spelling: Zarr v2 spec, "Data type encoding". */
#ifndef VZ_METADATA_DTYPE_H
#define VZ_METADATA_DTYPE_H

#include "codec/chain/codec_list.h"
#include "base/util/bytes.h"

typedef enum vz_dtype_kind {
    VZ_DTYPE_BOOL,      /* |b1 */
    VZ_DTYPE_INT,       /* i1..i8 */
    VZ_DTYPE_UINT,      /* u1..u8 */
    VZ_DTYPE_FLOAT,     /* f2 f4 f8 */
    VZ_DTYPE_COMPLEX,   /* c8 c16 */
    VZ_DTYPE_BYTES,     /* |Sn, NUL-padded */
    VZ_DTYPE_UNICODE,   /* <Un: n code points of 4 bytes */
    VZ_DTYPE_RAW,       /* |Vn */
    VZ_DTYPE_DATETIME,  /* <M8[unit] */
    VZ_DTYPE_TIMEDELTA, /* <m8[unit] */
    VZ_DTYPE_STRUCT,    /* packed fields, in order */
    VZ_DTYPE_OBJECT,    /* |O: what the items hold is told by the object codec */
} vz_dtype_kind;

typedef enum vz_object_kind { /* of VZ_DTYPE_OBJECT */
                              VZ_OBJECT_NONE,
                              VZ_OBJECT_TEXT,     /* vlen-utf8 */
                              VZ_OBJECT_BYTES,    /* vlen-bytes */
                              VZ_OBJECT_SEQUENCE, /* vlen-array: items are packed elements of `item` */
                              VZ_OBJECT_JSON,     /* json2, msgpack2, pickle: items are JSON texts; `codec` tells */
                              VZ_OBJECT_OTHER,    /* of a codec that is not known here, or of none; `codec` tells */
} vz_object_kind;

#define VZ_MAX_RANK 32

typedef struct vz_dtype vz_dtype;

typedef struct vz_field {
    char *name;
    size_t offset;   /* bytes; fields are packed, so the sum of the sizes before */
    vz_dtype *dtype; /* of one element of the member */
    unsigned rank;   /* 0, or the dimensions of an array member */
    uint64_t dims[VZ_MAX_RANK];
} vz_field;

struct vz_dtype {
    vz_dtype_kind kind;
    size_t size; /* bytes of one decoded element; sizeof(vz_item) for objects */
    bool big_endian;
    char unit[16];      /* datetime, timedelta: "ns", "25s", "" = generic */
    size_t field_count; /* struct */
    vz_field *fields;
    vz_object_kind object;
    vz_dtype *item; /* sequence: type of its elements. JSON: the structure that the array is spelled as, each item
                     * being the JSON array of a row's members; NULL if it is spelled |O. The |O members of such a
                     * structure are VZ_OBJECT_JSON without a codec. */
    char *codec;    /* JSON, other: the codec's id, NULL if the array names none */
};

/* Parses the v2 form (text, or a list of fields). `codec`, the first filter (NULL: there is none), tells what |O holds.
 */
vz_dtype *vz_dtype_parse_v2(const vz_json *spelling, const vz_codec_spec *codec, vz_error *err);
/* The v2 form. */
vz_json *vz_dtype_print_v2(const vz_dtype *dtype, vz_error *err);
/* The v3 form: a name, or {"name", "configuration"}. Byte order is no part of it: big_endian tells. */
vz_dtype *vz_dtype_parse_v3(const vz_json *spelling, bool big_endian, vz_error *err);
/* VZ_UNSUPPORTED for what v3 has no words for (sequences, array members of structs). */
vz_json *vz_dtype_print_v3(const vz_dtype *dtype, vz_error *err);
/* The byte order of all that has one: *big_endian; *ordered=false when nothing has. False when both orders occur. */
bool vz_dtype_byte_order(const vz_dtype *dtype, bool *big_endian, bool *ordered);
vz_dtype *vz_dtype_new(vz_dtype_kind kind, size_t size, bool big_endian, vz_error *err);
vz_dtype *vz_dtype_copy(const vz_dtype *dtype, vz_error *err);
/* Appends a field to a struct; takes `dtype` (also on failure). */
bool vz_dtype_add_field(vz_dtype *record, const char *name, vz_dtype *dtype, unsigned rank, const uint64_t *dims,
                        vz_error *err);
bool vz_dtype_equal(const vz_dtype *a, const vz_dtype *b);
void vz_dtype_free(vz_dtype *dtype);

/* A numeric element for conversion (array/numeric/convert_numbers.h); false if the dtype is none (BOOL is not). */
bool vz_dtype_is_number(const vz_dtype *dtype);

#endif
