/* open.c - opening and closing stores by path. */
#include "hierarchy/consolidated/consolidated.h"
#include "hierarchy/open/open.h"
#include "hierarchy/resolve/open_stores.h"
#include "hierarchy/resolve/path.h"
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/nodes/member.h"
#include "hierarchy/open/open_internal.h"
#include "hierarchy/edit/ranks.h"
#include "hierarchy/writeback/writeback.h"
#include <stdlib.h>

/* ---- creating ---- */

/* The kind of store that options and program ask for. A user block asks for one file, unless the
 * option names another kind. Behind a redirect file the option does not count: the store keeps its
 * kind, or has the kind that its own name says. */
static bool find_wanted(const vz_path_result *found, const vz_options *options, vz_store_creation *wanted,
                        vz_error *err)
{
    static const char *const kinds[] = {[VZ_CONTAINER_AUTO] = NULL,
                                        [VZ_CONTAINER_DIRECTORY] = "directory",
                                        [VZ_CONTAINER_ZIP] = "zip",
                                        [VZ_CONTAINER_FILE] = "file"};
    *wanted = (vz_store_creation){.kind = kinds[options->container], .user_block = options->user_block};
    if (vz_location_is_elsewhere(&found->at))
        return vz_open_create_remote_check(found, options, err);
    if (found->at.redirect) {
        wanted->kind = found->at.kind ? vz_store_kind_name(found->at.kind) : NULL;
        return true; /* a store that can have no user block is refused where it is made */
    }
    if (!wanted->user_block || options->container == VZ_CONTAINER_FILE)
        return true;
    if (options->container != VZ_CONTAINER_AUTO)
        return vz_fail(err, VZ_UNSUPPORTED,
                       "option container=%s: the program asks for a user block of %llu bytes, which only one file can "
                       "have (container=file or auto)",
                       wanted->kind, (unsigned long long)wanted->user_block);
    wanted->kind = kinds[VZ_CONTAINER_FILE];
    return true;
}

void vz_open_flushes(vz_path_result *found)
{
    found->flushes = true;
}

/* Documents are locked. */
static bool leaves_documents(const vz_path_result *found, const vz_store *store, const vz_options *options)
{
    return found->flushes && !found->comm && store->is_fresh && !vz_lock_is_wanted(options);
}

static vz_hierarchy *create(vz_path_result *found, vz_path_open_mode mode, const vz_options *options, vz_error *err)
{
    if (!vz_open_check_changes(found, err))
        return NULL;
    vz_open_made made = {0};
    vz_store_creation wanted;
    vz_hierarchy *hierarchy = NULL;
    if (!find_wanted(found, options, &wanted, err))
        return NULL;
    if (mode == VZ_CREATE_TRUNCATE && found->at.store &&
        !vz_lock_check(found->at.store, vz_location_is_file(&found->at), options, err))
        return NULL;
    vz_store *store = vz_open_create_store(found, mode, &wanted, &made, err);
    if (store) {
        vz_open_shapes_recover(store); /* of what was there before */
        vz_store_journals_done(store);
        /* An empty directory is nobody's: its maker may be dead, or about to put the first
         * document. */
        const bool claims = mode != VZ_CREATE_TRUNCATE && !vz_location_is_elsewhere(&found->at) &&
                            !found->at.over_byte_source && !vz_location_kind_is_file(made.kind);
        hierarchy = vz_open_hierarchy_over_new(store, found->at.path, options, leaves_documents(found, store, options),
                                               claims, err);
        if (!hierarchy)
            vz_open_create_undo(&made);
    }
    vz_open_made_clear(&made);
    return hierarchy;
}

/* ---- opening ---- */

static bool check_found(const vz_path_result *found, vz_error *err)
{
    if (found->at.why.class != VZ_OK && vz_location_is_elsewhere(&found->at)) {
        *err = found->at.why;
        return false;
    }
    if (found->sys_errno)
        return vz_fail_errno(err, found->sys_errno, "cannot open the store");
    switch (found->kind) {
    case VZ_PATH_ZARR:
        return true;
    case VZ_PATH_HDF5:
        return vz_fail(err, VZ_INVALID, "not a Zarr store but an HDF5 file");
    case VZ_PATH_EMPTY_DIRECTORY:
        return vz_fail(err, VZ_INVALID, "not a Zarr store but an empty directory");
    default:
        if (found->at.why.class != VZ_OK && err)
            *err = found->at.why;
        if (found->at.why.class != VZ_OK)
            return false;
        if (vz_location_is_file(&found->at))
            return vz_fail(err, VZ_INVALID, "a %s, but there is no Zarr metadata at its top",
                           vz_store_kind_title(found->at.kind));
        return vz_fail(err, VZ_INVALID, "not a Zarr store");
    }
}

static bool is_document(const char *key)
{
    const char *slash = strrchr(key, '/');
    return vz_zarr_is_document(slash ? slash + 1 : key);
}

