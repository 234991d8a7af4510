/* copy_internal.h - element type, slab walk, element boxes, links, missing filters, stored
 * chunks, verify chunk. */
#ifndef VZ_CONVERT_COPY_INTERNAL_H
#define VZ_CONVERT_COPY_INTERNAL_H

#include "base/util/error.h"
#include "codec/chain/chain.h"
#include "hdf5/h5/h5.h"
#include <stdbool.h>
#include <stdint.h>
#include "command/convert/copy.h"

/* -- Option rules -- option_rules.c */
/* Reads the value of the rule `text`. */
typedef bool vz_convert_rule_value(const char *text, const char *value, vz_convert_rule *rule, vz_error *err);
/* Rules of the option, which messages name. */
bool vz_convert_rules_parse(const char *text, const char *option, vz_convert_rule_value *parse_value,
                            vz_convert_rules *rules, vz_error *err);
bool vz_convert_rule_fits(const vz_convert_rule *rule, const char *path);

/* The first rule that fits the path and the rank; false: none does. `dims`: of the dataset, none 0;
 * `maximum`: what it may grow to, UINT64_MAX without end. Chunks are no longer than a dimension
 * that cannot grow. */
bool vz_convert_chunk_rules_apply(const vz_convert_rules *rules, const char *path, unsigned rank, const uint64_t *dims,
                                  const uint64_t *maximum, uint64_t element_size, uint64_t *chunk);

/* Chunks of about a mebibyte that divide the longest dimensions first. */
void vz_convert_chunk_guess(unsigned rank, const uint64_t *dims, uint64_t element_size, uint64_t *chunk);

/* -- Element type --
 * the parts of an element of an HDF5 type, worked out once for a type. The walks over elements in
 * memory (references, comparison, sizes) use it. */
typedef enum vz_convert_element_kind {
    VZ_ELEMENT_BYTES, /* integers, enumerations, text of fixed size, opaque: equal when their bytes
                       * are */
    VZ_ELEMENT_FLOAT,
    VZ_ELEMENT_TEXT,      /* char *: variable text */
    VZ_ELEMENT_SEQUENCE,  /* hvl_t */
    VZ_ELEMENT_OBJECT,    /* hobj_ref_t */
    VZ_ELEMENT_REGION,    /* hdset_reg_ref_t */
    VZ_ELEMENT_REFERENCE, /* H5R_ref_t */
    VZ_ELEMENT_ARRAY,     /* of members[0]; two floats of a complex number, too */
    VZ_ELEMENT_COMPOUND,
} vz_convert_element_kind;

typedef struct vz_convert_element vz_convert_element;

typedef struct vz_convert_element_member {
    vz_convert_element *element;
    size_t offset;
} vz_convert_element_member;

struct vz_convert_element {
    vz_convert_element_kind kind;
    size_t size;        /* bytes in memory */
    bool has_reference; /* here or below */
    bool has_variable;  /* memory of its own: here or below */
    hid_t type;         /* FLOAT: its own; else H5I_INVALID_HID */
    size_t count;       /* ARRAY: elements; COMPOUND: members; SEQUENCE: 1 */
    vz_convert_element_member *members;
};

/* Of a type as H5Dget_type gives it. NULL with err set. */
vz_convert_element *vz_convert_element_of(hid_t type, vz_error *err);
void vz_convert_element_free(vz_convert_element *element); /* NULL is fine */

/* Bytes that `count` elements take beyond their own: text and sequences. */
uint64_t vz_convert_element_variable_size(const vz_convert_element *element, const void *elements, size_t count);

/* Are all elements equal? NaN equals NaN, text that is not there equals empty text, what lies
 * between members does not count. References are equal if `same_reference` says so. *differs: the
 * first that is not. False only if err is set. */
typedef bool (*vz_convert_element_same)(void *context, const vz_convert_element *element, const void *a, const void *b,
                                        bool *same, vz_error *err);
bool vz_convert_element_compare(const vz_convert_element *element, const void *a, const void *b, size_t count,
                                vz_convert_element_same same_reference, void *context, bool *same, size_t *differs,
                                vz_error *err);

/* Calls `visit` for each reference in the elements, which may change it in place. */
typedef bool (*vz_convert_element_visit)(void *context, const vz_convert_element *element, void *reference,
                                         vz_error *err);
bool vz_convert_element_each_reference(const vz_convert_element *element, void *elements, size_t count,
                                       vz_convert_element_visit visit, void *context, vz_error *err);

/* -- Slab walk --
 * a dataset in boxes that cover whole chunks and fit into memory, one after the other. Plain C. */
#define VZ_SLABS_RANK_MAX 32

typedef struct vz_slabs {
    unsigned rank;
    uint64_t dims[VZ_SLABS_RANK_MAX];
    uint64_t unit[VZ_SLABS_RANK_MAX];   /* boxes begin at multiples of it */
    uint64_t extent[VZ_SLABS_RANK_MAX]; /* of a box; less at the edges */
    unsigned growing;                   /* the dimension along which boxes may become longer or
                                         * shorter */
    uint64_t start[VZ_SLABS_RANK_MAX];  /* of the next box */
    bool done;
} vz_slabs;

