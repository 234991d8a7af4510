/* convert_internal.h - a conversion: its state, errors of HDF5, the user block. */
#ifndef VZ_CONVERT_CONVERT_INTERNAL_H
#define VZ_CONVERT_CONVERT_INTERNAL_H

#include "base/util/bytes.h"
#include "base/util/error.h"
#include "base/util/hash.h"
#include "command/convert/access.h"
#include "command/convert/convert.h"
#include "command/convert/copy.h"
#include "command/convert/copy_internal.h"
#include "hdf5/h5/h5.h"
#include "H5VLzarr.h"
#include <stdint.h>

/* -- Conversion --
 * what the files of a copy share. */
#define VZ_TOKEN_TEXT (2 * sizeof(H5O_token_t) + 1)

/* An object that was met. */
typedef struct vz_seen {
    char *path;        /* its first name in both files; NULL: a committed datatype that has none
                        * yet */
    hid_t type;        /* of a committed datatype without a name: in the target; else
                        * H5I_INVALID_HID */
    H5O_token_t token; /* the same one in the source */
} vz_seen;

/* Names in the order in which they were met. */
typedef struct vz_convert_name_list {
    char **items;
    size_t count, capacity;
} vz_convert_name_list;
bool vz_convert_names_add(vz_convert_name_list *names, const char *name, vz_error *err);
void vz_convert_name_list_clear(vz_convert_name_list *names);

/* A filter that could not be had in the target. */
#define VZ_FILTER_NOTES 16
typedef struct vz_convert_filter_note {
    H5Z_filter_t id;
    char name[64];
    uint64_t datasets;
} vz_convert_filter_note;

typedef struct vz_convert_places_writer vz_convert_places_writer;

typedef struct vz_convert_job {
    const vz_convert_request *request;
    vz_convert_counts *counts;
    hid_t from, to; /* the two files */
    vz_convert_rules chunks;
    vz_convert_rules codecs;
    vz_strmap *met;                                  /* vz_seen by the source's token as text */
    vz_convert_name_list groups;                     /* still to be gone through */
    vz_convert_name_list waiting;                    /* objects whose references wait until every
                                                      * object is there */
    vz_convert_filter_note filters[VZ_FILTER_NOTES]; /* that were left out */
    vz_nummap references;                            /* old references to objects: copies of the
                                                      * target's by number */
    char *file_name;                                 /* of the source, as references tell it */
    hid_t lcpl_ascii, lcpl_utf8;
    vz_convert_places_writer *places; /* a view is made; NULL: a copy */
} vz_convert_job;

/* endpoint.c */
bool vz_side_has_user_block(const vz_convert_side *side); /* can it have one? */
char *vz_side_name(hid_t file); /* its name, as references tell it; the caller frees; NULL: none */

/* survey.c */
bool vz_convert_survey_file(hid_t file, vz_convert_counts *counts, vz_error *err);

/* name_list.c */
void vz_convert_token_text(const H5O_token_t *token, char text[VZ_TOKEN_TEXT]);
bool vz_convert_object_token(hid_t object, char text[VZ_TOKEN_TEXT], vz_error *err);
char *vz_convert_path_of(const char *group, const char *name, vz_error *err);
/* The names of what is in a group, or of an object's attributes, in the order of their creation
 * where it is kept. */
typedef struct vz_convert_link_record {
    char *name;
    H5L_info2_t info;
} vz_convert_link_record;
typedef struct vz_convert_link_records {
    vz_convert_link_record *items;
    size_t count, capacity;
} vz_convert_link_records;
bool vz_convert_links_list(hid_t group, vz_convert_link_records *links, vz_error *err);
void vz_convert_links_clear(vz_convert_link_records *links);
bool vz_convert_attributes_list(hid_t object, vz_convert_name_list *names, vz_error *err);

/* seen_objects.c: objects by token */
vz_seen *vz_seen_find(const vz_convert_job *c, const char *token);
vz_seen *vz_seen_add(vz_convert_job *c, const char *token, const char *path, vz_error *err);

/* copy_group.c */
bool vz_convert_copy_all(vz_convert_job *c, vz_error *err);

/* copy_object_header.c */
/* Attributes, comment: what any object has beside what it is. Attributes with references wait. */
bool vz_convert_copy_object_header(vz_convert_job *c, hid_t from, hid_t to, const char *path, vz_error *err);
bool vz_convert_copy_comment(hid_t from, hid_t to, vz_error *err);

/* copy_type.c: the type for an object of the target that is like one of the source. It is committed
 * there if it is here, and its attributes are not copied. The caller closes it. */
hid_t vz_convert_copy_type(vz_convert_job *c, hid_t type, vz_error *err);

/* netcdf_type.c: the type itself, or the one that netCDF has for it: then `type` is closed. Tells
 * the watcher of a type that netCDF has no word for. */
hid_t vz_convert_copy_netcdf_type(const vz_convert_request *request, hid_t type, vz_error *err);
/* As vz_convert_copy_netcdf_type, of a dataset: booleans that xarray's `dtype` says to be such are
 * bytes beside it. vz_convert_is_netcdf_boolean: did that make one type of the other? */
