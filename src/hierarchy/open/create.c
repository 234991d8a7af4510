/* create.c - making a new store, where there may be something already; removing one. */
#include "hierarchy/consolidated/consolidated.h"
#include "hierarchy/open/open.h"
#include "hierarchy/resolve/open_stores.h"
#include "hierarchy/resolve/path.h"
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/open/open_internal.h"
#include "base/os/file.h"
#include <errno.h>
#include <stdlib.h>

bool vz_open_check_changes(const vz_path_result *found, vz_error *err)
{
    return !found->at.within || vz_fail(err, VZ_READ_ONLY, "an %s, which can only be read, is neither made nor removed",
                                        vz_store_kind_title(found->at.within));
}

/* Everything but the documents of a root group: as long as one is there, it is a store. The
 * copies of all documents go first: whoever reads them would find fill values where chunks are
 * gone. */
static bool empty_store(vz_store *store, vz_error *err)
{
    vz_entry *entries = NULL;
    size_t count = 0;
    bool ok = vz_consolidated_drop_in(store, err) && vz_store_list(store, "", &entries, &count, err);
    for (size_t i = 0; ok && i < count; i++)
        if (!vz_zarr_is_group_document(entries[i].name))
            ok = vz_store_del_tree(store, entries[i].name, err);
    vz_entries_free(entries, count);
    return ok;
}

static bool check_free(vz_path_result *found, const char *what, vz_error *err)
{
    const char *root = vz_location_root(&found->at, err);
    if (!root)
        return false;
    /* by its identity too: an open store that was renamed is not where it was opened */
    const vz_hierarchy *open = vz_registry_find_around(root, true);
    if (!open)
        open = vz_registry_find(&found->at.identity);
    return !open || vz_fail(err, VZ_BUSY, "cannot %s: the store %.200s is open in this process: close it first", what,
                            open->path);
}

/* A store may be made inside of another one, but not under its handles. */
static bool check_place(const char *path, vz_error *err)
{
    if (!vz_registry_any())
        return true;
    vz_error failed = VZ_ERROR_NONE;
    char *directory = vz_os_path_directory(path, &failed);
    char *above = directory ? vz_os_path_resolve(directory, &failed) : NULL;
    free(directory);
    if (!above)
        return failed.sys_errno ? vz_fail_errno(err, failed.sys_errno, "cannot create the store") : vz_fail_memory(err);
    const vz_hierarchy *open = vz_registry_find_around(above, false);
    free(above);
    return !open || vz_fail(err, VZ_BUSY, "cannot create a store in the store %.200s, which is open", open->path);
}

/* The new file has the mode and owner of the old one. */
static bool remove_file(const char *path, const vz_store_kind *kind, vz_error *err)
{
    return vz_os_path_check_replaceable(path, vz_lock_is_wanted_by_hdf5(), err) &&
           (vz_location_replaces_file(kind) || vz_os_path_remove_file(path, err));
}

/* Everything in the directory of a store, if it is all a store's. */
static bool remove_content(vz_path_result *found, vz_error *err)
{
    if (!vz_delete_check_all_is_zarr(found->at.store, err) || !vz_consolidated_drop_above(found->at.store, err))
        return false;
    vz_store *store = vz_location_open(&found->at, true, err);
    const bool ok = store && empty_store(store, err);
    vz_store_close(store);
    return ok;
}

static bool delete_content(vz_path_result *found, vz_error *err)
{
    vz_store *store = vz_location_open(&found->at, true, err);
    if (!store)
        return false;
    vz_registry_forget_tokens(&store->identity);
    bool ok = empty_store(store, err);
    for (size_t i = 0; ok && i < VZ_ZARR_FORMATS; i++)
        ok = vz_store_del(store, vz_zarr_formats[i]->group, err);
    ok = ok && vz_store_del_tree(store, "", err); /* what no listing shows: partial files */
    if (ok) {
        vz_open_shapes_recover(store);
        vz_store_journals_done(store);
    }
    vz_store_close(store);
    return ok;
}

/* A directory in whose place a file is to be goes, too. */
static bool remove_directory(vz_path_result *found, vz_error *err)
{
    const char *root = vz_location_root(&found->at, err);
    return root && vz_delete_check_all_is_zarr(found->at.store, err) &&
           vz_consolidated_drop_above(found->at.store, err) && delete_content(found, err) &&
           vz_location_remove(found->at.kind, root, err);
}

static bool remove_store(vz_path_result *found, const vz_store_kind *kind, vz_error *err)
{
    if (!check_free(found, "truncate", err))
        return false;
    if (vz_location_is_file(&found->at))
        return remove_file(vz_location_root(&found->at, err), kind, err);
    return vz_location_kind_is_file(kind) ? remove_directory(found, err) : remove_content(found, err);
}

