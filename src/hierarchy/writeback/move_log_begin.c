/* move_log_begin.c - writes moves and deletions into the journal before the store changes. */
#include "hierarchy/writeback/document.h"
#include "hierarchy/nodes/root_move_log.h"
#include "hierarchy/writeback/writeback_internal.h"

bool vz_flush_move_log_announce(vz_hierarchy *hierarchy, vz_error *err)
{
    vz_node *root = hierarchy->root;
    if (hierarchy->move_log.announced || root->is_new || !vz_root_move_log_is_announced(root->annotation))
        return true;
    return vz_flush_prepare(hierarchy, root, err) && vz_flush_documents(root, err);
}

/* A flushed reference can name an object of the store only if the store announces moves, or was
 * made by another process. */
static bool needs_journal(vz_hierarchy *hierarchy, const char *to, bool *needed, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    *needed = vz_root_move_log_has(hierarchy, to) && hierarchy->store->staging;
    if (!*needed || hierarchy->move_log.announced)
        return true;
    if (vz_hierarchy_is_ours(hierarchy)) {
        *needed = false;
        return true;
    }
    if (!vz_hierarchy_holds_references(hierarchy, err))
        return false;
    if (vz_flush_move_log_announce(hierarchy, &failed))
        return true;
    *needed = false;
    return failed.class == VZ_PERMISSION || failed.class == VZ_READ_ONLY ||
           vz_fail(err, failed.class, "%s", failed.text);
}

bool vz_flush_begin_move(vz_hierarchy *hierarchy, const char *from, const char *to, const char *from_key,
                         const char *to_key, vz_error *err)
{
    bool needed;
    if (!needs_journal(hierarchy, to, &needed, err))
        return false;
    if (!needed)
        return true;
    if (hierarchy->move_log.stored)
        vz_store_journal_renew(hierarchy->store);
    return vz_root_move_log_all(hierarchy, err) &&
           vz_move_log_journal(&hierarchy->move_log, hierarchy->store, from, to, from_key, to_key, err);
}
