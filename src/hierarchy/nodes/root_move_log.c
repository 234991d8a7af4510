/* root_move_log.c - the move log of an open store. In a store that holds references (the root's
 * annotation has "rf") or further hard links ("hl"), moves and deletions are logged. A stored path
 * is followed through all entries whose number is larger than its own. */
#include "hierarchy/nodes/root_move_log_internal.h"
#include "hierarchy/nodes/alias.h"
#include "hierarchy/nodes/node_state.h"
#include <stdio.h>
#include <stdlib.h>

/* ---- what is in the log ---- */

bool vz_root_move_log_is_announced(const vz_json *annotation)
{
    return vz_json_get(annotation, VZ_ANNOTATION_REFERENCES) || vz_json_get(annotation, VZ_ANNOTATION_ALIASES) ||
           vz_json_get(annotation, VZ_ANNOTATION_MOVES);
}

/* References that are stored must say what moved. */
static void references_are_due(vz_hierarchy *hierarchy)
{
    if (vz_json_get(hierarchy->root->annotation, VZ_ANNOTATION_REFERENCES) || !vz_hierarchy_is_ours(hierarchy))
        hierarchy->dirty.due |= VZ_DUE_REFERENCES;
}

vz_moves *vz_root_move_log_all(vz_hierarchy *hierarchy, vz_error *err)
{
    vz_move_log *log = &hierarchy->move_log;
    const vz_json *annotation = hierarchy->root->annotation;
    bool recovered;
    if (log->moves)
        return log->moves;
    const bool journals = vz_root_move_log_is_announced(annotation) || vz_store_has_journals(hierarchy->store);
    vz_move_log_load(log, hierarchy->store, annotation, journals, &recovered, err);
    if (recovered)
        references_are_due(hierarchy);
    return log->moves;
}

void vz_root_move_log_forget(vz_hierarchy *hierarchy)
{
    vz_move_log_clear(&hierarchy->move_log);
}

bool vz_root_move_log_has_stored_names(const vz_hierarchy *hierarchy)
{
    return hierarchy->root && vz_root_move_log_is_announced(hierarchy->root->annotation);
}

bool vz_root_move_log_stored_name(vz_node *group, const char *segment, const char **name, vz_error *err)
{
    vz_hierarchy *hierarchy = group->hierarchy;
    char *key = NULL;
    *name = NULL;
    if (!vz_root_move_log_has_stored_names(hierarchy))
        return true;
    if (!vz_root_move_log_all(hierarchy, err))
        return false;
    if (!hierarchy->move_log.stored_names)
        return true;
    if (!(key = vz_node_path_of_name(group, segment, err)))
        return !err || err->class == VZ_OK;
    *name = vz_strmap_get(hierarchy->move_log.stored_names, key);
    free(key);
    return true;
}

void vz_root_move_log_close(vz_hierarchy *hierarchy)
{
    const bool is_written = !hierarchy->root || !hierarchy->root->unwritten;
    if (hierarchy->move_log.moves && vz_moves_last(hierarchy->move_log.moves) > 0 && !is_written)
        vz_store_journal_keep(hierarchy->store);
    vz_root_move_log_forget(hierarchy);
}

bool vz_hierarchy_has_moves(vz_hierarchy *hierarchy)
{
    const vz_moves *moves = vz_root_move_log_all(hierarchy, NULL);
    return moves && vz_moves_last(moves) > 0;
}

bool vz_root_move_log_to_root(vz_hierarchy *hierarchy, vz_error *err)
{
    vz_move_log *log = &hierarchy->move_log;
    return !log->moves || !log->unwritten || vz_move_log_annotate(log, hierarchy->root->annotation, err);
}

void vz_root_move_log_recovered(vz_hierarchy *hierarchy)
{
    if (hierarchy->move_log.moves && !hierarchy->move_log.unwritten && !hierarchy->root->unwritten)
        vz_store_journals_done(hierarchy->store);
}

