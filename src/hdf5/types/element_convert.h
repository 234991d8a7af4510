/* element_convert.h - the kinds of steps (element_steps.h), each a pair of functions. Private to element_steps.c and element_convert.c.
 */
#ifndef VZ_TYPES_ELEMENT_CONVERT_H
#define VZ_TYPES_ELEMENT_CONVERT_H

#include "hdf5/types/element_steps.h"

typedef struct vz_step vz_step;

/* The same part of `count` elements, on both sides: where the first one's lies, and bytes from one to the next. */
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

extern const vz_step_run vz_run_copy;     /* `size` bytes as they are */
extern const vz_step_run vz_run_swap;     /* `size` bytes, each `unit` of them reversed */
extern const vz_step_run vz_run_unicode;  /* <U of `size` bytes <-> char pointer */
extern const vz_step_run vz_run_text;     /* item <-> char pointer */
extern const vz_step_run vz_run_sequence; /* item <-> hvl_t, elements by `inner` */
extern const vz_step_run vz_run_fixed;    /* item of text <-> fixed string of `layout` */
extern const vz_step_run vz_run_json;     /* item <-> element of `layout` (json_element.h) */
extern const vz_step_run vz_run_record;   /* item <-> element of `layout` (vlen_record.h) */
extern const vz_step_run vz_run_repeat;   /* `count` elements by `inner` */
extern const vz_step_run vz_run_rows;     /* `count` records stored for one, by `inner` */

struct vz_step {
    const vz_step_run *run;
    size_t stored, shown; /* offsets */
    size_t size;
    size_t unit;
    size_t count;
    bool big_endian;
    bool is_member; /* of a compound */
    const vz_type_tree *layout;
    const vz_dtype *record; /* of the rows that vz_run_rows reads */
    vz_steps *inner;        /* owned */
};

struct vz_steps {
    size_t stored_size, shown_size; /* of one element */
    size_t count, capacity;
    vz_step *steps;
    vz_dtype *owned; /* the dtype the steps were made for, if it is theirs */
};

#endif
