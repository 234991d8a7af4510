/* entry_tree.c - the keys of a zip file as a tree of their parts. */
#include "store/zip/read_internal.h"
#include "base/util/hash.h"
#include <stdlib.h>

struct vz_zip_tree {
    vz_zip_value value;
    vz_strmap *below; /* part of a key -> vz_zip_tree; NULL: nothing is below */
    bool has_changes; /* the value, or one below, may be changed */
};

vz_zip_tree *vz_zip_tree_new(vz_error *err)
{
    vz_zip_tree *tree = calloc(1, sizeof *tree);
    if (!tree)
        vz_fail_memory(err);
    return tree;
}

static void free_member(void *member)
{
    vz_zip_tree_free(member);
}

void vz_zip_tree_free(vz_zip_tree *tree)
{
    if (!tree)
        return;
    vz_strmap_free(tree->below, free_member);
    free(tree);
}

static size_t count_members(const vz_zip_tree *tree)
{
    return tree->below ? vz_strmap_count(tree->below) : 0;
}

static bool is_empty(const vz_zip_tree *tree)
{
    return tree->value.place == VZ_ZIP_NOWHERE && count_members(tree) == 0;
}

/* ---- one step down ---- */

static vz_zip_tree *member(const vz_zip_tree *tree, const char *part)
{
    return tree->below ? vz_strmap_get(tree->below, part) : NULL;
}

static vz_zip_tree *add_member(vz_zip_tree *tree, const char *part, vz_error *err)
{
    vz_zip_tree *added = vz_zip_tree_new(err);
    if (added && !tree->below && !(tree->below = vz_strmap_new()))
        vz_fail_memory(err);
    if (added && tree->below && vz_strmap_put(tree->below, part, added, err))
        return added;
    vz_zip_tree_free(added);
    return NULL;
}

/* ---- a whole key ---- */

/* The parts of a key, each ended by a NUL. */
typedef struct key_parts {
    char *text;
    char *next;
} key_parts;

static bool split(key_parts *parts, const char *key, vz_error *err)
{
    parts->text = parts->next = strdup(key);
    return parts->text || vz_fail_memory(err);
}

static char *next_part(key_parts *parts)
{
    char *part;
    while ((part = strsep(&parts->next, "/")))
        if (*part)
            return part;
    return NULL;
}

static vz_zip_tree *find(const vz_zip_tree *tree, const char *key)
{
    char part[256];
    while (tree && *key) {
        const size_t length = strcspn(key, "/");
        if (length < sizeof part) {
            memcpy(part, key, length);
            part[length] = '\0';
            tree = member(tree, part);
        } else { /* longer than a file's name can be: only in zips of other programs */
            char *copy = strndup(key, length);
            tree = copy ? member(tree, copy) : NULL;
            free(copy);
        }
        key += length + (key[length] == '/');
    }
    return (vz_zip_tree *)tree;
}

vz_zip_value *vz_zip_tree_find(const vz_zip_tree *tree, const char *key)
{
    vz_zip_tree *found = find(tree, key);
    return found && found->value.place != VZ_ZIP_NOWHERE ? &found->value : NULL;
}

static vz_zip_tree *make(vz_zip_tree *tree, const char *key, bool is_change, vz_error *err)
{
    key_parts parts;
    const char *part;
    size_t depth = 0;
    if (!split(&parts, key, err))
        return NULL;
    tree->has_changes |= is_change;
    while (tree && (part = next_part(&parts))) {
        vz_zip_tree *below = member(tree, part);
        if (++depth > VZ_ZIP_DEPTH_MAX)
            vz_fail(err, VZ_LIMIT, "more than %d parts in the key", VZ_ZIP_DEPTH_MAX);
        tree = below || depth > VZ_ZIP_DEPTH_MAX ? below : add_member(tree, part, err);
        if (tree)
            tree->has_changes |= is_change;
    }
    free(parts.text);
    return tree;
}

/* ---- putting, removing and moving ---- */

/* From the last part up, what is empty goes. */
static void prune(vz_zip_tree *tree, char *rest)
{
    char *part = rest;
    char *slash = strchr(rest, '/');
    if (slash)
        *slash = '\0';
    vz_zip_tree *below = member(tree, part);
    if (below && slash)
        prune(below, slash + 1);
    if (below && is_empty(below))
        vz_zip_tree_free(vz_strmap_remove(tree->below, part));
}

static void prune_key(vz_zip_tree *tree, const char *key)
{
    char *copy = strdup(key);
    if (copy) /* else an empty prefix stays: harmless */
        prune(tree, copy);
    free(copy);
}

bool vz_zip_tree_put(vz_zip_tree *tree, const char *key, const vz_zip_value *value, vz_error *err)
{
    vz_zip_tree *made = make(tree, key, value->is_changed, err);
    if (!made) {
        prune_key(tree, key); /* what of it was made */
        return false;
    }
    made->value = *value;
    return true;
}