/* Documents that unpack to much more than the zip file has are nobody's: reading them would take
 * all memory. */
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

static vz_hierarchy *open_top(vz_path_result *found, bool writable, const vz_options *options, vz_error *err)
{
    vz_hierarchy *open = vz_registry_find(&found->at.identity);
    if (open && !vz_ranks_may_join(open, found->comm, writable, err))
        return NULL;
    if (open && writable && !open->writable) {
        vz_fail(err, VZ_BUSY,
                "the store is already open read-only in this process: close each file of it that is open (h5py.File, "
                "H5Fopen, a dataset of xarray), or open it for writing first");
        return NULL;
    }
    if (open) {
        vz_hierarchy_ref(open);
        open->options.write_through |= options->write_through; /* a promise to whoever opens it
                                                                * so */
        return open;
    }
    vz_store *store = vz_location_open(&found->at, writable, err);
    if (store && !check_documents(store, options, err)) {
        vz_store_close(store);
        return NULL;
    }
    if (store && writable && (!found->comm || vz_comm_leads(found->comm)))
        vz_open_shapes_recover(store);
    if (store && !writable && options->consolidated == VZ_CONSOLIDATED_USE)
        store = vz_consolidated_store(store, err);
    return store ? vz_open_hierarchy_over(store, found->at.path, options, writable, false, err) : NULL;
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

vz_node *vz_open_at_prefix(vz_hierarchy *hierarchy, const char *prefix, vz_error *err)
{
    vz_node *node = hierarchy->root;
    char *copy = strdup(prefix), *rest = copy, *part;
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
    return vz_registry_find(&hierarchy->store->identity) == hierarchy;
}

static vz_hierarchy *open_existing(vz_path_result *found, bool writable, const vz_options *options, vz_node **start,
                                   vz_error *err)
{
    if (!check_found(found, err) || !vz_path_result_climb(found, err))
        return NULL;
    vz_hierarchy *hierarchy = open_top(found, writable, options, err);
    if (!hierarchy || (*start = vz_open_at_prefix(hierarchy, found->at.inside, err)))
        return hierarchy;
    if (is_registered(hierarchy))
        hierarchy->registry.opens--; /* another process's: nothing of it was changed */
    else
        vz_open_hierarchy_free(hierarchy);
    return NULL;
}

bool vz_open_found(vz_path_result *found, vz_path_open_mode mode, const vz_options *options, vz_hierarchy **hierarchy,
                   vz_node **start, vz_error *err)
{
    vz_hierarchy *opened;
    if (mode == VZ_OPEN_READ || mode == VZ_OPEN_WRITE) {
        opened = open_existing(found, mode == VZ_OPEN_WRITE, options, start, err);
    } else {
        opened = create(found, mode, options, err);
        *start = opened ? opened->root : NULL;
    }
    if (opened && !is_registered(opened))
        vz_hierarchy_take_place(opened, &found->at);
    const bool joins = opened && found->comm && opened->writable && !is_registered(opened);
    if ((joins && !vz_ranks_join(opened, found->comm, err)) ||
        (opened && !is_registered(opened) && !vz_hierarchy_follows(opened) && !vz_lock_acquire(opened, err))) {
        opened->ranks.comm = NULL; /* still the caller's */
        vz_open_hierarchy_free(opened);
        opened = NULL;
    }
    if (!opened) {
        vz_error_where(err, vz_location_label(&found->at), NULL);
        return false;
    }
    if (!is_registered(opened))
        vz_registry_add(opened);
    vz_node_ref(*start);
    *hierarchy = opened;
    return true;
}

bool vz_open_hierarchy(const char *path, vz_path_open_mode mode, const vz_options *options, vz_hierarchy **hierarchy,
                       vz_node **start, vz_error *err)
{
    vz_path_result found;
    const bool ok =
        vz_path_result_look(path, &found, err) && vz_open_found(&found, mode, options, hierarchy, start, err);
    vz_path_result_clear(&found);
    return ok;
}

/* ---- closing ---- */

static void delete_unlinked_data(vz_hierarchy *hierarchy)
{
    if (!hierarchy->writable || vz_hierarchy_inherited(hierarchy) || vz_hierarchy_follows(hierarchy))
        return;
    for (const vz_node *node = hierarchy->unlinked; node; node = node->next)
        vz_store_del_tree(hierarchy->store, node->partial, NULL);
}

bool vz_close_hierarchy(vz_hierarchy *hierarchy, vz_error *err)
{
    if (--hierarchy->registry.opens > 0) /* several ranks write together only */
        return hierarchy->ranks.comm || vz_flush_write(hierarchy, err);
    delete_unlinked_data(hierarchy);
    const bool ok = hierarchy->dirty.given_up || vz_flush_finish(hierarchy, true, err);
    vz_registry_remove(hierarchy);
    vz_open_hierarchy_free(hierarchy);
    return ok;
}
