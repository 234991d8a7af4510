/* check_consolidated.c - consolidated metadata: does it say what the documents say? Other programs
 * read it instead of them. */
#include "command/check/check_internal.h"
#include <stdlib.h>

#define REPORTED_MAX 100 /* documents that are reported one by one */
/* attribute of an NWB file's root: where its specifications are */
#define SPECIFICATIONS ".specloc"

struct vz_check_copy {
    vz_check_copy *above;
    char *prefix, *key;
    const vz_zarr_format *zarr_format;
    const vz_json *documents;
    bool *met; /* by index of the member */
    uint64_t reported;
    char *specifications; /* the group that a copy of hdmf-zarr's does not know yet; NULL: there is
                           * none */
};

bool vz_check_copy_open(vz_check *check, const char *prefix, const char *key, const vz_zarr_format *zarr_format,
                        const vz_json *documents, vz_error *err)
{
    const size_t count = vz_json_length(documents);
    vz_check_copy *copy = calloc(1, sizeof *copy);
    if (copy) {
        copy->prefix = strdup(prefix);
        copy->key = strdup(key);
        copy->met = calloc(count ? count : 1, sizeof *copy->met);
    }
    if (!copy || !copy->prefix || !copy->key || !copy->met) {
        if (copy) {
            free(copy->prefix);
            free(copy->key);
            free(copy->met);
        }
        free(copy);
        return vz_fail_memory(err);
    }
    copy->above = check->copy;
    copy->zarr_format = zarr_format;
    copy->documents = documents;
    check->copy = copy;
    return true;
}

static void tell(vz_check *check, vz_check_copy *copy, const char *name, const char *what)
{
    copy->reported++;
    if (copy->reported <= REPORTED_MAX)
        vz_report_find(&check->report, VZ_FINDING_COPY, copy->key, "%s %s", *name ? name : "/", what);
    else if (copy->reported == REPORTED_MAX + 1)
        vz_report_find(&check->report, VZ_FINDING_COPY, copy->key, "and more");
}

/* ---- is a document the same as its copy? ---- */

static bool is_empty(const vz_json *value)
{
    return !value || vz_json_kind_of(value) == VZ_JSON_NULL ||
           (vz_json_kind_of(value) == VZ_JSON_OBJECT && vz_json_length(value) == 0);
}

static bool same_member(const vz_json *a, const vz_json *b, const char *key)
{
    const vz_json *x = vz_json_get(a, key), *y = vz_json_get(b, key);
    return is_empty(x) || is_empty(y) ? is_empty(x) && is_empty(y) : vz_json_equal(x, y);
}

static bool same_meta(const vz_meta *a, const vz_meta *b)
{
    return a->rank == b->rank && memcmp(a->shape, b->shape, a->rank * sizeof *a->shape) == 0 &&
           vz_dtype_equal(a->dtype, b->dtype) && vz_meta_same_grid(a, b) && vz_meta_same_fill(a, b) &&
           vz_meta_same_order(a, b) && vz_meta_same_shards(a, b) && vz_codecs_equal(&a->codecs, &b->codecs);
}

/* Whoever made the copy may have spelled out what a document leaves to defaults. */
static bool means_the_same(const vz_zarr_format *zarr_format, const vz_json *document, const vz_json *copy)
{
    vz_meta *a = zarr_format->load(document, NULL), *b = a ? zarr_format->load(copy, NULL) : NULL;
    const bool same = b && same_meta(a, b);
    vz_meta_free(a);
    vz_meta_free(b);
    return same;
}

static bool is_array(const vz_zarr_format *zarr_format, const char *name, const vz_json *document)
{
    return zarr_format->says ? zarr_format->says(document) == VZ_SAYS_ARRAY : strcmp(name, zarr_format->array) == 0;
}

/* Of a group what its document says; whoever made the copy may have added something. */
static bool same_group(const vz_json *document, const vz_json *copy)
{
    const char *name;
    vz_json *value;
    for (size_t i = 0; vz_json_member(document, i, &name, &value); i++)
        if (!same_member(document, copy, name))
            return false;
    return true;
}

