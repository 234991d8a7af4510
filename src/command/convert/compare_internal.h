/* compare_internal.h - what the files of a comparison share. */
#ifndef VZ_CONVERT_COMPARE_INTERNAL_H
#define VZ_CONVERT_COMPARE_INTERNAL_H

#include "base/util/bytes.h"
#include "command/convert/convert_internal.h"

enum { SOURCE, TARGET };

typedef struct vz_comparison {
    const vz_convert_request *request;
    const vz_convert_comparing *how;
    vz_convert_counts *counts;
    hid_t file[2];
    const char *begin[2]; /* paths where it begins: "" for the root group */
    char *file_name[2];
    vz_strmap *paths[2];          /* of objects by token: their first names, from `begin` on */
    vz_convert_name_list objects; /* these names */
    const char *path;             /* of the object that is looked at */
    const char *attribute;        /* of it; NULL: the object itself */
} vz_comparison;

/* comparison.c */
/* Reports a difference of the object, or of its attribute, which are filled in. False: it was the
 * last that is wanted, or it could not be reported. */
bool vz_compare_differ(const vz_comparison *v, vz_difference difference, vz_error *err);
/* Reports two texts that differ, as that kind. */
bool vz_compare_differ_texts(const vz_comparison *v, vz_difference_kind kind, const char *what, const char *a,
                             const char *b, vz_error *err);
/* Something cannot be read: a difference where the comparison goes on, else an error. */
bool vz_compare_unreadable(const vz_comparison *v, const vz_error *why, vz_error *err);

/* Opens an object on both sides. */
bool vz_compare_open(const vz_comparison *v, const char *path, hid_t object[2], vz_error *err);
static inline void vz_compare_close(const hid_t object[2])
{
    vz_convert_id_close(object[SOURCE]);
    vz_convert_id_close(object[TARGET]);
}

/* not_understood.c: removes the links to datasets that are not understood, and reports each. */
void vz_convert_links_drop_skipped(vz_comparison *v, hid_t group, const char *path, vz_convert_link_records *links);

/* compare_members.c: the members of two groups of that path. Objects that were not met before are
 * added to the list of objects. */
bool vz_compare_members(vz_comparison *v, const hid_t group[2], const char *path, vz_error *err);
/* Which object it is, as text: its first path. *known: it was met before, under that path. */
const char *vz_compare_path_of(vz_comparison *v, int side, const H5O_token_t *token, const char *path, bool *known,
                               vz_error *err);

/* compare_object.c: two objects of one path, links apart. */
bool vz_compare_object(vz_comparison *v, const char *path, vz_error *err);
/* compare_type.c: *same: what has these types can be compared element by element. */
bool vz_compare_types(vz_comparison *v, hid_t a, hid_t b, bool *same, vz_error *err);
/* compare_elements.c; *same: of extents. */
bool vz_compare_elements(vz_comparison *v, hid_t a, hid_t b, vz_error *err);
bool vz_compare_extents(vz_comparison *v, hid_t a, hid_t b, bool *same, vz_error *err);
/* Elements of both sides that lie in memory: counts those that differ. *first: the number of the
 * first. */
bool vz_compare_count(vz_comparison *v, const vz_convert_element *element, const void *a, const void *b, size_t count,
                      uint64_t *differ, size_t *first, vz_error *err);
/* compare_storage.c: how two datasets are stored. */
bool vz_compare_storage(vz_comparison *v, const hid_t dataset[2], vz_error *err);
/* compare_reference.c: a vz_convert_element_same; the context is the vz_comparison. */
bool vz_compare_reference(void *context, const vz_convert_element *element, const void *a, const void *b, bool *same,
                          vz_error *err);

/* -- Words --
 * more of those in access.h */
/* "(2, 3)", "scalar", "null"; with_maximum: "(2, 3) up to (unlimited, 3)" */
bool vz_words_extent(hid_t space, bool with_maximum, vz_buffer *out, vz_error *err);
/* "(1, 2)": the place of the element with that number in a box; nothing for a scalar. `start`:
 * where the box begins; NULL: at the first element. */
bool vz_words_place(unsigned rank, const uint64_t *start, const uint64_t *extent, uint64_t number, vz_buffer *out,
                    vz_error *err);

#endif
