/* delete_tree.c - trees of keys: deleted, and moved. Neither is one step. Their order makes sure
 * that a program that dies in the middle leaves no array that looks whole. An array without its
 * document is none, and an array with its document has all of its chunks. */
#include "remote/bucket/tree_internal.h"
#include "remote/bucket/task_internal.h"
#include "store/store/call.h"
#include <stdlib.h>

/* ---- deleting ---- */

static bool delete_listed(vz_bucket *remote, const vz_keys *keys, vz_error *err)
{
    return vz_bucket_delete_many(remote, keys->documents, keys->document_count, err) &&
           vz_bucket_delete_many(remote, keys->values, keys->value_count, err) &&
           vz_bucket_delete_many(remote, keys->large, keys->large_count, err);
}

/* Keys that did not fit in memory the first time are listed again. itself: a whole key that goes
 * with them; NULL: none. */
static bool delete_below(vz_bucket *remote, const char *whole_prefix, const char *itself, vz_error *err)
{
    bool ok = true, are_more = true;
    char *first = NULL; /* of the keys that were deleted last */
    while (ok && are_more) {
        vz_keys keys = {0};
        ok = vz_keys_list(remote, whole_prefix, &keys, err) && (!itself || vz_keys_add(&keys, itself, err)) &&
             delete_listed(remote, &keys, err);
        are_more = keys.are_more;
        const char *begin = !are_more ? NULL : keys.value_count > 0 ? keys.values[0] : keys.large[0];
        if (ok && begin && first && strcmp(first, begin) == 0)
            ok = vz_fail(err, VZ_IO, "the server still lists a key that it says was deleted");
        free(first);
        first = ok && begin ? strdup(begin) : NULL;
        vz_keys_clear(&keys);
    }
    free(first);
    return ok;
}

/* Documents that a node at the prefix may have, of either format. */
#define NODE_DOCUMENTS 5
static const char *const node_documents[NODE_DOCUMENTS] = {"zarr.json", ".zarray", ".zgroup", ".zattrs", ".zmetadata"};

static bool add_node_documents(vz_keys *keys, const char *whole_prefix, vz_error *err)
{
    bool ok = true;
    for (size_t i = 0; ok && i < NODE_DOCUMENTS; i++) {
        vz_buffer key = {0};
        ok = vz_buffer_printf(&key, err, "%s%s", whole_prefix, node_documents[i]) &&
             vz_buffer_append(&key, "", 1, err) && vz_keys_add(keys, (const char *)key.data, err);
        vz_buffer_clear(&key);
    }
    return ok;
}

static bool is_of_node(const char *whole_key, const char *whole_prefix)
{
    const size_t skipped = strlen(whole_prefix);
    for (size_t i = 0; i < NODE_DOCUMENTS; i++)
        if (strncmp(whole_key, whole_prefix, skipped) == 0 && strcmp(whole_key + skipped, node_documents[i]) == 0)
            return true;
    return false;
}

static void leave_out_node(vz_keys *keys, const char *whole_prefix)
{
    size_t kept = 0;
    for (size_t i = 0; i < keys->document_count; i++)
        if (!is_of_node(keys->documents[i], whole_prefix))
            keys->documents[kept++] = keys->documents[i];
    keys->document_count = kept;
}

/* The node's own documents go while what lies below it is listed, so that of an array only chunks
 * are left to delete. */
static bool delete_node(vz_bucket *remote, const char *whole_prefix, const char *itself, vz_error *err)
{
    vz_keys own = {0}, keys = {0};
    vz_keys_listing listing;
    bool ok =
        add_node_documents(&own, whole_prefix, err) && vz_keys_list_begin(&listing, remote, whole_prefix, &keys, err);
    if (ok) {
        ok = vz_bucket_delete_many(remote, own.documents, own.document_count, err);
        ok = vz_keys_list_end(&listing, ok ? err : NULL) && ok;
        leave_out_node(&keys, whole_prefix);
    }
    ok = ok && vz_keys_add(&keys, itself, err) && delete_listed(remote, &keys, err);
    const bool are_more = keys.are_more;
    vz_keys_clear(&own);
    vz_keys_clear(&keys);
    return ok && (!are_more || delete_below(remote, whole_prefix, NULL, err));
}

bool vz_bucket_del_tree(vz_store *store, const char *prefix, vz_error *err)
{
    vz_bucket *remote = vz_bucket_of(store);
    vz_buffer whole = {0}, itself = {0}; /* "a" is not below "a/" */
    const bool ok = vz_listing_prefix(remote->site, prefix, &whole, err) &&
                    vz_site_key(remote->site, prefix, &itself, err) &&
                    (*prefix ? delete_node(remote, (const char *)whole.data, (const char *)itself.data, err)
                             : delete_below(remote, (const char *)whole.data, NULL, err));
    vz_buffer_clear(&whole);
    vz_buffer_clear(&itself);
    return ok;
}

/* ---- copying ---- */

