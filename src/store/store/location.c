/* location.c - where a path leads. The kinds are asked in the table's order. */
#include "store/store/kind_internal.h"
#include "base/os/file.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- finding ---- */

/* No kind of store took it. */
static void settle_other(vz_location *location, const vz_location_probe *probe)
{
    const bool is_file = probe->source || (probe->file >= 0 && S_ISREG(probe->status.st_mode) && !probe->inside);
    location->sys_errno = probe->sys_errno;
    location->type = probe->is_other          ? VZ_PATH_TYPE_OTHER
                     : !is_file               ? VZ_PATH_TYPE_NONE
                     : !probe->status.st_size ? VZ_PATH_TYPE_EMPTY_FILE
                     : probe->is_hdf5         ? VZ_PATH_TYPE_HDF5
                                              : VZ_PATH_TYPE_FILE;
}

static vz_location_type type_of_kind(const vz_location *location)
{
    return location->hdf5 ? VZ_PATH_TYPE_HDF5 : VZ_PATH_TYPE_STORE;
}

static bool ask_kinds(vz_location *location, vz_location_probe *probe, vz_error *err)
{
    const vz_store_kind *const *kinds = vz_store_get_kinds();
    bool is_it = false;
    for (size_t i = 0; kinds[i]; i++) {
        if (kinds[i]->recognise && !kinds[i]->recognise(probe, location, &is_it, err))
            return false;
        if (is_it) {
            location->kind = kinds[i];
            location->type = type_of_kind(location);
            return true;
        }
    }
    if (!vz_location_probe_look(probe, err))
        return false;
    settle_other(location, probe);
    return true;
}

/* ---- through a redirect file ---- */

/* Whatever has that very name, adapters and all, is meant. */
static bool is_there(const char *directory, const char *name)
{
    char *whole = NULL;
    const char *before = *name == '/' ? "" : directory;
    const bool is_it = asprintf(&whole, "%s/%s", before, name) >= 0 && vz_os_path_is_there(whole);
    free(whole);
    return is_it;
}

/* A name of ZEP 8 goes on where the given path goes on behind the redirect file. */
static char *split_behind(vz_location *location, const char *directory, const char *name, const char *inside,
                          vz_error *err)
{
    const char *bar = vz_location_pipeline_find(name);
    if (bar && directory && is_there(directory, name))
        bar = NULL;
    char *base = bar ? strndup(name, (size_t)(bar - name)) : strdup(name);
    if (bar && base && asprintf(&location->behind, "%s%s%s", bar, inside ? "/" : "", inside ? inside : "") < 0) {
        location->behind = NULL;
        free(base);
        base = NULL;
    }
    if (!base)
        vz_fail_memory(err);
    return base;
}

static char *join(char *target, const char *inside, vz_error *err)
{
    char *path = NULL;
    if (!inside || !target)
        return target;
    if (asprintf(&path, "%s/%s", target, inside) < 0) {
        path = NULL;
        vz_fail_memory(err);
    }
    free(target);
    return path;
}

/* The path behind the redirect file that was looked at: it goes on where the given one goes on
 * behind the redirect file. */
static char *path_behind_redirect(vz_location *location, const vz_location_probe *probe, const char *name,
                                  vz_error *err)
{
    const bool is_remote = vz_location_is_url(name);
    char *real = is_remote ? NULL : vz_os_path_of_descriptor(probe->file, location->redirect, err);
    char *directory = real ? vz_os_path_directory(real, err) : NULL, *path = NULL;
    char *base = is_remote || directory ? split_behind(location, directory, name, probe->inside, err) : NULL;
    if (base && is_remote) {
        path = base;
        base = NULL;
    } else if (base) {
        path = vz_redirect_resolve(directory, base, err);
    }
    free(base);
    free(real);
    free(directory);
    return join(path, location->behind ? NULL : probe->inside, err);
}

/* Behind a redirect file there must be a store, or a place for one. */
static bool check_behind(const vz_location *location, const vz_location_probe *behind, vz_error *err)
{
    if (behind->signature.kind == VZ_SIGNATURE_REDIRECT)
        return vz_fail(err, VZ_INVALID, "it is another doorway");
    switch (location->type) {
    case VZ_PATH_TYPE_STORE:
        return true;
    case VZ_PATH_TYPE_NONE:
        return location->sys_errno == ENOENT || vz_fail_errno(err, location->sys_errno, "no store can be there");
    case VZ_PATH_TYPE_HDF5:
        return vz_fail(err, VZ_INVALID, "it is an HDF5 file, not a Zarr store");
    default:
        break;
    }
    return location->sys_errno ? vz_fail_errno(err, location->sys_errno, "cannot look at it")
                               : vz_fail(err, VZ_INVALID, "it is not a Zarr store");
}

