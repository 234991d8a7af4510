/* open.c - opening and closing stores by path. */
#include "hierarchy/consolidated.h"
#include "hierarchy/document.h"
#include "hierarchy/hierarchy.h"
#include "hierarchy/location.h"
#include <errno.h>
#include <stdlib.h>

/* ---- creating ---- */

static vz_hierarchy *create(const char *path, vz_open_mode mode, const vz_options *options, vz_error *err)
{
    if (mode == VZ_CREATE_TRUNCATE && !vz_lock_check(path, options, err))
        return NULL;
    vz_store *store = vz_create_store(path, mode, err);
    if (!store)
        return NULL;
    vz_settle_shapes(store); /* of what was there before */
    vz_store_journals_done(store);
    vz_hierarchy *hierarchy = vz_hierarchy_over(store, path, options, true, true, err);
    if (!hierarchy)
        vz_create_undo(path);
    return hierarchy;
}

/* ---- opening ---- */

/* Why a zip file is no store. */
static bool fail_for_zip(const char *real, vz_error *err)
{
    vz_store *store = vz_store_open_zip(real, false, err);
    vz_store_close(store);
    return store && vz_fail(err, VZ_INVALID, "a zip file, but there is no Zarr metadata at its top");
}

static bool check_location(const vz_location *location, int sys_errno, vz_error *err)
{
    if (sys_errno)
        return vz_fail_errno(err, sys_errno, "cannot open the store");
    switch (location->kind) {
    case VZ_PATH_ZARR:
        return true;
    case VZ_PATH_HDF5:
        return vz_fail(err, VZ_INVALID, "not a Zarr store but an HDF5 file");
    case VZ_PATH_EMPTY_DIRECTORY:
        return vz_fail(err, VZ_INVALID, "not a Zarr store but an empty directory");
    default:
        if (vz_path_is_zip(location->real))
            return fail_for_zip(location->real, err);
        return vz_fail(err, VZ_INVALID, "not a Zarr store");
    }
}

static bool is_document(const char *key)
{
    static const char *const names[] = {VZ_DOCUMENT_ARRAY, VZ_DOCUMENT_GROUP, VZ_DOCUMENT_ATTRIBUTES, VZ_DOCUMENT_V3,
                                        VZ_DOCUMENT_CONSOLIDATED};
    const char *slash = strrchr(key, '/'), *name = slash ? slash + 1 : key;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* Documents that unpack to much more than the zip file has are nobody's: reading them would take all memory. */
static bool check_documents(vz_store *store, const vz_options *options, vz_error *err)
{
    uint64_t size, own, most;
    if (!vz_store_claims(store, is_document, &size, &own) || size <= VZ_DOCUMENTS_FREE_SIZE ||
        !vz_mul(own, (uint64_t)options->document_ratio, &most) || size <= most)
        return true;
    return vz_fail(
        err, VZ_LIMIT,
        "the metadata in this zip file of %llu bytes takes %llu when it is read, more than %lld times as much "
        "(option document_ratio)",
        (unsigned long long)own, (unsigned long long)size, (long long)options->document_ratio);
}

static vz_hierarchy *open_top(const char *path, const vz_location *location, bool writable, const vz_options *options,
                              vz_error *err)
{
    vz_hierarchy *open = vz_registry_find(location->device, location->inode);
    if (open && writable && !open->writable) {
        vz_fail(err, VZ_BUSY, "the store is already open read-only in this process");
        return NULL;
    }
    if (open) {
        vz_hierarchy_ref(open);
        return open;
    }
    vz_store *store = location->is_zip ? vz_store_open_zip(location->top, writable, err)
                                       : vz_store_open_directory(location->top, writable, err);
    if (store && !check_documents(store, options, err)) {
        vz_store_close(store);
        return NULL;
    }
    if (store && writable)
        vz_settle_shapes(store);
    if (store && !writable && options->consolidated == VZ_CONSOLIDATED_USE)
        store = vz_consolidated_store(store, err);
    return store ? vz_hierarchy_over(store, path, options, writable, false, err) : NULL;
}

static vz_node *step_down(vz_node *group, const char *segment, vz_error *err)
{
    if (!vz_members_load(group, err))
        return NULL;
    const vz_member *member = vz_members_by_segment(group->members, segment);
    vz_link *link = member ? vz_group_find(group, member->link.name, err) : NULL;
    if (!link)
        vz_fail(err, VZ_NOT_FOUND, "there is no node \"%.200s\"", segment);
    return link ? vz_link_node(group, link, err) : NULL;
}

/* From the topmost group to the node that the path named. */
static vz_node *find_start(vz_hierarchy *hierarchy, const vz_location *location, vz_error *err)
{
    vz_node *node = hierarchy->root;
    char *copy = strdup(location->real + strlen(location->top)), *rest = copy, *part;
    if (!copy)
        vz_fail_memory(err);
    while (copy && node && (part = strsep(&rest, "/")))
        if (*part)
            node = step_down(node, part, err);
    free(copy);
    return copy ? node : NULL;
}

static bool is_registered(const vz_hierarchy *hierarchy)
{
    return vz_registry_find(hierarchy->store->device, hierarchy->store->inode) == hierarchy;
}

static vz_hierarchy *open_existing(const char *path, bool writable, const vz_options *options, vz_node **start,
                                   vz_error *err)
{
    vz_location location;
    int sys_errno;
    vz_hierarchy *hierarchy = NULL;
    if (vz_path_locate(path, &location, &sys_errno, err) && check_location(&location, sys_errno, err))
        hierarchy = open_top(path, &location, writable, options, err);
    if (hierarchy && !(*start = find_start(hierarchy, &location, err))) {
        if (is_registered(hierarchy))
            hierarchy->opens--; /* somebody else's: nothing of it was changed */
        else
            vz_hierarchy_free(hierarchy);
        hierarchy = NULL;
    }
    vz_location_clear(&location);
    return hierarchy;
}

bool vz_hierarchy_open(const char *path, vz_open_mode mode, const vz_options *options, vz_hierarchy **hierarchy,
                       vz_node **start, vz_error *err)
{
    vz_hierarchy *opened;
    if (mode == VZ_OPEN_READ || mode == VZ_OPEN_WRITE) {
        opened = open_existing(path, mode == VZ_OPEN_WRITE, options, start, err);
    } else {
        opened = create(path, mode, options, err);
        *start = opened ? opened->root : NULL;
    }
    if (opened && !is_registered(opened) && !vz_lock_take(opened, err)) {
        vz_hierarchy_free(opened);
        opened = NULL;
    }
    if (!opened) {
        vz_error_where(err, path, NULL);
        return false;
    }
    if (!is_registered(opened))
        vz_registry_add(opened);
    vz_node_ref(*start);
    *hierarchy = opened;
    return true;
}

/* ---- closing ---- */

static void delete_unlinked_data(vz_hierarchy *hierarchy)
{
    if (!hierarchy->writable || vz_hierarchy_inherited(hierarchy))
        return;
    for (const vz_node *node = hierarchy->unlinked; node; node = node->next)
        vz_store_del_tree(hierarchy->store, node->partial, NULL);
}

bool vz_hierarchy_close(vz_hierarchy *hierarchy, vz_error *err)
{
    if (--hierarchy->opens > 0)
        return vz_hierarchy_write(hierarchy, err);
    delete_unlinked_data(hierarchy);
    const bool ok = hierarchy->gave_up || vz_hierarchy_finish(hierarchy, true, err);
    vz_registry_remove(hierarchy);
    vz_hierarchy_free(hierarchy);
    return ok;
}
