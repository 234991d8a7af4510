/* buffer_lock.c - the lock of the write-behind buffer. A forked child has a copy of the buffer,
 * but its requests are its parent's. */
#include "store/layers/write_behind_internal.h"
#include "base/os/file.h"

/* Answers to what is under way come to the parent. The lock may be held by a thread that is not
 * here. */
static void own(vz_write_buffer *b)
{
    size_t cursor = 0;
    const char *key;
    void *entry;
    vz_os_mutex_init(&b->lock);
    vz_os_condition_init(&b->ended);
    b->owner = vz_process_id();
    while (vz_strmap_next(b->by_key, &cursor, &key, &entry))
        if (((vz_write_buffer_entry *)entry)->under_way)
            vz_write_buffer_take_back(b, entry, false);
    vz_write_buffer_drop_flights(b);
}

void vz_write_buffer_begin(vz_write_buffer *b)
{
    b->owner = vz_process_id();
}

void vz_write_buffer_lock(vz_write_buffer *b)
{
    if (b->owner != vz_process_id())
        own(b);
    vz_os_mutex_lock(&b->lock);
}

void vz_write_buffer_unlock(vz_write_buffer *b)
{
    vz_os_mutex_unlock(&b->lock);
}
