/* moved.c - where the objects went that stored paths name: references, further names of objects, users of committed
 * datatypes. In a store that holds some (the root's annotation has "rf" or "hl") moves and deletions are noted in the
 * root's annotation, "mv": [[number, old path, path now or null] ...], numbers rising. A stored path is followed
 * through all notes whose number is larger than its own.
 *
 * Names change in the store at once, the root's documents at a flush: so what is about to change is told in the store's
 * journal before (moved_notes.c), and who opens the store after a kill takes that for notes, too. */
#include "hierarchy/moved.h"
#include "hierarchy/moved_notes.h"
#include "hierarchy/second.h"
#include <stdio.h>
#include <stdlib.h>

/* ---- what was noted ---- */

/* Does the annotation say that moves are noted? Then there may be a journal, too. */
bool vz_moved_is_announced(const vz_json *annotation)
{
    return vz_json_get(annotation, VZ_ANNOTATION_REFERENCES) || vz_json_get(annotation, VZ_ANNOTATION_SECONDS) ||
           vz_json_get(annotation, VZ_ANNOTATION_MOVED);
}

static vz_moves *make_moves(const vz_notes *notes, vz_error *err)
{
    vz_moves *moves = vz_moves_new(err);
    for (size_t i = 0; moves && i < notes->count; i++)
        if (!vz_moves_add(moves, notes->all[i].number, notes->all[i].from, notes->all[i].to, err)) {
            vz_moves_free(moves);
            moves = NULL;
        }
    return moves;
}

/* Names that the store spells otherwise, of which only a journal tells: "path of the group now/segment" -> name. */
static bool put_spelling(vz_hierarchy *hierarchy, const char *group, size_t length, const vz_note *note, vz_error *err)
{
    char *key = NULL, *name = strdup(strrchr(note->to, '/') + 1), *old = NULL;
    bool ok = name && asprintf(&key, "%.*s/%s", (int)length, group, note->segment) >= 0;
    ok = (ok && (hierarchy->spelled || (hierarchy->spelled = vz_strmap_new()))) || vz_fail_memory(err);
    if (ok) {
        old = vz_strmap_get(hierarchy->spelled, key);
        ok = vz_strmap_put(hierarchy->spelled, key, name, err);
    }
    free(ok ? old : name);
    free(key);
    return ok;
}

static bool know_spelling(vz_hierarchy *hierarchy, const vz_moves *moves, const vz_note *note, vz_error *err)
{
    char *now = vz_moves_follow(moves, note->to, note->number, err);
    const char *slash = now ? strrchr(now, '/') : NULL;
    bool ok = now != NULL;
    if (slash && strcmp(slash, strrchr(note->to, '/')) == 0)
        ok = put_spelling(hierarchy, now, (size_t)(slash - now), note, err);
    free(now);
    return ok;
}

static bool know_spellings(vz_hierarchy *hierarchy, const vz_moves *moves, const vz_notes *notes, vz_error *err)
{
    for (size_t i = 0; i < notes->count; i++)
        if (notes->all[i].segment && !know_spelling(hierarchy, moves, &notes->all[i], err))
            return false;
    return true;
}

static void set_unwritten(vz_hierarchy *hierarchy)
{
    hierarchy->moves_unwritten = true;
    if (vz_json_get(hierarchy->root->annotation, VZ_ANNOTATION_REFERENCES) || !vz_hierarchy_is_ours(hierarchy))
        hierarchy->due |= VZ_DUE_REFERENCES;
}

static vz_moves *load(vz_hierarchy *hierarchy, vz_error *err)
{
    vz_notes notes = {0};
    const vz_json *annotation = hierarchy->root->annotation;
    bool ok = vz_notes_read(&notes, vz_json_get(annotation, VZ_ANNOTATION_MOVED), err);
    const size_t count = notes.count;
    if (ok && (vz_moved_is_announced(annotation) || vz_store_has_journals(hierarchy->store)))
        ok = vz_notes_read_journals(&notes, hierarchy, err);
    vz_notes_sort(&notes);
    vz_moves *moves = ok ? make_moves(&notes, err) : NULL;
    if (moves && notes.count > count)
        set_unwritten(hierarchy);
    if (moves && !know_spellings(hierarchy, moves, &notes, err)) {
        vz_moves_free(moves);
        moves = NULL;
    }
    vz_notes_clear(&notes);
    return moves;
}

/* NULL: out of memory. */
vz_moves *vz_moved_all(vz_hierarchy *hierarchy, vz_error *err)
{
    if (!hierarchy->moves)
        hierarchy->moves = load(hierarchy, err);
    return hierarchy->moves;
}

void vz_moved_forget(vz_hierarchy *hierarchy)
{
    vz_moves_free(hierarchy->moves);
    hierarchy->moves = NULL;
    vz_strmap_free(hierarchy->spelled, free);
    hierarchy->spelled = NULL;
}

bool vz_moved_spelling(vz_node *group, const char *segment, const char **name, vz_error *err)
{
    char *key = NULL;
    *name = NULL;
    if (!group->hierarchy->root || !vz_moved_is_announced(group->hierarchy->root->annotation))
        return true;
    if (!vz_moved_all(group->hierarchy, err))
        return false;
    if (!group->hierarchy->spelled)
        return true;
    if (!(key = vz_path_of_name(group, segment, err)))
        return !err || err->class == VZ_OK;
    *name = vz_strmap_get(group->hierarchy->spelled, key);
    free(key);
    return true;
}

