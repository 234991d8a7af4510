/* spaces.h - random dataspaces on a Zarr store and on a native file: the parts of a case, and the files that work on
 * it. A case is plain data: it is drawn from a number, printed, made smaller, and run in a child. */
#ifndef VZ_SPACES_H
#define VZ_SPACES_H

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    RANK_MAX = 3,
    SLABS_MAX = 8,
    POINTS_MAX = 12,
    STEPS_MAX = 8,
    SETS = 2,
    SIDE_MAX = 7,     /* of a dataset */
    CELLS_MAX = 4096, /* of anything that is selected in */
    VALUES = 1000,    /* different elements */
    FILL = -1,        /* the fill value, as an element */
    GUARD = -2        /* memory that nobody may touch */
};

/* ---- dataspaces ---- */

typedef enum place { ALL_ID, BLOCK_ID, SIMPLE, SCALAR, NULL_SPACE, UNSET } place;
typedef enum pick { PICK_ALL, PICK_NONE, PICK_SLABS, PICK_POINTS } pick;

typedef struct slab {
    H5S_seloper_t op;
    hsize_t start[RANK_MAX], stride[RANK_MAX], count[RANK_MAX], block[RANK_MAX];
} slab;

typedef struct space {
    place place;
    int rank;
    hsize_t dims[RANK_MAX];
    pick pick;
    bool from_none; /* slabs are combined with nothing; else with all */
    int used;       /* slabs, or points */
    slab slabs[SLABS_MAX];
    hsize_t points[POINTS_MAX][RANK_MAX];
    hssize_t offset[RANK_MAX];
} space;

/* Coordinates in the order of the selection. */
typedef struct list {
    int rank;
    size_t count;
    bool valid; /* all inside the dataspace */
    int64_t at[CELLS_MAX][RANK_MAX];
} list;

/* All is selected, as HDF5 sees it: then an offset does not move it. */
bool space_is_all(const space *s);
/* What a space selects, found without HDF5. */
void space_list(const space *s, list *out);
/* A new id, or H5S_ALL or H5S_BLOCK. */
hid_t space_id(const space *s);
/* HDF5 1.14 may describe fewer elements than it selected: where a slab is added that covers the former ones. */
typedef enum loss {
    SOUND,
    LOSSY,
    WAS_LOSSY /* it was, and what was combined with it since forgot the elements */
} loss;
loss space_loss(const space *s);
void space_print(FILE *to, const space *s);

/* ---- datasets ---- */

typedef enum layout { CONTIGUOUS, COMPACT, CHUNKED, SHARDED, VIRTUAL, LAYOUTS } layout;
typedef enum element { NUMBER, COMPOUND, FIXED_TEXT, VARIABLE_TEXT, ELEMENTS } element;

typedef struct dataset {
    layout layout;
    int rank; /* 0: scalar */
    hsize_t dims[RANK_MAX], chunk[RANK_MAX];
    bool deflated;
    int mapping; /* of a virtual one: one source, two sources, or one for half of it */
} dataset;

typedef enum step_kind { READ, WRITE, EXTENT, REOPEN } step_kind;

typedef struct trial_step {
    step_kind kind;
    int set;
    bool joined; /* with the step before: one call for both */
    bool at_end; /* the buffer ends where its memory does; else it begins there */
    int memory_type, values;
    hsize_t dims[RANK_MAX]; /* EXTENT */
    space file, memory;
} trial_step;

typedef struct trial {
    int format; /* of Zarr */
    element element;
    int file_type;
    int sets;
    dataset set[SETS];
    int steps;
    trial_step step[STEPS_MAX];
} trial;

/* Random numbers. */
typedef struct dice {
    uint64_t state;
} dice;
unsigned roll(dice *d, unsigned sides);
/* A selection in a dataspace of these dimensions. */
void draw_selection(dice *d, space *s);
void draw_offset(dice *d, space *s);
/* Memory for `count` elements; `file`: what they are selected in. */
void draw_memory(dice *d, const space *file, size_t count, space *s);

/* The case of a number. */
void trial_draw(trial *t, uint64_t seed, uint64_t number);
void trial_print(FILE *to, const trial *t);
/* The next simpler case after number *from of them; false: there is none. */
bool trial_simpler(const trial *t, int *from, trial *out);

/* ---- elements ---- */

typedef struct value {
    int a, b, c; /* the members of a compound; else only a counts */
} value;

hid_t element_file_type(const trial *t);
hid_t element_memory_type(const trial *t, int which);
/* Is an element of this type of memory stored as it is? */
bool element_is_unchanged(const trial *t, int which);
size_t element_size(const trial *t, int which);
void element_put(const trial *t, int which, value v, void *at);
/* Does memory have it? */
bool element_is(const trial *t, int which, value v, const void *at);
/* `old` after the members that this type of memory has were written. */
value element_after(const trial *t, int which, value old, value written);
void element_free(const trial *t, void *at);
value element_numbered(int number);
value element_fill(const trial *t);
/* Sources of virtual datasets begin with these elements, numbered as in the virtual dataset. */
value element_initial(size_t cell);
const char *element_text(const trial *t, int which, const void *at, char *room, size_t size);

/* ---- what should happen ---- */

typedef struct shadow {
    int rank;
    hsize_t dims[RANK_MAX];
    value at[CELLS_MAX];
    bool mapped[CELLS_MAX]; /* of a virtual dataset */
} shadow;

typedef enum verdict {
    WORKS,
    REFUSED,
    UNSAFE, /* native HDF5 would leave the dataset or the buffer: we refuse */
    UNKNOWN /* nobody can tell what is selected, or who frees it */
} verdict;

/* A transfer: pairs of places, in order; and what HDF5 does. */
typedef struct plan {
    verdict verdict;
    bool ask_native; /* it has no fault of its own here */
    const char *why;
    size_t count, cells; /* pairs; elements of the buffer */
    size_t file[CELLS_MAX], memory[CELLS_MAX];
} plan;

void shadow_create(const trial *t, int set, shadow *s);
void shadow_resize(const trial *t, shadow *s, const hsize_t *dims);
void plan_make(const trial *t, const trial_step *s, const shadow *of, plan *out);

/* ---- running ---- */

/* Runs it in this process; false: `message` says what differed. `directory`: one of its own. */
bool trial_run(const trial *t, const char *directory, char *message, size_t size);

#endif
