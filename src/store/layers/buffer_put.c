/* buffer_put.c - filling the table of what was put and is not yet in the store. */
#include "store/layers/write_behind_internal.h"
#include <stdlib.h>

/* What cannot be put takes no more room than what is under way may. */
static bool check_failed(vz_behind *b, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    if (b->failed < vz_behind_window(b) || vz_behind_drain(b, &failed) || b->failed < vz_behind_window(b))
        return true;
    if (err && err->class == VZ_OK)
        *err = failed;
    return false;
}

/* The memory is never NULL, for an empty value neither. */
static bool copy(const vz_bytes *value, vz_owed *owed, vz_error *err)
{
    *owed = (vz_owed){0};
    if (!value)
        return true;
    if (!(owed->data = malloc(value->size + 1)))
        return vz_fail_memory(err);
    if (value->size)
        memcpy(owed->data, value->data, value->size);
    owed->size = value->size;
    return true;
}

static bool add(vz_behind *b, const char *key, const vz_bytes *value, bool unnamed, vz_error *err)
{
    vz_owed owed;
    if (!copy(value, &owed, err))
        return false;
    vz_behind_entry *entry = vz_behind_make(b, key, err);
    if (!entry) {
        free(owed.data);
        return false;
    }
    vz_behind_wait_with(b, entry, owed, unnamed);
    entry->serial = ++b->serial;
    return true;
}

/* Where the store has nothing there is nothing to delete. */
static bool add_unnamed(vz_behind *b, const char *key, const vz_bytes *value, vz_error *err)
{
    vz_behind_entry *entry = vz_behind_find(b, key);
    if (value)
        return add(b, key, value, true, err);
    if (entry)
        vz_behind_remove(b, entry);
    return true;
}

static bool has_room_for(const vz_behind *b, const vz_bytes *value)
{
    return !value || (b->unnamed < VZ_BEHIND_UNNAMED_MAX && value->size <= VZ_BEHIND_UNNAMED_BYTES &&
                      b->unnamed_bytes <= VZ_BEHIND_UNNAMED_BYTES - value->size);
}

bool vz_behind_add(vz_behind *b, const char *key, const vz_bytes *value, vz_error *err)
{
    if (!check_failed(b, err))
        return false;
    if (vz_behind_keeps(b, key) && has_room_for(b, value))
        return add_unnamed(b, key, value, err);
    if (!vz_behind_show(b, key, err) || !add(b, key, value, false, err))
        return false;
    vz_behind_send_enough(b);
    return true;
}
