/* first_look.c - is anything below a prefix? A page of few keys tells. */
#include "remote/first_look.h"

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

bool vz_first_look_ask(vz_first_look *look, vz_task *task, const char *prefix, vz_error *err)
{
    look->is_empty = true;
    return vz_listing_prefix(task->remote->site, prefix, &look->prefix, err) &&
           vz_listing_ask(task, (const char *)look->prefix.data, true, NULL, KEYS_ASKED, err);
}

static bool looked(vz_task *task, vz_error *err)
{
    vz_list_page page = {0};
    const bool ok = vz_listing_take(task, &page, err);
    if (ok)
        vz_first_look_take(task->state, &page);
    vz_list_page_clear(&page);
    return ok;
}

static bool begin(vz_task *task, vz_error *err)
{
    task->go_on = looked;
    vz_first_look *look = task->state;
    return vz_first_look_ask(look, task, look->below, err);
}

bool vz_first_look_begin(vz_first_look *look, vz_remote *remote, const char *prefix, vz_error *err)
{
    look->below = prefix;
    look->task = (vz_task){.remote = remote, .state = look};
    look->run = vz_run_open(remote, &look->task, 1, begin, err);
    if (look->run)
        vz_run_start(look->run);
    return look->run != NULL;
}

bool vz_first_look_end(vz_first_look *look, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    const vz_task *ended = look->run ? vz_run_next(look->run) : NULL;
    if (ended)
        failed = ended->err;
    else
        vz_fail(&failed, VZ_TRANSIENT, "the look was given up");
    if (look->run)
        vz_run_close(look->run);
    vz_buffer_clear(&look->prefix);
    look->run = NULL;
    if (failed.class != VZ_OK && err && err->class == VZ_OK)
        *err = failed;
    return failed.class == VZ_OK;
}

bool vz_remote_is_empty(vz_remote *remote, const char *prefix, bool *is_empty, vz_error *err)
{
    vz_first_look look = {0};
    const bool ok = vz_first_look_begin(&look, remote, prefix, err) && vz_first_look_end(&look, err);
    *is_empty = look.is_empty;
    return ok;
}
