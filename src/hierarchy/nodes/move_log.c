/* move_log.c - where the objects went that stored paths name: references, further names of objects,
 * users of committed datatypes. In a store that holds some (the root's annotation has "rf" or "hl")
 * moves and deletions are logged in the root's annotation, "mv": [[number, old path, path now or
 * null] ...], numbers rising. A stored path is followed through all entries whose number is larger
 * than its own.
 *
 * Names change in the store at once, the root's documents at a flush. So a change is announced
 * in the store's journal first (move_record.c). After a kill the next writer reads the journal
 * as entries, too. */
#include "hierarchy/nodes/move_log_internal.h"
#include "hierarchy/nodes/alias.h"
#include "hierarchy/nodes/node_state.h"
#include "hierarchy/documents/documents.h"
#include <stdio.h>
#include <stdlib.h>

/* ---- what is in the log ---- */

/* Does the annotation say that moves are logged? Then there may be a journal, too. */
bool vz_move_log_is_announced(const vz_json *annotation)
{
    return vz_json_get(annotation, VZ_ANNOTATION_REFERENCES) || vz_json_get(annotation, VZ_ANNOTATION_ALIASES) ||
           vz_json_get(annotation, VZ_ANNOTATION_MOVES);
}

static vz_moves *make_moves(const vz_move_entries *entries, vz_error *err)
{
    vz_moves *moves = vz_moves_new(err);
    for (size_t i = 0; moves && i < entries->count; i++)
        if (!vz_moves_add(moves, entries->all[i].number, entries->all[i].from, entries->all[i].to, err)) {
            vz_moves_free(moves);
            moves = NULL;
        }
    return moves;
}

/* Names that the store spells otherwise, of which only a journal tells: "path of the group
 * now/segment" -> name. */
static bool put_stored_name(vz_hierarchy *hierarchy, const char *group, size_t length, const vz_move_entry *entry,
                            vz_error *err)
{
    char *key = NULL, *name = strdup(strrchr(entry->to, '/') + 1), *old = NULL;
    bool ok = name && asprintf(&key, "%.*s/%s", (int)length, group, entry->segment) >= 0;
    ok = (ok && (hierarchy->move_log.stored_names || (hierarchy->move_log.stored_names = vz_strmap_new()))) ||
         vz_fail_memory(err);
    if (ok) {
        old = vz_strmap_get(hierarchy->move_log.stored_names, key);
        ok = vz_strmap_put(hierarchy->move_log.stored_names, key, name, err);
    }
    free(ok ? old : name);
    free(key);
    return ok;
}

static bool know_stored_name(vz_hierarchy *hierarchy, const vz_moves *moves, const vz_move_entry *entry, vz_error *err)
{
    char *now = vz_moves_follow(moves, entry->to, entry->number, err);
    const char *slash = now ? strrchr(now, '/') : NULL;
    bool ok = now != NULL;
    if (slash && strcmp(slash, strrchr(entry->to, '/')) == 0)
        ok = put_stored_name(hierarchy, now, (size_t)(slash - now), entry, err);
    free(now);
    return ok;
}

static bool know_stored_names(vz_hierarchy *hierarchy, const vz_moves *moves, const vz_move_entries *entries,
                              vz_error *err)
{
    for (size_t i = 0; i < entries->count; i++)
        if (entries->all[i].segment && !know_stored_name(hierarchy, moves, &entries->all[i], err))
            return false;
    return true;
}

static void set_unwritten(vz_hierarchy *hierarchy)
{
    hierarchy->move_log.unwritten = true;
    if (vz_json_get(hierarchy->root->annotation, VZ_ANNOTATION_REFERENCES) || !vz_hierarchy_is_ours(hierarchy))
        hierarchy->dirty.due |= VZ_DUE_REFERENCES;
}