/* The name that a key below one prefix has below another one. */
static char *renamed(const char *key, const char *from, const char *to, vz_error *err)
{
    const size_t skipped = strlen(from), length = strlen(to), rest = strlen(key + skipped);
    char *name = malloc(length + rest + 1);
    if (!name) {
        vz_fail_memory(err);
        return NULL;
    }
    memcpy(name, to, length);
    memcpy(name + length, key + skipped, rest + 1);
    if (length + rest <= VZ_REMOTE_KEY_MAX)
        return name;
    free(name);
    vz_fail(err, VZ_LIMIT, "a key of %zu bytes", length + rest);
    return NULL;
}

static bool copy_all(vz_bucket *remote, char *const *keys, size_t count, const char *from, const char *to,
                     vz_bucket_begin_copy begin, vz_error *err)
{
    vz_bucket_server_copy *copies = calloc(count + 1, sizeof *copies);
    vz_task *tasks = calloc(count + 1, sizeof *tasks);
    bool ok = (copies && tasks) || vz_fail_memory(err);
    for (size_t i = 0; ok && i < count; i++) {
        copies[i] = (vz_bucket_server_copy){keys[i], renamed(keys[i], from, to, err)};
        tasks[i] = (vz_task){.remote = remote, .state = &copies[i]};
        ok = copies[i].to != NULL;
    }
    ok = ok && (count == 0 || vz_task_queue_all(remote, tasks, count, begin, err));
    for (size_t i = 0; copies && i < count; i++)
        free((char *)copies[i].to);
    free(copies);
    free(tasks);
    return ok;
}

/* The deepest first, and each depth before the one above it. */
static bool copy_documents(vz_bucket *remote, const vz_keys *keys, const char *from, const char *to, vz_error *err)
{
    const vz_service *service = remote->site->service;
    bool ok = true;
    for (size_t end = keys->document_count, first; ok && end > 0; end = first) {
        const size_t depth = vz_bucket_key_depth(keys->documents[end - 1]);
        for (first = end; first > 0 && vz_bucket_key_depth(keys->documents[first - 1]) == depth;)
            first--;
        ok = copy_all(remote, keys->documents + first, end - first, from, to, service->protocol->begin_copy, err);
    }
    return ok;
}

/* ---- moving ---- */

/* Both prefixes end with a slash. */
static bool move_below(vz_bucket *remote, const char *from, const char *to, bool *any, vz_error *err)
{
    const vz_service *service = remote->site->service;
    vz_keys keys = {0};
    bool ok = vz_keys_list(remote, from, &keys, err) &&
              (!keys.are_more || vz_fail(err, VZ_LIMIT, "more than %zu values are not moved", VZ_KEYS_MAX));
    *any = keys.document_count + keys.value_count + keys.large_count > 0;
    if (ok && *any) {
        ok = copy_all(remote, keys.values, keys.value_count, from, to, service->protocol->begin_copy, err) &&
             copy_all(remote, keys.large, keys.large_count, from, to, service->protocol->begin_copy_large, err) &&
             copy_documents(remote, &keys, from, to, err);
        if (!ok) /* what was copied is of no use, and the old place has all */
            delete_below(remote, to, NULL, NULL);
        ok = ok && delete_listed(remote, &keys, err);
    }
    vz_keys_clear(&keys);
    return ok;
}

/* The value of the key itself, if it has one. */
static bool move_value(vz_bucket *remote, const char *from, const char *to, bool *any, vz_error *err)
{
    const vz_service *service = remote->site->service;
    vz_buffer whole = {0}, target = {0};
    vz_stamp stamp = {0};
    bool ok = remote->base.class->stat(&remote->base, from, &stamp, err);
    if (ok && stamp.exists) {
        ok = vz_site_key(remote->site, from, &whole, err) && vz_site_key(remote->site, to, &target, err);
        char *key = (char *)whole.data;
        ok = ok &&
             copy_all(remote, &key, 1, key, (const char *)target.data,
                      stamp.size > remote->copy_max ? service->protocol->begin_copy_large
                                                    : service->protocol->begin_copy,
                      err) &&
             vz_bucket_delete_many(remote, &key, 1, err);
        *any = true;
    }
    vz_buffer_clear(&whole);
    vz_buffer_clear(&target);
    return ok;
}

static bool check_free(vz_bucket *remote, const char *to, vz_error *err)
{
    vz_stamp stamp = {0};
    bool is_empty = false;
    return vz_bucket_is_empty(remote, to, &is_empty, err) && remote->base.class->stat(&remote->base, to, &stamp, err) &&
           ((is_empty && !stamp.exists) || vz_fail(err, VZ_EXISTS, "the key exists"));
}

bool vz_bucket_rename_tree(vz_store *store, const char *from, const char *to, vz_error *err)
{
    vz_bucket *remote = vz_bucket_of(store);
    vz_buffer old = {0}, new = {0};
    bool below = false, itself = false;
    bool ok = check_free(remote, to, err) && vz_listing_prefix(remote->site, from, &old, err) &&
              vz_listing_prefix(remote->site, to, &new, err) &&
              move_below(remote, (const char *)old.data, (const char *)new.data, &below, err) &&
              move_value(remote, from, to, &itself, err);
    if (ok && !below && !itself)
        ok = vz_fail(err, VZ_NOT_FOUND, "there is no such key");
    vz_buffer_clear(&old);
    vz_buffer_clear(&new);
    return ok;
}