/* Boxes of at most `elements_max` elements, or one unit where that is more; units are cut to the
 * dimensions. A dataset without elements has none. */
void vz_slabs_begin(vz_slabs *slabs, unsigned rank, const uint64_t *dims, const uint64_t *unit, uint64_t elements_max);
/* The next box in C order; false: there was none left. */
bool vz_slabs_next(vz_slabs *slabs, uint64_t *start, uint64_t *extent);
/* From the next box on as many elements at most. */
void vz_slabs_limit(vz_slabs *slabs, uint64_t elements_max);

/* -- Element boxes --
 * the boxes (copy_internal.h) in which the elements of two like datasets are gone through. */
/* Boxes that take `memory` bytes, including the text and sequences whose sizes are known. They
 * cover whole chunks of `to`, and of `from` if its chunks are larger. False: the extent cannot be
 * had. */
bool vz_boxes_begin(vz_slabs *slabs, hid_t from, hid_t to, const vz_convert_element *element, uint64_t memory,
                    vz_error *err);
/* After a box of `count` elements was read: the next ones take as much as these did. */
void vz_boxes_adapt(vz_slabs *slabs, const vz_convert_element *element, const void *elements, uint64_t count,
                    uint64_t memory);
/* Room for so many elements, all zeros if it is new, in what was there before if that is enough. */
bool vz_convert_box_reserve(void **buffer, uint64_t *room, uint64_t count, size_t element_size, vz_error *err);

/* -- Links --
 * links that are no objects: soft, external, and those of classes that users define. */
/* Makes the same link, under the same name, in another group. A link of a class that nobody
 * registered is copied by its bytes. */
bool vz_convert_link_copy(hid_t from, const char *name, const H5L_info2_t *info, hid_t to, hid_t lcpl, vz_error *err);
/* Do two links of one type that is not "hard" say the same? */
bool vz_convert_link_same(hid_t a, const H5L_info2_t *info_a, hid_t b, const H5L_info2_t *info_b, const char *name,
                          bool *same, vz_error *err);

/* -- Missing filters --
 * filters that files of others use, and an HDF5 library by itself does not have. */
#define VZ_FILTER_VALUES 16
typedef struct vz_convert_filter {
    H5Z_filter_t id; /* negative: HDF5 does not tell */
    char name[64];
    size_t count; /* of its values, of which the first ones are here */
    unsigned values[VZ_FILTER_VALUES];
} vz_convert_filter;
/* A filter of a creation list. */
vz_convert_filter vz_convert_filter_at(hid_t dcpl, int index);
/* Registers what is here and not in HDF5: lzf (h5py's, 32000), for reading. */
bool vz_convert_filters_add(vz_error *err);

/* -- Stored chunks --
 * the chunks of a dataset that are stored. */
typedef struct vz_convert_chunk_info {
    hsize_t offset[H5S_MAX_RANK];
    hsize_t size; /* bytes, stored */
    unsigned mask;
} vz_convert_chunk_info;

typedef struct vz_convert_stored_chunks {
    vz_convert_chunk_info *items;
    size_t count, capacity;
    unsigned rank;
} vz_convert_stored_chunks;

bool vz_convert_stored_can_list(void); /* does this HDF5 tell where chunks are? */
/* False: no memory. */
bool vz_convert_stored_add(vz_convert_stored_chunks *list, const hsize_t *offset, hsize_t size, unsigned mask);
/* False: they cannot be listed (an HDF5 that cannot, no memory), and the list is empty. */
bool vz_convert_stored_take(hid_t dataset, unsigned rank, vz_convert_stored_chunks *list);
/* Takes the list only if the dataset is chunked and less than half of it is stored. Then the
 * dataset is gone through chunk by chunk. */
bool vz_convert_stored_take_sparse(hid_t dataset, vz_convert_stored_chunks *list);
/* Is nothing stored of a dataset without chunks? Then all its elements are fill value, and the list
 * is empty. */
bool vz_convert_stored_is_nothing(hid_t dataset, vz_convert_stored_chunks *list);
void vz_convert_stored_clear(vz_convert_stored_chunks *list);
/* The box of the dataset's elements that a chunk holds. */
bool vz_convert_stored_box(hid_t dataset, const vz_convert_stored_chunks *list, size_t index, uint64_t *start,
                           uint64_t *extent);

/* -- Verify chunk --
 * is a stored chunk what its filters made? For shuffle, deflate and checksums, by our own codecs,
 * which are faster than HDF5's filters. */
typedef struct vz_convert_chunk_check {
    bool can; /* false: filters that are not known here */
    vz_chain chain;
    vz_codecs codecs;
    void *room; /* for a decoded chunk */
    size_t size;
} vz_convert_chunk_check;

/* Of a dataset with that creation list, whose chunks have so many bytes when decoded. */
bool vz_convert_chunk_check_open(vz_convert_chunk_check *check, hid_t dcpl, size_t element_size, uint64_t chunk_size,
                                 vz_error *err);
void vz_convert_chunk_check_close(vz_convert_chunk_check *check);
/* False: it looks damaged. True also where it is unknown: filters that were left out of this
 * chunk. */
bool vz_convert_chunk_check_look(const vz_convert_chunk_check *check, vz_bytes stored, unsigned mask);

#endif
