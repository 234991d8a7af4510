/* buffer_table.c - the table of what was put and is not yet in the store: its entries. */
#include "store/layers/write_behind_internal.h"
#include "base/util/bytes.h"
#include <stdlib.h>

/* ---- entries ---- */

vz_behind_entry *vz_behind_find(const vz_behind *b, const char *key)
{
    return vz_strmap_get(b->by_key, key);
}

vz_behind_entry *vz_behind_make(vz_behind *b, const char *key, vz_error *err)
{
    vz_behind_entry *entry = vz_behind_find(b, key);
    if (entry)
        return entry;
    entry = calloc(1, sizeof *entry);
    if (!entry || !(entry->key = strdup(key))) {
        free(entry);
        vz_fail_memory(err);
        return NULL;
    }
    if (vz_strmap_put(b->by_key, key, entry, err))
        return entry;
    free(entry->key);
    free(entry);
    return NULL;
}

const vz_owed *vz_behind_newest(const vz_behind_entry *entry)
{
    return entry->waits ? &entry->waiting : &entry->sent;
}

/* Of no value below: their device is a real one, or 0. */
vz_stamp vz_behind_stamp(const vz_behind_entry *entry)
{
    const vz_owed *newest = vz_behind_newest(entry);
    return newest->data ? (vz_stamp){.exists = true, .size = newest->size, .device = UINT64_MAX, .inode = entry->serial}
                        : (vz_stamp){0};
}

void vz_behind_forget(vz_behind *b, vz_behind_entry *entry)
{
    vz_strmap_remove(b->by_key, entry->key);
    free(entry->key);
    free(entry);
}

void vz_behind_stop_waiting(vz_behind *b, vz_behind_entry *entry)
{
    if (entry->failed)
        b->failed--;
    else if (entry->unnamed)
        b->unnamed--, b->unnamed_bytes -= entry->waiting.size;
    else
        b->ready--, b->ready_bytes -= entry->waiting.size;
    entry->waits = entry->failed = entry->unnamed = false;
}

static void begin_waiting(vz_behind *b, vz_behind_entry *entry, vz_owed owed, bool failed)
{
    entry->waits = true;
    entry->failed = failed;
    entry->waiting = owed;
    if (failed)
        b->failed++;
    else if (entry->unnamed)
        b->unnamed++, b->unnamed_bytes += owed.size;
    else
        b->ready++, b->ready_bytes += owed.size;
}

void vz_behind_wait_with(vz_behind *b, vz_behind_entry *entry, vz_owed owed, bool unnamed)
{
    if (entry->waits) {
        free(entry->waiting.data);
        vz_behind_stop_waiting(b, entry);
    }
    entry->unnamed = unnamed;
    begin_waiting(b, entry, owed, false);
}

vz_owed vz_behind_take(vz_behind *b, vz_behind_entry *entry)
{
    vz_owed owed = {0};
    if (entry->waits) {
        owed = entry->waiting;
        vz_behind_stop_waiting(b, entry);
    }
    if (!entry->under_way)
        vz_behind_forget(b, entry);
    return owed;
}

void vz_behind_remove(vz_behind *b, vz_behind_entry *entry)
{
    const vz_owed owed = vz_behind_take(b, entry);
    free(owed.data);
}

bool vz_behind_owes(const vz_behind *b, const char *prefix)
{
    size_t cursor = 0;
    const char *key;
    void *value;
    while (vz_strmap_next(b->by_key, &cursor, &key, &value)) {
        const vz_behind_entry *entry = value;
        if (!(entry->waits && entry->unnamed) && vz_key_is_within(key, prefix))
            return true;
    }
    return false;
}

void vz_behind_take_back(vz_behind *b, vz_behind_entry *entry, bool failed)
{
    entry->under_way = false;
    b->under_way_bytes -= entry->sent.size;
    if (entry->waits)
        free(entry->sent.data);
    else
        begin_waiting(b, entry, entry->sent, failed);
}
