/* move_log_recover.c - moves and deletions in the journals of killed writers go into documents. */
#include "hierarchy/writeback/document.h"
#include "hierarchy/edit/edit.h"
#include "hierarchy/nodes/root_move_log.h"
#include "hierarchy/nodes/alias.h"
#include "hierarchy/writeback/writeback.h"

/* The groups with such names write them. */
static bool write_stored_names(vz_hierarchy *hierarchy, vz_error *err)
{
    size_t cursor = 0;
    const char *key;
    void *name;
    while (hierarchy->move_log.stored_names && vz_strmap_next(hierarchy->move_log.stored_names, &cursor, &key, &name)) {
        vz_error absent = VZ_ERROR_NONE;
        vz_node *group = vz_node_above_path(hierarchy, key, &absent);
        const bool ok =
            group ? vz_members_load(group, err) && vz_group_links_changed(group, err) && vz_flush_documents(group, err)
                  : absent.class != VZ_NO_MEMORY || vz_fail_memory(err);
        if (!ok)
            return false;
    }
    return true;
}

/* Corrections that the dead writer would have made at its next flush: links for other readers, and
 * lists of names, lead to where objects were. */
static void reconcile_names(vz_hierarchy *hierarchy, vz_error *err)
{
    hierarchy->dirty.names_gone = true;
    if (vz_node_annotated(hierarchy->root, err))
        vz_flush_write(hierarchy, err); /* what of it cannot be written stays dirty */
}

bool vz_edit_recover(vz_hierarchy *hierarchy, vz_error *err)
{
    if (!vz_store_has_journals(hierarchy->store))
        return true;
    if (!vz_root_move_log_all(hierarchy, err))
        return false;
    vz_error later = VZ_ERROR_NONE;
    const bool is_in_root = !hierarchy->move_log.unwritten, written = write_stored_names(hierarchy, &later);
    if (!is_in_root)
        reconcile_names(hierarchy, &later);
    if (written)
        vz_root_move_log_recovered(hierarchy);
    return later.class != VZ_NO_MEMORY || vz_fail_memory(err);
}
