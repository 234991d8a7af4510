/* buffer_put.c - fills the write-behind buffer. */
#include "store/layers/write_behind_internal.h"
#include <stdlib.h>

/* Values that cannot be put take no more room than values under way may. */
static bool check_failed(vz_write_buffer *b, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    if (b->failed < vz_write_buffer_window(b) || vz_write_buffer_drain(b, &failed) ||
        b->failed < vz_write_buffer_window(b))
        return true;
    if (err && err->class == VZ_OK)
        *err = failed;
    return false;
}

/* The memory is never NULL, for an empty value neither. */
static bool copy(const vz_bytes *value, vz_write_buffer_value *buffered, vz_error *err)
{
    *buffered = (vz_write_buffer_value){0};
    if (!value)
        return true;
    if (!(buffered->data = malloc(value->size + 1)))
        return vz_fail_memory(err);
    if (value->size)
        memcpy(buffered->data, value->data, value->size);
    buffered->size = value->size;
    return true;
}

static bool add(vz_write_buffer *b, const char *key, const vz_bytes *value, bool unnamed, vz_error *err)
{
    vz_write_buffer_value buffered;
    if (!copy(value, &buffered, err))
        return false;
    vz_write_buffer_entry *entry = vz_write_buffer_make(b, key, err);
    if (!entry) {
        free(buffered.data);
        return false;
    }
    vz_write_buffer_wait_with(b, entry, buffered, unnamed);
    entry->serial = ++b->serial;
    return true;
}

/* Where the store has nothing there is nothing to delete. */
static bool add_unnamed(vz_write_buffer *b, const char *key, const vz_bytes *value, vz_error *err)
{
    vz_write_buffer_entry *entry = vz_write_buffer_find(b, key);
    if (value)
        return add(b, key, value, true, err);
    if (entry)
        vz_write_buffer_remove(b, entry);
    return true;
}

static bool has_room_for(const vz_write_buffer *b, const vz_bytes *value)
{
    return !value || (b->unnamed < VZ_WRITE_BUFFER_UNNAMED_MAX && value->size <= VZ_WRITE_BUFFER_UNNAMED_BYTES &&
                      b->unnamed_bytes <= VZ_WRITE_BUFFER_UNNAMED_BYTES - value->size);
}

bool vz_write_buffer_add(vz_write_buffer *b, const char *key, const vz_bytes *value, vz_error *err)
{
    if (!check_failed(b, err))
        return false;
    if (vz_write_buffer_keeps(b, key) && has_room_for(b, value))
        return add_unnamed(b, key, value, err);
    if (!vz_write_buffer_show(b, key, err) || !add(b, key, value, false, err))
        return false;
    vz_write_buffer_send_enough(b);
    return true;
}