/* A name that is no path is none of the file system's, whatever there is of that name. */
static bool look_remote(vz_location *location, const vz_redirect_content *word, const vz_named *named, vz_error *why,
                        vz_error *err)
{
    const vz_store_kind *const *kinds = vz_store_get_kinds();
    char *path = location->path; /* the row may take another one */
    vz_location_probe behind = {.path = strdup(path), .file = -1, .word = word, .named = named};
    bool is_it = false, ok = behind.path || vz_fail_memory(err);
    for (size_t i = 0; ok && !is_it && kinds[i]; i++) {
        const vz_store_kind *kind = kinds[i];
        ok = !kind->is_elsewhere || kind->recognise(&behind, location, &is_it, err);
        if (ok && is_it)
            location->kind = kind;
    }
    free((char *)behind.path);
    location->type = is_it ? type_of_kind(location) : VZ_PATH_TYPE_NONE;
    if (ok && !is_it)
        vz_error_set(why, VZ_UNSUPPORTED, "remote stores of that kind");
    return ok;
}

static bool look_behind_redirect(vz_location *location, const vz_redirect_content *word, const vz_named *named,
                                 vz_error *why, vz_error *err)
{
    if (vz_location_is_url(word->name))
        return look_remote(location, word, named, why, err);
    vz_location_probe behind = {.path = location->path, .file = -1, .named = named};
    const bool ok = ask_kinds(location, &behind, err) && (check_behind(location, &behind, why) || true);
    if (behind.file >= 0)
        vz_os_close(behind.file);
    return ok;
}

/* The location goes on behind the redirect file. An error there is kept for the open. */
static bool follow(vz_location *location, const vz_location_probe *probe, vz_error *err)
{
    vz_error why = VZ_ERROR_NONE;
    location->redirect = strndup(probe->path, probe->length);
    if (!location->redirect)
        return vz_fail_memory(err);
    vz_redirect_content word;
    const bool read = vz_redirect_read(probe->file, (uint64_t)probe->status.st_size, &probe->signature, &word, &why);
    char *path = read ? path_behind_redirect(location, probe, word.name, &why) : NULL;
    if (word.name && asprintf(&location->label, "%s, a doorway to %s", location->path, word.name) < 0) {
        location->label = NULL;
        vz_fail_memory(&why);
    }
    bool ok = true;
    if (path) {
        free(location->path);
        location->path = path;
        location->sys_errno = 0;
        ok = look_behind_redirect(location, &word, probe->named, &why, err);
    }
    vz_redirect_content_clear(&word);
    if (why.class == VZ_OK)
        return ok;
    if (why.class == VZ_PERMISSION)
        vz_named_note(probe->named, &why);
    location->type = VZ_PATH_TYPE_REDIRECT;
    location->sys_errno = 0;
    location->why = why;
    return why.class != VZ_NO_MEMORY || vz_fail_memory(err);
}

/* The open file that was looked at decides, not the name. */
static bool check_named(vz_location *location, int file, const vz_named *named, vz_error *why)
{
    if (!named || vz_location_is_elsewhere(location) || vz_named_may_leave(named))
        return true;
    char *real = file >= 0 ? vz_os_path_of_descriptor(file, location->path, why) : NULL;
    const char *path = file >= 0 ? real : location->store ? vz_location_root(location, why) : location->path;
    const bool ok = path && vz_named_check_path(named, path, false, why);
    free(real);
    return ok;
}

/* Nothing of it is shown. */
static void shut(vz_location *location, const vz_error *why)
{
    vz_store_close(location->store);
    vz_byte_source_close(location->hdf5, NULL);
    location->store = NULL;
    location->hdf5 = NULL;
    location->kind = NULL;
    location->type = why->sys_errno ? VZ_PATH_TYPE_NONE : VZ_PATH_TYPE_OTHER;
    location->sys_errno = why->sys_errno ? why->sys_errno : EACCES;
    location->why = *why;
}

bool vz_location_find_plain(const char *path, const vz_named *named, vz_location *location, vz_error *err)
{
    vz_error why = VZ_ERROR_NONE;
    *location = (vz_location){.path = strdup(path), .is_named = named};
    if (!location->path)
        return vz_fail_memory(err);
    vz_location_probe probe = {.path = path, .file = -1, .named = named};
    bool ok = ask_kinds(location, &probe, err);
    const bool may = ok && check_named(location, probe.file, named, &why);
    ok = ok && (!may || probe.signature.kind != VZ_SIGNATURE_REDIRECT || follow(location, &probe, err));
    if (ok && may && location->redirect && location->type != VZ_PATH_TYPE_REDIRECT)
        check_named(location, -1, named, &why);
    if (ok && why.class != VZ_OK)
        shut(location, &why);
    ok = ok && (location->inside || (location->inside = strdup("")) || vz_fail_memory(err));
    if (probe.file >= 0)
        vz_os_close(probe.file);
    return ok;
}

