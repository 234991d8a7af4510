/* sample_internal.h - what the files of a look share: ids of HDF5, the stored chunks, the walk. */
#ifndef VZ_SAMPLE_SAMPLE_INTERNAL_H
#define VZ_SAMPLE_SAMPLE_INTERNAL_H

#include "command/command/command.h"
#include "command/convert/access.h"
#include "command/sample/dates_internal.h"
#include "command/sample/sample.h"
#include "hdf5/h5/h5.h"
#include <stdint.h>

#define VZ_SAMPLE_READ_MAX                                                                                             \
    ((uint64_t)4 << 30)          /* decoded bytes of the chunks behind one                                             \
                                  * vz_sample_read */
#define VZ_SAMPLE_TEXT_MAX 65536 /* bytes of one text that are shown */
#define VZ_SAMPLE_BOX_MAX                                                                                              \
    ((uint64_t)16 << 20) /* bytes of elements that a walk holds; of one chunk                                          \
                          * where that has more */

struct vz_sample_file {
    hid_t file;
    char *name;
    bool is_store;
    bool has_subject; /* it was tried to open the store for itself (store_chunks.c) */
    vz_subject subject;
};

/* -- Chunk list --
 * the chunks of an array that are stored (chunk_list.c). */
typedef struct vz_sample_stored {
    uint64_t number; /* of the chunk in the grid, in C order */
    uint64_t size;   /* UINT64_MAX: not known */
} vz_sample_stored;

typedef struct vz_sample_chunk_list {
    bool is_made, is_known, is_complete;
    bool is_sized; /* it was tried to know all sizes */
    bool is_one;   /* the array is not chunked, and counts as one chunk */
    char why[512];
    unsigned rank;
    uint64_t chunk[VZ_SAMPLE_RANK_MAX], grid[VZ_SAMPLE_RANK_MAX];
    const vz_meta *uneven; /* chunks have different shapes, which it knows; NULL: they have one */
    uint64_t possible;     /* UINT64_MAX: more */
    vz_sample_stored *items;
    size_t count, capacity;
    int64_t until;
} vz_sample_chunk_list;

struct vz_sample_object {
    vz_sample_file *file;
    hid_t id, type, dxpl;
    vz_sample_facts facts;
    char *path, *token, *type_words, *filters, *fill, *why;
    vz_sample_chunk_list chunks;
    uint64_t variable; /* bytes of texts and sequences that a read may still take */
    bool asked_units;
    char *units; /* of CF, which `clock` is; NULL: it counts no time */
    vz_sample_clock clock;
};

/* type_words.c: how its elements are shown. */
vz_sample_class vz_sample_class_of(hid_t type);
/* The type in words; booleans and numpy's times by their own. */
bool vz_sample_type_words(hid_t type, vz_buffer *out, vz_error *err);
/* Has the type memory of its own (texts, sequences, references of any kind)? */
bool vz_sample_is_variable(hid_t type);
/* read_values.c: the transfer list of all reads, which bounds what texts and sequences take. */
hid_t vz_sample_dxpl(vz_sample_object *array);
/* parts.c: selects the part in a copy of the array's space, and makes the space of its elements in
 * memory. */
bool vz_sample_select(const vz_sample_object *array, const vz_sample_part *part, hid_t *space, hid_t *memory,
                      vz_error *err);

/* chunk_list.c: the list, made when it is asked for first. Never NULL. */
const vz_sample_chunk_list *vz_sample_chunk_list_of(vz_sample_object *array);
/* chunk_items.c: puts a chunk into a list. False, with list->why: too many, or no memory. */
bool vz_sample_chunk_add(vz_sample_chunk_list *list, uint64_t number, uint64_t size);
void vz_sample_chunk_sort(vz_sample_chunk_list *list);
/* store_chunks.c: of an array of a store, as the store itself tells. False: it does not, and the
 * list is as it was. */
bool vz_sample_store_list(vz_sample_object *array, vz_sample_chunk_list *list);
/* The sizes of the chunks that were listed so, as many as there is time for. */
void vz_sample_store_sizes(vz_sample_object *array, vz_sample_chunk_list *list);
void vz_sample_store_close(vz_sample_file *file);
/* The stored chunk of that number; NULL: there is none. */
const vz_sample_stored *vz_sample_chunk_find(const vz_sample_chunk_list *list, uint64_t number);
void vz_sample_chunk_list_clear(vz_sample_chunk_list *list);
/* chunk_grid.c: the chunk of a coordinate along a dimension, and the first coordinate of a chunk;
 * UINT64_MAX: beyond all. */
