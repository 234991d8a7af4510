/* check_chunks.c - chunks of many arrays, read and decoded by all workers. Arrays are gathered
 * until there is enough for everybody to do, so that a store of many small arrays keeps them all at
 * work. */
#include "array/array/array.h"
#include "array/selection/selection.h"
#include "command/check/check_internal.h"
#include "base/os/thread.h"
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define TASKS_MAX  4096 /* that wait */
#define ARRAYS_MAX 512
/* Bytes of decoded chunks that are in memory at once, and of one chunk: a larger one is not
 * judged. */
#define MEMORY_MAX ((uint64_t)2 << 30)
#define CHUNK_MAX  ((uint64_t)4 << 30)
#define COPIES     3 /* of a chunk, on its way through several codecs */
/* A shard is divided among workers from so many bytes on. */
#define PART_SIZE ((uint64_t)64 << 20)
#define PARTS_MAX 64
#define KEY_SIZE  8192

struct entry {
    char *prefix;
    vz_meta *meta;
    vz_array *array;
    bool of_references;
    vz_json *path_fields; /* members that are paths; NULL: none */
};

struct task {
    size_t entry;
    unsigned part, parts;
    uint64_t at[VZ_MAX_RANK];
};

struct vz_check_queue {
    struct entry entries[ARRAYS_MAX];
    size_t entry_count;
    struct task *tasks;
    size_t task_count;
    uint64_t largest; /* bytes of a decoded chunk */
};

vz_check_queue *vz_check_queue_new(vz_error *err)
{
    vz_check_queue *queue = calloc(1, sizeof *queue);
    if (queue)
        queue->tasks = malloc(TASKS_MAX * sizeof *queue->tasks);
    if (queue && queue->tasks)
        return queue;
    free(queue);
    vz_fail_memory(err);
    return NULL;
}

static void clear_entry(struct entry *entry)
{
    vz_array_close(entry->array);
    vz_meta_free(entry->meta);
    vz_json_free(entry->path_fields);
    free(entry->prefix);
    *entry = (struct entry){0};
}

void vz_check_queue_free(vz_check_queue *queue)
{
    if (!queue)
        return;
    for (size_t i = 0; i < queue->entry_count; i++)
        clear_entry(&queue->entries[i]);
    free(queue->tasks);
    free(queue);
}

/* ---- working it off ---- */

struct run {
    vz_check *check;
    vz_check_queue *queue;
    atomic_size_t next;
};

struct judging {
    vz_check *check;
    const struct entry *entry;
};

static void tell_wrong(void *context, const uint64_t *chunk, const vz_error *why)
{
    const struct judging *judging = context;
    const vz_meta *meta = judging->entry->meta;
    uint64_t at[VZ_MAX_RANK];
    char key[KEY_SIZE];
    for (unsigned d = 0; d < meta->rank; d++)
        at[d] = meta->shard_levels ? vz_grid_shard_at(meta, d, chunk[d] * meta->chunks[d]) : chunk[d];
    if (!vz_meta_chunk_key(meta, "", at, key, sizeof key, NULL))
        snprintf(key, sizeof key, "?");
    vz_report_find_chunk(&judging->check->report, judging->entry->prefix, key, chunk, meta->rank, why);
}

static void take_items(void *context, const vz_item *items, size_t count)
{
    const struct judging *judging = context;
    vz_check_note_items(judging->check, judging->entry->prefix, judging->entry->meta->dtype, items, count);
}

static void take_elements(void *context, const uint8_t *elements, size_t count)
{
    const struct judging *judging = context;
    const struct entry *entry = judging->entry;
    vz_check_note_elements(judging->check, entry->prefix, entry->meta->dtype, entry->path_fields, elements, count);
}

static bool verify(vz_check *check, const struct entry *entry, const uint64_t *at, vz_error *err)
{
    char key[KEY_SIZE];
    vz_error why = VZ_ERROR_NONE;
    if (!vz_meta_chunk_key(entry->meta, entry->prefix, at, key, sizeof key, &why) ||
        !vz_store_verify(check->store, key, &why)) {
        if (why.class == VZ_NO_MEMORY)
            return vz_fail_memory(err);
        vz_report_find(&check->report, VZ_FINDING_VALUE, key, "%s", why.text);
    }
    return true;
}

static bool do_task(struct run *run, const struct task *task, unsigned worker, vz_error *err)
{
    vz_check *check = run->check;
    const struct entry *entry = &run->queue->entries[task->entry];
    struct judging judging = {check, entry};
    const vz_array_judge judge = {.wrong = tell_wrong,
                                  .items = entry->of_references ? take_items : NULL,
                                  .elements = entry->of_references ? take_elements : NULL,
                                  .context = &judging};
    uint64_t size = 0;
    bool ok = true;
    if (task->part == 0 && entry->meta->shard_levels) /* read in parts, of which a store tells
                                                       * less */
        ok = verify(check, entry, task->at, err);
    ok = ok && vz_chunk_check_value(entry->array, task->at, task->part, task->parts, worker, &judge, &size, err);
    vz_progress_add(check->report.progress, size);
    atomic_fetch_add(&check->bytes, size);
    return ok;
}

