/* prefix_exists.c - does anything exist below a prefix? Lists one short page. */
#include "remote/bucket/tree_internal.h"

#define KEYS_ASKED 16 /* more than the keys that are ignored */

void vz_bucket_prefix_probe_take(vz_bucket_prefix_probe *look, const vz_list_page *page)
{
    const char *prefix = (const char *)look->prefix.data;
    const size_t skipped = strlen(prefix);
    for (size_t i = 0; i < page->count; i++) {
        const char *key = page->items[i].key;
        const bool is_marker = strcmp(key, prefix) == 0;
        if (!is_marker && (strlen(key) < skipped || !vz_partial_is_name(key + skipped)) &&
            !(look->but && look->but(look->context, key)))
            look->is_empty = false;
    }
}

bool vz_bucket_prefix_probe_ask(vz_bucket_prefix_probe *look, vz_task *task, const char *prefix, vz_error *err)
{
    look->is_empty = true;
    return vz_listing_prefix(task->remote->site, prefix, &look->prefix, err) &&
           vz_listing_ask(task, (const char *)look->prefix.data, true, NULL, KEYS_ASKED, err);
}

bool vz_bucket_prefix_probe_now(vz_bucket_prefix_probe *look, vz_bucket *remote, const char *prefix, vz_error *err)
{
    vz_task task = {.remote = remote};
    vz_list_page page = {0};
    const bool ok = vz_bucket_prefix_probe_ask(look, &task, prefix, err) && vz_exchange_do(task.exchanges[0], err) &&
                    vz_listing_take(&task, &page, err);
    if (ok)
        vz_bucket_prefix_probe_take(look, &page);
    vz_list_page_clear(&page);
    vz_task_clear(&task);
    vz_buffer_clear(&look->prefix);
    return ok;
}

bool vz_bucket_is_empty(vz_bucket *remote, const char *prefix, bool *is_empty, vz_error *err)
{
    vz_bucket_prefix_probe look = {0};
    const bool ok = vz_bucket_prefix_probe_now(&look, remote, prefix, err);
    *is_empty = look.is_empty;
    return ok;
}