static vz_moves *load(vz_hierarchy *hierarchy, vz_error *err)
{
    vz_move_entries entries = {0};
    const vz_json *annotation = hierarchy->root->annotation;
    bool ok = vz_move_entries_read(&entries, vz_json_get(annotation, VZ_ANNOTATION_MOVES), err);
    const size_t count = entries.count;
    if (ok && (vz_move_log_is_announced(annotation) || vz_store_has_journals(hierarchy->store)))
        ok = vz_move_entries_read_journals(&entries, hierarchy, err);
    vz_move_entries_sort(&entries);
    vz_moves *moves = ok ? make_moves(&entries, err) : NULL;
    if (moves && entries.count > count)
        set_unwritten(hierarchy);
    if (moves && !know_stored_names(hierarchy, moves, &entries, err)) {
        vz_moves_free(moves);
        moves = NULL;
    }
    vz_move_entries_clear(&entries);
    return moves;
}

/* NULL: out of memory. */
vz_moves *vz_move_log_all(vz_hierarchy *hierarchy, vz_error *err)
{
    if (!hierarchy->move_log.moves)
        hierarchy->move_log.moves = load(hierarchy, err);
    return hierarchy->move_log.moves;
}

void vz_move_log_forget(vz_hierarchy *hierarchy)
{
    vz_moves_free(hierarchy->move_log.moves);
    hierarchy->move_log.moves = NULL;
    vz_strmap_free(hierarchy->move_log.stored_names, free);
    hierarchy->move_log.stored_names = NULL;
}

bool vz_move_log_has_stored_names(const vz_hierarchy *hierarchy)
{
    return hierarchy->root && vz_move_log_is_announced(hierarchy->root->annotation);
}

bool vz_move_log_stored_name(vz_node *group, const char *segment, const char **name, vz_error *err)
{
    char *key = NULL;
    *name = NULL;
    if (!vz_move_log_has_stored_names(group->hierarchy))
        return true;
    if (!vz_move_log_all(group->hierarchy, err))
        return false;
    if (!group->hierarchy->move_log.stored_names)
        return true;
    if (!(key = vz_path_of_name(group, segment, err)))
        return !err || err->class == VZ_OK;
    *name = vz_strmap_get(group->hierarchy->move_log.stored_names, key);
    free(key);
    return true;
}

void vz_move_log_close(vz_hierarchy *hierarchy)
{
    const bool is_written = !hierarchy->root || !hierarchy->root->unwritten;
    if (hierarchy->move_log.moves && vz_moves_last(hierarchy->move_log.moves) > 0 && !is_written)
        vz_store_journal_keep(hierarchy->store);
    vz_move_log_forget(hierarchy);
}

bool vz_hierarchy_has_moves(vz_hierarchy *hierarchy)
{
    const vz_moves *moves = vz_move_log_all(hierarchy, NULL);
    return moves && vz_moves_last(moves) > 0;
}

bool vz_move_log_to_root(vz_hierarchy *hierarchy, vz_error *err)
{
    size_t count;
    if (!hierarchy->move_log.moves || !hierarchy->move_log.unwritten)
        return true;
    const vz_move_record *all = vz_moves_all(hierarchy->move_log.moves, &count);
    vz_json *list = vz_json_array(err);
    bool ok = list != NULL;
    for (size_t i = 0; ok && i < count; i++)
        ok = !all[i].is_needed ||
             vz_json_append(list, vz_move_entry_json(all[i].number, all[i].from, all[i].to, err), err);
    if (!ok) {
        vz_json_free(list);
        return false;
    }
    if (!vz_json_set(hierarchy->root->annotation, VZ_ANNOTATION_MOVES, list, err))
        return false;
    hierarchy->move_log.unwritten = false;
    return true;
}

void vz_move_log_recovered(vz_hierarchy *hierarchy)
{
    if (hierarchy->move_log.moves && !hierarchy->move_log.unwritten && !hierarchy->root->unwritten)
        vz_store_journals_done(hierarchy->store);
}

/* ---- noting ---- */

/* In a store of another process's there may be references that nobody announced. */
bool vz_move_log_has(const vz_hierarchy *hierarchy, const char *to)
{
    return hierarchy->hard_links.any || vz_move_log_is_announced(hierarchy->root->annotation) ||
           (to && !vz_hierarchy_is_ours(hierarchy));
}