/* H5F_ACC_TRUNC removes a store or a file, so that a store of that kind can be made. A directory
 * that becomes a store again stays, and so do links to it. */
static bool remove_old(vz_path_result *found, const vz_store_kind *kind, vz_error *err)
{
    if (found->sys_errno)
        return vz_fail_errno(err, found->sys_errno, "cannot look at it");
    if (found->kind == VZ_PATH_EMPTY_DIRECTORY)
        return !vz_location_kind_is_file(kind) ||
               vz_fail_errno(err, EISDIR, "not replaced by a %s", vz_store_kind_title(kind));
    if (*found->at.inside)
        return vz_fail_errno(err, EEXIST, "a node inside of a %s, so not replaced",
                             vz_store_kind_title(found->at.kind));
    if (found->kind == VZ_PATH_ZARR && !found->is_implicit)
        return remove_store(found, kind, err);
    if (found->kind != VZ_PATH_HDF5 && found->kind != VZ_PATH_EMPTY_FILE && found->kind != VZ_PATH_FILE)
        return vz_fail_errno(err, EEXIST,
                             "neither a Zarr store nor a file nor empty, so not replaced (move it away first)");
    const char *path = vz_location_root(&found->at, err);
    return path && check_place(path, err) && remove_file(path, kind, err);
}

/* ---- making ---- */

/* A directory is made where nothing has the name, not even a link: then there is none to follow.
 * *done=false (and NULL returned): it is not tried, or something has the name. */
static vz_store *create_directory(const char *path, const vz_store_creation *wanted, vz_open_made *made, bool *done,
                                  vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    made->kind = check_place(path, &failed) ? vz_location_kind(path, wanted, &failed) : NULL;
    vz_store *store = made->kind && !vz_location_kind_is_file(made->kind)
                          ? vz_location_create(path, made->kind, wanted->user_block, VZ_MAKE_NEW, &failed)
                          : NULL;
    *done = store || (failed.class != VZ_OK && failed.class != VZ_EXISTS);
    if (!store && *done && err)
        *err = failed;
    return store;
}

static vz_store *create_missing(const char *path, const vz_store_creation *wanted, vz_open_made *made, vz_error *err)
{
    bool done;
    vz_store *store = create_directory(path, wanted, made, &done, err);
    if (done)
        return store;
    vz_error failed = VZ_ERROR_NONE;
    char *end = vz_os_path_end_of_links(path, &failed);
    if (!end && failed.sys_errno)
        vz_fail_errno(err, failed.sys_errno, "cannot create the store");
    else if (!end)
        vz_fail_memory(err);
    made->kind = end && check_place(end, err) ? vz_location_kind(end, wanted, err) : NULL;
    store = made->kind ? vz_location_create(end, made->kind, wanted->user_block, VZ_MAKE_NEW, err) : NULL;
    free(end);
    return store;
}

static vz_store *create_elsewhere(vz_path_result *found, vz_path_open_mode mode, vz_open_made *made, vz_error *err)
{
    if (found->at.redirect) {
        vz_fail(err, VZ_UNSUPPORTED, "a remote store is not made anew through a doorway: use its own name");
        return NULL;
    }
    if (!check_free(found, "truncate", err))
        return NULL;
    return vz_open_create_remote(found, mode, made, err);
}

static vz_store *create_over(vz_path_result *found, vz_path_open_mode mode, const vz_store_creation *wanted,
                             vz_open_made *made, vz_error *err)
{
    if (found->at.type == VZ_PATH_TYPE_REDIRECT) {
        if (err)
            *err = found->at.why;
        return NULL;
    }
    if (mode == VZ_CREATE_EXCLUSIVE && (found->at.redirect || vz_os_path_is_taken(found->at.path))) {
        vz_fail_errno(err, EEXIST, "cannot create the store");
        return NULL;
    }
    if (found->kind == VZ_PATH_MISSING) {
        if (found->sys_errno == ENOENT)
            return create_missing(found->at.path, wanted, made, err);
        vz_fail_errno(err, found->sys_errno, "cannot create the store");
        return NULL;
    }
    const bool over_empty = mode == VZ_CREATE_OVER_EMPTY && found->kind == VZ_PATH_EMPTY_FILE;
    const bool in_empty = mode == VZ_CREATE_OVER_EMPTY && found->kind == VZ_PATH_EMPTY_DIRECTORY;
    if (mode != VZ_CREATE_TRUNCATE && !over_empty && !in_empty) {
        const int sys_errno = vz_os_path_is_there(found->at.path) ? EEXIST : found->sys_errno;
        vz_fail_errno(err, sys_errno ? sys_errno : EEXIST, "cannot create the store");
        return NULL;
    }
    const char *root = vz_location_root(&found->at, err);
    made->kind = root ? vz_location_kind(root, wanted, err) : NULL;
    if (!made->kind || !remove_old(found, made->kind, err))
        return NULL;
    return vz_location_create(root, made->kind, wanted->user_block, over_empty ? VZ_MAKE_OVER_EMPTY : VZ_MAKE_OVER,
                              err);
}

