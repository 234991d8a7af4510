/* stored_name.c - names that come out of a store: who says them, and from where they lead. */
#include "hierarchy/nodes/hierarchy.h"
#include "store/kerchunk/kerchunk.h"
#include "store/store/kind.h"

void vz_hierarchy_take_place(vz_hierarchy *hierarchy, const vz_location *at)
{
    hierarchy->is_remote = vz_location_is_elsewhere(at) ||
                           /* a driver's own name */
                           (at->over_byte_source && vz_location_is_url(at->path));
    hierarchy->is_lindi = at->is_lindi || at->within == &vz_kerchunk_lindi_kind;
    hierarchy->asked_as = vz_location_is_elsewhere(at) ? at->asked_as : hierarchy->options;
}

vz_named vz_hierarchy_named(const vz_hierarchy *hierarchy, const char *name)
{
    return (vz_named){.by = hierarchy->is_remote ? VZ_NAMER_REMOTE_STORE : VZ_NAMER_LOCAL_FILE,
                      .name = name,
                      .store = hierarchy->is_remote ? hierarchy->path : hierarchy->store->path,
                      .links = hierarchy->options.links,
                      .as = &hierarchy->asked_as};
}
