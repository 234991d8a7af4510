/* hierarchy.c - one hierarchy in memory: made over a store, asked about, freed. */
#include "hierarchy/hierarchy.h"
#include "hierarchy/consolidated.h"
#include "hierarchy/document.h"
#include "hierarchy/moved.h"
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILENO_TOP_BIT ((uint64_t)1 << 63)

vz_hierarchy *vz_hierarchy_new(vz_store *store, const char *path, const vz_options *options, bool writable,
                               vz_error *err)
{
    vz_hierarchy *hierarchy = calloc(1, sizeof *hierarchy);
    char *copy = strdup(path);
    if (!hierarchy || !copy) {
        free(hierarchy);
        free(copy);
        vz_store_close(store);
        vz_fail_memory(err);
        return NULL;
    }
    hierarchy->store = store;
    store->follow_links = options->follow_links;
    store->durable = options->sync;
    hierarchy->path = copy;
    hierarchy->options = *options;
    hierarchy->format = options->format == 3 ? 3 : 2;
    hierarchy->writable = writable;
    hierarchy->owner = getpid();
    hierarchy->opens = 1;
    hierarchy->lock.descriptor = -1;
    hierarchy->identity = store->device || store->inode
                              ? vz_store_identity(store->device, store->inode)
                              : vz_store_identity((uint64_t)getpid(), (uint64_t)(uintptr_t)store);
    while (vz_registry_has_identity(hierarchy->identity))
        hierarchy->identity = vz_hash(&hierarchy->identity, sizeof hierarchy->identity, 0);
    if (!writable || vz_hierarchy_own(hierarchy, err))
        return hierarchy;
    vz_hierarchy_free(hierarchy);
    return NULL;
}

void vz_hierarchy_free(vz_hierarchy *hierarchy)
{
    if (!hierarchy)
        return;
    vz_moved_close(hierarchy);
    vz_node_free(hierarchy->root);
    while (hierarchy->unlinked) {
        vz_node *node = hierarchy->unlinked;
        vz_node_leave_unlinked(node);
        vz_node_free(node);
    }
    vz_consolidated_forget(hierarchy);
    vz_hierarchy_disown(hierarchy);
    vz_store_close(hierarchy->store);
    if (hierarchy->lock.descriptor >= 0)
        close(hierarchy->lock.descriptor);
    free(hierarchy->path);
    free(hierarchy);
}

static bool write_root_mark(vz_hierarchy *hierarchy, vz_error *err)
{
    vz_node *root = vz_node_new(hierarchy, VZ_NODE_GROUP, err);
    if (!root || !(root->members = vz_members_new(err))) {
        vz_node_free(root);
        return false;
    }
    hierarchy->root = root;
    root->is_new = root->consolidated_dropped = hierarchy->consolidates = hierarchy->wrote_documents = true;
    return vz_dirt_of(root, err) && vz_node_write_documents(root, err) &&
           /* what was there before may have been of the other format; until now it said that this is a store */
           vz_store_del(hierarchy->store, root->format == 3 ? VZ_DOCUMENT_GROUP : VZ_DOCUMENT_V3, err);
}

vz_hierarchy *vz_hierarchy_over(vz_store *store, const char *path, const vz_options *options, bool writable,
                                bool create, vz_error *err)
{
    vz_hierarchy *hierarchy = vz_hierarchy_new(store, path, options, writable, err);
    if (!hierarchy)
        return NULL;
    bool ok = create ? write_root_mark(hierarchy, err) : (hierarchy->root = vz_node_load_root(hierarchy, err)) != NULL;
    if (ok) {
        vz_moved_written(hierarchy);
        return hierarchy;
    }
    vz_error_where(err, path, "/");
    vz_hierarchy_free(hierarchy);
    return NULL;
}

void vz_hierarchy_ref(vz_hierarchy *hierarchy)
{
    hierarchy->opens++;
}

vz_node *vz_hierarchy_root(vz_hierarchy *hierarchy)
{
    return hierarchy->root;
}

const char *vz_hierarchy_path(const vz_hierarchy *hierarchy)
{
    return hierarchy->path;
}

vz_store *vz_hierarchy_store(vz_hierarchy *hierarchy)
{
    return hierarchy->store;
}

vz_options *vz_hierarchy_options(vz_hierarchy *hierarchy)
{
    return &hierarchy->options;
}

bool vz_hierarchy_writable(const vz_hierarchy *hierarchy)
{
    return hierarchy->writable;
}

int vz_hierarchy_format(const vz_hierarchy *hierarchy)
{
    return hierarchy->format;
}

bool vz_hierarchy_is_ours(const vz_hierarchy *hierarchy)
{
    return vz_json_get(hierarchy->root->annotation, VZ_ANNOTATION_MARK) != NULL;
}

uint64_t vz_hierarchy_fileno(const vz_hierarchy *hierarchy)
{
    return hierarchy->identity | FILENO_TOP_BIT;
}

uint64_t vz_hierarchy_changes(const vz_hierarchy *hierarchy)
{
    return hierarchy->changes;
}

bool vz_hierarchy_inherited(const vz_hierarchy *hierarchy)
{
    return hierarchy->owner != getpid();
}

/* What the parent had not written is the parent's to write: here it would be written twice, or torn. */
bool vz_hierarchy_keep_inherited(vz_hierarchy *hierarchy)
{
    if (!vz_hierarchy_inherited(hierarchy))
        return false;
    for (struct vz_node_dirt *dirt = hierarchy->dirty; dirt && !hierarchy->kept; dirt = dirt->next)
        if (dirt->node->io)
            vz_array_keep_dirty(dirt->node->io, true);
    hierarchy->kept = true;
    return true;
}

static bool visit_below(vz_node *group, vz_node_visit visit, void *context, vz_error *err);

static bool visit_node(vz_node *node, vz_node_visit visit, void *context, vz_error *err)
{
    return visit(node, context, err) && (!node->members || visit_below(node, visit, context, err));
}

static bool visit_below(vz_node *group, vz_node_visit visit, void *context, vz_error *err)
{
    size_t cursor = 0;
    vz_node *node;
    while ((node = vz_node_next_below(group, &cursor)))
        if (!visit_node(node, visit, context, err))
            return false;
    return true;
}

bool vz_hierarchy_each_loaded(vz_hierarchy *hierarchy, vz_node_visit visit, void *context, vz_error *err)
{
    return visit_node(hierarchy->root, visit, context, err);
}

bool vz_hierarchy_is_at(const vz_hierarchy *hierarchy, const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && (uint64_t)status.st_dev == hierarchy->store->device &&
           (uint64_t)status.st_ino == hierarchy->store->inode;
}

bool vz_hierarchy_names_gone(const vz_hierarchy *hierarchy)
{
    return hierarchy->names_gone;
}

const struct vz_writer *vz_hierarchy_writer(const vz_hierarchy *hierarchy)
{
    return hierarchy->writer;
}

void vz_hierarchy_set_writer(vz_hierarchy *hierarchy, const struct vz_writer *writer)
{
    hierarchy->writer = writer;
}

unsigned vz_hierarchy_due(const vz_hierarchy *hierarchy)
{
    return hierarchy->due;
}

void vz_hierarchy_add_due(vz_hierarchy *hierarchy, unsigned due)
{
    hierarchy->due |= due;
}

void vz_hierarchy_done(vz_hierarchy *hierarchy, unsigned due)
{
    hierarchy->due &= ~due;
}

bool vz_hierarchy_take_names_gone(vz_hierarchy *hierarchy)
{
    const bool gone = hierarchy->names_gone;
    hierarchy->names_gone = false;
    return gone;
}
