/* key_tree.c - the keys of a zip file as a tree of their parts. */
#include "store/keytree/key_tree.h"
#include "base/util/hash.h"
#include <stdlib.h>

struct vz_keytree {
    vz_keytree_value value;
    vz_strmap *below; /* part of a key -> vz_keytree; NULL: nothing is below */
    bool has_changes; /* the value, or one below, may be changed */
};

vz_keytree *vz_keytree_new(vz_error *err)
{
    vz_keytree *tree = calloc(1, sizeof *tree);
    if (!tree)
        vz_fail_memory(err);
    return tree;
}

static void free_member(void *member)
{
    vz_keytree_free(member);
}

void vz_keytree_free(vz_keytree *tree)
{
    if (!tree)
        return;
    vz_strmap_free(tree->below, free_member);
    free(tree);
}

static size_t count_members(const vz_keytree *tree)
{
    return tree->below ? vz_strmap_count(tree->below) : 0;
}

static bool is_empty(const vz_keytree *tree)
{
    return tree->value.place == VZ_KEYTREE_NOWHERE && count_members(tree) == 0;
}

/* ---- one step down ---- */

static vz_keytree *member(const vz_keytree *tree, const char *part)
{
    return tree->below ? vz_strmap_get(tree->below, part) : NULL;
}

static vz_keytree *add_member(vz_keytree *tree, const char *part, vz_error *err)
{
    vz_keytree *added = vz_keytree_new(err);
    if (added && !tree->below && !(tree->below = vz_strmap_new()))
        vz_fail_memory(err);
    if (added && tree->below && vz_strmap_put(tree->below, part, added, err))
        return added;
    vz_keytree_free(added);
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

static vz_keytree *find(const vz_keytree *tree, const char *key)
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
    return (vz_keytree *)tree;
}

vz_keytree_value *vz_keytree_find(const vz_keytree *tree, const char *key)
{
    vz_keytree *found = find(tree, key);
    return found && found->value.place != VZ_KEYTREE_NOWHERE ? &found->value : NULL;
}

static vz_keytree *make(vz_keytree *tree, const char *key, bool is_change, vz_error *err)
{
    key_parts parts;
    const char *part;
    size_t depth = 0;
    if (!split(&parts, key, err))
        return NULL;
    tree->has_changes |= is_change;
    while (tree && (part = next_part(&parts))) {
        vz_keytree *below = member(tree, part);
        if (++depth > VZ_KEYTREE_DEPTH_MAX)
            vz_fail(err, VZ_LIMIT, "more than %d parts in the key", VZ_KEYTREE_DEPTH_MAX);
        tree = below || depth > VZ_KEYTREE_DEPTH_MAX ? below : add_member(tree, part, err);
        if (tree)
            tree->has_changes |= is_change;
    }
    free(parts.text);
    return tree;
}

/* ---- putting, removing and moving ---- */

/* From the last part up, what is empty goes. */
static void prune(vz_keytree *tree, char *rest)
{
    char *part = rest;
    char *slash = strchr(rest, '/');
    if (slash)
        *slash = '\0';
    vz_keytree *below = member(tree, part);
    if (below && slash)
        prune(below, slash + 1);
    if (below && is_empty(below))
        vz_keytree_free(vz_strmap_remove(tree->below, part));
}

static void prune_key(vz_keytree *tree, const char *key)
{
    char *copy = strdup(key);
    if (copy) /* else an empty prefix stays: harmless */
        prune(tree, copy);
    free(copy);
}

bool vz_keytree_put(vz_keytree *tree, const char *key, const vz_keytree_value *value, vz_error *err)
{
    vz_keytree *made = make(tree, key, value->is_changed, err);
    if (!made) {
        prune_key(tree, key); /* what of it was made */
        return false;
    }
    made->value = *value;
    return true;
}

