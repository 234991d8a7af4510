/* view_internal.h - a view while it is made: its output, its arrays, its witnesses. */
#ifndef VZ_VIEW_VIEW_INTERNAL_H
#define VZ_VIEW_VIEW_INTERNAL_H

#include "command/convert/convert.h"
#include "command/view/view.h"
#include "hierarchy/documents/documents.h"

/* -- Output --
 * the reference file that is being written: JSON as kerchunk has it. Memory holds a part of it. Or
 * a store, and for a while the list of one of its arrays, which is such a file. */
typedef struct vz_view_output {
    const vz_view_request *request;
    vz_store *into; /* NULL: a reference file is made */
    char *list;     /* path of the file of a list, until it is in the store */
    size_t skipped; /* bytes of keys that the list does not have: the array's prefix */
    int file;       /* -1: none is open */
    uint64_t written;
    vz_buffer waiting;
    bool has_member; /* of "refs" */
    uint64_t size_max;
    uint64_t references, inlined, bytes; /* counts */
} vz_view_output;

bool vz_view_output_begin(vz_view_output *out, const vz_view_request *request, vz_error *err);
/* Of a store: from here on references and bytes go to the list of the array at that prefix, until
 * the list ends. Its file is removed in any case. */
bool vz_view_list_begin(vz_view_output *out, const char *prefix, vz_error *err);
bool vz_view_list_end(vz_view_output *out, const char *prefix, bool ok, vz_error *err);
bool vz_view_output_document(vz_view_output *out, const char *key, vz_bytes text, vz_error *err);
bool vz_view_output_bytes(vz_view_output *out, const char *key, vz_bytes bytes, vz_error *err);
/* Of a reference file: a document as an object, as LINDI has them. */
bool vz_view_output_json(vz_view_output *out, const char *key, const vz_json *value, vz_error *err);
/* `start`: the line's text up to the chunk's name in the array; `end`: from behind it to the
 * offset. */
bool vz_view_output_range(vz_view_output *out, const char *start, const char *chunk, const char *end, uint64_t offset,
                          uint64_t size, vz_error *err);
/* Closed in any case. */
bool vz_view_output_end(vz_view_output *out, bool ok, vz_error *err);
/* Appends text as a string of JSON. VZ_CORRUPT: it is no UTF-8. */
bool vz_view_text(vz_buffer *out, const char *text, size_t size, vz_error *err);

/* -- View -- */
typedef struct vz_view {
    const vz_view_request *request;
    vz_strmap *grids;   /* prefix of an array -> other chunks than it has in the store */
    vz_strmap *skipped; /* keys in the store that references take the place of */
    vz_strmap *codecs;  /* prefix of an array -> other codecs than it has in the store, as JSON */
    vz_strmap *listed;  /* prefixes of arrays whose chunks are in a list, in a store */
    vz_strmap *linked;  /* prefixes of arrays that LINDI reads out of the source by HDF5 */
    vz_view_output out;
} vz_view;

#define VZ_VIEW_CHUNK_NAME (VZ_MAX_RANK * VZ_DECIMAL_SIZE + 2) /* a chunk's name in its array */

/* A dataset of the view, with all that is needed for its chunks. */
typedef struct vz_view_array {
    char *path, *prefix;
    vz_node *node;
    const vz_meta *meta;
    vz_meta *own_meta;            /* which that is, with the codecs of chunks in the view; NULL: the
                                   * node's */
    unsigned rank;                /* of the dataset; the array's may be larger */
    uint64_t chunks[VZ_MAX_RANK]; /* in the view, */
    uint64_t chunk_size;          /* bytes of one, decoded */
    char *start, *end;
    vz_strmap *copied; /* names of chunks that the store has as well */
    bool is_wrong;     /* its chunks are not what Zarr stores */
    bool has_list;     /* the list of its chunks is open */
    bool is_linked;    /* its chunks are not referred to: view.linked has it */
} vz_view_array;