void vz_moved_close(vz_hierarchy *hierarchy)
{
    const bool is_written = !hierarchy->root || !hierarchy->root->dirt;
    if (hierarchy->moves && vz_moves_last(hierarchy->moves) > 0 && !is_written)
        vz_store_journal_keep(hierarchy->store);
    vz_moved_forget(hierarchy);
}

bool vz_hierarchy_has_moves(vz_hierarchy *hierarchy)
{
    const vz_moves *moves = vz_moved_all(hierarchy, NULL);
    return moves && vz_moves_last(moves) > 0;
}

bool vz_moved_settle(vz_hierarchy *hierarchy, vz_error *err)
{
    size_t count;
    if (!hierarchy->moves || !hierarchy->moves_unwritten)
        return true;
    const vz_move *all = vz_moves_all(hierarchy->moves, &count);
    vz_json *list = vz_json_array(err);
    bool ok = list != NULL;
    for (size_t i = 0; ok && i < count; i++)
        ok = !all[i].is_needed || vz_json_append(list, vz_note_json(all[i].number, all[i].from, all[i].to, err), err);
    if (!ok) {
        vz_json_free(list);
        return false;
    }
    if (!vz_json_set(hierarchy->root->annotation, VZ_ANNOTATION_MOVED, list, err))
        return false;
    hierarchy->moves_unwritten = false;
    return true;
}

void vz_moved_recovered(vz_hierarchy *hierarchy)
{
    if (hierarchy->moves && !hierarchy->moves_unwritten && !hierarchy->root->dirt)
        vz_store_journals_done(hierarchy->store);
}

/* ---- noting ---- */

/* In a store of somebody else's there may be references that nobody announced. */
bool vz_moved_is_noted(const vz_hierarchy *hierarchy, const char *to)
{
    return hierarchy->has_seconds || vz_moved_is_announced(hierarchy->root->annotation) ||
           (to && !vz_hierarchy_is_ours(hierarchy));
}

static bool is_any_gone(const vz_hierarchy *hierarchy)
{
    const vz_node *node = hierarchy->unlinked;
    while (node && !node->gone)
        node = node->next;
    return node != NULL;
}

bool vz_moved_note(vz_hierarchy *hierarchy, const char *from, const char *to, vz_error *err)
{
    if (!vz_moved_is_noted(hierarchy, to))
        return true;
    vz_moves *moves = vz_moved_all(hierarchy, err);
    if (!moves)
        return false;
    set_unwritten(hierarchy);
    hierarchy->moves_stored = false;
    hierarchy->unconfirmed = vz_moves_last(moves) + 1;
    vz_moves_keep(moves, is_any_gone(hierarchy)); /* some path below VZ_NOWHERE is in use */
    return vz_moves_add(moves, hierarchy->unconfirmed, from, to, err) && vz_node_annotated(hierarchy->root, err);
}

bool vz_moved_note_held(vz_node *held, const char *from, vz_error *err)
{
    vz_hierarchy *hierarchy = held->hierarchy;
    if (!vz_moved_note(hierarchy, from, NULL, err))
        return false;
    if (!vz_moved_is_noted(hierarchy, NULL))
        return true;
    if (asprintf(&held->gone, VZ_NOWHERE "%llu%s", (unsigned long long)vz_moves_last(hierarchy->moves), from) >= 0)
        return true;
    held->gone = NULL;
    return vz_fail_memory(err);
}

bool vz_moved_confirm(vz_hierarchy *hierarchy, vz_error *err)
{
    if (!hierarchy->unconfirmed || !hierarchy->moves_announced)
        return true;
    char *line = vz_note_line_done(hierarchy->unconfirmed, err);
    const bool ok = line && vz_store_journal_add(hierarchy->store, line, err);
    free(line);
    if (ok)
        hierarchy->unconfirmed = 0;
    return ok;
}

void vz_moved_written(vz_hierarchy *hierarchy)
{
    hierarchy->moves_announced = vz_moved_is_announced(hierarchy->root->annotation);
    hierarchy->moves_stored = !hierarchy->moves_unwritten;
}

/* ---- following ---- */

bool vz_hierarchy_since(vz_hierarchy *hierarchy, const char *path, uint64_t *since, vz_error *err)
{
    const vz_moves *moves = vz_moved_all(hierarchy, err);
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

char *vz_moved_path(vz_hierarchy *hierarchy, const char *path, uint64_t since, vz_error *err)
{
    const vz_moves *moves = vz_moved_all(hierarchy, err);
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
uint64_t vz_moved_number_before(char *text, char **path)
{
    return strtoull(text, path, 10);
}

char *vz_hierarchy_path_of_stored(vz_hierarchy *hierarchy, const char *stored, vz_error *err)
{
    char *path, *text = vz_path_from_text(stored, err);
    if (!text)
        return NULL;
    const uint64_t since = vz_moved_number_before(text, &path);
    char *now = vz_moved_path(hierarchy, path, since, err);
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
