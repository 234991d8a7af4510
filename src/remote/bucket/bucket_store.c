/* bucket_store.c - the classes of remote stores: buckets are read and written, web servers are
 * read. Each call is a batch of one request. */
#include "remote/bucket/task_internal.h"
#include <stdlib.h>

static bool get_ranges(vz_store *store, const char *key, const vz_range *ranges, size_t count, vz_buffer *out,
                       bool *found, vz_error *err)
{
    vz_request request = {.op = VZ_REQUEST_GET, .key = key, .ranges = ranges, .range_count = count, .into = out};
    const bool ok = vz_task_queue_request(vz_bucket_of(store), &request, err);
    *found = ok && request.found;
    return ok;
}

static bool get(vz_store *store, const char *key, vz_range range, vz_buffer *out, bool *found, vz_error *err)
{
    return get_ranges(store, key, &range, 1, out, found, err);
}

static bool looked_why(vz_task *task, vz_error *err)
{
    vz_stamp *stamp = task->state;
    const vz_exchange *x = task->exchanges[1];
    const bool sends_whole = x->net.failed == VZ_LIMIT && x->net.status == 200;
    vz_net_content_range range;
    bool missing;
    if (!sends_whole && (!vz_task_check_read(task, x, &missing, err) || missing))
        return missing;
    const vz_version version = vz_remote_version_of_answer(x->site->net, &x->net);
    const char *length = x->site->net->header(&x->net, "Content-Length");
    const bool is_part = x->net.status == 206 && x->site->net->range_of(&x->net, &range);
    *stamp = vz_remote_version_stamp(&version, is_part ? range.total : length ? strtoull(length, NULL, 10) : 0);
    return true;
}

static bool ask_why(vz_task *task, vz_error *err)
{
    task->go_on = looked_why;
    return vz_task_ask_why(task, task->request->key, err) != NULL;
}

static bool looked(vz_task *task, vz_error *err)
{
    vz_stamp *stamp = task->state;
    const vz_exchange *x = task->exchanges[0];
    bool missing;
    if (x->net.failed == VZ_OK && x->net.status == 403)
        return ask_why(task, err);
    if (!vz_task_check_read(task, x, &missing, err) || missing)
        return missing;
    const vz_version version = vz_remote_version_of_answer(x->site->net, &x->net);
    const char *length = x->site->net->header(&x->net, "Content-Length");
    *stamp = vz_remote_version_stamp(&version, length ? strtoull(length, NULL, 10) : 0);
    return true;
}

static bool begin_look(vz_task *task, vz_error *err)
{
    task->go_on = looked;
    return vz_task_ask_key(task, VZ_NET_HEAD, task->request->key, err) != NULL;
}

static bool stat_value(vz_store *store, const char *key, vz_stamp *stamp, vz_error *err)
{
    vz_request request = {.key = key};
    vz_task task = {.remote = vz_bucket_of(store), .request = &request, .state = stamp};
    *stamp = (vz_stamp){0};
    return vz_task_queue_all(vz_bucket_of(store), &task, 1, begin_look, err);
}

/* ---- changing ---- */

static bool put(vz_store *store, const char *key, vz_bytes value, vz_error *err)
{
    vz_request request = {.op = VZ_REQUEST_PUT, .key = key, .value = value};
    return vz_task_queue_request(vz_bucket_of(store), &request, err);
}

static bool put_stamped(vz_store *store, const char *key, vz_bytes value, vz_stamp *stamp, vz_error *err)
{
    vz_request request = {.op = VZ_REQUEST_PUT, .key = key, .value = value, .tells = true};
    if (!vz_task_queue_request(vz_bucket_of(store), &request, err))
        return false;
    *stamp = request.version.size ? vz_remote_version_stamp(&request.version, value.size) : (vz_stamp){0};
    return true;
}

static bool put_new(vz_store *store, const char *key, vz_bytes value, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    vz_request request = {.op = VZ_REQUEST_PUT, .key = key, .value = value, .when = VZ_WHEN_ABSENT};
    if (vz_task_queue_request(vz_bucket_of(store), &request, &failed))
        return true;
    if (failed.class == VZ_CHANGED)
        return vz_fail(err, VZ_EXISTS, "the key exists");
    if (err && err->class == VZ_OK)
        *err = failed;
    return false;
}

