/* bulk_delete.c - many keys deleted: a thousand a request, or, where a server cannot do that, one
 * by one. */
#include "remote/bucket/tree_internal.h"
#include "remote/protocol/service.h"
#include <stdlib.h>

#define KEYS_A_REQUEST 1000

typedef struct lot {
    char *const *keys; /* whole ones */
    size_t count;
    bool is_refused; /* the server does not do it so */
    vz_buffer body;
} lot;

/* ---- one by one ---- */

static bool one_deleted(vz_task *task, vz_error *err)
{
    bool missing;
    return vz_task_check(task, task->exchanges[0], &missing, err);
}

static bool begin_one(vz_task *task, vz_error *err)
{
    const lot *l = task->state;
    vz_exchange *x = vz_task_ask(task, VZ_NET_DELETE, l->keys[0], NULL, err);
    task->go_on = one_deleted;
    if (x)
        x->net.repeatable = true;
    return x != NULL;
}

/* ---- many ---- */

static bool print(lot *l, vz_error *err)
{
    bool ok = vz_buffer_printf(&l->body, err, "<Delete><Quiet>true</Quiet>");
    for (size_t i = 0; ok && i < l->count; i++)
        ok = vz_buffer_printf(&l->body, err, "<Object><Key>") && vz_xml_escape(l->keys[i], &l->body, err) &&
             vz_buffer_printf(&l->body, err, "</Key></Object>");
    return ok && vz_buffer_printf(&l->body, err, "</Delete>");
}

static bool add_checksum(vz_exchange *x, vz_error *err)
{
    char sum[25];
    return x->site->net->md5(x->net.body, sum, err) && vz_exchange_line(x, err, "Content-MD5: %s", sum);
}

static bool many_deleted(vz_task *task, vz_error *err)
{
    lot *l = task->state;
    const vz_exchange *x = task->exchanges[0];
    const int status = x->net.failed == VZ_OK ? x->net.status : 0;
    bool missing;
    if (status == 400 || status == 404 || status == 405 || status == 501) {
        l->is_refused = true;
        return true;
    }
    return vz_task_check(task, x, &missing, err) && vz_s3_read_deleted((vz_bytes){x->own.data, x->own.size}, err);
}

static bool begin_many(vz_task *task, vz_error *err)
{
    lot *l = task->state;
    vz_exchange *x = print(l, err) ? vz_task_ask(task, VZ_NET_POST, "", "delete=", err) : NULL;
    task->go_on = many_deleted;
    if (!x)
        return false;
    x->net.body = (vz_bytes){l->body.data, l->body.size};
    x->net.into = &x->own;
    x->net.most = (uint64_t)16 << 20;
    x->net.repeatable = true;
    return add_checksum(x, err) && vz_exchange_line(x, err, "Content-Type: application/xml");
}

/* ---- */

static bool run(vz_bucket *remote, lot *lots, size_t count, bool (*begin)(vz_task *task, vz_error *err), vz_error *err)
{
    vz_task *tasks = calloc(count + 1, sizeof *tasks);
    if (!tasks)
        return vz_fail_memory(err);
    for (size_t i = 0; i < count; i++)
        tasks[i] = (vz_task){.remote = remote, .state = &lots[i]};
    const bool ok = vz_task_queue_all(remote, tasks, count, begin, err);
    free(tasks);
    return ok;
}

static bool delete_each(vz_bucket *remote, char *const *keys, size_t count, vz_error *err)
{
    lot *lots = calloc(count + 1, sizeof *lots);
    if (!lots)
        return vz_fail_memory(err);
    for (size_t i = 0; i < count; i++)
        lots[i] = (lot){.keys = &keys[i], .count = 1};
    const bool ok = run(remote, lots, count, begin_one, err);
    free(lots);
    return ok;
}

static bool delete_lots(vz_bucket *remote, char *const *keys, size_t count, vz_error *err)
{
    const size_t lot_count = (count + KEYS_A_REQUEST - 1) / KEYS_A_REQUEST;
    lot *lots = calloc(lot_count + 1, sizeof *lots);
    if (!lots)
        return vz_fail_memory(err);
    for (size_t i = 0; i < lot_count; i++) {
        const size_t first = i * KEYS_A_REQUEST, rest = count - first;
        lots[i] = (lot){.keys = keys + first, .count = rest < KEYS_A_REQUEST ? rest : KEYS_A_REQUEST};
    }
    bool ok = run(remote, lots, lot_count, begin_many, err);
    for (size_t i = 0; i < lot_count; i++) {
        if (ok && lots[i].is_refused)
            ok = delete_each(remote, lots[i].keys, lots[i].count, err);
        vz_buffer_clear(&lots[i].body);
    }
    free(lots);
    return ok;
}

bool vz_bucket_delete_many(vz_bucket *remote, char *const *whole_keys, size_t count, vz_error *err)
{
    const bool by_one = count < 3 || remote->site->service->deletes_one_by_one;
    return count == 0 || (by_one ? delete_each : delete_lots)(remote, whole_keys, count, err);
}
