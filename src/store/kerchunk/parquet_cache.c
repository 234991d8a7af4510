/* parquet_cache.c - the Parquet files that stay in memory: those in use, and the ones used last. */
#include "store/kerchunk/parquet_internal.h"
#include <stdio.h>
#include <stdlib.h>

static uint64_t size_of(const vz_parquet_rows *rows)
{
    return rows->file.capacity + rows->arena.used + sizeof *rows;
}

static void free_rows(vz_parquet_rows *rows)
{
    vz_parquet_rows_clear(rows);
    free(rows);
}

/* Makes room for the one used last. */
static void drop_old(vz_parquet_store *store)
{
    while (store->size > VZ_PARQUET_CACHE_SIZE) {
        vz_parquet_rows **oldest = NULL;
        for (vz_parquet_rows **r = &store->files; *r; r = &(*r)->next)
            if ((*r)->users == 0 && (!oldest || (*r)->used < (*oldest)->used))
                oldest = r;
        if (!oldest)
            return;
        vz_parquet_rows *dropped = *oldest;
        *oldest = dropped->next;
        store->size -= size_of(dropped);
        free_rows(dropped);
    }
}

/* A file that is not there has no references. */
static vz_parquet_rows *read_rows(vz_parquet_store *store, const char *key, vz_error *err)
{
    vz_parquet_rows *rows = calloc(1, sizeof *rows);
    vz_error why = VZ_ERROR_NONE;
    bool found = false;
    if (!rows || !(rows->key = strdup(key))) {
        free(rows);
        vz_fail_memory(err);
        return NULL;
    }
    rows->file.limit = VZ_PARQUET_FILE_MAX;
    if (vz_store_get(store->below, key, VZ_WHOLE, &rows->file, &found, &why) && (!found || vz_parquet_read(rows, &why)))
        return rows;
    if (err && err->class == VZ_OK) {
        vz_error_set(err, why.class, "%s: %s", key, why.text);
        err->sys_errno = why.sys_errno;
    }
    free_rows(rows);
    return NULL;
}

vz_parquet_rows *vz_parquet_use(vz_parquet_store *store, const char *array, size_t length, uint64_t record,
                                vz_error *err)
{
    char *key = NULL;
    if (asprintf(&key, "%.*s/refs.%llu.parq", (int)length, array, (unsigned long long)record) < 0) {
        vz_fail_memory(err);
        return NULL;
    }
    vz_os_mutex_lock(&store->lock);
    vz_parquet_rows *rows = store->files;
    while (rows && strcmp(rows->key, key) != 0)
        rows = rows->next;
    if (!rows && (rows = read_rows(store, key, err))) {
        rows->next = store->files;
        store->files = rows;
        store->size += size_of(rows);
    }
    if (rows) {
        rows->users++;
        rows->used = ++store->clock;
        drop_old(store);
    }
    vz_os_mutex_unlock(&store->lock);
    free(key);
    return rows;
}

void vz_parquet_leave(vz_parquet_store *store, vz_parquet_rows *rows)
{
    vz_os_mutex_lock(&store->lock);
    rows->users--;
    vz_os_mutex_unlock(&store->lock);
}

void vz_parquet_forget(vz_parquet_store *store)
{
    for (vz_parquet_rows *next, *rows = store->files; rows; rows = next) {
        next = rows->next;
        free_rows(rows);
    }
    store->files = NULL;
}
