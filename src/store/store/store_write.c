/* store_write.c - changes a store of any kind. A store that was opened for reading refuses.
 * Changes are counted. */
#include "store/store/prefetch.h"
#include "store/store/store.h"
#include "store/store/call_internal.h"
#include "base/util/bytes.h"

/* bytes behind a node's prefix: documents, short keys of chunks, names of unfinished files */
#define NODE_ROOM 64

static bool may_begin(vz_store *store, const vz_request *request, vz_error *err)
{
    static const int counts[] = {[VZ_REQUEST_GET] = VZ_COUNT_GET,
                                 [VZ_REQUEST_PUT] = VZ_COUNT_PUT,
                                 [VZ_REQUEST_DELETE] = VZ_COUNT_DEL,
                                 [VZ_REQUEST_LIST] = VZ_COUNT_LIST};
    if (vz_request_changes(request) && !vz_store_call_check_writable(store, err))
        return vz_store_call_done(store, request->key, false, err);
    vz_store_call_count(store, counts[request->op], 1);
    vz_store_call_count(store, VZ_COUNT_WRITTEN, request->op == VZ_REQUEST_PUT ? request->value.size : 0);
    return true;
}

bool vz_store_call_begin_batch(vz_store *store, const vz_request *requests, size_t count, vz_error *err)
{
    bool changes = false;
    for (size_t i = 0; i < count; i++) {
        if (!may_begin(store, &requests[i], err))
            return false;
        changes = changes || vz_request_changes(&requests[i]);
    }
    if (changes)
        vz_store_call_note_write(store);
    return true;
}

/* Unpublished prefixes lie in that staging area. NULL: they lie in the store itself. */
static const vz_store_staging_class *staging_of(const vz_store *store)
{
    return store->in_place ? NULL : store->staging_operations;
}

bool vz_store_change(vz_store *store, const char *key, const vz_bytes *value, const vz_version *version,
                     vz_version *now, vz_error *err)
{
    *now = (vz_version){0};
    if (vz_store_call_is_muted(store))
        return true;
    if (!vz_store_call_check_writable(store, err) || !vz_store_call_check_key(store, key, err))
        return vz_store_call_done(store, key, false, err);
    vz_store_call_count(store, value ? VZ_COUNT_PUT : VZ_COUNT_DEL, 1);
    vz_store_call_count(store, VZ_COUNT_WRITTEN, value ? value->size : 0);
    vz_store_call_note_write(store);
    return vz_store_call_done(store, key, store->class->change(store, key, value, version, now, err), err);
}

bool vz_store_del(vz_store *store, const char *key, vz_error *err)
{
    vz_store_key_location at;
    if (vz_store_call_is_muted(store))
        return true;
    const bool ok = vz_store_call_check_writable(store, err) && vz_store_call_check_key(store, key, err) &&
                    vz_store_call_place(store, key, &at, err);
    vz_store_call_count(store, VZ_COUNT_DEL, ok);
    if (ok)
        vz_store_call_note_write(store);
    return vz_store_call_done(store, key, ok && store->class->del(at.store, at.key, err), err);
}

bool vz_store_del_tree(vz_store *store, const char *prefix, vz_error *err)
{
    if (vz_store_call_is_muted(store))
        return true;
    bool ok = vz_store_call_check_writable(store, err) && vz_store_call_check_prefix(store, prefix, err);
    vz_store_call_count(store, VZ_COUNT_DEL, ok);
    vz_store_forget_prefetched(store, NULL);
    if (ok) {
        vz_store_call_note_write(store);
        ok = staging_of(store) ? store->staging_operations->del_tree(store->staging, prefix, err)
                               : store->class->del_tree(store, prefix, err);
    }
    return vz_store_call_done(store, prefix, ok, err);
}

/* Moving a tree into itself would lose it. */
static bool check_rename(const vz_store *store, const char *from, const char *to, vz_error *err)
{
    if (!vz_store_call_check_key(store, from, err) || !vz_store_call_check_key(store, to, err))
        return false;
    if (vz_key_is_within(to, from))
        return vz_fail(err, VZ_INVALID, "cannot be renamed to \"%.100s\"", to);
    return true;
}

bool vz_store_rename_tree(vz_store *store, const char *from, const char *to, vz_error *err)
{
    if (vz_store_call_is_muted(store))
        return true;
    if (!vz_store_call_check_writable(store, err) || !check_rename(store, from, to, err))
        return vz_store_call_done(store, from, false, err);
    vz_store_call_count(store, VZ_COUNT_RENAME, 1);
    vz_store_forget_prefetched(store, NULL);
    vz_store_call_note_write(store);
    const bool own = store->class->rename_tree != NULL;
    const bool ok = staging_of(store) ? store->staging_operations->rename(store->staging, from, to, err)
                    : own             ? store->class->rename_tree(store, from, to, err)
                                      : vz_store_move_by_copy(store, from, to, err);
    return vz_store_call_done(store, from, ok, err);
}