bool vz_keytree_add(vz_keytree *tree, vz_keytree_cursor *cursor, const char *key, const vz_keytree_value *value,
                    vz_error *err)
{
    const char *slash = strrchr(key, '/');
    const size_t length = slash ? (size_t)(slash - key) : 0;
    if (!slash || length >= sizeof cursor->prefix)
        return vz_keytree_put(tree, key, value, err);
    if (!cursor->above || length != cursor->length || memcmp(cursor->prefix, key, length) != 0) {
        memcpy(cursor->prefix, key, length);
        cursor->prefix[length] = '\0';
        cursor->length = length;
        if (!(cursor->above = make(tree, cursor->prefix, false, err)))
            return false;
    }
    vz_keytree *made = member(cursor->above, slash + 1);
    if (!made && !(made = add_member(cursor->above, slash + 1, err)))
        return false;
    made->value = *value;
    return true;
}

static void visit_values(const vz_keytree *tree, bool with_below, void (*visit)(const vz_keytree_value *, void *),
                         void *context)
{
    size_t cursor = 0;
    const char *name;
    void *below;
    if (tree->value.place != VZ_KEYTREE_NOWHERE)
        visit(&tree->value, context);
    while (with_below && tree->below && vz_strmap_next(tree->below, &cursor, &name, &below))
        visit_values(below, true, visit, context);
}

void vz_keytree_values(const vz_keytree *tree, const char *key, bool with_below,
                       void (*visit)(const vz_keytree_value *value, void *context), void *context)
{
    const vz_keytree *found = find(tree, key);
    if (found)
        visit_values(found, with_below, visit, context);
}

static void clear(vz_keytree *tree, bool with_below)
{
    tree->value = (vz_keytree_value){0};
    if (!with_below)
        return;
    vz_strmap_free(tree->below, free_member);
    tree->below = NULL;
}

bool vz_keytree_remove(vz_keytree *tree, const char *key, bool with_below)
{
    vz_keytree *found = find(tree, key);
    if (!found || (!with_below && found->value.place == VZ_KEYTREE_NOWHERE))
        return false;
    clear(found, with_below);
    if (*key)
        prune_key(tree, key);
    return true;
}

static void mark_moved(vz_keytree *tree)
{
    size_t cursor = 0;
    const char *name;
    void *below;
    tree->value.is_changed = tree->value.is_moved = tree->value.place != VZ_KEYTREE_NOWHERE;
    tree->has_changes = true;
    while (tree->below && vz_strmap_next(tree->below, &cursor, &name, &below))
        mark_moved(below);
}

bool vz_keytree_move(vz_keytree *tree, const char *from, const char *to, vz_error *err)
{
    vz_keytree *source = find(tree, from);
    if (!source || source == tree)
        return vz_fail(err, VZ_NOT_FOUND, "there is nothing to rename");
    if (find(tree, to))
        return vz_fail(err, VZ_EXISTS, "the new name is taken");
    vz_keytree *target = make(tree, to, true, err);
    if (!target) {
        prune_key(tree, to);
        return false;
    }
    const vz_keytree moved = *source;
    *source = (vz_keytree){0};
    *target = moved;
    mark_moved(target);
    prune_key(tree, from);
    return true;
}

bool vz_keytree_exchange(vz_keytree *tree, const char *a, const char *b, vz_error *err)
{
    vz_keytree *first = find(tree, a), *second = find(tree, b);
    if (!first || !second)
        return vz_fail(err, VZ_NOT_FOUND, "there is nothing to exchange");
    if (!make(tree, a, true, err) || !make(tree, b, true, err)) /* both are there: they are
                                                                 * marked */
        return false;
    const vz_keytree kept = *first;
    *first = *second;
    *second = kept;
    mark_moved(first);
    mark_moved(second);
    return true;
}

/* ---- walking ---- */

static bool list_members(const vz_keytree *tree, bool hidden_too, vz_entry **entries, size_t *count, vz_error *err)
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

bool vz_keytree_list(const vz_keytree *tree, const char *prefix, vz_entry **entries, size_t *count, vz_error *err)
{
    return list_members(find(tree, prefix), false, entries, count, err);
}

typedef struct walk {
    vz_buffer key;
    vz_keytree_visit visit;
    void *context;
} walk;

static bool visit_value(vz_keytree *tree, bool is_hidden, walk *w, vz_error *err)
{
    return tree->value.place == VZ_KEYTREE_NOWHERE ||
           w->visit((const char *)w->key.data, is_hidden, &tree->value, w->context, err);
}

