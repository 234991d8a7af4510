/* moved.c - where the objects went that references name. A reference in the store is a path. In a store that holds some
 * (the root's annotation has "rf") moves and deletions are noted in the root's annotation, "mv": [[number, old path,
 * path now or null] ...], numbers rising. A reference is followed through all notes whose number is larger than its
 * own. */
#include "zarr/hierarchy.h"
#include <stdio.h>
#include <stdlib.h>

const char *vz_path_below(const char *path, const char *prefix)
{
    const size_t length = strlen(prefix);
    if (strncmp(path, prefix, length) != 0 || (path[length] != '\0' && path[length] != '/'))
        return NULL;
    return path + length;
}

static char *join(const char *path, const char *rest, vz_error *err)
{
    char *whole = malloc(strlen(path) + strlen(rest) + 1);
    if (whole)
        strcat(strcpy(whole, path), rest);
    else
        vz_fail_memory(err);
    return whole;
}

/* ---- notes ---- */

typedef struct move {
    uint64_t number;
    const char *from, *to; /* to NULL: deleted */
    char *decoded[2];      /* what stands for them in JSON was another text */
} move;

static void move_clear(move *m)
{
    free(m->decoded[0]);
    free(m->decoded[1]);
}

static const char *read_path(const vz_json *item, char **decoded)
{
    const char *text = vz_json_get_string(item, NULL);
    *decoded = text && vz_path_text_is_coded(text) ? vz_path_from_text(text, NULL) : NULL;
    return *decoded ? *decoded : text;
}

/* False: it is none, and there is nothing to clear. */
static bool read_move(const vz_json *list, size_t index, move *m)
{
    const vz_json *item = vz_json_at(list, index);
    m->from = read_path(vz_json_at(item, 1), &m->decoded[0]);
    m->to = read_path(vz_json_at(item, 2), &m->decoded[1]);
    if (vz_json_get_uint64(vz_json_at(item, 0), &m->number) && m->from && *m->from == '/')
        return true;
    move_clear(m);
    return false;
}

static vz_json *moves_of(const vz_hierarchy *hierarchy)
{
    return vz_json_get(hierarchy->root->annotation, VZ_ANNOTATION_MOVED);
}

static uint64_t last_number(const vz_json *list)
{
    move m;
    const size_t count = vz_json_length(list);
    if (!count || !read_move(list, count - 1, &m))
        return 0;
    move_clear(&m);
    return m.number;
}

static bool append(vz_json *list, const move *m, vz_error *err)
{
    vz_json *item = vz_json_array(err);
    if (item && vz_json_append(item, vz_json_uint64(m->number, err), err) &&
        vz_json_append(item, vz_path_json(m->from, err), err) &&
        vz_json_append(item, m->to ? vz_path_json(m->to, err) : vz_json_null(err), err))
        return vz_json_append(list, item, err);
    vz_json_free(item);
    return false;
}

static bool touches(const char *a, const char *b)
{
    return vz_path_below(a, b) || vz_path_below(b, a);
}

/* Is an earlier note of no use beside the new one: what was deleted at the path before, or the way forth of what comes
 * back? Asked from the last note backward, as long as notes have nothing to do with the old path. */
static bool replaces(const move *new_move, const move *old)
{
    if (!new_move->to)
        return !old->to && vz_path_below(old->from, new_move->from);
    return old->to && strcmp(old->from, new_move->to) == 0 && strcmp(old->to, new_move->from) == 0;
}

/* The notes without some. */
static vz_json *without(const vz_json *list, const bool *drop, vz_error *err)
{
    vz_json *kept = vz_json_array(err);
    bool ok = kept != NULL;
    for (size_t i = 0; ok && i < vz_json_length(list); i++)
        ok = drop[i] || vz_json_append(kept, vz_json_copy(vz_json_at(list, i), err), err);
    if (ok)
        return kept;
    vz_json_free(kept);
    return NULL;
}

static bool is_nowhere(const char *path)
{
    return strncmp(path, VZ_NOWHERE, strlen(VZ_NOWHERE)) == 0;
}

/* Does the note need those before it: that of the deletion which its object came back from? */
static bool needs_others(const move *m)
{
    return is_nowhere(m->from);
}

/* Marks the notes that the new one replaces, and counts them. */
static size_t find_replaced(const vz_json *list, const move *new_move, bool *drop)
{
    move m;
    size_t found = 0;
    for (size_t i = vz_json_length(list); i-- > 0 && !needs_others(new_move);) {
        if (!read_move(list, i, &m))
            continue;
        drop[i] = replaces(new_move, &m);
        found += drop[i];
        const bool last = drop[i] ? new_move->to != NULL
                                  : needs_others(&m) || touches(m.from, new_move->from) ||
                                        (new_move->to && touches(m.from, new_move->to));
        move_clear(&m);
        if (last)
            break;
    }
    return found;
}

/* The list to append to, in its place in the annotation. */
static vz_json *list_for(vz_node *root, const move *new_move, vz_error *err)
{
    vz_json *list = vz_json_get(root->annotation, VZ_ANNOTATION_MOVED);
    const size_t count = vz_json_length(list);
    bool *drop = calloc(count + 1, sizeof *drop);
    if (!drop) {
        vz_fail_memory(err);
        return NULL;
    }
    const bool keeps_all = vz_gone_is_any(root->hierarchy); /* some path below VZ_NOWHERE is in use */
    if ((!keeps_all && find_replaced(list, new_move, drop) > 0) || vz_json_kind_of(list) != VZ_JSON_ARRAY) {
        vz_json *kept = without(list, drop, err);
        list = kept && vz_json_set(root->annotation, VZ_ANNOTATION_MOVED, kept, err) ? kept : NULL;
    }
    free(drop);
    return list;
}