/* view_array.c: the dataset at that place of the list, instead of the one before. */
bool vz_view_array_begin(vz_view *view, vz_view_array *array, const vz_convert_place *place, vz_error *err);
void vz_view_array_clear(vz_view_array *array);
/* The node of that name, by hard links; borrowed. */
vz_node *vz_view_follow(vz_node *root, const char *path, vz_error *err);
/* Its chunks are not what the view's arrays store. */
bool vz_view_mark_wrong(vz_view *view, vz_view_array *array, vz_error *err);

/* The key of a chunk in the store; the caller's. */
char *vz_view_chunk_key(const vz_view_array *array, const uint64_t *chunk, vz_error *err);

/* References to all chunks in the list. */
bool vz_view_write_chunks(vz_view *view, vz_error *err);

/* Chunks that divide contiguous elements without a rest, or nearly so, where the array's do not. */
bool vz_view_choose_grid(vz_view *view, vz_view_array *array, vz_error *err);
/* The document of an array as it stands in the view; *text is another text then. */
bool vz_view_finish_document(const vz_view *view, const char *key, const char *name, vz_buffer *text, vz_error *err);

/* *same: the witness's elements, as they were copied, are those of the source's chunk, decoded by
 * the array's codecs. */
bool vz_view_compare_witness(vz_view *view, const vz_view_array *array, const vz_convert_place *witness,
                             const uint64_t *chunk, bool *same, vz_error *err);
/* Bytes of the source. VZ_CORRUPT: it ends before. */
bool vz_view_read_source(const vz_view *view, uint64_t offset, size_t size, vz_buffer *bytes, vz_error *err);

/* A value of the copy goes to the view, unless a reference took its place. */
bool vz_view_write_value(vz_view *view, const char *key, const char *name, vz_error *err);
/* Everything that the store has. */
bool vz_view_write_store(vz_view *view, vz_error *err);

/* -- LINDI --
 * its conventions (docs/references.md). VZ_UNSUPPORTED names an object, or an attribute, that they
 * have no form for. */
/* lindi_objects.c: everything that the store has. */
bool vz_view_write_lindi(vz_view *view, vz_error *err);

/* lindi_arrays.c: a document of the object at that prefix; attributes, if there are any; all of an
 * array. */
bool vz_view_lindi_document(vz_view *view, const char *prefix, const char *name, const vz_json *value, vz_error *err);
bool vz_view_lindi_write_attributes(vz_view *view, const char *prefix, const vz_json *attributes, vz_error *err);
bool vz_view_lindi_write_array(vz_view *view, vz_node *node, vz_error *err);

/* The form of an array's elements. */
typedef enum vz_view_lindi_form {
    VZ_LINDI_NUMBERS,    /* as Zarr has them: numbers, bytes */
    VZ_LINDI_TEXTS,      /* variable-length text */
    VZ_LINDI_REFERENCES, /* object references */
    VZ_LINDI_RECORDS,    /* compounds */
} vz_view_lindi_form;
/* lindi_types.c. `path`: of the object, for the error. */
bool vz_view_lindi_find_form(const vz_node *array, const char *path, vz_view_lindi_form *form, vz_error *err);
/* Is that member of a compound, which is text, a reference? */
bool vz_view_lindi_is_reference(const vz_node *array, const char *member);
/* _COMPOUND_DTYPE, new. */
vz_json *vz_view_lindi_members(const vz_node *array, vz_error *err);

/* lindi_attributes.c: attributes as LINDI has them, new. */
vz_json *vz_view_lindi_attributes(const vz_node *node, const char *path, vz_error *err);
/* {"_REFERENCE": reference}, new, with HDMF's ids where there are some; takes it. NULL fails. */
vz_json *vz_view_lindi_reference(vz_hierarchy *hierarchy, vz_json *take, vz_error *err);

/* lindi_elements.c: all elements of an array in memory: JSON as json2 has it, or, of a text that is
 * a scalar, bytes of UTF-32. */
bool vz_view_lindi_elements(vz_node *array, vz_view_lindi_form form, vz_buffer *out, vz_error *err);

#endif
