/* verify_internal.h - what the files of a comparison share. */
#ifndef VZ_CONVERT_VERIFY_INTERNAL_H
#define VZ_CONVERT_VERIFY_INTERNAL_H

#include "command/convert/convert_internal.h"

enum { SOURCE, TARGET };

typedef struct vz_verification {
    const vz_convert_request *request;
    vz_convert_counts *counts;
    hid_t file[2];
    char *file_name[2];
    vz_strmap *paths[2];          /* of objects by token: their first names, which are the same in
                                   * both */
    vz_convert_name_list objects; /* these names */
} vz_verification;

/* "they differ": false, and the class that says so. */
#define vz_differ(err, ...) vz_fail(err, VZ_CHANGED, __VA_ARGS__)

/* not_understood.c: removes the links to datasets that are not understood, and reports each. */
void vz_convert_links_drop_skipped(vz_verification *v, hid_t group, const char *path, vz_convert_link_records *links);

/* verify_object.c: two objects of one path, links apart. */
bool vz_verify_object(vz_verification *v, const char *path, vz_error *err);
/* verify_type.c */
bool vz_verify_type(vz_verification *v, hid_t a, hid_t b, vz_error *err);
/* verify_elements.c */
bool vz_verify_elements(vz_verification *v, hid_t a, hid_t b, vz_error *err);
bool vz_verify_extent(hid_t a, hid_t b, vz_error *err);
/* verify_reference.c: a vz_convert_element_same; the context is the vz_verification. */
bool vz_verify_reference(void *context, const vz_convert_element *element, const void *a, const void *b, bool *same,
                         vz_error *err);

#endif