static bool work(void *context, size_t index, unsigned worker, vz_error *err)
{
    struct run *run = context;
    (void)index;
    size_t next;
    bool ok = true;
    while (ok && (next = atomic_fetch_add(&run->next, 1)) < run->queue->task_count)
        ok = do_task(run, &run->queue->tasks[next], worker, err);
    return ok;
}

/* So many workers at once that what they decode stays within bounds. */
static size_t lanes(const vz_check_queue *queue)
{
    const uint64_t each = COPIES * (queue->largest ? queue->largest : 1), most = MEMORY_MAX / each;
    const unsigned width = vz_pool_width();
    return most < 1 ? 1 : most < width ? (size_t)most : width;
}

static bool work_off(vz_check *check, bool keep_last, vz_error *err)
{
    vz_check_queue *queue = check->queue;
    struct run run = {.check = check, .queue = queue};
    const bool ok = vz_pool_run(work, &run, lanes(queue), err);
    const size_t kept = keep_last && queue->entry_count ? 1 : 0;
    for (size_t i = 0; i + kept < queue->entry_count; i++)
        clear_entry(&queue->entries[i]);
    if (kept && queue->entry_count > 1) {
        queue->entries[0] = queue->entries[queue->entry_count - 1];
        queue->entries[queue->entry_count - 1] = (struct entry){0};
    }
    queue->entry_count = kept;
    queue->task_count = 0;
    if (queue->largest > PART_SIZE)
        vz_pool_stop(); /* its memory is for small chunks again */
    queue->largest = kept ? queue->entries[0].meta->chunk_size : 0;
    return ok;
}

bool vz_check_queue_finish(vz_check *check, vz_error *err)
{
    return work_off(check, false, err);
}

/* ---- filling it ---- */

/* The array closes the store of its own chunks. */
static vz_array *open_array(vz_check *check, const char *prefix, const vz_meta *meta, vz_store *from, vz_error *why)
{
    vz_array *array = vz_array_open(from ? from : check->store, meta, prefix, false, why);
    if (array && from)
        vz_array_own_store(array);
    return array;
}

bool vz_check_queue_array(vz_check *check, const char *prefix, vz_meta *meta, vz_store *from, const vz_json *attributes,
                          bool *opened, vz_error *err)
{
    vz_check_queue *queue = check->queue;
    vz_error why = VZ_ERROR_NONE;
    *opened = false;
    if (queue->entry_count == ARRAYS_MAX && !work_off(check, false, err)) {
        vz_meta_free(meta);
        vz_store_close(from);
        return false;
    }
    const vz_json *fields = vz_json_get(attributes, "_REFERENCE_FIELDS");
    struct entry entry = {
        .meta = meta, .prefix = strdup(prefix), .of_references = vz_check_is_of_references(attributes)};
    if (meta->chunk_size > CHUNK_MAX)
        vz_fail(&why, VZ_LIMIT, "chunks of %zu bytes, of which this command decodes %llu at most", meta->chunk_size,
                (unsigned long long)CHUNK_MAX);
    else if (entry.prefix && (!fields || (entry.path_fields = vz_json_copy(fields, &why))))
        entry.array = open_array(check, prefix, meta, from, &why);
    if (!entry.array)
        vz_store_close(from);
    if (!entry.prefix || why.class == VZ_NO_MEMORY) {
        clear_entry(&entry);
        return vz_fail_memory(err);
    }
    if (!entry.array) {
        vz_report_find(&check->report, VZ_FINDING_UNJUDGED, prefix, "its chunks are not read: %s", why.text);
        clear_entry(&entry);
        return true;
    }
    if (meta->chunk_size > queue->largest)
        queue->largest = meta->chunk_size;
    queue->entries[queue->entry_count++] = entry;
    *opened = true;
    return true;
}

/* Into how many parts the work on a shard is divided. */
static unsigned parts_of(const vz_meta *meta)
{
    uint64_t size = meta->dtype->size;
    if (!meta->shard_levels)
        return 1;
    for (unsigned d = 0; d < meta->rank; d++)
        if (!vz_mul(size, meta->shards[0].shape[d], &size))
            return PARTS_MAX;
    const uint64_t parts = size / PART_SIZE + 1;
    return parts < PARTS_MAX ? (unsigned)parts : PARTS_MAX;
}

bool vz_check_queue_chunk(vz_check *check, const uint64_t *at, vz_error *err)
{
    vz_check_queue *queue = check->queue;
    const unsigned parts = parts_of(queue->entries[queue->entry_count - 1].meta);
    for (unsigned part = 0; part < parts; part++) {
        if (queue->task_count == TASKS_MAX && !work_off(check, true, err))
            return false;
        const size_t entry = queue->entry_count - 1;
        struct task *task = &queue->tasks[queue->task_count++];
        *task = (struct task){.entry = entry, .part = part, .parts = parts};
        memcpy(task->at, at, queue->entries[entry].meta->rank * sizeof *at);
    }
    return true;
}
