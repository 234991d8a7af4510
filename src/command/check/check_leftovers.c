/* check_leftovers.c - what writers did not finish: those that died, and those that are at work. */
#include "command/check/check_internal.h"
#include "store/store/lease.h"
#include <stdio.h>
#include <stdlib.h>

static bool note_id(vz_strmap *ids, const vz_leftover *leftover, vz_error *err)
{
    return !leftover->id[0] || vz_strmap_put(ids, leftover->id, ids, err);
}

static bool tell(void *context, const vz_leftover *leftover, vz_error *err)
{
    vz_check *check = context;
    if (leftover->doubt) {
        vz_report_find(&check->report, leftover->is_damage ? VZ_FINDING_STORE : VZ_FINDING_UNJUDGED, leftover->path,
                       "%s (h5zarr compact writes the file anew)", leftover->doubt);
        return true;
    }
    const char *journal = leftover->has_journal ? ", with a journal of names that moved" : "";
    if (leftover->is_dead && leftover->is_in_store)
        vz_report_find(&check->report, VZ_FINDING_LEFTOVER, leftover->path,
                       "its writer died after a flush, which other zip readers do not see");
    else if (leftover->is_dead)
        vz_report_find(&check->report, VZ_FINDING_LEFTOVER, leftover->path, "its writer died%s", journal);
    else
        vz_report_find(&check->report, VZ_FINDING_UNFINISHED, leftover->path,
                       "its writer is at work, or may still be alive%s", journal);
    return note_id(leftover->is_dead ? check->dead : check->living, leftover, err);
}

bool vz_check_leftovers(vz_check *check, vz_error *err)
{
    vz_error why = VZ_ERROR_NONE;
    if (vz_store_each_leftover(check->store, tell, check, &why))
        return true;
    if (why.class == VZ_NO_MEMORY)
        return vz_fail_memory(err);
    vz_report_find(&check->report, VZ_FINDING_UNJUDGED, "", "what writers left: %s", why.text);
    return true;
}

/* ---- partial names in the store ---- */

struct place {
    vz_check *check;
    const char *prefix;
};

static bool has_id(const vz_strmap *ids, const char *name)
{
    char id[VZ_LEFTOVER_ID_SIZE];
    snprintf(id, sizeof id, "%s", name);
    return vz_strmap_get(ids, id) != NULL;
}

static bool meet(void *context, const char *name, vz_store_key_kind kind, vz_error *err)
{
    const struct place *place = context;
    vz_check *check = place->check;
    (void)kind;
    if (!vz_partial_is_name(name) || has_id(check->living, name) || (!*place->prefix && vz_partial_is_staging(name)))
        return true;
    char *key = vz_document_key_join(place->prefix, name, err);
    if (key && has_id(check->dead, name))
        vz_report_find(&check->report, VZ_FINDING_LEFTOVER, key, "its writer died");
    else if (key)
        vz_report_find(&check->report, VZ_FINDING_UNFINISHED, key,
                       "nothing tells whether its writer lives; it goes when it is a week old");
    free(key);
    return key != NULL;
}

bool vz_check_partials(vz_check *check, const char *prefix, vz_error *err)
{
    struct place place = {check, prefix};
    vz_error why = VZ_ERROR_NONE;
    if (!check->store->class->each_entry || vz_store_each_entry(check->store, prefix, meet, &place, &why))
        return true;
    return why.class != VZ_NO_MEMORY || vz_fail_memory(err); /* the listing reported what else is
                                                              * wrong there */
}
