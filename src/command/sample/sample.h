/* sample.h - a bounded look into HDF5 files and Zarr stores: objects, values, statistics,
 * thumbnails, maps of chunks, as plain data. Nothing is printed, and HDF5 stays below this header.
 *
 * One process loads one HDF5 library. Everything that is read is hostile: no size of a file decides
 * how much memory or time a call takes. Texts are bytes of the file, which may be no UTF-8. */
#ifndef VZ_SAMPLE_SAMPLE_H
#define VZ_SAMPLE_SAMPLE_H

#include "base/util/bytes.h"
#include "base/util/error.h"
#include "base/util/json.h"
#include <stdint.h>

/* -- Limits -- (docs/limits.md) */
#define VZ_SAMPLE_RANK_MAX    32
#define VZ_SAMPLE_MEMORY_MAX  ((uint64_t)3 << 30)  /* bytes of vz_sample_apart's process */
#define VZ_SAMPLE_ELEMENT_MAX ((uint64_t)16 << 20) /* bytes of one element */
#define VZ_SAMPLE_CHUNK_MAX   ((uint64_t)1 << 30)  /* bytes of one decoded chunk */
#define VZ_SAMPLE_VALUES_MAX  ((uint64_t)1 << 16)  /* elements of one vz_sample_read */
/* Decoded bytes behind one answer; of one chunk where that has more. */
#define VZ_SAMPLE_BYTES_MAX     ((uint64_t)256 << 20)
#define VZ_SAMPLE_ELEMENTS_MAX  ((uint64_t)1 << 20) /* elements of which statistics are made */
#define VZ_SAMPLE_MEANS_MAX     ((uint64_t)1 << 24) /* elements of which a thumbnail has means */
#define VZ_SAMPLE_CHUNKS_MAX    ((uint64_t)1 << 20) /* stored chunks of one array that are listed */
#define VZ_SAMPLE_SECONDS_MAX   10                  /* for one answer */
#define VZ_SAMPLE_DISTINCT_MAX  1024                /* distinct values that are counted */
#define VZ_SAMPLE_DISTINCT_SHOW 10                  /* that are named */
#define VZ_SAMPLE_COLUMNS_MAX   1000                /* of a table */
#define VZ_SAMPLE_MEMBERS_MAX   100000              /* of one group, or attributes of one object */
#define VZ_SAMPLE_ATTRIBUTE_MAX ((uint64_t)1 << 20) /* bytes of one attribute */
#define VZ_SAMPLE_PIXELS_MAX    2048                /* width and height of a thumbnail */

/* -- Opening -- */
/* Loads an HDF5 library and the connector into this process; NULL: they are looked for. Once. */
bool vz_sample_load(const char *library, const char *plugin, vz_error *err);

/* Does the work in a process of its own, which a library may end as it likes; *status is what it
 * returns. Signals that come meanwhile end both. False: it was ended by a signal. */
bool vz_sample_apart(int (*work)(void *context), void *context, int *status, vz_error *err);

typedef struct vz_sample_file vz_sample_file;
/* An HDF5 file or a store, of this machine or of a server; also "FILE/PATH". The path of the object
 * is heap, "/" for the root. Before it: vz_sample_load. */
vz_sample_file *vz_sample_open(const char *name, char **path, vz_error *err);
void vz_sample_close(vz_sample_file *file); /* NULL is fine */
const char *vz_sample_file_name(const vz_sample_file *file);
bool vz_sample_file_is_store(const vz_sample_file *file); /* else an HDF5 file */

typedef enum vz_sample_kind { VZ_SAMPLE_GROUP, VZ_SAMPLE_ARRAY, VZ_SAMPLE_TYPE } vz_sample_kind;

/* Elements, as far as it decides how they are shown. */
typedef enum vz_sample_class {
    VZ_SAMPLE_BOOL, /* an enumeration of FALSE and TRUE */
    VZ_SAMPLE_INTEGER,
    VZ_SAMPLE_REAL,
    VZ_SAMPLE_ENUMERATION,
    VZ_SAMPLE_TEXT,
    VZ_SAMPLE_COMPOUND,
    VZ_SAMPLE_OTHER, /* complex numbers, sequences, references, opaque bytes ... */
} vz_sample_class;