vz_store *vz_open_create_store(vz_path_result *found, vz_path_open_mode mode, const vz_store_creation *wanted,
                               vz_open_made *made, vz_error *err)
{
    if (found->at.over_byte_source) { /* it was made there, and is empty */
        if (!check_free(found, "truncate", err))
            return NULL;
        vz_registry_forget_tokens(&found->at.identity);
        return vz_location_open(&found->at, true, err);
    }
    vz_store *store = vz_location_is_elsewhere(&found->at) ? create_elsewhere(found, mode, made, err)
                                                           : create_over(found, mode, wanted, made, err);
    if (!store)
        return NULL;
    vz_registry_forget_tokens(&store->identity);
    made->root = strdup(store->path);
    if (!made->root) {
        vz_fail_memory(err);
        vz_location_remove(made->kind, store->path, NULL);
        vz_store_close(store);
        return NULL;
    }
    /* Consolidated metadata above must not list the old store. */
    if (vz_consolidated_drop_above(store, err))
        return store;
    vz_store_close(store);
    vz_open_create_undo(made);
    return NULL;
}

/* Of a directory only if nothing is in it. */
void vz_open_create_undo(const vz_open_made *made)
{
    if (made->root)
        vz_location_remove(made->kind, made->root, NULL);
}

void vz_open_made_clear(vz_open_made *made)
{
    free(made->root);
    *made = (vz_open_made){0};
}

/* ---- removing ---- */

/* The store behind it stays, also where that is open. */
static bool delete_doorway(const vz_path_result *found, vz_error *err)
{
    char *real = vz_os_path_resolve(found->at.redirect, err);
    const bool ok = real && vz_os_path_remove_file(real, err);
    free(real);
    if (ok)
        vz_os_path_unlink(found->at.redirect); /* the link that led there, if it was one */
    return ok;
}

static bool delete_elsewhere(vz_path_result *found, vz_error *err)
{
    if (found->at.why.class != VZ_OK) {
        *err = found->at.why;
        return false;
    }
    if (found->kind != VZ_PATH_ZARR)
        return vz_fail_errno(err, ENOENT, "cannot delete the store");
    return check_free(found, "delete", err) && vz_open_remove_remote(found, err);
}

static bool delete_found(vz_path_result *found, vz_error *err)
{
    const bool is_file = vz_location_is_file(&found->at);
    if (!vz_open_check_changes(found, err))
        return false;
    if (vz_location_is_elsewhere(&found->at))
        return delete_elsewhere(found, err);
    if (found->sys_errno)
        return vz_fail_errno(err, found->sys_errno, "cannot delete the store");
    if (found->kind != VZ_PATH_ZARR || found->is_implicit)
        return vz_fail(err, VZ_INVALID, "not a Zarr store, so not deleted");
    if (!check_free(found, "delete", err) || (!is_file && !vz_delete_check_all_is_zarr(found->at.store, err)) ||
        !vz_consolidated_drop_above(found->at.store, err))
        return false;
    if (*found->at.inside)
        return vz_fail(err, VZ_INVALID, "a node inside of a %s, so not deleted", vz_store_kind_title(found->at.kind));
    const vz_identity identity = found->at.identity;
    const char *root = vz_location_root(&found->at, err);
    if (!root || (!is_file && !delete_content(found, err)))
        return false;
    vz_registry_forget_tokens(&identity);
    if (!vz_location_remove(found->at.kind, root, err))
        return false;
    vz_os_path_unlink(found->at.path); /* the link that led there, if it was one */
    return true;
}

bool vz_delete_found(vz_path_result *found, vz_error *err)
{
    const bool ok = found->at.redirect ? delete_doorway(found, err) : delete_found(found, err);
    if (!ok)
        vz_error_where(err, vz_location_label(&found->at), NULL);
    return ok;
}

bool vz_open_is_free(vz_path_result *found, const char *what, vz_error *err)
{
    return found->at.redirect || found->kind != VZ_PATH_ZARR || check_free(found, what, err);
}

bool vz_delete_to_make_way(vz_path_result *found, vz_error *err)
{
    if (found->at.redirect || found->kind != VZ_PATH_ZARR)
        return true;
    if (!vz_location_is_file(&found->at))
        return vz_delete_found(found, err);
    const bool ok = check_free(found, "truncate", err);
    if (!ok)
        vz_error_where(err, found->at.path, NULL);
    return ok;
}

bool vz_delete_hierarchy(const char *path, vz_error *err)
{
    vz_path_result found;
    const bool ok = vz_path_result_look(path, &found, err) && vz_delete_found(&found, err);
    vz_path_result_clear(&found);
    return ok;
}
