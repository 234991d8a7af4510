/* open_file.c - from a name to an open file, or store, and the path of an object in it. */
#include "command/sample/sample_internal.h"
#include "command/command/command.h"
#include "command/libraries/libraries.h"
#include "hierarchy/open/open.h"
#include "hierarchy/resolve/path.h"
#include <stdlib.h>
#include <string.h>

bool vz_sample_load(const char *library, const char *plugin, vz_error *err)
{
    vz_libraries found = {0};
    vz_library_version version;
    const char *file;
    char *directory = vz_plugin_directory(plugin, err);
    const bool ok = directory && vz_libraries_find(library, &found, err) &&
                    vz_library_load_first(&found, &file, &version, err) && vz_convert_register(directory, err);
    vz_libraries_clear(&found);
    free(directory);
    return ok;
}

/* ---- what a name leads to ---- */

static bool is_file(vz_path_kind kind)
{
    return kind == VZ_PATH_ZARR || kind == VZ_PATH_HDF5;
}

/* The length of the name without its last part; 0: there is no more. */
static size_t length_above(const char *name, size_t length)
{
    while (length > 0 && name[length - 1] == '/')
        length--;
    while (length > 0 && name[length - 1] != '/')
        length--;
    while (length > 1 && name[length - 1] == '/')
        length--;
    return length;
}

/* The longest beginning of the name that is a file or a store, or what the whole name leads to. A
 * file on a server that is neither tells why. */
static vz_path_result *find(const char *name, size_t *length, vz_error *err)
{
    vz_path_result *found = vz_path_find(name, err);
    *length = strlen(name);
    if (!found || is_file(vz_path_result_kind(found)))
        return found;
    for (size_t end = length_above(name, *length); end > 0; end = end > 1 ? length_above(name, end) : 0) {
        char *above = strndup(name, end);
        vz_path_result *up = above ? vz_path_find(above, NULL) : NULL;
        free(above);
        const vz_path_kind kind = up ? vz_path_result_kind(up) : VZ_PATH_OTHER;
        if (up && (is_file(kind) || vz_subject_is_other_file(up))) {
            vz_path_result_free(found);
            *length = end;
            return up;
        }
        vz_path_result_free(up);
        if (kind != VZ_PATH_MISSING && kind != VZ_PATH_FILE && kind != VZ_PATH_EMPTY_FILE)
            break;
    }
    return found;
}

/* Why there is neither a file nor a store. */
static bool refuse(const vz_path_result *found, vz_error *err)
{
    const int sys_errno = vz_path_result_errno(found);
    const vz_error *why = vz_path_result_why(found);
    if (sys_errno)
        return vz_fail_errno(err, sys_errno, "cannot be read");
    if (why->class == VZ_OK)
        return vz_fail(err, VZ_INVALID, "neither an HDF5 file nor a Zarr store");
    *err = *why;
    return false;
}

/* Of a whole name: the object's path in its store, whose name *begin becomes. A store
 * that is one array is shown as a group with that array. */
static char *path_of_node(const vz_path_result *found, char **begin, vz_error *err)
{
    vz_subject subject;
    if (!vz_subject_open_in_store(*begin, &subject, err))
        return NULL;
    const bool is_made_up = vz_hierarchy_is_array(subject.hierarchy), is_array = subject.node->kind == VZ_NODE_ARRAY;
    char *path = vz_node_path(subject.node, err), *store = NULL;
    const size_t length = strlen(*begin), below = path ? strlen(path) : 0;
    if (path && !is_made_up && below > 1) {
        if (length > below && strcmp(*begin + length - below, path) == 0)
            store = strndup(*begin, length - below); /* the name as it was typed */
        else if (!vz_path_result_is_elsewhere(found))
            store = strdup(vz_hierarchy_store(subject.hierarchy)->path);
        else if (is_array) /* opened by itself, under its last name */
            memmove(path, strrchr(path, '/'), strlen(strrchr(path, '/')) + 1);
        else
            path[1] = '\0';
    }
    if (store) {
        free(*begin);
        *begin = store;
    }
    vz_subject_close(&subject);
    return path;
}

static char *path_in(const vz_path_result *found, char **begin, const char *rest, vz_error *err)
{
    while (*rest == '/')
        rest++;
    if (!*rest && vz_path_result_kind(found) == VZ_PATH_ZARR)
        return path_of_node(found, begin, err);
    char *path = NULL;
    if (asprintf(&path, "/%s", rest) >= 0)
        return path;
    vz_fail_memory(err);
    return NULL;
}

/* ---- opening ---- */

static vz_sample_file *open_side(const vz_path_result *found, char *name, vz_error *err)
{
    const bool is_store = vz_path_result_kind(found) == VZ_PATH_ZARR;
    const vz_convert_side side = {
        .path = name, .is_store = is_store, .is_elsewhere = !is_store && vz_path_result_is_elsewhere(found)};
    vz_sample_file *file = calloc(1, sizeof *file);
    if (!file) {
        vz_fail_memory(err);
        return NULL;
    }
    *file = (vz_sample_file){.file = vz_side_open(&side, err), .is_store = is_store};
    if (file->file >= 0 && (file->name = strdup(name)))
        return file;
    vz_fail_memory(err); /* unless it could not be opened */
    vz_sample_close(file);
    return NULL;
}

vz_sample_file *vz_sample_open(const char *name, char **path, vz_error *err)
{
    size_t length = 0;
    vz_options options;
    vz_sample_file *file = NULL;
    *path = NULL;
    vz_path_result *found = vz_command_options(&options, err) ? find(name, &length, err) : NULL;
    char *begin = found ? strndup(name, length) : NULL;
    if (found && !begin)
        vz_fail_memory(err);
    else if (found && is_file(vz_path_result_kind(found)))
        *path = path_in(found, &begin, name + length, err);
    else if (found)
        refuse(found, err);
    if (*path)
        file = open_side(found, begin, err);
    if (!file) {
        vz_error_where(err, begin ? begin : name, NULL);
        free(*path);
        *path = NULL;
    }
    free(begin);
    vz_path_result_free(found);
    return file;
}

void vz_sample_close(vz_sample_file *file)
{
    if (!file)
        return;
    vz_sample_store_close(file);
    if (file->file >= 0)
        H5Fclose(file->file);
    free(file->name);
    free(file);
}

const char *vz_sample_file_name(const vz_sample_file *file)
{
    return file->name;
}

bool vz_sample_file_is_store(const vz_sample_file *file)
{
    return file->is_store;
}
