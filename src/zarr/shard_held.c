/* shard_held.c - shards that are open: an index and the ranges that it tells are read from one version. */
#include "zarr/shard_io.h"
#include <stdlib.h>

bool vz_shard_version_is(const vz_shard_version *known, const vz_shard_version *held)
{
    return known->serial == held->serial || (known->settled && vz_stamp_equal(&known->stamp, &held->stamp));
}

/* Stores that serve one thread at a time are called under a lock. */
static void begin_call(vz_array *array)
{
    if (!(array->store->capabilities & VZ_STORE_PARALLEL))
        pthread_mutex_lock(&array->store_lock);
}

static void end_call(vz_array *array)
{
    if (!(array->store->capabilities & VZ_STORE_PARALLEL))
        pthread_mutex_unlock(&array->store_lock);
}

static void dispose(vz_array *array, vz_held *held)
{
    if (held->found) {
        begin_call(array);
        vz_store_close_value(array->store, &held->value);
        end_call(array);
    }
    free(held->key);
    free(held);
}

/* ---- the table; under the lock ---- */

static vz_held *find(vz_shards *shards, const char *key)
{
    for (unsigned i = 0; i < VZ_HELD_MAX; i++)
        if (shards->held[i] && strcmp(shards->held[i]->key, key) == 0)
            return shards->held[i];
    return NULL;
}

static void take_out(vz_shards *shards, vz_held *held)
{
    for (unsigned i = 0; i < VZ_HELD_MAX; i++)
        if (shards->held[i] == held)
            shards->held[i] = NULL;
    held->listed = false;
}

/* Puts it into a free slot, or in the place of what nobody uses and was used longest ago: that is returned. Without a
 * place it closes with its last user. */
static vz_held *put_in(vz_shards *shards, vz_held *held)
{
    vz_held **place = NULL;
    for (unsigned i = 0; i < VZ_HELD_MAX; i++) {
        vz_held **slot = &shards->held[i];
        if (!*slot) {
            place = slot;
            break;
        }
        if ((*slot)->users == 0 && (!place || (*slot)->used < (*place)->used))
            place = slot;
    }
    if (!place)
        return NULL;
    vz_held *out = *place;
    if (out)
        out->listed = false;
    held->listed = true;
    *place = held;
    return out;
}

static vz_held *use_listed(vz_shards *shards, const char *key)
{
    vz_held *held = find(shards, key);
    if (held) {
        held->users++;
        held->used = ++shards->held_clock;
    }
    return held;
}

/* ---- opening and closing ---- */

static bool open_value(vz_array *array, vz_held *held, vz_error *err)
{
    begin_call(array);
    const bool ok = vz_store_open_value(array->store, held->key, VZ_VALUE_READ, &held->value, &held->found, err);
    end_call(array);
    return ok;
}

static vz_held *open_new(vz_array *array, const char *key, vz_error *err)
{
    vz_held *held = calloc(1, sizeof *held);
    if (!held || !(held->key = strdup(key))) {
        free(held);
        vz_fail_memory(err);
        return NULL;
    }
    if (!open_value(array, held, NULL)) {
        vz_held_close_all(array); /* descriptors may have run out, and these are ours to give */
        if (!open_value(array, held, err)) {
            held->found = false;
            dispose(array, held);
            return NULL;
        }
    }
    held->users = 1;
    return held;
}

vz_held *vz_held_open(vz_array *array, const char *key, vz_error *err)
{
    vz_shards *shards = array->shards;
    pthread_mutex_lock(&shards->lock);
    vz_held *held = use_listed(shards, key);
    pthread_mutex_unlock(&shards->lock);
    if (held)
        return held;
    vz_held *fresh = open_new(array, key, err), *out = NULL;
    if (!fresh)
        return NULL;
    pthread_mutex_lock(&shards->lock);
    fresh->version = (vz_shard_version){++shards->held_serial, fresh->value.stamp, fresh->value.settled};
    fresh->used = ++shards->held_clock;
    if ((held = use_listed(shards, key))) /* another worker was faster: both take its version */
        out = fresh;
    else if (shards->in_transfer)
        out = put_in(shards, fresh);
    pthread_mutex_unlock(&shards->lock);
    if (out)
        dispose(array, out);
    return held ? held : fresh;
}

void vz_held_close(vz_array *array, vz_held *held)
{
    pthread_mutex_lock(&array->shards->lock);
    const bool last = --held->users == 0 && !held->listed;
    pthread_mutex_unlock(&array->shards->lock);
    if (last)
        dispose(array, held);
}

bool vz_held_changed(vz_array *array, vz_held *held)
{
    if (!held->found)
        return false;
    begin_call(array);
    const bool changed = vz_store_value_changed(array->store, held->key, &held->value);
    end_call(array);
    if (changed) {
        pthread_mutex_lock(&array->shards->lock);
        take_out(array->shards, held);
        pthread_mutex_unlock(&array->shards->lock);
    }
    return changed;
}

void vz_held_close_all(vz_array *array)
{
    vz_shards *shards = array->shards;
    vz_held *idle[VZ_HELD_MAX];
    unsigned count = 0;
    pthread_mutex_lock(&shards->lock);
    for (unsigned i = 0; i < VZ_HELD_MAX; i++) {
        vz_held *held = shards->held[i];
        if (!held || held->users > 0)
            continue;
        take_out(shards, held);
        idle[count++] = held;
    }
    pthread_mutex_unlock(&shards->lock);
    for (unsigned i = 0; i < count; i++)
        dispose(array, idle[i]);
}

/* ---- transfers ---- */

void vz_shards_begin(vz_array *array)
{
    if (!array->shards)
        return;
    vz_held_close_all(array);
    array->shards->in_transfer = true;
}

void vz_shards_end(vz_array *array)
{
    if (!array->shards)
        return;
    array->shards->in_transfer = false;
    vz_held_close_all(array);
}

/* ---- parts ---- */

bool vz_shard_read(vz_array *array, const vz_shard_part *part, const vz_range *ranges, size_t count, vz_buffer *out,
                   vz_error *err)
{
    begin_call(array);
    const bool ok = vz_store_read_value(array->store, part->held->key, &part->held->value, ranges, count, out, err);
    end_call(array);
    return ok;
}

bool vz_shard_leave(vz_array *array, vz_shard_part *part, bool failed)
{
    if (!part->held)
        return false;
    const bool changed = failed && vz_held_changed(array, part->held);
    vz_held_close(array, part->held);
    part->held = NULL;
    return changed;
}
