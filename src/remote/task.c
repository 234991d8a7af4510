/* task.c - see task.h. */
#include "remote/task.h"
#include <stdlib.h>

static bool make_room(vz_task *task, vz_error *err)
{
    if (task->count < task->capacity)
        return true;
    const size_t capacity = task->capacity ? 2 * task->capacity : 4;
    vz_exchange **exchanges = realloc(task->exchanges, capacity * sizeof *exchanges);
    if (!exchanges)
        return vz_fail_memory(err);
    task->exchanges = exchanges;
    task->capacity = capacity;
    return true;
}

vz_exchange *vz_task_ask(vz_task *task, vz_net_method method, const char *whole_key, const char *query, vz_error *err)
{
    vz_exchange *x = make_room(task, err) ? calloc(1, sizeof *x) : NULL;
    if (!x) {
        vz_fail_memory(err);
        return NULL;
    }
    x->task = task;
    x->place = task->count;
    task->exchanges[task->count++] = x;
    return vz_exchange_begin(x, task->remote->site, method, whole_key, query, err) ? x : NULL;
}

vz_exchange *vz_task_ask_key(vz_task *task, vz_net_method method, const char *key, vz_error *err)
{
    vz_buffer whole = {0};
    vz_exchange *x = vz_site_key(task->remote->site, key, &whole, err)
                         ? vz_task_ask(task, method, (const char *)whole.data, NULL, err)
                         : NULL;
    vz_buffer_clear(&whole);
    return x;
}

bool vz_task_check(vz_task *task, const vz_exchange *x, bool *missing, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    if (vz_exchange_check(x, missing, &failed)) {
        if (!*missing)
            task->remote->has_answered = true;
        return true;
    }
    const bool reads = x->net.method == VZ_NET_GET || x->net.method == VZ_NET_HEAD;
    if (reads && x->net.failed == VZ_OK && x->net.status == 403 && failed.class == VZ_PERMISSION &&
        vz_remote_is_missing(task->remote)) {
        *missing = true;
        return true;
    }
    if (err && err->class == VZ_OK)
        *err = failed;
    return false;
}

void vz_task_forget(vz_task *task)
{
    for (size_t i = 0; i < task->count; i++) {
        vz_exchange_clear(task->exchanges[i]);
        free(task->exchanges[i]);
    }
    task->count = task->first = 0;
}

void vz_task_clear(vz_task *task)
{
    if (task->clear)
        task->clear(task);
    vz_task_forget(task);
    free(task->exchanges);
    vz_buffer_clear(&task->bytes);
    task->exchanges = NULL;
    task->clear = NULL;
    task->capacity = 0;
}
