/* task_list.c - the direct members of a prefix, page by page. */
#include "remote/bucket/task_internal.h"
#include "store/store/store.h"
#include <stdlib.h>

#define PAGE_MAX    ((uint64_t)16 << 20) /* bytes of a page, which has a thousand keys */
#define MEMBER_COST 32                   /* bytes that the system takes for a name beside its own */

typedef struct members {
    vz_buffer prefix; /* whole, with the slash at its end, and a 0 */
    vz_entry *entries;
    size_t count, capacity, bytes;
    vz_listing_progress progress;
} members;

/* ---- a page, for all tasks that list ---- */

bool vz_listing_ask(vz_task *task, const char *whole_prefix, bool flat, const char *token, unsigned most, vz_error *err)
{
    const vz_list_question question = {whole_prefix, flat, token, most};
    const vz_service *service = task->remote->site->service;
    vz_buffer query = {0};
    vz_exchange *x = service->protocol->list_query(&question, &query, err)
                         ? vz_task_ask(task, VZ_NET_GET, "", (const char *)query.data, err)
                         : NULL;
    vz_buffer_clear(&query);
    if (!x)
        return false;
    x->net.into = &x->own;
    x->net.most = PAGE_MAX;
    return true;
}

/* Not vz_task_check: that nobody may list is no sign of a missing value. */
bool vz_listing_read(const vz_exchange *x, vz_list_page *page, vz_error *err)
{
    bool missing;
    if (!vz_exchange_check(x, &missing, err))
        return false;
    return missing ? vz_fail(err, VZ_UNSUPPORTED, "the server lists no keys (status %d)", x->net.status)
                   : x->site->service->protocol->read_page((vz_bytes){x->own.data, x->own.size}, page, err);
}

bool vz_listing_take(vz_task *task, vz_list_page *page, vz_error *err)
{
    return vz_listing_read(task->exchanges[task->count - 1], page, err);
}

bool vz_listing_prefix(const vz_site *site, const char *prefix, vz_buffer *out, vz_error *err)
{
    if (!vz_site_key(site, prefix, out, err))
        return false;
    if (out->size == 1) /* all of the bucket */
        return true;
    out->data[out->size - 1] = '/';
    return vz_buffer_append(out, "", 1, err);
}

/* ---- members ---- */

static bool add(members *m, const char *name, size_t length, bool is_prefix, vz_error *err)
{
    m->bytes += sizeof *m->entries + MEMBER_COST + length;
    if (m->bytes > VZ_LIST_BYTES_MAX)
        return vz_fail(err, VZ_LIMIT, "a prefix whose %zu members take more than %zu MiB in memory", m->count,
                       VZ_LIST_BYTES_MAX >> 20);
    if (m->count == m->capacity) {
        const size_t capacity = m->capacity ? 2 * m->capacity : 64;
        vz_entry *entries = realloc(m->entries, capacity * sizeof *entries);
        if (!entries)
            return vz_fail_memory(err);
        m->entries = entries;
        m->capacity = capacity;
    }
    char *own = strndup(name, length);
    if (!own)
        return vz_fail_memory(err);
    m->entries[m->count++] = (vz_entry){.name = own, .is_prefix = is_prefix};
    return true;
}

/* A key that ends with a slash marks a prefix for other programs; names that no key can have are
 * nobody's members. */
static bool take(members *m, const vz_list_item *item, vz_error *err)
{
    const char *prefix = (const char *)m->prefix.data;
    const size_t skipped = strlen(prefix);
    if (strncmp(item->key, prefix, skipped) != 0)
        return vz_fail(err, VZ_CORRUPT, "the server lists a key that was not asked for");
    const char *name = item->key + skipped;
    const size_t length = strcspn(name, "/");
    if (length == 0 || strncmp(name, ".", length + 1) == 0 || (length == 2 && strncmp(name, "..", 2) == 0) ||
        (!item->is_prefix && name[length] == '/'))
        return true;
    char *own = strndup(name, length);
    const bool is_hidden = own && vz_partial_is_name(own);
    free(own);
    return is_hidden || add(m, name, length, item->is_prefix, err);
}

/* A value and a prefix of one name are one member. */
static void merge(members *m)
{
    size_t kept = 0;
    vz_entries_sort(m->entries, m->count);
    for (size_t i = 0; i < m->count; i++) {
        if (kept > 0 && strcmp(m->entries[kept - 1].name, m->entries[i].name) == 0) {
            m->entries[kept - 1].is_prefix |= m->entries[i].is_prefix;
            free(m->entries[i].name);
        } else {
            m->entries[kept++] = m->entries[i];
        }
    }
    m->count = kept;
}

static bool go_on(vz_task *task, vz_error *err)
{
    members *m = task->state;
    vz_list_page page = {0};
    bool ok = vz_listing_take(task, &page, err) && vz_listing_goes_on(&m->progress, &page, err);
    for (size_t i = 0; ok && i < page.count; i++)
        ok = take(m, &page.items[i], err);
    vz_task_forget(task);
    if (ok && page.token) {
        ok = vz_listing_ask(task, (const char *)m->prefix.data, false, page.token, 0, err);
    } else if (ok) {
        merge(m);
        task->request->entries = m->entries;
        task->request->entry_count = m->count;
        m->entries = NULL;
        m->count = 0;
    }
    vz_list_page_clear(&page);
    return ok;
}

static void clear(vz_task *task)
{
    members *m = task->state;
    vz_buffer_clear(&m->prefix);
    vz_listing_progress_clear(&m->progress);
    vz_entries_free(m->entries, m->count);
    free(m);
}

bool vz_task_begin_list(vz_task *task, vz_error *err)
{
    members *m = calloc(1, sizeof *m);
    if (!m)
        return vz_fail_memory(err);
    task->state = m;
    task->clear = clear;
    task->go_on = go_on;
    task->request->entries = NULL;
    task->request->entry_count = 0;
    return vz_listing_prefix(task->remote->site, task->request->key, &m->prefix, err) &&
           vz_listing_ask(task, (const char *)m->prefix.data, false, NULL, 0, err);
}