hid_t vz_convert_copy_netcdf_variable(const vz_convert_request *request, hid_t dataset, hid_t type, vz_error *err);
bool vz_convert_is_netcdf_boolean(const vz_convert_request *request, hid_t from, hid_t to);
void vz_convert_copy_tell_type(const vz_convert_job *c, hid_t type, const char *path);
bool vz_convert_copy_committed(vz_convert_job *c, hid_t type, const char *token, const char *path, hid_t group,
                               const char *name, hid_t lcpl, vz_error *err);

/* large_attributes.c: an attribute of more than 64 KiB needs an object of HDF5 1.8's form, which is
 * set before the object is made. */
bool vz_convert_has_large_attribute(hid_t object, bool *has, vz_error *err);
bool vz_convert_expect_large_attributes(const vz_convert_job *c, hid_t from, vz_error *err);

/* copy_attributes.c: all, unless one has references and not every object is there: then nothing,
 * and *waits. */
bool vz_convert_copy_attributes(vz_convert_job *c, hid_t from, hid_t to, bool all_is_there, bool *waits, vz_error *err);

/* copy_dataset.c */
bool vz_convert_copy_dataset(vz_convert_job *c, hid_t from, hid_t group, const char *name, hid_t lcpl, const char *path,
                             vz_error *err);
/* The elements of a dataset that waited for its references. */
bool vz_convert_copy_dataset_later(vz_convert_job *c, hid_t from, hid_t to, const char *path, vz_error *err);

/* group_creation.c, dataset_creation.c: the creation lists for the target. */
hid_t vz_convert_copy_group_list(hid_t group, vz_error *err);
hid_t vz_convert_copy_dataset_list(vz_convert_job *c, hid_t dataset, hid_t space, hid_t type, const char *path,
                                   vz_error *err);

/* copy_elements.c, copy_chunks.c */
bool vz_convert_copy_elements(vz_convert_job *c, hid_t from, hid_t to, const vz_convert_element *element, hid_t type,
                              vz_error *err);
bool vz_convert_is_unwritten(hid_t dataset); /* was nothing ever stored in it? */
/* One box. */
bool vz_convert_copy_box(vz_convert_job *c, hid_t from, hid_t to, const vz_convert_element *element, hid_t type,
                         const uint64_t *start, const uint64_t *extent, vz_error *err);
/* Chunks as they are stored, where both sides store them so; *done: they were. */
bool vz_convert_copy_chunks(vz_convert_job *c, hid_t from, hid_t to, const vz_convert_element *element, bool *done,
                            vz_error *err);

/* chunk_places.c: the file of a view that tells where chunks lie */
vz_convert_places_writer *vz_convert_places_create(const char *path, vz_error *err);
bool vz_convert_places_write(vz_convert_places_writer *writer, const vz_convert_place *place, vz_error *err);
/* Writes what is left; closed in any case. NULL is fine. */
bool vz_convert_places_finish(vz_convert_places_writer *writer, vz_error *err);

/* view_elements.c: a dataset of a view */
/* Has each filter of the list a name in Zarr, which decodes the chunks as they are? If not, `why`
 * receives the reason. */
#define VZ_VIEW_REASON 160
bool vz_convert_view_filters(const vz_convert_job *c, hid_t dcpl, char why[VZ_VIEW_REASON]);
#define VZ_VIEW_CODECS 1024
/* The codecs of the source's chunks where the connector's own are among them; else "". */
void vz_convert_view_codecs(hid_t dcpl, char text[VZ_VIEW_CODECS]);
/* From now on HDF5 keeps little of the source's metadata. */
void vz_convert_view_bound_metadata(hid_t file);
/* Tells the connector by that list where no chunk of the dataset will be missing in the view. */
bool vz_convert_view_set_elsewhere(const vz_convert_job *c, hid_t dataset, const vz_convert_element *element,
                                   const char *path, hid_t dcpl, vz_error *err);
/* Notes where its chunks lie, and copies those that cannot be referred to; *done: there is nothing
 * left to copy. */
bool vz_convert_view_elements(vz_convert_job *c, hid_t from, hid_t to, const vz_convert_element *element, hid_t type,
                              const char *path, bool *done, vz_error *err);

/* references.c: what references in memory, just read from the source, are in the target. */
bool vz_convert_translate_references(vz_convert_job *c, const vz_convert_element *element, void *elements, size_t count,
                                     vz_error *err);

/* Counts a dataset from which a filter was left out; the count is reported at the end. */
void vz_convert_copy_note_filter(vz_convert_job *c, H5Z_filter_t id, const char *name);
void vz_convert_copy_tell_notes(const vz_convert_job *c);
void vz_convert_copy_note(const vz_convert_job *c, const char *object, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Reports a failure of the source with its name. Returns false. */
bool vz_convert_copy_source_failed(const vz_convert_job *c, vz_error *err);
void vz_convert_copy_done(const vz_convert_job *c, uint64_t bytes);

/* not_understood.c */
/* Counts and reports a dataset that is skipped. */
void vz_convert_note_skipped(const vz_convert_watch *watch, vz_convert_counts *counts, const char *path,
                             const char *why);

/* -- User block --
 * the bytes before an HDF5 file that are its user's. */
/* Copies the first `size` bytes of a file into another one that has room for them. */
bool vz_convert_user_block_copy(const char *from, const char *to, uint64_t size, vz_error *err);

#endif