static bool change(vz_store *store, const char *key, const vz_bytes *value, const vz_version *version, vz_version *now,
                   vz_error *err)
{
    vz_request request = {.op = value ? VZ_REQUEST_PUT : VZ_REQUEST_DELETE,
                          .key = key,
                          .value = value ? *value : (vz_bytes){0},
                          .when = version->size || !value ? VZ_WHEN_VERSION : VZ_WHEN_ABSENT,
                          .version = *version,
                          .tells = value != NULL};
    const bool ok = vz_task_queue_request(vz_bucket_of(store), &request, err);
    *now = ok && value ? request.version : (vz_version){0};
    return ok;
}

static bool del(vz_store *store, const char *key, vz_error *err)
{
    vz_request request = {.op = VZ_REQUEST_DELETE, .key = key};
    return vz_task_queue_request(vz_bucket_of(store), &request, err);
}

static bool list(vz_store *store, const char *prefix, vz_entry **entries, size_t *count, vz_error *err)
{
    vz_request request = {.op = VZ_REQUEST_LIST, .key = prefix};
    const bool ok = vz_task_queue_request(vz_bucket_of(store), &request, err);
    *entries = request.entries;
    *count = request.entry_count;
    return ok;
}

/* A PUT is answered when the value is durable. */
static bool sync_nothing(vz_store *store, vz_error *err)
{
    (void)store, (void)err;
    return true;
}

/* ---- which store it is ---- */

static bool is_at(const vz_store *store, const char *path)
{
    vz_remote_name name;
    const vz_site *site = ((const vz_bucket *)store)->site;
    if (!vz_remote_name_is(path))
        return false;
    bool is_it = vz_remote_name_parse(path, &name, NULL);
    char *label = is_it ? vz_remote_name_print(&name, false, NULL) : NULL;
    is_it = label && strcmp(label, site->label) == 0 && strcmp(name.query, site->query) == 0;
    free(label);
    vz_remote_name_clear(&name);
    return is_it;
}

static void close_store(vz_store *store)
{
    vz_bucket *remote = vz_bucket_of(store);
    vz_bucket_create_lock_end(remote);
    vz_site_close(remote->site);
    vz_os_mutex_destroy(&remote->lock);
    for (size_t i = 0; i < VZ_OWN_KEYS_MAX; i++)
        free(remote->own[i]);
    free(remote->document);
    free(store->path);
    free(remote);
}

static const vz_store_class bucket_class = {
    .kind = "s3",
    .get = get,
    .get_ranges = get_ranges,
    .stat = stat_value,
    .put = put,
    .put_stamped = put_stamped,
    .put_new = put_new,
    .change = change,
    .del = del,
    .del_tree = vz_bucket_del_tree,
    .del_tree_in_order = true,
    .rename_tree = vz_bucket_rename_tree,
    .list = list,
    .is_at = is_at,
    .sync = sync_nothing,
    .batches = &vz_bucket_batches,
    .close = close_store,
};

static const vz_store_class web_class = {
    .kind = "http",
    .get = get,
    .get_ranges = get_ranges,
    .stat = stat_value,
    .list = list, /* says that it cannot */
    .is_at = is_at,
    .batches = &vz_bucket_batches,
    .close = close_store,
};

vz_store *vz_bucket_open(vz_site *site, bool writable, vz_error *err)
{
    vz_bucket *remote = calloc(1, sizeof *remote);
    char *path = remote ? strdup(site->label) : NULL;
    const bool has_bucket = vz_site_has_bucket(site);
    if (!path || (writable && !has_bucket)) {
        if (!path)
            vz_fail_memory(err);
        else
            vz_fail(err, VZ_READ_ONLY, "what lies on a web server can only be read");
        vz_error_where(err, site->label, NULL);
        free(remote);
        free(path);
        vz_site_close(site);
        return NULL;
    }
    const size_t before = *site->prefix ? strlen(site->prefix) + 1 : 0;
    remote->class = has_bucket ? bucket_class : web_class;
    if (has_bucket)
        remote->class.kind = site->service->protocol->kind;
    if (has_bucket)
        remote->class.key_max = before < VZ_REMOTE_KEY_MAX ? VZ_REMOTE_KEY_MAX - before : 1;
    remote->base.class = &remote->class;
    remote->base.path = path;
    remote->base.capabilities = (has_bucket ? VZ_STORE_LIST : 0) | (writable ? VZ_STORE_WRITE : 0);
    remote->base.in_flight = VZ_REMOTE_IN_FLIGHT;
    remote->base.identity = site->identity;
    remote->site = site;
    remote->copy_max = has_bucket ? site->service->copy_max : UINT64_MAX;
    remote->copy_part = VZ_COPY_PART;
    vz_os_mutex_init(&remote->lock);
    return &remote->base;
}
