/* staging_rename.c - what is staged is called otherwise, or nothing of it. */
#include "store/directory/directory_internal.h"
#include "store/directory/staging_internal.h"
#include "base/util/bytes.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* The new name of a prefix within `from`. */
static bool name_anew(const vz_directory_renaming *r, const char *old, char fresh[PATH_MAX], vz_error *err)
{
    return snprintf(fresh, PATH_MAX, "%s%s", r->to, old + strlen(r->from)) < PATH_MAX ||
           vz_fail(err, VZ_LIMIT, "the path is too long");
}

static bool note_renamed(vz_directory_renaming *r, const char *old, vz_error *err)
{
    if (r->count == r->room) {
        const size_t room = r->room ? 2 * r->room : 8;
        char **grown = realloc(r->old, room * sizeof *grown);
        if (!grown)
            return vz_fail_memory(err);
        r->old = grown;
        r->room = room;
    }
    r->old[r->count] = strdup(old);
    return r->old[r->count] ? ++r->count : vz_fail_memory(err);
}

static bool add_fresh(const vz_directory_renaming *r, const char *old, vz_error *err)
{
    char fresh[PATH_MAX];
    if (!name_anew(r, old, fresh, err))
        return false;
    if (vz_staging_table_get(r->staging->entries, fresh))
        return vz_fail_errno(err, EEXIST, "cannot rename to \"%.100s\"", fresh);
    return vz_staging_table_put(r->staging->entries, fresh, vz_staging_table_get(r->staging->entries, old), err);
}

static void forget_renamed(vz_directory_renaming *r)
{
    for (size_t i = 0; i < r->count; i++)
        free(r->old[i]);
    free(r->old);
}

bool vz_directory_rename_begin(vz_directory_renaming *r, bool own, vz_error *err)
{
    const vz_staging_table *entries = r->staging->entries;
    bool ok = true;
    for (const char *at = vz_staging_table_first(entries, r->from); ok && at;
         at = vz_staging_table_next(entries, r->from, at))
        if (own || strcmp(at, r->from) != 0)
            ok = note_renamed(r, at, err);
    while (ok && r->named < r->count) {
        ok = add_fresh(r, r->old[r->named], err);
        r->named += ok;
    }
    if (!ok)
        vz_directory_rename_undo(r);
    return ok;
}

void vz_directory_rename_undo(vz_directory_renaming *r)
{
    char fresh[PATH_MAX];
    for (size_t i = 0; i < r->named; i++)
        if (name_anew(r, r->old[i], fresh, NULL))
            vz_staging_table_remove(r->staging->entries, fresh);
    forget_renamed(r);
}

void vz_directory_rename_done(vz_directory_renaming *r)
{
    for (size_t i = 0; i < r->count; i++)
        vz_staging_table_remove(r->staging->entries, r->old[i]);
    forget_renamed(r);
}

/* ---- where it lies ---- */

/* Its values are still to come, or its directory was not removed. */
static bool is_staged(const vz_staging *staging, const struct staged *entry)
{
    char name[VZ_DECIMAL_SIZE];
    vz_decimal(entry->number, name);
    return !atomic_load(&entry->written) || vz_staging_queue_waits(staging->later, entry->last) ||
           vz_staging_is_at(vz_directory_root(staging->inner), name);
}

bool vz_directory_rename_in_place(vz_staging *staging, const char *from, const char *to, bool *done, vz_error *err)
{
    const struct staged *source = vz_staging_table_get(staging->entries, from);
    struct staged *target = vz_staging_table_get(staging->entries, to);
    *done = false;
    if (!source || !target || source->came || target->made || target->last || target->came ||
        atomic_load(&target->written) || !is_staged(staging, source))
        return true;
    vz_directory_renaming below = {.staging = staging, .from = from, .to = to};
    if (!vz_directory_rename_begin(&below, false, err))
        return false;
    target->number = source->number;
    target->made = source->made;
    target->last = source->last;
    atomic_store(&target->written, atomic_load(&source->written));
    free(vz_staging_table_remove(staging->entries, from));
    vz_directory_rename_done(&below);
    *done = true;
    return true;
}
