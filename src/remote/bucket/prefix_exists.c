/* prefix_exists.c - is anything below a prefix? A page of few keys tells. */
#include "remote/bucket/tree_internal.h"

#define KEYS_ASKED 16 /* more than those that count for nothing */

void vz_first_look_take(vz_first_look *look, const vz_list_page *page)
{
    const char *prefix = (const char *)look->prefix.data;
    const size_t skipped = strlen(prefix);
    for (size_t i = 0; i < page->count; i++) {
        const char *key = page->items[i].key;
        const bool is_marker = strcmp(key, prefix) == 0;
        if (!is_marker && (strlen(key) < skipped || !vz_is_partial_name(key + skipped)) &&
            !(look->but && look->but(look->context, key)))
            look->is_empty = false;
    }
}

bool vz_first_look_ask(vz_first_look *look, vz_remote_task *task, const char *prefix, vz_error *err)
{
    look->is_empty = true;
    return vz_listing_prefix(task->remote->site, prefix, &look->prefix, err) &&
           vz_listing_ask(task, (const char *)look->prefix.data, true, NULL, KEYS_ASKED, err);
}

bool vz_first_look_now(vz_first_look *look, vz_remote *remote, const char *prefix, vz_error *err)
{
    vz_remote_task task = {.remote = remote};
    vz_list_page page = {0};
    const bool ok = vz_first_look_ask(look, &task, prefix, err) && vz_exchange_do(task.exchanges[0], err) &&
                    vz_listing_take(&task, &page, err);
    if (ok)
        vz_first_look_take(look, &page);
    vz_list_page_clear(&page);
    vz_task_clear(&task);
    vz_buffer_clear(&look->prefix);
    return ok;
}

bool vz_remote_is_empty(vz_remote *remote, const char *prefix, bool *is_empty, vz_error *err)
{
    vz_first_look look = {0};
    const bool ok = vz_first_look_now(&look, remote, prefix, err);
    *is_empty = look.is_empty;
    return ok;
}
