/* parquet_store.c - directories of Parquet files with references as a kind of stores. The store
 * itself is that of reference files, which asks here for values. */
#include "store/kerchunk/parquet_internal.h"
#include "store/layers/layer.h"
#include <stdio.h>
#include <stdlib.h>

#define DOCUMENTS ".zmetadata"

/* ---- values ---- */

static void leave(void *context, void *held)
{
    vz_parquet_leave(context, held);
}

static bool find(void *context, const char *key, vz_kerchunk_value *value, bool *found, vz_error *err)
{
    vz_parquet_store *store = context;
    vz_parquet_key parsed;
    const vz_kerchunk_entry *entry = vz_kerchunk_find(&store->table, key);
    *found = entry != NULL;
    if (entry)
        return vz_kerchunk_value_read(&store->table, entry, value, err);
    if (!vz_parquet_key_parse(store, key, &parsed, found, err))
        return false;
    if (!*found)
        return true;
    vz_parquet_rows *rows = vz_parquet_use(store, key, parsed.prefix, parsed.number / store->record_size, err);
    if (!rows)
        return false;
    const bool ok = vz_parquet_value(rows, parsed.number % store->record_size, value, found, err);
    value->leave = leave; /* bytes that stand in the file stay until the value is cleared */
    value->context = store;
    value->held = rows;
    return ok;
}

static bool list(void *context, const char *prefix, vz_entry **entries, size_t *count, vz_error *err)
{
    return vz_parquet_list_below(context, prefix, entries, count, err);
}

static bool is_at(const void *context, const char *path)
{
    return vz_store_is_at(((const vz_parquet_store *)context)->below, path);
}

/* The store below is closed by the store of reference files. */
static void close_store(void *context)
{
    vz_parquet_store *store = context;
    vz_parquet_forget(store);
    vz_kerchunk_table_clear(&store->table);
    vz_os_mutex_destroy(&store->lock);
    free(store);
}

static const vz_kerchunk_finder finder = {
    .kind = "references", .find = find, .list = list, .is_at = is_at, .close = close_store};

/* ---- opening ---- */

static bool is_within(vz_store *below, bool *is_it, vz_error *err)
{
    return vz_kerchunk_document_below(below, DOCUMENTS, VZ_KERCHUNK_REMOTE_MAX_SIZE, vz_kerchunk_is_directory, is_it,
                                      err);
}

static bool read_documents(vz_parquet_store *store, vz_kerchunk_origin *origin, vz_error *err)
{
    vz_buffer text = {.limit = VZ_KERCHUNK_REMOTE_MAX_SIZE};
    bool found = false;
    const bool ok = vz_store_get(store->below, DOCUMENTS, VZ_WHOLE, &text, &found, err) &&
                    (found || vz_fail(err, VZ_NOT_FOUND, "there is no " DOCUMENTS)) &&
                    vz_kerchunk_stamp_below(store->below, DOCUMENTS, text.size, &origin->stamp, err);
    if (ok)
        return vz_parquet_directory_read(store, &text, err);
    vz_buffer_clear(&text);
    return false;
}

static vz_store *over(vz_store *below, const vz_options *remote, vz_error *err)
{
    vz_error why = VZ_ERROR_NONE;
    vz_kerchunk_origin origin = vz_kerchunk_origin_below(below, DOCUMENTS, remote);
    vz_parquet_store *store = calloc(1, sizeof *store);
    if (!store) {
        vz_store_close(below);
        vz_fail_memory(err);
        return NULL;
    }
    store->below = below;
    vz_os_mutex_init(&store->lock);
    if (read_documents(store, &origin, &why))
        return vz_kerchunk_over_finder(&finder, store, below, &origin, below->path, true, err);
    vz_error_set(err, why.class, "%s", why.text);
    vz_error_where(err, below->path, NULL);
    close_store(store);
    vz_store_close(below);
    return NULL;
}

/* ---- the kind ---- */

static vz_store *look_within(vz_store *below, const char *word, const vz_options *remote, char **inside, vz_error *err)
{
    *inside = strdup(word + strspn(word, "/"));
    if (*inside && (below = vz_layer_for_use(below, false, err)))
        return over(below, remote, err);
    if (!*inside) {
        vz_store_close(below);
        vz_fail_memory(err);
    }
    return NULL;
}

const vz_store_kind vz_kerchunk_parquet_kind = {
    .name = "parquet references",
    .title = "directory of Parquet references",
    .is_within = is_within,
    .look_within = look_within,
};
