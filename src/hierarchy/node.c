/* node.c - the life of a node: made, referenced, unlinked, freed; where it is. */
#include "hierarchy/hierarchy.h"
#include "hierarchy/second.h"
#include <stdio.h>
#include <stdlib.h>

#define PARTIAL_NAME_SIZE 320

vz_node *vz_node_new(vz_hierarchy *hierarchy, vz_node_kind kind, vz_error *err)
{
    vz_node *node = calloc(1, sizeof *node);
    if (!node) {
        vz_fail_memory(err);
        return NULL;
    }
    node->hierarchy = hierarchy;
    node->kind = kind;
    node->format = hierarchy->format;
    node->attributes = vz_json_object(err);
    node->annotation = vz_json_object(err);
    if (node->attributes && node->annotation)
        return node;
    vz_node_free(node);
    return NULL;
}

void vz_node_free(vz_node *node)
{
    if (!node)
        return;
    vz_node_leave_idle(node);
    vz_dirt_drop(node);
    vz_seconds_forget(node);
    if (node->view && node->view_free)
        node->view_free(node->view);
    vz_members_free(node->members);
    vz_array_close(node->io);
    vz_meta_free(node->meta);
    vz_json_free(node->document);
    vz_attribute_order_drop(node);
    vz_json_free(node->attributes);
    vz_json_free(node->annotation);
    vz_json_free(node->annotation_value);
    vz_json_free(node->names_elsewhere);
    free(node->partial);
    free(node->gone);
    free(node);
}

/* ---- where a node is ---- */

vz_node *vz_node_top(vz_node *node)
{
    while (node->parent)
        node = node->parent;
    return node;
}

bool vz_node_is_linked(const vz_node *node)
{
    while (node->parent)
        node = node->parent;
    return node == node->hierarchy->root;
}

size_t vz_node_depth(const vz_node *node)
{
    size_t depth = 0;
    for (; node->parent; node = node->parent)
        depth++;
    return depth;
}

char *vz_key_join(const char *prefix, const char *name, vz_error *err)
{
    const size_t length = strlen(prefix), more = strlen(name);
    char *key = malloc(length + more + 2);
    if (!key) {
        vz_fail_memory(err);
        return NULL;
    }
    memcpy(key, prefix, length);
    const size_t slash = length > 0 && more > 0;
    key[length] = '/';
    memcpy(key + length + slash, name, more + 1);
    return key;
}

static const char *part_of(const vz_node *node, bool segments)
{
    return segments ? node->link->segment : node->link->name;
}

/* The parts from the top down, '/' between them, behind `start`; built from its end. An empty part (the one array of an
 * array store) takes no slash. */
static char *join_parts(const vz_node *node, const char *start, bool segments, vz_error *err)
{
    size_t size = strlen(start) + 1;
    for (const vz_node *n = node; n->parent; n = n->parent)
        size += strlen(part_of(n, segments)) + 1;
    char *text = malloc(size);
    if (!text) {
        vz_fail_memory(err);
        return NULL;
    }
    char *p = text + size;
    *--p = '\0';
    for (const vz_node *n = node; n->parent; n = n->parent) {
        const char *part = part_of(n, segments);
        const size_t length = strlen(part);
        p -= length;
        memcpy(p, part, length);
        *--p = '/';
    }
    p -= strlen(start);
    memcpy(p, start, strlen(start));
    /* A key has no slash in front and none at its end. */
    char *first = segments && *p == '/' ? p + 1 : p;
    size_t length = strlen(first);
    if (segments && length > 0 && first[length - 1] == '/')
        length--;
    memmove(text, first, length);
    text[length] = '\0';
    return text;
}

char *vz_node_path(const vz_node *node, vz_error *err)
{
    if (!vz_node_is_linked(node))
        return NULL;
    return join_parts(node, node->parent ? "" : "/", false, err);
}

