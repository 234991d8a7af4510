/* task.c - see task_internal.h. */
#include "remote/bucket/task_internal.h"
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
    (void)task;
    return vz_exchange_check(x, missing, err);
}

/* Of several refusals the one that needs the most as a proof. */
static bool doubt(vz_task *task, vz_absence absence, const vz_error *refusal, vz_error *err)
{
    if (absence <= task->absence)
        return true;
    if (!task->refusal && !(task->refusal = malloc(sizeof *task->refusal)))
        return vz_fail_memory(err);
    *task->refusal = *refusal;
    task->absence = absence;
    return true;
}

bool vz_task_check_read(vz_task *task, const vz_exchange *x, bool *missing, vz_error *err)
{
    vz_error refusal = VZ_ERROR_NONE;
    const vz_absence absence = vz_absence_of(x, &refusal);
    *missing = absence != VZ_ABSENCE_NOT;
    if (absence > VZ_ABSENCE_SAID)
        return doubt(task, absence, &refusal, err);
    if (*missing)
        return true;
    if (refusal.class == VZ_OK)
        vz_absence_note_read(task->remote, x);
    else if (err && err->class == VZ_OK)
        *err = refusal;
    return refusal.class == VZ_OK;
}

vz_exchange *vz_task_ask_why(vz_task *task, const char *key, vz_error *err)
{
    vz_exchange *x = vz_task_ask_key(task, VZ_NET_GET, key, err);
    if (!x || !vz_exchange_line(x, err, "Range: bytes=0-0"))
        return NULL;
    x->net.into = &x->own;
    x->net.most = 1;
    return x;
}

bool vz_task_fail_refused(const vz_task *task, vz_error *err)
{
    if (err && err->class == VZ_OK)
        *err = *task->refusal;
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
    free(task->refusal);
    task->refusal = NULL;
    vz_buffer_clear(&task->bytes);
    task->exchanges = NULL;
    task->clear = NULL;
    task->capacity = 0;
}
