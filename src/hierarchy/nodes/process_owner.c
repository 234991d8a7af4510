/* process_owner.c - which process may write what a hierarchy holds. It is the one that opened it,
 * as long as that runs. A forked child inherits a copy, which would be written twice, or torn. Once
 * that process has ended, a child goes on with what it inherited, as it would with a native file.
 * It does so if nothing was written since the fork: only then is the copy what its owner last had.
 * Of several children one does. */
#include "hierarchy/nodes/hierarchy_internal.h"
#include "hierarchy/nodes/node_state.h"
#include "base/os/file.h"

bool vz_hierarchy_own(vz_hierarchy *hierarchy, vz_error *err)
{
    vz_process *process = vz_process_take(err);
    if (!process)
        return false;
    vz_hierarchy_disown(hierarchy);
    hierarchy->process.watched = process;
    vz_store_share(hierarchy->store);
    return true;
}

void vz_hierarchy_disown(vz_hierarchy *hierarchy)
{
    vz_process_leave(hierarchy->process.watched);
    hierarchy->process.watched = NULL;
    if (hierarchy->store)
        vz_store_unshare(hierarchy->store);
}

/* One of all children that find their owner's number of writes unchanged. */
static bool take_over(vz_hierarchy *hierarchy)
{
    if (!vz_store_take_over(hierarchy->store) || !vz_hierarchy_own(hierarchy, NULL))
        return false;
    hierarchy->process.owner = vz_process_id();
    hierarchy->process.kept = false;
    for (struct vz_unwritten *unwritten = hierarchy->dirty.nodes; unwritten; unwritten = unwritten->next)
        if (unwritten->node->io)
            vz_array_keep_dirty(unwritten->node->io, false);
    return true;
}

static bool holds_unwritten(const vz_hierarchy *hierarchy)
{
    return hierarchy->dirty.nodes || vz_store_is_uncommitted(hierarchy->store) ||
           vz_store_has_unwritten(hierarchy->store, "");
}

vz_hierarchy_owner vz_hierarchy_ownership(vz_hierarchy *hierarchy, vz_error *err)
{
    if (!vz_hierarchy_inherited(hierarchy))
        return VZ_OWNED;
    if (!hierarchy->process.watched || !vz_process_has_ended(hierarchy->process.watched)) {
        vz_hierarchy_keep_inherited(hierarchy);
        return VZ_OWNED_BY_PARENT;
    }
    if (take_over(hierarchy))
        return VZ_OWNED;
    vz_hierarchy_keep_inherited(hierarchy);
    if (!holds_unwritten(hierarchy))
        return VZ_OWNED_BY_PARENT;
    vz_fail(err, VZ_BUSY,
            "not written: the process that opened the store has ended, and since this one was forked it, or "
            "another that it forked, wrote to the store");
    vz_error_where(err, hierarchy->path, NULL);
    return VZ_OWNED_BY_NOBODY;
}

bool vz_hierarchy_check_flush(vz_hierarchy *hierarchy, vz_error *err)
{
    if (!hierarchy->writable || !holds_unwritten(hierarchy))
        return true;
    const vz_hierarchy_owner ownership = vz_hierarchy_ownership(hierarchy, err);
    if (ownership != VZ_OWNED_BY_PARENT)
        return ownership == VZ_OWNED;
    vz_fail(err, VZ_BUSY,
            "not written: the store was opened before this process was forked, and is its parent's to write");
    vz_error_where(err, hierarchy->path, NULL);
    return false;
}
