/* sweep.c - files that a killed writer of a directory had begun. Their names are hidden, so that no
 * listing shows them, but they take room. */
#include "base/os/file.h"
#include "command/sync/sync_internal.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct sweep {
    vz_sync_side *side;
    const char *prefix;
} sweep;

static bool remove_begun(void *context, const char *name, vz_store_key_kind kind, vz_error *err)
{
    const sweep *s = context;
    char path[PATH_MAX];
    (void)err;
    if (kind != VZ_STORE_VALUE || !vz_partial_is_name(name))
        return true;
    const int length =
        snprintf(path, sizeof path, "%s/%s%s%s", s->side->raw->path, s->prefix, *s->prefix ? "/" : "", name);
    if (length > 0 && (size_t)length < sizeof path)
        vz_os_unlink(path);
    return true;
}

static bool sweep_below(vz_sync_side *side, const char *prefix, unsigned depth, vz_error *err);

static bool sweep_entry(vz_sync_side *side, const char *prefix, const char *name, unsigned depth, vz_error *err)
{
    char *below = NULL;
    uint64_t links = VZ_LINKS_ENTERED_MAX; /* behind links nothing is begun */
    if (asprintf(&below, "%s%s%s", prefix, *prefix ? "/" : "", name) < 0)
        return vz_fail_memory(err);
    const bool ok = !vz_subject_enters(side->raw, below, &links) || sweep_below(side, below, depth + 1, err);
    free(below);
    return ok;
}

static bool sweep_below(vz_sync_side *side, const char *prefix, unsigned depth, vz_error *err)
{
    vz_entry *entries = NULL;
    size_t count = 0;
    sweep s = {.side = side, .prefix = prefix};
    if (depth == VZ_SYNC_DEPTH_MAX)
        return vz_fail(err, VZ_LIMIT, "nested deeper than %d", VZ_SYNC_DEPTH_MAX);
    bool ok = vz_store_each_entry(side->raw, prefix, remove_begun, &s, err) &&
              vz_store_list(side->raw, prefix, &entries, &count, err);
    for (size_t i = 0; ok && i < count; i++)
        ok = !entries[i].is_prefix || sweep_entry(side, prefix, entries[i].name, depth, err);
    vz_entries_free(entries, count);
    return ok;
}

bool vz_sync_sweep(vz_sync_side *side, vz_error *err)
{
    return !side->is_directory || sweep_below(side, "", 0, err);
}