char *vz_path_of_name(const vz_node *group, const char *name, vz_error *err)
{
    char *above = vz_node_path(group, err), *path = NULL;
    if (above && asprintf(&path, "%s/%s", group->parent ? above : "", name) < 0) {
        path = NULL;
        vz_fail_memory(err);
    }
    free(above);
    return path;
}

char *vz_node_prefix(const vz_node *node, vz_error *err)
{
    const vz_node *top = node;
    while (top->parent)
        top = top->parent;
    return join_parts(node, top->partial ? top->partial : "", true, err);
}

vz_node *vz_node_next_below(const vz_node *node, size_t *cursor)
{
    const char *name;
    void *member;
    while (node->members && vz_strmap_next(node->members->by_name, cursor, &name, &member))
        if (((vz_member *)member)->link.node)
            return ((vz_member *)member)->link.node;
    return NULL;
}

static bool reprefix_below(vz_node *group, vz_error *err)
{
    size_t cursor = 0;
    vz_node *node;
    while ((node = vz_node_next_below(group, &cursor)))
        if (!vz_node_reprefix(node, err))
            return false;
    return true;
}

bool vz_node_reprefix(vz_node *node, vz_error *err)
{
    if (node->members)
        return reprefix_below(node, err);
    if (!node->io)
        return true;
    char *prefix = vz_node_prefix(node, err);
    const bool ok = prefix && vz_array_set_prefix(node->io, prefix, err);
    free(prefix);
    return ok;
}

/* ---- references ---- */

void vz_node_ref(vz_node *node)
{
    node->refs++;
    vz_node_leave_idle(node);
}

bool vz_node_has_refs(const vz_node *node)
{
    if (node->refs > 0)
        return true;
    size_t cursor = 0;
    const vz_node *member;
    while ((member = vz_node_next_below(node, &cursor)))
        if (vz_node_has_refs(member))
            return true;
    return false;
}

/* Nobody can reach it any more: its data goes, too. What stays behind after a failure is a partial directory, which the
 * next writer of the store removes. */
static void delete_unlinked(vz_node *top)
{
    vz_hierarchy *hierarchy = top->hierarchy;
    const bool ours = hierarchy->writable && !vz_hierarchy_inherited(hierarchy);
    vz_node_leave_unlinked(top);
    if (ours && (top->io || top->kind == VZ_NODE_GROUP || top->was_stored))
        vz_store_del_tree(hierarchy->store, top->partial, NULL);
    vz_node_free(top);
}

void vz_node_unref(vz_node *node)
{
    if (node->refs > 0 && --node->refs > 0)
        return;
    vz_node *top = vz_node_top(node);
    if (top == top->hierarchy->root)
        vz_node_left(node);
    else if (!vz_node_has_refs(top))
        delete_unlinked(top);
    else
        vz_node_drop_names(node);
}

/* ---- unlinked nodes ---- */

bool vz_node_make_unlinked(vz_node *node, vz_error *err)
{
    char name[PARTIAL_NAME_SIZE];
    if (!vz_partial_name(name, sizeof name, err))
        return false;
    if (!(node->partial = strdup(name)))
        return vz_fail_memory(err);
    vz_hierarchy *hierarchy = node->hierarchy;
    vz_node_leave_idle(node);
    node->next = hierarchy->unlinked;
    node->previous = NULL;
    if (hierarchy->unlinked)
        hierarchy->unlinked->previous = node;
    hierarchy->unlinked = node;
    return true;
}

void vz_node_leave_unlinked(vz_node *node)
{
    if (node->next)
        node->next->previous = node->previous;
    if (node->previous)
        node->previous->next = node->next;
    else if (node->hierarchy->unlinked == node)
        node->hierarchy->unlinked = node->next;
    node->next = node->previous = NULL;
}

static vz_node *finish_new(vz_node *node, vz_error *err)
{
    node->is_new = true;
    node->refs = 1;
    if (vz_node_make_unlinked(node, err))
        return node;
    vz_node_free(node);
    return NULL;
}