typedef struct vz_sample_facts {
    vz_sample_kind kind;
    const char *path;      /* as it was asked for */
    const char *token;     /* the same text: the same object of this file */
    vz_sample_class class; /* of an array, as all below */
    const char *type;      /* "float64", "{a: int8, b: text (UTF-8)}" */
    uint64_t element_size; /* in memory */
    bool is_variable;      /* texts or sequences of any length, which that size leaves out */
    bool is_null;          /* HDF5's null dataspace: it has no element and no shape */
    unsigned rank;         /* 0: one element */
    uint64_t shape[VZ_SAMPLE_RANK_MAX];
    uint64_t elements; /* UINT64_MAX: more */
    bool is_chunked;
    uint64_t chunk[VZ_SAMPLE_RANK_MAX];
    const char *filters; /* "shuffle, deflate", "" if there are none */
    const char *fill;    /* the fill value in words; NULL: none is known */
    const char *why;     /* elements cannot be read, and why; NULL: they can */
} vz_sample_facts;

typedef struct vz_sample_object vz_sample_object;
vz_sample_object *vz_sample_object_open(vz_sample_file *file, const char *path, vz_error *err);
void vz_sample_object_close(vz_sample_object *object); /* NULL is fine */
const vz_sample_facts *vz_sample_facts_of(const vz_sample_object *object);

/* -- Members and attributes --
 * `visit` may end a walk by false, with err set or not. A walk that is false has err set. *left:
 * their number beyond VZ_SAMPLE_MEMBERS_MAX. */
/* By name. `target`: of a link that is no object here, where it leads; else NULL. */
typedef bool (*vz_sample_visit_member)(void *context, const char *name, const char *target, vz_error *err);
bool vz_sample_members(vz_sample_object *group, vz_sample_visit_member visit, void *context, uint64_t *left,
                       vz_error *err);
/* `value`: borrowed; NULL: it was not read, and `why` says why. `why` with a value: what of it
 * lacks; NULL: it is whole. */
typedef bool (*vz_sample_visit_attribute)(void *context, const char *name, const char *type, const vz_json *value,
                                          const char *why, vz_error *err);
bool vz_sample_attributes(vz_sample_object *object, vz_sample_visit_attribute visit, void *context, uint64_t *left,
                          vz_error *err);

/* -- Values -- */
/* A part of an array: of each dimension `count` indices from `start` on, `step` apart. */
typedef struct vz_sample_part {
    unsigned rank;
    uint64_t start[VZ_SAMPLE_RANK_MAX], count[VZ_SAMPLE_RANK_MAX], step[VZ_SAMPLE_RANK_MAX];
    bool is_index[VZ_SAMPLE_RANK_MAX]; /* one index was asked for, not a range */
} vz_sample_part;
void vz_sample_part_all(const vz_sample_facts *facts, vz_sample_part *part);
/* "[10:20, :, 3]", as Python has it: negative ones count from the end, "..." stands for whole
 * dimensions, steps are positive, the brackets may lack. VZ_INVALID: it is none, or not in it. */
bool vz_sample_part_parse(const char *text, const vz_sample_facts *facts, vz_sample_part *part, vz_error *err);
uint64_t vz_sample_part_count(const vz_sample_part *part); /* elements; UINT64_MAX: more */
/* "[10:20, :, 3]", appended with a NUL that the size does not count. */
bool vz_sample_part_text(const vz_sample_facts *facts, const vz_sample_part *part, vz_buffer *out, vz_error *err);

typedef struct vz_sample_values vz_sample_values;
/* At most VZ_SAMPLE_VALUES_MAX elements, in C order. Elements of absent chunks are fill value. */
vz_sample_values *vz_sample_read(vz_sample_object *array, const vz_sample_part *part, vz_error *err);
void vz_sample_values_free(vz_sample_values *values); /* NULL is fine */
size_t vz_sample_values_count(const vz_sample_values *values);
/* Why some elements could not be read, which are "?" and null; NULL: all could. */
const char *vz_sample_values_why(const vz_sample_values *values);
/* In words, appended with a NUL that the size does not count. Text as it is, without quotes. */
bool vz_sample_value_text(const vz_sample_values *values, size_t index, vz_buffer *out, vz_error *err);
/* NaN and infinities are texts ("NaN"), bytes that are no text are hexadecimal. Numbers that count
 * time are numbers. */
vz_json *vz_sample_value_json(const vz_sample_values *values, size_t index, vz_error *err);

/* -- Tables --
 * AnnData's dataframes and sparse matrices, pandas' tables, arrays of compounds. */