/* ---- adding ---- */

/* In a store of another process's there may be references that nobody announced. */
bool vz_root_move_log_has(const vz_hierarchy *hierarchy, const char *to)
{
    return hierarchy->hard_links.any || vz_root_move_log_is_announced(hierarchy->root->annotation) ||
           (to && !vz_hierarchy_is_ours(hierarchy));
}

static bool is_any_gone(const vz_hierarchy *hierarchy)
{
    const vz_node *node = hierarchy->unlinked;
    while (node && !node->gone)
        node = node->next;
    return node != NULL;
}

bool vz_root_move_log_add(vz_hierarchy *hierarchy, const char *from, const char *to, vz_error *err)
{
    if (!vz_root_move_log_has(hierarchy, to))
        return true;
    if (!vz_root_move_log_all(hierarchy, err))
        return false;
    references_are_due(hierarchy);
    return vz_move_log_append(&hierarchy->move_log, from, to, is_any_gone(hierarchy), err) &&
           vz_node_annotated(hierarchy->root, err);
}

bool vz_root_move_log_add_held(vz_node *held, const char *from, vz_error *err)
{
    vz_hierarchy *hierarchy = held->hierarchy;
    if (!vz_root_move_log_add(hierarchy, from, NULL, err))
        return false;
    if (!vz_root_move_log_has(hierarchy, NULL))
        return true;
    if (asprintf(&held->gone, VZ_NOWHERE "%llu%s", (unsigned long long)vz_moves_last(hierarchy->move_log.moves),
                 from) >= 0)
        return true;
    held->gone = NULL;
    return vz_fail_memory(err);
}

bool vz_root_move_log_confirm(vz_hierarchy *hierarchy, vz_error *err)
{
    return vz_move_log_journal_done(&hierarchy->move_log, hierarchy->store, err);
}

void vz_root_move_log_written(vz_hierarchy *hierarchy)
{
    vz_move_log_in_document(&hierarchy->move_log, vz_root_move_log_is_announced(hierarchy->root->annotation));
}

bool vz_hierarchy_holds_references(vz_hierarchy *hierarchy, vz_error *err)
{
    vz_node *root = hierarchy->root;
    if (vz_json_get(root->annotation, VZ_ANNOTATION_REFERENCES))
        return true;
    return vz_json_set(root->annotation, VZ_ANNOTATION_REFERENCES, vz_json_array(err), err) &&
           vz_node_annotated(root, err);
}

/* ---- following ---- */

bool vz_hierarchy_since(vz_hierarchy *hierarchy, const char *path, uint64_t *since, vz_error *err)
{
    const vz_moves *moves = vz_root_move_log_all(hierarchy, err);
    *since = 0;
    return moves && vz_moves_since(moves, path, since, err);
}

uint64_t vz_hierarchy_paths_moment(vz_hierarchy *hierarchy)
{
    const vz_moves *moves = vz_root_move_log_all(hierarchy, NULL);
    return moves && vz_moves_last(moves) == 0 ? vz_moves_token_changes() + 1 : 0;
}

char *vz_root_move_log_follow(vz_hierarchy *hierarchy, const char *path, uint64_t since, vz_error *err)
{
    const vz_moves *moves = vz_root_move_log_all(hierarchy, err);
    return moves ? vz_moves_follow(moves, path, since, err) : NULL;
}

char *vz_hierarchy_stored_path(vz_hierarchy *hierarchy, const char *path, vz_error *err)
{
    const vz_moves *moves = vz_root_move_log_all(hierarchy, err);
    return moves ? vz_moves_stored_path(moves, path, err) : NULL;
}

char *vz_hierarchy_path_of_stored(vz_hierarchy *hierarchy, const char *stored, vz_error *err)
{
    const vz_moves *moves = vz_root_move_log_all(hierarchy, err);
    return moves ? vz_moves_path_of_stored(moves, stored, err) : NULL;
}
