/* json_changes.c - whether texts of containers that are kept (json_kept_text.c) still are right.
 * Any change to a container that stands in some kept text makes all of them void. Values in kept
 * texts are replaced as a whole, so that hardly happens. */
#include "base/util/json_internal.h"
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(uint64_t) changes; /* of containers that stand in a kept text */

void vz_json_changes(vz_json *container)
{
    if (container->is_kept)
        atomic_fetch_add(&changes, 1);
    if (!container->has_text)
        return;
    free(container->kept);
    container->kept = NULL;
    container->has_text = false;
}

uint64_t vz_json_changes_count(void)
{
    return atomic_load(&changes);
}

const vz_json_kept_text *vz_json_kept(const vz_json *value)
{
    const vz_json_kept_text *kept = value->has_text ? value->kept : NULL;
    return kept && kept->changes == atomic_load(&changes) ? kept : NULL;
}
