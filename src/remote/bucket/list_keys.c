/* list_keys.c - see tree_internal.h. */
#include "remote/bucket/tree_internal.h"
#include "remote/bucket/task_internal.h"
#include <stdlib.h>

size_t vz_bucket_key_depth(const char *key)
{
    size_t depth = 0;
    for (; (key = strchr(key, '/')); key++)
        depth++;
    return depth;
}

static bool add(char ***keys, size_t *count, size_t *room, char *key, vz_error *err)
{
    if (*count == *room) {
        const size_t wanted = *room ? 2 * *room : 256;
        char **larger = realloc(*keys, wanted * sizeof *larger);
        if (!larger)
            return vz_fail_memory(err);
        *keys = larger;
        *room = wanted;
    }
    (*keys)[(*count)++] = key;
    return true;
}

static bool add_key(vz_keys *keys, const char *whole_key, bool is_large, vz_error *err)
{
    const bool is_document = vz_remote_is_document(whole_key);
    if (!is_document && keys->value_count + keys->large_count >= VZ_KEYS_MAX) {
        keys->are_more = true;
        return true;
    }
    if (is_document && keys->document_count == VZ_KEYS_MAX)
        return vz_fail(err, VZ_LIMIT, "more than %zu documents", VZ_KEYS_MAX);
    char *own = vz_arena_copy(&keys->arena, whole_key, strlen(whole_key) + 1, err);
    if (!own)
        return false;
    if (is_document)
        return add(&keys->documents, &keys->document_count, &keys->document_room, own, err);
    return is_large ? add(&keys->large, &keys->large_count, &keys->large_room, own, err)
                    : add(&keys->values, &keys->value_count, &keys->value_room, own, err);
}

bool vz_keys_add(vz_keys *keys, const char *whole_key, vz_error *err)
{
    return add_key(keys, whole_key, false, err);
}

static int by_depth(const void *a, const void *b)
{
    const char *one = *(char *const *)a, *other = *(char *const *)b;
    const size_t depth = vz_bucket_key_depth(one), other_depth = vz_bucket_key_depth(other);
    return depth < other_depth ? -1 : depth > other_depth ? 1 : strcmp(one, other);
}

static bool listed(vz_task *task, vz_error *err)
{
    vz_keys_listing *w = task->state;
    vz_list_page page = {0};
    bool ok = vz_listing_take(task, &page, err) && vz_listing_goes_on(w->progress, &page, err);
    for (size_t i = 0; ok && i < page.count; i++) {
        if (strncmp(page.items[i].key, w->prefix, strlen(w->prefix)) != 0)
            ok = vz_fail(err, VZ_CORRUPT, "the server lists a key that was not asked for");
        else
            ok = add_key(w->keys, page.items[i].key, page.items[i].size > task->remote->copy_max, err);
    }
    vz_task_forget(task);
    if (ok && page.token)
        ok = vz_listing_ask(task, w->prefix, true, page.token, 0, err);
    vz_list_page_clear(&page);
    return ok;
}

static bool begin(vz_task *task, vz_error *err)
{
    const vz_keys_listing *w = task->state;
    task->go_on = listed;
    return vz_listing_ask(task, w->prefix, true, NULL, 0, err);
}

bool vz_keys_list_begin(vz_keys_listing *listing, vz_bucket *remote, const char *whole_prefix, vz_keys *keys,
                        vz_error *err)
{
    *listing = (vz_keys_listing){.prefix = whole_prefix, .keys = keys};
    if (!(listing->progress = calloc(1, sizeof *listing->progress)))
        return vz_fail_memory(err);
    listing->task = (vz_task){.remote = remote, .state = listing};
    listing->run = vz_task_queue_open(remote, &listing->task, 1, begin, err);
    if (listing->run)
        vz_task_queue_start(listing->run);
    else
        free(listing->progress);
    return listing->run != NULL;
}

bool vz_keys_list_end(vz_keys_listing *listing, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    vz_keys *keys = listing->keys;
    const vz_task *ended = vz_task_queue_next(listing->run);
    if (ended)
        failed = ended->err;
    else
        vz_fail(&failed, VZ_TRANSIENT, "the listing was given up");
    vz_task_queue_close(listing->run);
    vz_listing_progress_clear(listing->progress);
    free(listing->progress);
    if (failed.class == VZ_OK && keys->document_count > 1)
        qsort(keys->documents, keys->document_count, sizeof *keys->documents, by_depth);
    if (failed.class != VZ_OK && err && err->class == VZ_OK)
        *err = failed;
    return failed.class == VZ_OK;
}

bool vz_keys_list(vz_bucket *remote, const char *whole_prefix, vz_keys *keys, vz_error *err)
{
    vz_keys_listing listing;
    return vz_keys_list_begin(&listing, remote, whole_prefix, keys, err) && vz_keys_list_end(&listing, err);
}

void vz_keys_clear(vz_keys *keys)
{
    free(keys->documents);
    free(keys->values);
    free(keys->large);
    vz_arena_clear(&keys->arena);
    *keys = (vz_keys){0};
}