typedef enum visited { ALL, BELOW, VALUE } visited;

/* Of each member that, and first its value. */
static bool each_member(vz_keytree *tree, visited what, bool is_hidden, walk *w, vz_error *err)
{
    const size_t length = w->key.size;
    vz_entry *entries;
    size_t count;
    bool ok = list_members(tree, true, &entries, &count, err);
    vz_entries_sort(entries, count);
    for (size_t i = 0; ok && i < count; i++) {
        const char *name = entries[i].name;
        if (what == BELOW && !entries[i].is_prefix)
            continue;
        w->key.size = length;
        ok = (length == 0 || vz_buffer_append(&w->key, "/", 1, err)) &&
             vz_buffer_append(&w->key, name, strlen(name) + 1, err);
        if (!ok)
            break;
        w->key.size--; /* the NUL stands behind it */
        vz_keytree *below = member(tree, name);
        const bool hidden = is_hidden || vz_partial_is_name(name);
        ok = (what == BELOW || visit_value(below, hidden, w, err)) &&
             (what == VALUE || !entries[i].is_prefix || each_member(below, ALL, hidden, w, err));
    }
    w->key.size = length;
    vz_entries_free(entries, count);
    return ok;
}

bool vz_keytree_each(vz_keytree *tree, vz_keytree_visit visit, void *context, vz_error *err)
{
    walk w = {.visit = visit, .context = context};
    const bool ok = each_member(tree, BELOW, false, &w, err) && each_member(tree, VALUE, false, &w, err);
    vz_buffer_clear(&w.key);
    return ok;
}

static bool each_changed(vz_keytree *tree, bool is_hidden, walk *w, vz_error *err)
{
    const size_t length = w->key.size;
    size_t cursor = 0;
    const char *name;
    void *below;
    bool ok = tree->value.place == VZ_KEYTREE_NOWHERE || !tree->value.is_changed ||
              w->visit((const char *)w->key.data, is_hidden, &tree->value, w->context, err);
    while (ok && tree->below && vz_strmap_next(tree->below, &cursor, &name, &below)) {
        vz_keytree *next = below;
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

bool vz_keytree_each_changed(vz_keytree *tree, vz_keytree_visit visit, void *context, vz_error *err)
{
    walk w = {.visit = visit, .context = context};
    const bool ok = !tree->has_changes || each_changed(tree, false, &w, err);
    vz_buffer_clear(&w.key);
    return ok;
}

static void relocate(vz_keytree *tree, bool is_hidden)
{
    size_t cursor = 0;
    const char *name;
    void *below;
    if (tree->value.place != VZ_KEYTREE_NOWHERE) {
        tree->value.place = is_hidden ? VZ_KEYTREE_SPOOLED : VZ_KEYTREE_PACKED;
        tree->value.offset = tree->value.next;
        tree->value.flags = tree->value.next_flags;
        tree->value.is_changed = tree->value.is_moved = false;
        tree->value.slack = tree->value.lead = 0;
    }
    tree->has_changes = false;
    while (tree->below && vz_strmap_next(tree->below, &cursor, &name, &below))
        relocate(below, is_hidden || vz_partial_is_name(name));
}

void vz_keytree_relocate(vz_keytree *tree)
{
    relocate(tree, false);
}

static void tell(vz_keytree *tree, bool is_hidden)
{
    size_t cursor = 0;
    const char *name;
    void *below;
    if (!tree->has_changes)
        return;
    if (tree->value.place != VZ_KEYTREE_NOWHERE && !is_hidden) {
        tree->value.place = VZ_KEYTREE_PACKED;
        tree->value.is_changed = false;
    }
    tree->has_changes = is_hidden; /* no change of a hidden name is reported */
    while (tree->below && vz_strmap_next(tree->below, &cursor, &name, &below)) {
        tell(below, is_hidden || vz_partial_is_name(name));
        tree->has_changes |= ((vz_keytree *)below)->has_changes;
    }
}

void vz_keytree_shown(vz_keytree *tree)
{
    tell(tree, false);
}

bool vz_keytree_is_hidden(const char *key)
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
