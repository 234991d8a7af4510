/* open_stores.c - which stores this process has open. One hierarchy a root, whatever path led to
 * it; those inherited through a fork are the parent's and not found here. */
#include "hierarchy/resolve/open_stores.h"
#include "hierarchy/nodes/hierarchy.h"
#include "base/util/bytes.h"
#include <string.h>

static vz_hierarchy *registry; /* per module instance, as the design has it */

vz_hierarchy *vz_registry_find(const vz_identity *identity)
{
    for (vz_hierarchy *h = registry; h; h = h->registry.next)
        if (vz_identity_equal(&h->store->identity, identity) && !vz_hierarchy_inherited(h))
            return h;
    return NULL;
}

bool vz_registry_any(void)
{
    for (vz_hierarchy *h = registry; h; h = h->registry.next)
        if (!vz_hierarchy_inherited(h))
            return true;
    return false;
}

/* The file of an open zip store is another one after each commit. Its number may have gone to a new
 * store, which must not have its identity. */
bool vz_registry_has_identity(uint64_t identity)
{
    for (vz_hierarchy *h = registry; h; h = h->registry.next)
        if (h->registry.identity == identity && !vz_hierarchy_inherited(h))
            return true;
    return false;
}

void vz_registry_forget_tokens(const vz_identity *identity)
{
    const uint64_t number = vz_identity_number(identity);
    if (!vz_registry_has_identity(number))
        vz_moves_tokens_forget(number);
}

vz_hierarchy *vz_registry_find_around(const char *directory, bool below_too)
{
    for (vz_hierarchy *h = registry; h; h = h->registry.next) {
        const char *path = h->store->path;
        const bool related = vz_key_below(directory, path) || (below_too && vz_key_below(path, directory));
        if (related && !vz_hierarchy_inherited(h) && vz_store_is_at(h->store, path))
            return h;
    }
    return NULL;
}

void vz_registry_add(vz_hierarchy *hierarchy)
{
    hierarchy->registry.next = registry;
    registry = hierarchy;
}

void vz_registry_remove(vz_hierarchy *hierarchy)
{
    for (vz_hierarchy **place = &registry; *place; place = &(*place)->registry.next)
        if (*place == hierarchy) {
            *place = hierarchy->registry.next;
            return;
        }
}