/* In one document with attributes a copy of other documents may stand, which counts for itself. */
static bool same_in_one(const vz_zarr_format *zarr_format, const vz_json *document, const vz_json *copy)
{
    if (!same_member(document, copy, VZ_ATTRIBUTES) ||
        (zarr_format->dimension_names && !same_member(document, copy, zarr_format->dimension_names)))
        return false;
    return zarr_format->says(document) == zarr_format->says(copy) &&
           (zarr_format->says(document) != VZ_SAYS_ARRAY || means_the_same(zarr_format, document, copy));
}

static bool is_same(const vz_zarr_format *zarr_format, const char *name, const vz_json *document, const vz_json *copy)
{
    if (vz_json_equal(document, copy))
        return true;
    if (vz_zarr_format_in_one(zarr_format))
        return same_in_one(zarr_format, document, copy);
    if (vz_zarr_is_attributes_document(name))
        return false;
    return is_array(zarr_format, name, document) ? means_the_same(zarr_format, document, copy)
                                                 : same_group(document, copy);
}

/* ---- hdmf-zarr's copies ---- */

/* It makes the copy, and adds the specifications and the attribute that tells where they are after
 * that. */
static bool is_before_specifications(vz_check_copy *copy, const char *document, const vz_json *value,
                                     const vz_json *recorded)
{
    const vz_json *place = vz_json_get(value, SPECIFICATIONS);
    const char *path = vz_json_get_string(place, NULL);
    if (!path)
        path = vz_json_get_string(vz_json_get(vz_json_get(place, "value"), "path"), NULL);
    if (!vz_zarr_is_attributes_document(document) || !path || vz_json_get(recorded, SPECIFICATIONS))
        return false;
    vz_json *without = vz_json_copy(value, NULL);
    vz_json_remove(without, SPECIFICATIONS);
    const bool same = without && vz_json_equal(without, recorded);
    vz_json_free(without);
    if (same && !copy->specifications)
        copy->specifications = strdup(path + (*path == '/'));
    return same;
}

static bool is_specification(const vz_check_copy *copy, const char *name)
{
    const size_t length = copy->specifications ? strlen(copy->specifications) : 0;
    return length && strncmp(name, copy->specifications, length) == 0 && name[length] == '/';
}

/* ---- meeting documents ---- */

/* The document's name in the consolidated metadata: heap, NULL with an error. */
static char *name_in(const vz_check_copy *copy, const char *prefix, const char *document, vz_error *err)
{
    const size_t length = strlen(copy->prefix);
    const char *below = prefix + length;
    below += *below == '/';
    return copy->zarr_format->consolidated ? vz_document_key_join(below, document, err) : strdup(below);
}

static void meet(vz_check *check, vz_check_copy *copy, const char *prefix, const char *document, const vz_json *value)
{
    char *name = name_in(copy, prefix, document, NULL);
    if (!name)
        return;
    const ptrdiff_t index = vz_json_index(copy->documents, name);
    const char *key;
    vz_json *recorded = NULL;
    if (index >= 0 && vz_json_member(copy->documents, (size_t)index, &key, &recorded)) {
        copy->met[index] = true;
        if (!is_same(copy->zarr_format, document, value, recorded) &&
            !is_before_specifications(copy, document, value, recorded))
            tell(check, copy, name, "is not what it says");
    } else if (!is_specification(copy, name)) {
        tell(check, copy, name, "is not in it");
    }
    free(name);
}

void vz_check_copy_meet(vz_check *check, const char *prefix, const char *document, const vz_zarr_format *zarr_format,
                        const vz_json *value)
{
    for (vz_check_copy *copy = check->copy; copy; copy = copy->above)
        if (copy->zarr_format == zarr_format)
            meet(check, copy, prefix, document, value);
}

void vz_check_copy_close(vz_check *check)
{
    vz_check_copy *copy = check->copy;
    const char *name;
    vz_json *value;
    for (size_t i = 0; vz_json_member(copy->documents, i, &name, &value); i++)
        if (!copy->met[i])
            tell(check, copy, name, "is in it, and not in the store");
    if (copy->specifications)
        vz_report_find(&check->report, VZ_FINDING_LACKS, copy->key, "%s, which hdmf-zarr adds after it is made",
                       copy->specifications);
    check->copy = copy->above;
    free(copy->specifications);
    free(copy->prefix);
    free(copy->key);
    free(copy->met);
    free(copy);
}
