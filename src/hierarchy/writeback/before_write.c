/* before_write.c - runs the callbacks of the modules above before documents are written. */
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/writeback/writeback.h"

bool vz_flush_prepare(vz_hierarchy *hierarchy, vz_node *only, vz_error *err)
{
    const vz_conventions *conventions = hierarchy->conventions;
    if (!vz_hierarchy_render_deferred(hierarchy, err))
        return false;
    if (!conventions || hierarchy->dirty.preparing || !hierarchy->dirty.nodes)
        return true;
    hierarchy->dirty.preparing = true;
    const bool ok = conventions->before_writing(hierarchy, only, err);
    hierarchy->dirty.preparing = false;
    return ok;
}