typedef struct vz_sample_table vz_sample_table;
/* NULL: it is none, unless err is set. The object stays open meanwhile. */
vz_sample_table *vz_sample_table_open(vz_sample_object *object, vz_error *err);
void vz_sample_table_close(vz_sample_table *table);             /* NULL is fine */
const char *vz_sample_table_what(const vz_sample_table *table); /* "AnnData dataframe" ... */
const char *vz_sample_table_noun(const vz_sample_table *table); /* of a row: "row", "element" */
uint64_t vz_sample_table_rows(const vz_sample_table *table);
size_t vz_sample_table_columns(const vz_sample_table *table);
uint64_t vz_sample_table_left(const vz_sample_table *table);  /* columns beyond the limit */
bool vz_sample_table_has_index(const vz_sample_table *table); /* is column 0 the rows' names? */
const char *vz_sample_table_name(const vz_sample_table *table, size_t column);
/* Reads rows of the first so many columns; those read before are forgotten. A column that fails has
 * no cells; false: no memory. */
bool vz_sample_table_read(vz_sample_table *table, uint64_t first, uint64_t count, size_t columns, vz_error *err);
/* Of a column that was read: its type, and why cells could not be read, which are "?"; NULL: all
 * could. */
const char *vz_sample_table_type(const vz_sample_table *table, size_t column);
const char *vz_sample_table_why(const vz_sample_table *table, size_t column);
/* A cell of the rows that were read, as a value above. A missing one is "" and null. */
bool vz_sample_table_text(const vz_sample_table *table, uint64_t row, size_t column, vz_buffer *out, vz_error *err);
vz_json *vz_sample_table_json(const vz_sample_table *table, uint64_t row, size_t column, vz_error *err);

/* -- Chunks -- */
typedef struct vz_sample_cell {
    uint64_t of, stored; /* chunks */
    uint64_t sized;      /* stored ones whose bytes are known */
    uint64_t bytes;      /* that these take in the file */
    uint64_t decoded;    /* and decoded; 0: not known (text) */
} vz_sample_cell;

typedef struct vz_sample_chunks {
    bool is_known;    /* false: this array or this HDF5 does not tell, and all below is 0 */
    bool is_complete; /* false: some may not have been listed; `why` tells */
    char why[512];
    unsigned rank;
    uint64_t grid[VZ_SAMPLE_RANK_MAX]; /* chunks of each dimension */
    uint64_t possible;                 /* UINT64_MAX: more */
    uint64_t stored;
    uint64_t sized;             /* stored ones whose bytes are known; fewer: time was over */
    uint64_t bytes;             /* of these */
    uint64_t decoded;           /* of these; 0: not known (text) */
    bool is_uneven;             /* chunks have different shapes */
    uint64_t chunk_bytes;       /* of a whole chunk, decoded; 0: not known (text), or different */
    uint64_t smallest, largest; /* bytes of a stored one */
    /* The map: of two dimensions, over all of the others. */
    unsigned rows, columns;
    int row_dimension, column_dimension; /* -1: there is none, and one row or column */
    vz_sample_cell *cells;
} vz_sample_chunks;
/* An array that is not chunked is one chunk. */
bool vz_sample_chunks_map(vz_sample_object *array, unsigned most_rows, unsigned most_columns, vz_sample_chunks *chunks,
                          vz_error *err);
void vz_sample_chunks_clear(vz_sample_chunks *chunks);

/* -- Statistics -- */
typedef struct vz_sample_number {
    enum { VZ_SAMPLE_SIGNED, VZ_SAMPLE_UNSIGNED, VZ_SAMPLE_FLOAT } kind;
    bool is_single; /* a FLOAT of 32 bits or fewer, which needs fewer digits */
    union {
        int64_t integer;
        uint64_t large;
        double real;
    };
} vz_sample_number;
bool vz_sample_number_text(vz_sample_number number, vz_buffer *out, vz_error *err);
/* Units of an array of numbers that count time, as CF has them ("days since 2000-01-01"): values
 * are dates in words. NULL: they are none. */
const char *vz_sample_units(vz_sample_object *array);
#define VZ_SAMPLE_DATE 64 /* bytes of a date in words */
/* False: it is none. */
bool vz_sample_number_date(vz_sample_object *array, vz_sample_number number, char text[VZ_SAMPLE_DATE]);
vz_json *vz_sample_number_json(vz_sample_number number, vz_error *err);

