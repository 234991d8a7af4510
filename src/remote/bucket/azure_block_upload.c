/* azure_block_upload.c - a large value of Azure's storage, in blocks. Names of blocks are of this
 * upload alone, or two writers of one value would mix theirs. */
#include "remote/protocol/service.h"
#include "remote/bucket/task_internal.h"
#include "base/util/bytes.h"
#include <stdio.h>
#include <stdlib.h>

#define BLOCK_SIZE VZ_PART_SIZE
/* of a block: 32 digits of the process, 12 of the upload, 8 of its place, and a 0 */
#define NAME_SIZE 53

typedef struct blocks {
    char process[VZ_PARTIAL_SIZE]; /* 32 digits of its own, and more */
    unsigned long long upload;     /* a number that counts on */
    vz_buffer key;                 /* whole, with a 0 */
    vz_buffer list;
    size_t block_size, count;
} blocks;

/* In base64, as the server wants it; the caller's. */
static char *name_of(const blocks *b, size_t index, vz_error *err)
{
    char name[NAME_SIZE];
    snprintf(name, sizeof name, "%.32s%012llu%08u", b->process, b->upload % 1000000000000u,
             (unsigned)index % 100000000u);
    return vz_base64_encode(name, NAME_SIZE - 1, err);
}

static bool made(vz_task *task, vz_error *err)
{
    const vz_exchange *x = task->exchanges[0];
    if (!vz_task_check_change(task, x, err))
        return false;
    if (task->request->tells)
        task->request->version = vz_remote_version_of_answer(x->site->net, &x->net);
    return true;
}

static bool print_list(blocks *b, vz_error *err)
{
    bool ok = vz_buffer_printf(&b->list, err, "<?xml version=\"1.0\" encoding=\"utf-8\"?><BlockList>");
    for (size_t i = 0; ok && i < b->count; i++) {
        char *name = name_of(b, i, err);
        ok = name && vz_buffer_printf(&b->list, err, "<Latest>%s</Latest>", name);
        free(name);
    }
    return ok && vz_buffer_printf(&b->list, err, "</BlockList>");
}

static bool blocks_answered(vz_task *task, vz_error *err)
{
    blocks *b = task->state;
    for (size_t i = 0; i < task->count; i++) {
        bool missing;
        if (!vz_task_check(task, task->exchanges[i], &missing, err))
            return false;
        if (missing)
            return vz_fail(err, VZ_IO, "the server has no place for a part of the value");
    }
    vz_task_forget(task);
    vz_exchange *x =
        print_list(b, err) ? vz_task_ask(task, VZ_NET_PUT, (const char *)b->key.data, "comp=blocklist", err) : NULL;
    task->go_on = made;
    if (!x || !vz_task_condition(task->request, x, err))
        return false;
    x->net.body = (vz_bytes){b->list.data, b->list.size};
    x->net.repeatable = task->request->when == VZ_WHEN_ANY;
    return vz_exchange_line(x, err, "x-ms-blob-content-type: application/octet-stream");
}

static bool ask_block(vz_task *task, const blocks *b, size_t index, vz_error *err)
{
    const vz_bytes value = task->request->value;
    const size_t first = index * b->block_size, rest = value.size - first;
    vz_buffer query = {0};
    char *name = name_of(b, index, err);
    const bool ok = name && vz_buffer_printf(&query, err, "blockid=") && vz_percent_encode(&query, name, "", err) &&
                    vz_buffer_printf(&query, err, "&comp=block") && vz_buffer_append(&query, "", 1, err);
    vz_exchange *x =
        ok ? vz_task_ask(task, VZ_NET_PUT, (const char *)b->key.data, (const char *)query.data, err) : NULL;
    vz_buffer_clear(&query);
    free(name);
    if (!x)
        return false;
    x->net.body = (vz_bytes){value.data + first, rest < b->block_size ? rest : b->block_size};
    x->net.repeatable = true;
    return true;
}

static void clear(vz_task *task)
{
    blocks *b = task->state;
    vz_buffer_clear(&b->key);
    vz_buffer_clear(&b->list);
    free(b);
}

bool vz_azure_begin_blocks(vz_task *task, vz_error *err)
{
    blocks *b = calloc(1, sizeof *b);
    if (!b)
        return vz_fail_memory(err);
    task->state = b;
    task->clear = clear;
    task->go_on = blocks_answered;
    const size_t size = task->request->value.size, least = size / VZ_PARTS_MAX + 1;
    b->block_size = least > BLOCK_SIZE ? least : BLOCK_SIZE;
    b->count = size / b->block_size + (size % b->block_size != 0);
    const bool is_named = vz_partial_name(b->process, sizeof b->process, err);
    b->upload = is_named ? strtoull(b->process + 33, NULL, 10) : 0;
    bool ok = is_named && vz_site_key(task->remote->site, task->request->key, &b->key, err);
    for (size_t i = 0; ok && i < b->count; i++)
        ok = ask_block(task, b, i, err);
    return ok;
}