bool vz_zip_tree_add(vz_zip_tree *tree, vz_zip_cursor *cursor, const char *key, const vz_zip_value *value,
                     vz_error *err)
{
    const char *slash = strrchr(key, '/');
    const size_t length = slash ? (size_t)(slash - key) : 0;
    if (!slash || length >= sizeof cursor->prefix)
        return vz_zip_tree_put(tree, key, value, err);
    if (!cursor->above || length != cursor->length || memcmp(cursor->prefix, key, length) != 0) {
        memcpy(cursor->prefix, key, length);
        cursor->prefix[length] = '\0';
        cursor->length = length;
        if (!(cursor->above = make(tree, cursor->prefix, false, err)))
            return false;
    }
    vz_zip_tree *made = member(cursor->above, slash + 1);
    if (!made && !(made = add_member(cursor->above, slash + 1, err)))
        return false;
    made->value = *value;
    return true;
}

static void visit_values(const vz_zip_tree *tree, bool with_below, void (*visit)(const vz_zip_value *, void *),
                         void *context)
{
    size_t cursor = 0;
    const char *name;
    void *below;
    if (tree->value.place != VZ_ZIP_NOWHERE)
        visit(&tree->value, context);
    while (with_below && tree->below && vz_strmap_next(tree->below, &cursor, &name, &below))
        visit_values(below, true, visit, context);
}

void vz_zip_tree_values(const vz_zip_tree *tree, const char *key, bool with_below,
                        void (*visit)(const vz_zip_value *value, void *context), void *context)
{
    const vz_zip_tree *found = find(tree, key);
    if (found)
        visit_values(found, with_below, visit, context);
}

static void clear(vz_zip_tree *tree, bool with_below)
{
    tree->value = (vz_zip_value){0};
    if (!with_below)
        return;
    vz_strmap_free(tree->below, free_member);
    tree->below = NULL;
}

bool vz_zip_tree_remove(vz_zip_tree *tree, const char *key, bool with_below)
{
    vz_zip_tree *found = find(tree, key);
    if (!found || (!with_below && found->value.place == VZ_ZIP_NOWHERE))
        return false;
    clear(found, with_below);
    if (*key)
        prune_key(tree, key);
    return true;
}

static void mark_moved(vz_zip_tree *tree)
{
    size_t cursor = 0;
    const char *name;
    void *below;
    tree->value.is_changed = tree->value.is_moved = tree->value.place != VZ_ZIP_NOWHERE;
    tree->has_changes = true;
    while (tree->below && vz_strmap_next(tree->below, &cursor, &name, &below))
        mark_moved(below);
}

bool vz_zip_tree_move(vz_zip_tree *tree, const char *from, const char *to, vz_error *err)
{
    vz_zip_tree *source = find(tree, from);
    if (!source || source == tree)
        return vz_fail(err, VZ_NOT_FOUND, "there is nothing to rename");
    if (find(tree, to))
        return vz_fail(err, VZ_EXISTS, "the new name is taken");
    vz_zip_tree *target = make(tree, to, true, err);
    if (!target) {
        prune_key(tree, to);
        return false;
    }
    const vz_zip_tree moved = *source;
    *source = (vz_zip_tree){0};
    *target = moved;
    mark_moved(target);
    prune_key(tree, from);
    return true;
}

bool vz_zip_tree_exchange(vz_zip_tree *tree, const char *a, const char *b, vz_error *err)
{
    vz_zip_tree *first = find(tree, a), *second = find(tree, b);
    if (!first || !second)
        return vz_fail(err, VZ_NOT_FOUND, "there is nothing to exchange");
    if (!make(tree, a, true, err) || !make(tree, b, true, err)) /* both are there: they are
                                                                 * marked */
        return false;
    const vz_zip_tree kept = *first;
    *first = *second;
    *second = kept;
    mark_moved(first);
    mark_moved(second);
    return true;
}

/* ---- walking ---- */

static bool list_members(const vz_zip_tree *tree, bool hidden_too, vz_entry **entries, size_t *count, vz_error *err)
{
    const size_t all = tree ? count_members(tree) : 0;
    *entries = NULL;
    *count = 0;
    if (!all)
        return true;
    if (!(*entries = calloc(all, sizeof **entries)))
        return vz_fail_memory(err);
    size_t cursor = 0;
    const char *name;
    void *below;
    while (vz_strmap_next(tree->below, &cursor, &name, &below)) {
        if (!hidden_too && vz_partial_is_name(name))
            continue;
        vz_entry *entry = &(*entries)[*count];
        *entry = (vz_entry){.name = strdup(name), .is_prefix = count_members(below) > 0};
        if (!entry->name) {
            vz_entries_free(*entries, *count);
            *entries = NULL;
            *count = 0;
            return vz_fail_memory(err);
        }
        ++*count;
    }
    return true;
}

