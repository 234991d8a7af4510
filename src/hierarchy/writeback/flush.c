/* flush.c - a flush begins, and what of it failed. */
#include "hierarchy/writeback/writeback_internal.h"

void vz_flush_init(vz_flush *flush, vz_hierarchy *hierarchy, vz_flush_scope scope)
{
    flush->hierarchy = hierarchy;
    flush->node = NULL;
    flush->scope = scope;
    flush->sync = flush->discard_failed = flush->hold_incomplete = flush->failed = false;
    flush->links = VZ_LINKS_ALL;
    flush->deferred = NULL;
    flush->round = NULL;
    vz_error_clear(&flush->first);
    vz_error_clear(&flush->now);
}

bool vz_flush_note(vz_flush *flush, bool ok)
{
    if (!ok && flush->first.class == VZ_OK)
        flush->first = flush->now;
    if (flush->now.class != VZ_OK)
        vz_error_clear(&flush->now);
    flush->failed |= !ok;
    return ok;
}

bool vz_flush_result(const vz_flush *flush, vz_error *err)
{
    if (flush->failed && err && err->class == VZ_OK)
        *err = flush->first;
    return !flush->failed;
}
