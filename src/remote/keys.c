/* keys.c - see keys.h. */
#include "remote/keys.h"
#include "remote/listing.h"
#include <stdlib.h>

bool vz_key_is_document(const char *key)
{
    const char *slash = strrchr(key, '/'), *name = slash ? slash + 1 : key;
    return strncmp(name, ".z", 2) == 0 || strcmp(name, "zarr.json") == 0;
}

size_t vz_key_depth(const char *key)
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
    const bool is_document = vz_key_is_document(whole_key);
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
    const size_t depth = vz_key_depth(one), other_depth = vz_key_depth(other);
    return depth < other_depth ? -1 : depth > other_depth ? 1 : strcmp(one, other);
}

typedef struct walk {
    const char *prefix;
    vz_keys *keys;
} walk;

static bool listed(vz_task *task, vz_error *err)
{
    walk *w = task->state;
    vz_list_page page = {0};
    bool ok = vz_listing_take(task, &page, err);
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
    const walk *w = task->state;
    task->go_on = listed;
    return vz_listing_ask(task, w->prefix, true, NULL, 0, err);
}

bool vz_keys_list(vz_remote *remote, const char *whole_prefix, vz_keys *keys, vz_error *err)
{
    walk w = {whole_prefix, keys};
    vz_task task = {.remote = remote, .state = &w};
    if (!vz_run_all(remote, &task, 1, begin, err))
        return false;
    if (keys->document_count > 1)
        qsort(keys->documents, keys->document_count, sizeof *keys->documents, by_depth);
    return true;
}

void vz_keys_clear(vz_keys *keys)
{
    free(keys->documents);
    free(keys->values);
    free(keys->large);
    vz_arena_clear(&keys->arena);
    *keys = (vz_keys){0};
}