typedef struct vz_sample_distinct {
    char *text;
    uint64_t count;
} vz_sample_distinct;

typedef struct vz_sample_statistics {
    uint64_t of;            /* elements of the array, or of the part */
    uint64_t counted;       /* of which the statistics are: stored ones that were read */
    bool is_sampled;        /* not all stored ones were */
    uint64_t zeros;         /* of a sparse matrix: elements that are not stored, and are 0 */
    bool knows_absent;      /* is it known which chunks are stored? */
    uint64_t absent_chunks; /* that are not stored: nothing of them is counted */
    uint64_t unreadable;    /* chunks that failed, and the first failure */
    char why[512];
    uint64_t nan, infinite;
    bool has_range, has_mean;
    vz_sample_number least, most; /* NaN apart */
    double mean, deviation;       /* of finite ones; deviation by count, as numpy.std */
    bool has_lengths;             /* of text, in bytes */
    uint64_t empty, shortest, longest;
    uint64_t distinct; /* NaN apart; VZ_SAMPLE_DISTINCT_MAX + 1: more; 0: not counted */
    vz_sample_distinct values[VZ_SAMPLE_DISTINCT_SHOW]; /* most frequent first, if no more are
                                                         * distinct */
    size_t value_count;
} vz_sample_statistics;
/* `part`: NULL: all of the array. */
bool vz_sample_statistics_make(vz_sample_object *array, const vz_sample_part *part, vz_sample_statistics *statistics,
                               vz_error *err);
/* Of a sparse matrix, with the elements that are not stored. *has=false: the table is none, or has
 * elements of another kind than numbers. */
bool vz_sample_table_statistics(vz_sample_table *table, vz_sample_statistics *statistics, bool *has, vz_error *err);
void vz_sample_statistics_clear(vz_sample_statistics *statistics);

/* -- Thumbnails -- */
#define VZ_SAMPLE_WITHIN 160
typedef enum vz_sample_scaling {
    VZ_SAMPLE_AS_IT_IS, /* a pixel is an element */
    VZ_SAMPLE_MEANS,    /* a pixel is the mean of an area */
    VZ_SAMPLE_STRIDED,  /* a pixel is one element of its area */
    /* Of one dimension, values upwards and indices to the right: */
    /* a column is the range from the least to the greatest element, WITHIN between */
    VZ_SAMPLE_CURVE,
    VZ_SAMPLE_CURVE_STRIDED, /* a column is one element */
} vz_sample_scaling;

typedef enum vz_sample_pixel {
    VZ_PIXEL_VALUE,
    VZ_PIXEL_ABSENT,     /* no chunk is stored */
    VZ_PIXEL_NAN,        /* NaN, or infinite */
    VZ_PIXEL_UNREADABLE, /* a chunk that failed */
    VZ_PIXEL_SKIPPED,    /* not looked at: the time was over */
} vz_sample_pixel;

typedef struct vz_sample_picture {
    unsigned width, height, channels; /* 1: grey; 3: red, green, blue */
    uint8_t *pixels;                  /* channels of a pixel side by side, rows from above */
    uint8_t *states;                  /* a vz_sample_pixel each; without VALUE the pixel is 0 */
    vz_sample_scaling scaling;
    /* Grey: the values of black and white; of a curve those of the bottom and the top. */
    double low, high;
    vz_sample_part part;                 /* of the array, that is shown */
    int row_dimension, column_dimension; /* -1: a curve has no rows */
    uint64_t unreadable;                 /* chunks, and the first failure */
    char why[512];
} vz_sample_picture;
/* Of an array of numbers or booleans with one dimension at least. Of more than two it shows the
 * last two, with the middle of the others, unless the part says otherwise. Three or four bytes in
 * the last dimension are colours. Without a picture, as of text, *has is false. */
bool vz_sample_picture_make(vz_sample_object *array, const vz_sample_part *part, unsigned most_width,
                            unsigned most_height, vz_sample_picture *picture, bool *has, vz_error *err);
void vz_sample_picture_clear(vz_sample_picture *picture);
const char *vz_sample_scaling_words(vz_sample_scaling scaling); /* "area means" ... */
/* A PNG file, in which pixels without a value are transparent; each pixel is `zoom` wide. */
bool vz_sample_png(const vz_sample_picture *picture, unsigned zoom, vz_buffer *out, vz_error *err);

#endif