uint64_t vz_sample_chunk_at(const vz_sample_chunk_list *list, unsigned i, uint64_t at);
uint64_t vz_sample_chunk_start(const vz_sample_chunk_list *list, unsigned i, uint64_t chunk);
/* Bytes of a chunk of the list in memory. */
uint64_t vz_sample_chunk_decoded(const vz_sample_chunk_list *list, uint64_t number, uint64_t element_size);
/* The list is of an array whose chunks have different shapes. False: of another rank. */
bool vz_sample_chunk_take_grid(vz_sample_chunk_list *list, const vz_meta *meta);
/* Bytes of a whole decoded chunk in memory, of the largest; UINT64_MAX: more. */
uint64_t vz_sample_chunk_bytes(const vz_sample_object *array);
static inline uint64_t vz_sample_product(uint64_t a, uint64_t b)
{
    uint64_t result;
    return __builtin_mul_overflow(a, b, &result) ? UINT64_MAX : result;
}

/* value_words.c: an element in words and as JSON; the bytes of a text, whose length is returned. */
size_t vz_sample_element_chars(hid_t type, const void *element, const char **text);
bool vz_sample_element_text(const vz_sample_file *file, hid_t type, const void *element, vz_buffer *out, vz_error *err);
vz_json *vz_sample_element_json(const vz_sample_file *file, hid_t type, const void *element, vz_error *err);
/* complex_values.c: is it a type of complex numbers? Their two parts; an element in words, *is
 * false where it is none. */
bool vz_sample_is_complex(hid_t type);
bool vz_sample_complex_numbers(hid_t type, const void *element, double numbers[2], bool *is_single);
bool vz_sample_complex_text(hid_t type, const void *element, vz_buffer *out, bool *is, vz_error *err);
/* time_values.c: an element of an array that counts time. False: it is none. */
bool vz_sample_element_date(vz_sample_object *array, const void *element, char text[VZ_SAMPLE_DATE]);
/* opaque_time.c: numpy's datetime64 and timedelta64. False: it is none. */
bool vz_sample_opaque_time(hid_t type, const void *element, char text[VZ_SAMPLE_DATE]);
bool vz_sample_opaque_words(hid_t type, char text[VZ_SAMPLE_DATE]); /* "datetime64[ns]" */
/* Could it not be read? */
bool vz_sample_values_lack(const vz_sample_values *values, size_t index);
/* The raw elements of values that were read, each of that size. */
const void *vz_sample_values_at(const vz_sample_values *values, size_t index);
hid_t vz_sample_values_type(const vz_sample_values *values);

/* attributes.c: the value of an attribute; NULL: it has none of that name, or none that is read. */
vz_json *vz_sample_attribute(vz_sample_object *object, const char *name);
/* Its elements, however many; 0: there is none. */
uint64_t vz_sample_attribute_length(vz_sample_object *object, const char *name);

/* -- Table --
 * columns of a table, which are opened when they are read (table_read.c). */
typedef enum vz_sample_column_kind {
    VZ_COLUMN_OBJECT, /* an array, or a group with codes or a mask; of two dimensions one column */
    VZ_COLUMN_MEMBER, /* of the elements of the table's own array */
    VZ_COLUMN_LINE,   /* of a sparse matrix: the row, or column, that indptr, its object, tells */
} vz_sample_column_kind;

typedef struct vz_sample_column {
    vz_sample_column_kind kind;
    char *name, *path, *type, *why;
    uint64_t second; /* OBJECT: the index in its second dimension; MEMBER: in the member's array */
    bool has_second, is_open;
    char *categories_path; /* of AnnData's older form; NULL: none */
    vz_sample_object *object, *mask;
    vz_sample_values *categories, *cells, *masked;
    size_t offset; /* MEMBER */
    hid_t member;
    uint64_t *lines; /* LINE: those that were read; NULL: none */
    uint64_t line_count;
} vz_sample_column;

struct vz_sample_table {
    vz_sample_file *file;
    const char *what;
    vz_sample_object *own, *opened; /* the array of compounds; the same, if it is ours to close */
    vz_sample_values *elements;     /* of it, that were read */
    vz_sample_column *columns;
    size_t count, capacity;
    uint64_t rows, left;
    bool has_index;
    uint64_t places;  /* of a sparse matrix: its elements, stored or not; else 0 */
    const char *noun; /* of a row; NULL: it is one */
    vz_buffer words;  /* `what`, where it was made */
};

/* table_read.c: frees what the column has. */
void vz_sample_column_clear(vz_sample_column *column);
/* table_columns.c: finds the columns; *is: it is a table. */
bool vz_sample_table_find(vz_sample_table *table, vz_sample_object *object, bool *is, vz_error *err);
/* table_build.c: adds a column. NULL: there are enough, or no memory. */
vz_sample_column *vz_sample_table_column(vz_sample_table *table, const char *name, vz_error *err);
/* Adds a column that is a member of the group; *added NULL: there are enough of them. */
bool vz_sample_table_add(vz_sample_table *table, const char *group, const char *member, const char *name,
                         vz_sample_column **added, vz_error *err);