/* In a store of somebody else's there may be references that nobody announced. */
static bool is_noted(const vz_hierarchy *hierarchy, const char *to)
{
    return vz_json_get(hierarchy->root->annotation, VZ_ANNOTATION_REFERENCES) || moves_of(hierarchy) ||
           (to && !vz_hierarchy_is_ours(hierarchy));
}

bool vz_moved_note(vz_hierarchy *hierarchy, const char *from, const char *to, vz_error *err)
{
    if (!is_noted(hierarchy, to))
        return true;
    const move m = {.number = last_number(moves_of(hierarchy)) + 1, .from = from, .to = to};
    hierarchy->due |= VZ_DUE_REFERENCES;
    vz_json *list = list_for(hierarchy->root, &m, err);
    return list && append(list, &m, err) && vz_node_annotated(hierarchy->root, err);
}

static char *path_of_gone(uint64_t number, const char *from, vz_error *err)
{
    char *path;
    if (asprintf(&path, VZ_NOWHERE "%llu%s", (unsigned long long)number, from) >= 0)
        return path;
    vz_fail_memory(err);
    return NULL;
}

bool vz_moved_note_held(vz_node *held, const char *from, vz_error *err)
{
    vz_hierarchy *hierarchy = held->hierarchy;
    if (!vz_moved_note(hierarchy, from, NULL, err))
        return false;
    if (is_noted(hierarchy, NULL))
        held->gone = path_of_gone(last_number(moves_of(hierarchy)), from, err);
    return held->gone || !is_noted(hierarchy, NULL);
}

/* ---- following ---- */

/* The path after one move; takes it. NULL: no memory. */
static char *step(char *path, const move *m, vz_error *err)
{
    const char *rest = vz_path_below(path, m->from);
    if (!rest)
        return path;
    char *gone = m->to ? NULL : path_of_gone(m->number, m->from, err);
    char *next = m->to || gone ? join(m->to ? m->to : gone, rest, err) : NULL;
    free(gone);
    free(path);
    return next;
}

/* Where a path leads now, heap: one that is nobody's if it was deleted. */
static char *follow(const vz_json *list, const char *path, uint64_t since, vz_error *err)
{
    char *now = join(path, "", err);
    move m;
    for (size_t i = 0; now && i < vz_json_length(list); i++) {
        if (!read_move(list, i, &m))
            continue;
        if (m.number > since)
            now = step(now, &m, err);
        move_clear(&m);
    }
    if (!now)
        vz_fail_memory(err);
    return now;
}

bool vz_hierarchy_since(vz_hierarchy *hierarchy, const char *path, uint64_t *since, vz_error *err)
{
    const vz_json *list = moves_of(hierarchy);
    *since = 0;
    if (!vz_json_length(list))
        return true;
    char *now = follow(list, path, 0, err);
    if (now && strcmp(now, path) != 0)
        *since = last_number(list);
    free(now);
    return now != NULL;
}

static uint64_t token_of(vz_hierarchy *hierarchy, const char *path, uint64_t since, vz_error *err)
{
    const vz_json *list = moves_of(hierarchy);
    if (!vz_json_length(list))
        return vz_hierarchy_path_token(hierarchy, path, err);
    char *now = follow(list, path, since, err);
    uint64_t token = 0;
    const bool ok = now && (!is_nowhere(now) || vz_gone_token(hierarchy, now, &token, err));
    if (ok && !token)
        token = vz_hierarchy_path_token(hierarchy, now, err);
    free(now);
    return token;
}

uint64_t vz_hierarchy_reference_token(vz_hierarchy *hierarchy, const char *path, uint64_t since, vz_error *err)
{
    if (!vz_path_text_is_coded(path))
        return token_of(hierarchy, path, since, err);
    char *decoded = vz_path_from_text(path, err);
    const uint64_t token = decoded ? token_of(hierarchy, decoded, since, err) : 0;
    free(decoded);
    return token;
}

char *vz_hierarchy_stored_path(vz_hierarchy *hierarchy, const char *path, vz_error *err)
{
    uint64_t since;
    char *stored = NULL;
    if (!vz_hierarchy_since(hierarchy, path, &since, err))
        return NULL;
    if (!since)
        return vz_path_to_text(path, err);
    if (asprintf(&stored, "%llu%s", (unsigned long long)since, path) < 0) {
        vz_fail_memory(err);
        return NULL;
    }
    char *text = vz_path_to_text(stored, err);
    free(stored);
    return text;
}

uint64_t vz_hierarchy_stored_token(vz_hierarchy *hierarchy, const char *stored, vz_error *err)
{
    char *path, *text = vz_path_from_text(stored, err);
    if (!text)
        return 0;
    const uint64_t since = strtoull(text, &path, 10);
    const uint64_t token = token_of(hierarchy, path, since, err);
    free(text);
    return token;
}

bool vz_hierarchy_holds_references(vz_hierarchy *hierarchy, vz_error *err)
{
    vz_node *root = hierarchy->root;
    if (vz_json_get(root->annotation, VZ_ANNOTATION_REFERENCES))
        return true;
    return vz_json_set(root->annotation, VZ_ANNOTATION_REFERENCES, vz_json_array(err), err) &&
           vz_node_annotated(root, err);
}