bool vz_zip_tree_list(const vz_zip_tree *tree, const char *prefix, vz_entry **entries, size_t *count, vz_error *err)
{
    return list_members(find(tree, prefix), false, entries, count, err);
}

typedef struct walk {
    vz_buffer key;
    vz_zip_visit visit;
    void *context;
} walk;

static bool each(vz_zip_tree *tree, bool is_hidden, walk *w, vz_error *err)
{
    const size_t length = w->key.size;
    vz_entry *entries;
    size_t count;
    if (tree->value.place != VZ_ZIP_NOWHERE &&
        !w->visit((const char *)w->key.data, is_hidden, &tree->value, w->context, err))
        return false;
    bool ok = list_members(tree, true, &entries, &count, err);
    vz_entries_sort(entries, count);
    for (size_t i = 0; ok && i < count; i++) {
        const char *name = entries[i].name;
        w->key.size = length;
        ok = (length == 0 || vz_buffer_append(&w->key, "/", 1, err)) &&
             vz_buffer_append(&w->key, name, strlen(name) + 1, err);
        if (ok) {
            w->key.size--; /* the NUL stands behind it */
            ok = each(member(tree, name), is_hidden || vz_partial_is_name(name), w, err);
        }
    }
    vz_entries_free(entries, count);
    return ok;
}

bool vz_zip_tree_each(vz_zip_tree *tree, vz_zip_visit visit, void *context, vz_error *err)
{
    walk w = {.visit = visit, .context = context};
    const bool ok = each(tree, false, &w, err);
    vz_buffer_clear(&w.key);
    return ok;
}

static bool each_changed(vz_zip_tree *tree, bool is_hidden, walk *w, vz_error *err)
{
    const size_t length = w->key.size;
    size_t cursor = 0;
    const char *name;
    void *below;
    bool ok = tree->value.place == VZ_ZIP_NOWHERE || !tree->value.is_changed ||
              w->visit((const char *)w->key.data, is_hidden, &tree->value, w->context, err);
    while (ok && tree->below && vz_strmap_next(tree->below, &cursor, &name, &below)) {
        vz_zip_tree *next = below;
        if (!next->has_changes)
            continue;
        w->key.size = length;
        ok = (length == 0 || vz_buffer_append(&w->key, "/", 1, err)) &&
             vz_buffer_append(&w->key, name, strlen(name) + 1, err);
        if (ok) {
            w->key.size--; /* the NUL stands behind it */
            ok = each_changed(next, is_hidden || vz_partial_is_name(name), w, err);
        }
    }
    return ok;
}

bool vz_zip_tree_each_changed(vz_zip_tree *tree, vz_zip_visit visit, void *context, vz_error *err)
{
    walk w = {.visit = visit, .context = context};
    const bool ok = !tree->has_changes || each_changed(tree, false, &w, err);
    vz_buffer_clear(&w.key);
    return ok;
}

static void relocate(vz_zip_tree *tree, bool is_hidden)
{
    size_t cursor = 0;
    const char *name;
    void *below;
    if (tree->value.place != VZ_ZIP_NOWHERE) {
        tree->value.place = is_hidden ? VZ_ZIP_SPOOLED : VZ_ZIP_PACKED;
        tree->value.offset = tree->value.next;
        tree->value.flags = tree->value.next_flags;
        tree->value.is_changed = tree->value.is_moved = false;
        tree->value.slack = tree->value.lead = 0;
    }
    tree->has_changes = false;
    while (tree->below && vz_strmap_next(tree->below, &cursor, &name, &below))
        relocate(below, is_hidden || vz_partial_is_name(name));
}

void vz_zip_tree_relocate(vz_zip_tree *tree)
{
    relocate(tree, false);
}

static void tell(vz_zip_tree *tree, bool is_hidden)
{
    size_t cursor = 0;
    const char *name;
    void *below;
    if (!tree->has_changes)
        return;
    if (tree->value.place != VZ_ZIP_NOWHERE && !is_hidden) {
        tree->value.place = VZ_ZIP_PACKED;
        tree->value.is_changed = false;
    }
    tree->has_changes = is_hidden; /* no change of a hidden name is reported */
    while (tree->below && vz_strmap_next(tree->below, &cursor, &name, &below)) {
        tell(below, is_hidden || vz_partial_is_name(name));
        tree->has_changes |= ((vz_zip_tree *)below)->has_changes;
    }
}

void vz_zip_tree_shown(vz_zip_tree *tree)
{
    tell(tree, false);
}

bool vz_zip_is_hidden(const char *key)
{
    char part[VZ_PARTIAL_SIZE];
    while (*key) {
        const size_t length = strcspn(key, "/");
        if (length < sizeof part) { /* a longer one is no partial name */
            memcpy(part, key, length);
            part[length] = '\0';
            if (vz_partial_is_name(part))
                return true;
        }
        key += length + (key[length] == '/');
    }
    return false;
}