static bool is_any_gone(const vz_hierarchy *hierarchy)
{
    const vz_node *node = hierarchy->unlinked;
    while (node && !node->gone)
        node = node->next;
    return node != NULL;
}

bool vz_move_log_add(vz_hierarchy *hierarchy, const char *from, const char *to, vz_error *err)
{
    if (!vz_move_log_has(hierarchy, to))
        return true;
    vz_moves *moves = vz_move_log_all(hierarchy, err);
    if (!moves)
        return false;
    set_unwritten(hierarchy);
    hierarchy->move_log.stored = false;
    hierarchy->move_log.unconfirmed = vz_moves_last(moves) + 1;
    vz_moves_keep(moves, is_any_gone(hierarchy)); /* some path below VZ_NOWHERE is in use */
    return vz_moves_add(moves, hierarchy->move_log.unconfirmed, from, to, err) &&
           vz_node_annotated(hierarchy->root, err);
}

bool vz_move_log_add_held(vz_node *held, const char *from, vz_error *err)
{
    vz_hierarchy *hierarchy = held->hierarchy;
    if (!vz_move_log_add(hierarchy, from, NULL, err))
        return false;
    if (!vz_move_log_has(hierarchy, NULL))
        return true;
    if (asprintf(&held->gone, VZ_NOWHERE "%llu%s", (unsigned long long)vz_moves_last(hierarchy->move_log.moves),
                 from) >= 0)
        return true;
    held->gone = NULL;
    return vz_fail_memory(err);
}

bool vz_move_log_confirm(vz_hierarchy *hierarchy, vz_error *err)
{
    if (!hierarchy->move_log.unconfirmed || !hierarchy->move_log.announced)
        return true;
    /* Synced, it must not reach the disk before what it tells of. */
    if (hierarchy->store->durable && !vz_store_sync(hierarchy->store, err))
        return false;
    char *line = vz_move_entry_line_done(hierarchy->move_log.unconfirmed, err);
    const bool ok = line && vz_store_journal_add(hierarchy->store, line, err);
    free(line);
    if (ok)
        hierarchy->move_log.unconfirmed = 0;
    return ok;
}

void vz_move_log_written(vz_hierarchy *hierarchy)
{
    hierarchy->move_log.announced = vz_move_log_is_announced(hierarchy->root->annotation);
    hierarchy->move_log.stored = !hierarchy->move_log.unwritten;
}

/* ---- following ---- */

bool vz_hierarchy_since(vz_hierarchy *hierarchy, const char *path, uint64_t *since, vz_error *err)
{
    const vz_moves *moves = vz_move_log_all(hierarchy, err);
    *since = 0;
    if (!moves)
        return false;
    const uint64_t last = vz_moves_last(moves);
    char *now = last ? vz_moves_follow(moves, path, 0, err) : NULL;
    if (now && strcmp(now, path) != 0)
        *since = last;
    free(now);
    return !last || now;
}

char *vz_move_log_follow(vz_hierarchy *hierarchy, const char *path, uint64_t since, vz_error *err)
{
    const vz_moves *moves = vz_move_log_all(hierarchy, err);
    return moves ? vz_moves_follow(moves, path, since, err) : NULL;
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

/* The number in front of a path, and where the path begins. */
uint64_t vz_move_log_number_before(char *text, char **path)
{
    return strtoull(text, path, 10);
}

char *vz_hierarchy_path_of_stored(vz_hierarchy *hierarchy, const char *stored, vz_error *err)
{
    char *path, *text = vz_path_from_text(stored, err);
    if (!text)
        return NULL;
    const uint64_t since = vz_move_log_number_before(text, &path);
    char *now = vz_move_log_follow(hierarchy, path, since, err);
    free(text);
    return now;
}

bool vz_hierarchy_holds_references(vz_hierarchy *hierarchy, vz_error *err)
{
    vz_node *root = hierarchy->root;
    if (vz_json_get(root->annotation, VZ_ANNOTATION_REFERENCES))
        return true;
    return vz_json_set(root->annotation, VZ_ANNOTATION_REFERENCES, vz_json_array(err), err) &&
           vz_node_annotated(root, err);
}
