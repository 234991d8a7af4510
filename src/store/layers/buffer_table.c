/* buffer_table.c - the entries of the write-behind buffer. */
#include "store/layers/write_behind_internal.h"
#include "base/util/bytes.h"
#include <stdlib.h>

/* ---- entries ---- */

vz_write_buffer_entry *vz_write_buffer_find(const vz_write_buffer *b, const char *key)
{
    return vz_strmap_get(b->by_key, key);
}

vz_write_buffer_entry *vz_write_buffer_make(vz_write_buffer *b, const char *key, vz_error *err)
{
    vz_write_buffer_entry *entry = vz_write_buffer_find(b, key);
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

const vz_write_buffer_value *vz_write_buffer_newest(const vz_write_buffer_entry *entry)
{
    return entry->waits ? &entry->waiting : &entry->sent;
}

/* Of no value below: their device is a real one, or 0. */
vz_stamp vz_write_buffer_stamp(const vz_write_buffer_entry *entry)
{
    const vz_write_buffer_value *newest = vz_write_buffer_newest(entry);
    return newest->data ? (vz_stamp){.exists = true, .size = newest->size, .device = UINT64_MAX, .inode = entry->serial}
                        : (vz_stamp){0};
}

void vz_write_buffer_forget(vz_write_buffer *b, vz_write_buffer_entry *entry)
{
    vz_strmap_remove(b->by_key, entry->key);
    free(entry->key);
    free(entry);
}

void vz_write_buffer_stop_waiting(vz_write_buffer *b, vz_write_buffer_entry *entry)
{
    if (entry->failed)
        b->failed--;
    else if (entry->unnamed)
        b->unnamed--, b->unnamed_bytes -= entry->waiting.size;
    else
        b->ready--, b->ready_bytes -= entry->waiting.size;
    entry->waits = entry->failed = entry->unnamed = false;
}

static void begin_waiting(vz_write_buffer *b, vz_write_buffer_entry *entry, vz_write_buffer_value buffered, bool failed)
{
    entry->waits = true;
    entry->failed = failed;
    entry->waiting = buffered;
    if (failed)
        b->failed++;
    else if (entry->unnamed)
        b->unnamed++, b->unnamed_bytes += buffered.size;
    else
        b->ready++, b->ready_bytes += buffered.size;
}

void vz_write_buffer_wait_with(vz_write_buffer *b, vz_write_buffer_entry *entry, vz_write_buffer_value buffered,
                               bool unnamed)
{
    if (entry->waits) {
        free(entry->waiting.data);
        vz_write_buffer_stop_waiting(b, entry);
    }
    entry->unnamed = unnamed;
    begin_waiting(b, entry, buffered, false);
}

vz_write_buffer_value vz_write_buffer_take(vz_write_buffer *b, vz_write_buffer_entry *entry)
{
    vz_write_buffer_value buffered = {0};
    if (entry->waits) {
        buffered = entry->waiting;
        vz_write_buffer_stop_waiting(b, entry);
    }
    if (!entry->under_way)
        vz_write_buffer_forget(b, entry);
    return buffered;
}

void vz_write_buffer_remove(vz_write_buffer *b, vz_write_buffer_entry *entry)
{
    const vz_write_buffer_value buffered = vz_write_buffer_take(b, entry);
    free(buffered.data);
}

bool vz_write_buffer_has(const vz_write_buffer *b, const char *prefix)
{
    size_t cursor = 0;
    const char *key;
    void *value;
    while (vz_strmap_next(b->by_key, &cursor, &key, &value)) {
        const vz_write_buffer_entry *entry = value;
        if (!(entry->waits && entry->unnamed) && vz_key_is_within(key, prefix))
            return true;
    }
    return false;
}

void vz_write_buffer_take_back(vz_write_buffer *b, vz_write_buffer_entry *entry, bool failed)
{
    entry->under_way = false;
    b->under_way_bytes -= entry->sent.size;
    if (entry->waits)
        free(entry->sent.data);
    else
        begin_waiting(b, entry, entry->sent, failed);
}
