/* open_versions.c - versions of values that stay open from one request to the next. A fact from one
 * of them (the index of a shard) holds for the others' reads. */
#include "store/store/request_internal.h"
#include <errno.h>
#include "base/os/thread.h"
#include <stdlib.h>

struct vz_version_held_list {
    vz_os_mutex lock;
    vz_version_held *slots[VZ_STORE_HELD_MAX];
    uint64_t clock;
    unsigned count; /* of slots in use */
    unsigned holds; /* calls of vz_store_hold without their end */
};

/* ---- versions ---- */

static void add_number(vz_version *version, uint64_t number)
{
    vz_bytes_store_le64(version->bytes + version->size, number);
    version->size += sizeof number;
}

vz_version vz_version_of(const vz_stamp *stamp, bool lasts)
{
    vz_version version = {.lasts = lasts};
    if (!stamp->exists)
        return version;
    add_number(&version, stamp->size);
    add_number(&version, stamp->device);
    add_number(&version, stamp->inode);
    add_number(&version, (uint64_t)stamp->modified.tv_sec);
    add_number(&version, (uint64_t)stamp->modified.tv_nsec);
    return version;
}

bool vz_version_equal(const vz_version *a, const vz_version *b)
{
    return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

/* ---- the table; under its lock ---- */

static vz_version_held *find(struct vz_version_held_list *held, const char *key)
{
    for (unsigned i = 0; held->count > 0 && i < VZ_STORE_HELD_MAX; i++)
        if (held->slots[i] && strcmp(held->slots[i]->key, key) == 0)
            return held->slots[i];
    return NULL;
}

static vz_version_held *use_listed(struct vz_version_held_list *held, const char *key)
{
    vz_version_held *value = find(held, key);
    if (value) {
        value->users++;
        value->used = ++held->clock;
    }
    return value;
}

static void unlink_value(struct vz_version_held_list *held, vz_version_held *value)
{
    for (unsigned i = 0; i < VZ_STORE_HELD_MAX; i++)
        if (held->slots[i] == value) {
            held->slots[i] = NULL;
            held->count--;
        }
    value->listed = false;
}

/* Puts it into a free slot, or in the place of what nobody uses and was used longest ago: that
 * is returned. Without a place it closes with its last user. */
static vz_version_held *put_in(struct vz_version_held_list *held, vz_version_held *value)
{
    vz_version_held **place = NULL;
    for (unsigned i = 0; i < VZ_STORE_HELD_MAX; i++) {
        vz_version_held **slot = &held->slots[i];
        if (!*slot) {
            place = slot;
            break;
        }
        if ((*slot)->users == 0 && (!place || (*slot)->used < (*place)->used))
            place = slot;
    }
    if (!place)
        return NULL;
    vz_version_held *out = *place;
    if (out)
        out->listed = false;
    else
        held->count++;
    value->listed = true;
    *place = value;
    return out;
}

/* ---- opening and closing ---- */

static void dispose(vz_store *store, vz_version_held *held)
{
    if (held->found)
        vz_store_close_value(store, &held->value);
    free(held->key);
    free(held);
}

static void close_idle(vz_store *store)
{
    struct vz_version_held_list *held = store->held;
    vz_version_held *idle[VZ_STORE_HELD_MAX];
    unsigned count = 0;
    if (!held)
        return;
    vz_os_mutex_lock(&held->lock);
    for (unsigned i = 0; held->count > 0 && i < VZ_STORE_HELD_MAX; i++) {
        vz_version_held *value = held->slots[i];
        if (!value || value->users > 0)
            continue;
        unlink_value(held, value);
        idle[count++] = value;
    }
    vz_os_mutex_unlock(&held->lock);
    for (unsigned i = 0; i < count; i++)
        dispose(store, idle[i]);
}

/* Where descriptors have run out, those that nobody uses are ours to give. */
static bool open_value(vz_store *store, vz_version_held *held, vz_store_value_use use, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    if (vz_store_open_value(store, held->key, use, &held->value, &held->found, &failed))
        return true;
    if (failed.sys_errno == EMFILE || failed.sys_errno == ENFILE) {
        close_idle(store);
        return vz_store_open_value(store, held->key, use, &held->value, &held->found, err);
    }
    if (err && err->class == VZ_OK)
        *err = failed;
    return false;
}

static vz_version_held *open_new(vz_store *store, const char *key, vz_request_hold hold, vz_error *err)
{
    const vz_store_value_use use = hold == VZ_HOLD_TO_REPLACE ? VZ_VALUE_REPLACE : VZ_VALUE_READ;
    vz_version_held *held = calloc(1, sizeof *held);
    if (!held || !(held->key = strdup(key))) {
        free(held);
        vz_fail_memory(err);
        return NULL;
    }
    if (!open_value(store, held, use, err)) {
        held->found = false;
        dispose(store, held);
        return NULL;
    }
    if (held->found)
        held->version = vz_version_of(&held->value.stamp, held->value.settled);
    held->replaces = use == VZ_VALUE_REPLACE;
    held->users = 1;
    return held;
}

static vz_version_held *use_one_there(struct vz_version_held_list *table, const char *key, vz_request_hold hold)
{
    if (!table)
        return NULL;
    vz_os_mutex_lock(&table->lock);
    vz_version_held *held = find(table, key);
    const bool suits = held && (hold != VZ_HOLD_TO_REPLACE || held->replaces);
    held = suits ? use_listed(table, key) : NULL;
    vz_os_mutex_unlock(&table->lock);
    return held;
}

vz_version_held *vz_version_held_use(vz_store *store, const char *key, vz_request_hold hold, vz_error *err)
{
    struct vz_version_held_list *table = store->held;
    vz_version_held *held = use_one_there(table, key, hold), *out = NULL;
    if (held)
        return held;
    if (hold == VZ_HOLD_TO_REPLACE)
        vz_store_forget_held(store, key); /* open, but not locked */
    vz_version_held *fresh = open_new(store, key, hold, err);
    if (!fresh || !table || hold == VZ_HOLD_NOT)
        return fresh;
    vz_os_mutex_lock(&table->lock);
    fresh->used = ++table->clock;
    if ((held = use_listed(table, key))) /* another thread was faster: both take its version */
        out = fresh;
    else if (table->holds > 0)
        out = put_in(table, fresh);
    vz_os_mutex_unlock(&table->lock);
    if (out)
        dispose(store, out);
    return held ? held : fresh;
}

void vz_version_held_leave(vz_store *store, vz_version_held *held)
{
    if (!store->held) {
        dispose(store, held);
        return;
    }
    vz_os_mutex_lock(&store->held->lock);
    const bool last = --held->users == 0 && !held->listed;
    vz_os_mutex_unlock(&store->held->lock);
    if (last)
        dispose(store, held);
}

/* ---- for who asks ---- */

static struct vz_version_held_list *new_table(void)
{
    struct vz_version_held_list *table = calloc(1, sizeof *table);
    if (table)
        vz_os_mutex_init(&table->lock);
    return table;
}

/* Where the store holds nothing open, and without memory for it, versions are compared when they
 * are met again. */
void vz_store_hold(vz_store *store)
{
    if (!store->class->open_value || (!store->held && !(store->held = new_table())))
        return;
    if (store->held->holds++ == 0)
        close_idle(store);
}

void vz_store_release(vz_store *store)
{
    if (store->held && store->held->holds > 0 && --store->held->holds == 0)
        close_idle(store);
}

void vz_store_forget_held(vz_store *store, const char *key)
{
    struct vz_version_held_list *table = store->held;
    if (!table)
        return;
    vz_os_mutex_lock(&table->lock);
    vz_version_held *held = find(table, key);
    if (held)
        unlink_value(table, held);
    const bool idle = held && held->users == 0;
    vz_os_mutex_unlock(&table->lock);
    if (idle)
        dispose(store, held);
}

void vz_version_held_free(vz_store *store)
{
    if (!store->held)
        return;
    close_idle(store);
    vz_os_mutex_destroy(&store->held->lock);
    free(store->held);
    store->held = NULL;
}
