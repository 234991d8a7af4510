/* path_root.c - which of the groups above a directory is the root of the store that it is in. */
#include "hierarchy/hierarchy.h"
#include "hierarchy/document.h"
#include "hierarchy/location.h"
#include "hierarchy/moved.h"
#include "hierarchy/second.h"
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define SPECIFICATIONS ".specloc" /* an attribute of the roots of HDMF's stores */

/* ---- the group above ---- */

/* The directory above, or NULL at the top. Caller frees. */
static char *directory_above(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash || path[1] == '\0')
        return NULL;
    return slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

/* May two directories, one in the other, be one store? Whoever may put documents into the upper one decides what the
 * lower one's paths mean, so it must not be somebody who could not write to the lower one. (In a directory without the
 * sticky bit who may write could as well put another directory in the lower one's place.) */
static bool is_one_owner(const char *above, const char *below)
{
    struct stat upper, lower;
    if (stat(above, &upper) != 0 || stat(below, &lower) != 0 || upper.st_uid != lower.st_uid)
        return false;
    if ((upper.st_mode & S_ISVTX && upper.st_mode & (S_IWOTH | S_IWGRP)) ||
        (upper.st_mode & S_IWOTH && !(lower.st_mode & S_IWOTH)))
        return false;
    return faccessat(AT_FDCWD, above, W_OK, AT_EACCESS) == 0 || faccessat(AT_FDCWD, below, W_OK, AT_EACCESS) != 0;
}

/* What somebody else put there is not read. */
static bool is_group_over(const char *above, const char *below)
{
    const bool is_v2 = vz_path_has_document(above, VZ_DOCUMENT_GROUP) > 0;
    return (is_v2 || vz_path_has_document(above, VZ_DOCUMENT_V3) > 0) && is_one_owner(above, below) &&
           (is_v2 || vz_path_look_at_v3(above) == VZ_V3_GROUP);
}

char *vz_path_group_above(const char *path, vz_error *err)
{
    char *above = directory_above(path);
    if (!above && strchr(path, '/') && path[1] != '\0')
        vz_fail_memory(err);
    if (above && is_group_over(above, path))
        return above;
    free(above);
    return NULL;
}

/* ---- the root ---- */

/* NULL without an error: there are none. */
static bool read_attributes(vz_store *store, const char *prefix, vz_json **attributes, vz_error *err)
{
    vz_json *document;
    *attributes = NULL;
    if (!vz_document_read(store, prefix, VZ_DOCUMENT_V3, &document, err))
        return false;
    if (!document)
        return vz_document_read(store, prefix, VZ_DOCUMENT_ATTRIBUTES, attributes, err);
    *attributes = vz_json_detach(document, VZ_V3_ATTRIBUTES);
    vz_json_free(document);
    return true;
}

/* What only a root's annotation has: our mark, and what makes sense of paths in a store of somebody else's. */
static bool is_annotation_of_root(const vz_json *annotation)
{
    static const char *const keys[] = {VZ_ANNOTATION_MARK, VZ_ANNOTATION_SECONDS, VZ_ANNOTATION_REFERENCES,
                                       VZ_ANNOTATION_MOVED};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (vz_json_get(annotation, keys[i]))
            return true;
    return false;
}

bool vz_group_says_root(vz_store *store, const char *prefix, bool *says, vz_error *err)
{
    vz_json *attributes, *annotation = NULL, *unused = NULL;
    *says = false;
    if (!read_attributes(store, prefix, &attributes, err))
        return false;
    const bool is_object = attributes && vz_json_kind_of(attributes) == VZ_JSON_OBJECT;
    bool ok = true;
    if (is_object && vz_json_get(attributes, SPECIFICATIONS))
        *says = true;
    else if (is_object && (ok = vz_annotation_detach(attributes, &annotation, &unused, err)))
        *says = is_annotation_of_root(annotation);
    vz_json_free(attributes);
    vz_json_free(annotation);
    vz_json_free(unused);
    return ok;
}

/* A group whose documents are damaged is nobody else's either: opening it tells what is wrong. */
static bool is_marked_root(const char *directory, bool *is_root, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    vz_store *store = vz_store_open_directory(directory, false, &failed);
    const bool ok = store && vz_group_says_root(store, "", is_root, &failed);
    vz_store_close(store);
    if (ok)
        return true;
    *is_root = failed.class == VZ_CORRUPT || failed.class == VZ_LIMIT;
    if (!*is_root && err)
        *err = failed;
    return *is_root;
}

/* Climbs from a group as long as the directory above is one, but not beyond a marked root, nor to where somebody else
 * decides. An array is a root of its own, since a file begins with a group and an array cannot be one. */
bool vz_location_find_top(vz_location *location, vz_error *err)
{
    if (!(location->top = strdup(location->real)))
        return vz_fail_memory(err);
    vz_error failed = VZ_ERROR_NONE;
    bool is_root = location->is_array;
    while (!is_root) {
        char *above = vz_path_group_above(location->top, &failed);
        if (!above || !is_marked_root(location->top, &is_root, &failed) || is_root) {
            free(above);
            break;
        }
        free(location->top);
        location->top = above;
    }
    if (failed.class != VZ_OK && err)
        *err = failed;
    return failed.class == VZ_OK;
}