bool vz_store_exchange_trees(vz_store *store, const char *a, const char *b, bool *exchanged, vz_error *err)
{
    *exchanged = vz_store_call_is_muted(store);
    if (vz_store_call_is_muted(store))
        return true;
    if (!vz_store_call_check_writable(store, err) || !check_rename(store, a, b, err) || !check_rename(store, b, a, err))
        return vz_store_call_done(store, a, false, err);
    if (!store->class->exchange_trees)
        return true;
    vz_store_call_count(store, VZ_COUNT_RENAME, 1);
    vz_store_forget_prefetched(store, NULL);
    vz_store_call_note_write(store);
    const bool ok = staging_of(store) ? store->staging_operations->exchange(store->staging, a, b, exchanged, err)
                                      : store->class->exchange_trees(store, a, b, exchanged, err);
    return vz_store_call_done(store, a, ok, err);
}

bool vz_store_check_change(vz_store *store, const char *prefix, vz_error *err)
{
    if (!store->class->check_change)
        return true;
    vz_store_key_location at;
    const bool ok = vz_store_call_check_prefix(store, prefix, err) && vz_store_call_place(store, prefix, &at, err);
    return vz_store_call_done(store, prefix, ok && store->class->check_change(at.store, at.key, err), err);
}

bool vz_store_begin(vz_store *store, const char *prefix, vz_error *err)
{
    const bool ok = vz_store_call_check_writable(store, err) && vz_store_call_check_key(store, prefix, err) &&
                    vz_store_call_check_length(store, prefix, NODE_ROOM, err);
    return vz_store_call_done(store, prefix,
                              ok && (!staging_of(store) || vz_store_call_is_muted(store) ||
                                     store->staging_operations->begin(store->staging, prefix, err)),
                              err);
}

bool vz_store_publish(vz_store *store, const char *prefix, vz_error *err)
{
    if (vz_store_call_is_muted(store))
        return true;
    vz_store_call_note_write(store);
    return vz_store_call_done(
        store, prefix, !staging_of(store) || store->staging_operations->publish(store->staging, prefix, err), err);
}

bool vz_store_names_collide(vz_store *store, const char *key)
{
    return staging_of(store) && vz_store_call_check_key(store, key, NULL) &&
           store->staging_operations->names_collide(store->staging, key);
}

bool vz_store_hides(vz_store *store, const char *key)
{
    return store->staging_operations && store->staging_operations->hides(store->staging, key);
}

bool vz_store_give_way(vz_store *store, const char *prefix, vz_error *err)
{
    if (vz_store_call_is_muted(store))
        return true;
    vz_store_call_note_write(store);
    return vz_store_call_done(
        store, prefix, !staging_of(store) || store->staging_operations->give_way(store->staging, prefix, err), err);
}

bool vz_store_deletes_at_once(vz_store *store)
{
    return store->class->commit || store->class->del_tree_in_order ||
           (staging_of(store) && store->staging_operations->store(store->staging, NULL));
}

bool vz_store_sync(vz_store *store, vz_error *err)
{
    if (!(store->capabilities & VZ_STORE_WRITE) || vz_store_call_is_muted(store))
        return true;
    return vz_store_call_done(store, NULL, store->class->sync(store, err), err);
}

static bool commit_by(vz_store *store, bool (*call)(vz_store *, vz_error *), vz_error *err)
{
    if (!(store->capabilities & VZ_STORE_WRITE) || !call || vz_store_call_is_muted(store))
        return true;
    const uint64_t writes = store->writes;
    vz_store_call_note_write(store);
    if (!vz_store_call_done(store, NULL, call(store, err), err))
        return false;
    store->committed = writes + 1;
    return true;
}

bool vz_store_commit(vz_store *store, vz_error *err)
{
    return commit_by(store, store->class->commit, err);
}

bool vz_store_flush(vz_store *store, vz_error *err)
{
    return commit_by(store, store->class->flush ? store->class->flush : store->class->commit, err);
}

bool vz_store_compact(vz_store *store, uint64_t *before, uint64_t *after, vz_error *err)
{
    if (!vz_store_call_check_writable(store, err))
        return false;
    if (!store->class->compact)
        return vz_store_call_done(
            store, NULL, vz_fail(err, VZ_UNSUPPORTED, "compacting a store of this kind (%s)", store->class->kind), err);
    const uint64_t writes = store->writes;
    vz_store_call_note_write(store);
    if (!vz_store_call_done(store, NULL, store->class->compact(store, before, after, err), err))
        return false;
    store->committed = writes + 1;
    return true;
}

bool vz_store_is_uncommitted(const vz_store *store)
{
    return store->class->commit && store->committed != store->writes;
}

bool vz_store_drain(vz_store *store, vz_error *err)
{
    if (!vz_store_has_unwritten(store, ""))
        return true;
    vz_store_call_note_write(store); /* a child that has the same on its hands may not write it as
                                      * well */
    return vz_store_call_done(store, NULL, store->class->drain(store, err), err);
}

bool vz_store_has_unwritten(vz_store *store, const char *prefix)
{
    return store->class->has_unwritten && store->class->has_unwritten(store, prefix);
}

void vz_store_touch(vz_store *store)
{
    if (store->class->touch && !vz_store_call_is_muted(store) && store->touched != store->writes)
        store->class->touch(store);
    store->touched = store->writes;
}

bool vz_store_keeps_back(const vz_store *store)
{
    return store->class->commit != NULL;
}

void vz_store_share_names(vz_store *store, bool leads)
{
    store->in_place = true;
    if (leads || !store->staging_operations)
        return;
    store->staging_operations->free(store->staging);
    store->staging_operations = NULL;
    store->staging = NULL;
}