static bool look_into_byte_source(vz_location_probe *probe, vz_error *err)
{
    uint64_t size;
    if (!vz_byte_source_size(probe->source, &size, err))
        return false;
    const size_t length = size < VZ_PATH_PROBE_START ? (size_t)size : VZ_PATH_PROBE_START;
    probe->looked = true;
    probe->length = strlen(probe->path);
    probe->status.st_size = size > INT64_MAX ? INT64_MAX : (off_t)size;
    if (!vz_byte_source_read(probe->source, 0, probe->start, length, err) ||
        !vz_signature_find_in(probe->source, size, &probe->signature, err))
        return false;
    probe->is_hdf5 = probe->signature.kind != VZ_SIGNATURE_NONE;
    return true;
}

bool vz_location_find_over(vz_byte_source *source, const char *name, bool writable, vz_location *location,
                           vz_error *err)
{
    vz_location_probe probe = {.path = name, .file = -1, .source = source, .writable = writable};
    *location =
        (vz_location){.path = strdup(name), .root = strdup(name), .inside = strdup(""), .over_byte_source = true};
    const bool ok = ((location->path && location->root && location->inside) || vz_fail_memory(err)) &&
                    look_into_byte_source(&probe, err) && ask_kinds(location, &probe, err);
    if (ok && probe.signature.kind == VZ_SIGNATURE_REDIRECT) {
        location->type = VZ_PATH_TYPE_REDIRECT;
        location->is_sure = true;
        vz_error_set(&location->why, VZ_UNSUPPORTED,
                     "a doorway, a file that names a Zarr store, as a file object: the name counts from its "
                     "directory, so open it by its path, or the store itself");
    }
    vz_byte_source_close(probe.source, NULL);
    return ok;
}

void vz_location_clear(vz_location *location)
{
    vz_store_close(location->store);
    vz_byte_source_close(location->hdf5, NULL);
    free(location->path);
    free(location->redirect);
    free(location->behind);
    free(location->label);
    free(location->root);
    free(location->inside);
    *location = (vz_location){0};
}

const char *vz_location_label(const vz_location *location)
{
    return location->label ? location->label : location->path;
}

const char *vz_location_root(vz_location *location, vz_error *err)
{
    if (location->root)
        return location->root;
    const vz_store *store = location->store;
    location->root = store && store->descriptor ? vz_os_path_of_descriptor(*store->descriptor, store->path, err)
                                                : vz_os_path_resolve(store ? store->path : location->path, err);
    return location->root;
}

/* ---- the directory above ---- */

bool vz_location_climb(vz_location *location, vz_store *above, vz_error *err)
{
    const char *root = vz_location_root(location, err);
    const char *slash = root ? strrchr(root, '/') : NULL;
    vz_buffer inside = {0};
    char *up = !slash ? NULL : slash == root ? strdup("/") : strndup(root, (size_t)(slash - root));
    if (!up || !vz_buffer_printf(&inside, err, "%s%s%s", slash + 1, *location->inside ? "/" : "", location->inside) ||
        !vz_buffer_append(&inside, "", 1, err)) {
        vz_store_close(above);
        vz_buffer_clear(&inside);
        free(up);
        return root && !up ? vz_fail_memory(err) : false;
    }
    vz_store_close(location->store);
    free(location->root);
    free(location->inside);
    location->root = up;
    location->inside = (char *)inside.data;
    location->store = above;
    location->identity = above->identity;
    return true;
}

/* ---- what was found ---- */

bool vz_location_has_header(const vz_location *location)
{
    return location->is_sure || (location->kind && location->kind->has_user_block);
}

bool vz_location_is_elsewhere(const vz_location *location)
{
    return location->kind && location->kind->is_elsewhere;
}

bool vz_location_is_file(const vz_location *location)
{
    return location->kind && location->kind->is_file;
}

static bool meet_entry(void *context, const char *name, vz_store_key_kind kind, vz_error *err)
{
    (void)name, (void)kind, (void)err;
    *(bool *)context = false;
    return false;
}

bool vz_location_is_empty(const vz_location *location, int *sys_errno)
{
    bool is_empty = true;
    vz_error failed = VZ_ERROR_NONE;
    *sys_errno = 0;
    if (!location->store || (!vz_store_each_entry(location->store, "", meet_entry, &is_empty, &failed) && is_empty))
        *sys_errno = failed.sys_errno;
    return location->store && is_empty && failed.class == VZ_OK;
}
