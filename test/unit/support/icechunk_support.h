/* Repositories of test/unit/data/icechunk in memory. */
#ifndef VZ_TEST_ICECHUNK_SUPPORT_H
#define VZ_TEST_ICECHUNK_SUPPORT_H

#include "store/icechunk/icechunk.h"
#include "store/store/store.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPOSITORY_FILES_MAX 32

typedef struct repository_file {
    char *key;
    vz_buffer content;
} repository_file;

typedef struct repository {
    repository_file files[REPOSITORY_FILES_MAX];
    size_t count;
} repository;

static inline void repository_read(repository *r, vz_store *store, const char *prefix)
{
    vz_entry *entries = NULL;
    size_t count = 0;
    assert_true(vz_store_list(store, prefix, &entries, &count, NULL));
    for (size_t i = 0; i < count; i++) {
        char *key;
        assert_true(asprintf(&key, "%s%s%s", prefix, *prefix ? "/" : "", entries[i].name) >= 0);
        if (entries[i].is_prefix) {
            repository_read(r, store, key);
            free(key);
            continue;
        }
        bool found;
        repository_file *file = &r->files[r->count++];
        assert_true(r->count <= REPOSITORY_FILES_MAX);
        file->key = key;
        assert_true(vz_store_get(store, key, VZ_WHOLE, &file->content, &found, NULL) && found);
    }
    vz_entries_free(entries, count);
}

static inline void repository_load(repository *r, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/icechunk/%s", VZ_TEST_DATA, name);
    vz_store *store = vz_store_open_directory(path, false, NULL);
    assert_non_null(store);
    *r = (repository){0};
    repository_read(r, store, "");
    vz_store_close(store);
}

static inline void repository_clear(repository *r)
{
    for (size_t i = 0; i < r->count; i++) {
        vz_buffer_clear(&r->files[i].content);
        free(r->files[i].key);
    }
}

/* A store in memory of all files but those whose keys begin with `without` (NULL: of all). */
static inline vz_store *repository_store(const repository *r, const char *without)
{
    vz_store *store = vz_store_new_memory(NULL);
    assert_non_null(store);
    for (size_t i = 0; i < r->count; i++)
        if (!without || strncmp(r->files[i].key, without, strlen(without)) != 0)
            assert_true(vz_store_put(store, r->files[i].key,
                                     (vz_bytes){r->files[i].content.data, r->files[i].content.size}, NULL));
    return store;
}

#endif