static bool may_write(vz_hierarchy *hierarchy, vz_error *err)
{
    bool ok = true;
    if (!hierarchy->writable)
        ok = vz_fail(err, VZ_READ_ONLY, "the store was opened read-only");
    else if (vz_hierarchy_ownership(hierarchy, NULL) != VZ_OWNED)
        ok = vz_fail(err, VZ_READ_ONLY, "the store was opened before this process was forked: open it anew to write");
    if (!ok)
        vz_error_where(err, hierarchy->path, NULL);
    return ok;
}

/* Asked once: the store itself asks again at each write. */
static bool check_place(vz_node *node, vz_error *err)
{
    if (node->may_change || node->is_new)
        return true;
    char *prefix = vz_node_prefix(node, err);
    node->may_change = prefix && vz_store_check_change(node->hierarchy->store, prefix, err);
    free(prefix);
    return node->may_change;
}

bool vz_node_is_behind_link(vz_node *node)
{
    vz_error refused = VZ_ERROR_NONE;
    return !check_place(node, &refused) && refused.class == VZ_PERMISSION;
}

bool vz_node_check_writable(vz_node *node, vz_error *err)
{
    vz_hierarchy *hierarchy = node->hierarchy;
    if (!may_write(hierarchy, err))
        return false;
    if (!hierarchy->array_root || node != hierarchy->root)
        return check_place(node, err);
    vz_fail(err, VZ_UNSUPPORTED, "the store is one array: its root group cannot be changed");
    vz_error_where(err, hierarchy->path, "/");
    return false;
}

vz_node *vz_group_new(vz_hierarchy *hierarchy, bool track_order, vz_error *err)
{
    if (!may_write(hierarchy, err))
        return NULL;
    vz_node *node = vz_node_new(hierarchy, VZ_NODE_GROUP, err);
    if (node && !(node->members = vz_members_new(err))) {
        vz_node_free(node);
        return NULL;
    }
    if (!node)
        return NULL;
    node->track_order = track_order;
    return finish_new(node, err);
}

vz_node *vz_array_new(vz_hierarchy *hierarchy, vz_array_meta *meta, vz_error *err)
{
    const bool respell = hierarchy->format == 3 && meta && meta->format == 2;
    vz_node *node =
        (!respell || vz_meta_to_v3(meta, (uint64_t)hierarchy->options.shards, err)) && may_write(hierarchy, err)
            ? vz_node_new(hierarchy, VZ_NODE_ARRAY, err)
            : NULL;
    if (!node) {
        vz_meta_free(meta);
        return NULL;
    }
    node->meta = meta;
    if (meta)
        node->format = meta->format;
    return finish_new(node, err);
}

/* ---- use ---- */

static bool guard_chunks(void *node, bool at_once, vz_error *err)
{
    return vz_node_check_same(node, at_once, err) && vz_node_check_whole(node, err);
}

vz_array *vz_node_io(vz_node *node, vz_error *err)
{
    vz_hierarchy_keep_inherited(node->hierarchy); /* or a read in a child could write out what it evicts */
    if (node->io)
        return node->io;
    if (node->kind != VZ_NODE_ARRAY) {
        vz_fail(err, VZ_INVALID, "a group has no data");
        return NULL;
    }
    if (!node->meta) {
        if (err && err->class == VZ_OK)
            *err = node->meta_error;
        return NULL;
    }
    char *prefix = vz_node_prefix(node, err);
    if (prefix)
        node->io = vz_array_open(node->hierarchy->store, node->meta, prefix, node->hierarchy->options.skip_fill, err);
    if (!node->io)
        vz_error_where(err, node->hierarchy->path, prefix);
    else
        vz_array_set_guard(node->io, guard_chunks, node);
    free(prefix);
    return node->io;
}
