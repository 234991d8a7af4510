/* elements_internal.h - the steps between elements of a dtype and of an HDF5 type; UTF-32. */
#ifndef VZ_TYPES_ELEMENTS_INTERNAL_H
#define VZ_TYPES_ELEMENTS_INTERNAL_H

#include "hdf5/types/types.h"

/* -- Element steps --
 * A list of steps that turns elements of a dtype into elements of an HDF5 type, and back. */
typedef struct vz_steps vz_steps;

/* The one field of a structure of records that together are one row (vz_type_repeated_row). */
#define VZ_REPEATED_FIELD ""

/* Finds the steps. Both arguments are borrowed and must outlive them. VZ_CORRUPT if elements of
 * the dtype cannot be shown so; VZ_UNSUPPORTED if their codec is unknown. */
vz_steps *vz_steps_new(const vz_dtype *dtype, const vz_type_tree *layout, vz_error *err);
void vz_steps_free(vz_steps *steps); /* NULL is fine */
/* Is an element of the dtype a whole element of this array type (and not of what it is an array
 * of)? */
bool vz_steps_hold_whole_array(const vz_dtype *dtype, const vz_type_tree *layout);
/* Are the bytes equal on both sides? */
bool vz_steps_is_copy(const vz_steps *steps);

/* Elements lie one after the other on both sides. See vz_type_unpack and vz_type_pack. */
bool vz_steps_unpack(const vz_steps *steps, const void *elements, size_t count, void *out, vz_arena *arena,
                     vz_error *err);
bool vz_steps_pack(const vz_steps *steps, const void *in, size_t count, void *elements, vz_arena *arena, vz_error *err);

/* -- Element convert --
 * The kinds of steps, each a pair of functions; for element_steps.c and element_convert.c. */
typedef struct vz_step vz_step;

/* A part of `count` elements, on both sides: the address of the first one's part, and the bytes
 * from one to the next. */
typedef struct vz_step_in {
    const uint8_t *data;
    size_t stride;
} vz_step_in;
typedef struct vz_step_out {
    uint8_t *data;
    size_t stride;
} vz_step_out;

typedef bool (*vz_step_function)(const vz_step *step, vz_step_in in, vz_step_out out, size_t count, vz_arena *arena,
                                 vz_error *err);
typedef struct vz_step_run {
    vz_step_function unpack, pack;
} vz_step_run;

extern const vz_step_run vz_steps_run_copy;     /* `size` bytes as they are */
extern const vz_step_run vz_steps_run_swap;     /* `size` bytes, each `unit` of them reversed */
extern const vz_step_run vz_steps_run_narrow;   /* `number` of few bits <-> float of `layout` */
extern const vz_step_run vz_steps_run_unicode;  /* <U of `size` bytes <-> char pointer */
extern const vz_step_run vz_steps_run_text;     /* item <-> char pointer */
extern const vz_step_run vz_steps_run_sequence; /* item <-> hvl_t, elements by `inner` */
extern const vz_step_run vz_steps_run_fixed;    /* item of text <-> fixed string of `layout` */
extern const vz_step_run vz_steps_run_json;     /* item <-> element of `layout`
                                                 * (elements_internal.h) */
extern const vz_step_run vz_steps_run_record;   /* item <-> element of `layout` (elements.h) */
extern const vz_step_run vz_steps_run_repeat;   /* `count` elements by `inner` */
extern const vz_step_run vz_steps_run_rows;     /* `count` records stored for one, by `inner` */

struct vz_step {
    const vz_step_run *run;
    size_t stored, shown; /* offsets */
    size_t size;
    size_t unit;
    size_t count;
    bool big_endian;
    bool is_member; /* of a compound */
    vz_number_format number;
    const vz_type_tree *layout;
    const vz_dtype *record; /* of the rows that vz_steps_run_rows reads */
    vz_steps *inner;        /* owned */
};

struct vz_steps {
    size_t stored_size, shown_size; /* of one element */
    size_t count, capacity;
    vz_step *steps;
    vz_dtype *owned; /* the dtype the steps were made for, if it is theirs */
};

/* -- JSON element --
 * Elements as the JSON values of object arrays (json2, msgpack2, pickle) and back.
 *
 * - Text is a string, a reference an object, the null reference null, a compound the list of its
 *   members. Everything else is as in an attribute.
 * - {"__bytes__": base64} stands for text that is not UTF-8, and for elements (as records,
 *   elements.h) that JSON would not give back exactly.
 * - 0, hdmf-zarr's fill value, and null are the zero of any type but text.
 * - Text shows a number as its digits, and other values as their JSON. */
/* Can JSON values be elements of this type? `record`: the structure that has each value as a
 * row, or NULL. */
bool vz_type_json_item_fits(const vz_type_tree *layout, const vz_dtype *record);
/* Reads an element from the JSON text of its value; `out` is zeroed before. Pointed-to data is
 * allocated in `arena`. A missing item is a zero. `member`: the element is a compound's.
 * VZ_CORRUPT names the misfit. */
bool vz_type_json_item_read(const vz_type_tree *layout, bool member, vz_item item, uint8_t *out, vz_arena *arena,
                            vz_error *err);
bool vz_type_json_item_write(const vz_type_tree *layout, const uint8_t *in, vz_item *item, vz_arena *arena,
                             vz_error *err);

/* -- UTF-32 --
 * The fixed-width text of numpy (UTF-32, padded with zeros) and of HDF5, and UTF-8. */
/* Bytes of the text as UTF-8, without the NUL. Characters beyond Unicode, and surrogates, become
 * U+FFFD. */
size_t vz_utf32_length(const uint8_t *data, size_t width, bool big_endian);
/* Writes the text and a NUL; returns the length. */
size_t vz_utf32_decode(const uint8_t *data, size_t width, bool big_endian, char *text);
/* VZ_LIMIT if the text has more than `width` characters, VZ_UNSUPPORTED if it is not UTF-8. */
bool vz_utf32_encode(const char *text, uint8_t *data, size_t width, bool big_endian, vz_error *err);
/* Counts the characters of a text; VZ_UNSUPPORTED if it is not UTF-8. */
bool vz_type_utf8_count(const char *text, size_t *count, vz_error *err);
/* Bytes of a fixed string without its padding. Bytes after a NUL are no padding, since they must
 * read back. */
size_t vz_type_fixed_length(const vz_type_tree *layout, const uint8_t *text);

#endif