/* The length of the array at that path in its first dimension, or of a group's values or codes. */
bool vz_sample_table_length(vz_sample_file *file, const char *path, uint64_t *length, vz_error *err);
/* sparse_table.c: is the group a sparse matrix, and by rows? */
bool vz_sample_is_sparse(vz_sample_object *group, bool *by_rows);
bool vz_sample_find_sparse(vz_sample_table *table, vz_sample_object *group, bool by_rows, vz_error *err);
/* statistics.c: of an array, and so many zeros besides. */
bool vz_sample_statistics_with_zeros(vz_sample_object *array, uint64_t zeros, vz_sample_statistics *s, vz_error *err);
/* The lines of so many elements. */
bool vz_sample_sparse_lines(vz_sample_column *column, uint64_t first, uint64_t count, vz_error *err);

/* -- Walk --
 * the elements of a box, run by run; a run lies in one chunk (walk_box.c). */
typedef struct vz_sample_run {
    const uint64_t *at;   /* the first element */
    uint64_t count;       /* along the last dimension */
    const void *elements; /* NULL: not stored, or unreadable */
    vz_sample_pixel state;
} vz_sample_run;

typedef struct vz_sample_walk {
    vz_sample_object *array;
    hid_t type;  /* of elements in memory */
    size_t size; /* of one */
    bool (*visit)(void *context, const vz_sample_run *run, vz_error *err);
    void *context;
    int64_t until;       /* when the time is over */
    uint64_t unreadable; /* chunks */
    char why[512];       /* of the first */
    unsigned attempts;   /* reads that failed */
    void *room;
    uint64_t room_size;
    bool has_skipped; /* the time was over */
} vz_sample_walk;

/* Visits all of the box. False: no memory, or the visitor failed; what cannot be read is a run
 * without elements. */
bool vz_sample_walk_box(vz_sample_walk *walk, const uint64_t *start, const uint64_t *count, vz_error *err);
void vz_sample_walk_end(vz_sample_walk *walk);
/* Chunks that a box touches; UINT64_MAX: more. */
uint64_t vz_sample_chunks_touched(const vz_sample_chunk_list *list, const uint64_t *start, const uint64_t *count);
/* Of these those that are stored, as far as is known; counts to `most` only. */
uint64_t vz_sample_chunks_stored(const vz_sample_chunk_list *list, const uint64_t *start, const uint64_t *count,
                                 uint64_t most);

/* choose_elements.c: walks all stored elements of the part's box, or a sample of them, and notes in
 * the statistics what was left out. */
bool vz_sample_walk_chosen(vz_sample_walk *walk, const vz_sample_part *part, vz_sample_statistics *s, vz_error *err);

/* -- Thumbnail --
 * a picture under way (thumbnail.c). */
typedef struct vz_sample_pixels {
    vz_sample_object *array;
    vz_sample_picture *picture;
    hid_t type; /* of elements in memory: doubles, or bytes of booleans */
    size_t size;
    uint64_t rows, columns; /* of elements */
    double *sums;           /* a channel of a pixel each; of a curve the least values */
    double *most;           /* of a curve the greatest; else NULL */
    uint64_t *counts;       /* elements in it */
    int64_t until;
} vz_sample_pixels;

/* The dimension whose elements are colours; -1: there is none. */
static inline int vz_sample_pixels_channel(const vz_sample_pixels *p)
{
    return p->picture->channels == 3 ? (int)p->array->facts.rank - 1 : -1;
}
/* thumbnail_pixel.c: an element as a number. */
double vz_sample_pixels_value(const vz_sample_pixels *p, const void *elements, uint64_t index);
/* Adds an element to a pixel, or notes why it has none. */
void vz_sample_pixels_add(vz_sample_pixels *p, uint64_t pixel, unsigned channel, double value);
void vz_sample_pixels_note(vz_sample_pixels *p, uint64_t pixel, vz_sample_pixel state);
/* thumbnail_means.c: all elements. */
bool vz_sample_pixels_take_all(vz_sample_pixels *p, vz_error *err);
/* thumbnail_strided.c: one element of each pixel. Before it, the picture's size is made smaller
 * until its elements lie in few enough chunks. */
void vz_sample_pixels_shrink(vz_sample_pixels *p);
bool vz_sample_pixels_take_some(vz_sample_pixels *p, vz_error *err);

/* distinct_values.c */
typedef struct vz_sample_counter vz_sample_counter;
vz_sample_counter *vz_sample_counter_new(vz_error *err);
void vz_sample_counter_free(vz_sample_counter *counter);
/* Adds a value that is those bytes. False for want of memory. */
bool vz_sample_counter_add(vz_sample_counter *counter, const void *bytes, size_t size, vz_error *err);
bool vz_sample_counter_add_many(vz_sample_counter *counter, const void *bytes, size_t size, uint64_t count,
                                vz_error *err);
/* VZ_SAMPLE_DISTINCT_MAX + 1: more. */
uint64_t vz_sample_counter_distinct(const vz_sample_counter *counter);
/* The values and their counts, the most frequent first; `items` are borrowed. */
typedef struct vz_sample_counted {
    const void *bytes;
    size_t size;
    uint64_t count;
    size_t order; /* in which they were met */
} vz_sample_counted;
size_t vz_sample_counter_list(vz_sample_counter *counter, const vz_sample_counted **items);

#endif
