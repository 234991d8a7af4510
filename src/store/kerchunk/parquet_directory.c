/* parquet_directory.c - a directory of references: ".zmetadata" has all documents, and of each
 * array "refs.K.parq" the chunks K*N to K*N+N-1, counted in C order. */
#include "base/util/json.h"
#include "base/util/c_library.h"
#include "store/kerchunk/parquet_internal.h"
#include <stdio.h>
#include <stdlib.h>

#define LIST_MAX ((uint64_t)1 << 16) /* files that are asked for by their numbers, to list chunks */

/* ---- documents ---- */

typedef struct members {
    vz_bytes documents, record_size;
} members;

static bool take_member(void *context, const char *key, vz_bytes value, vz_error *err)
{
    members *m = context;
    (void)err;
    if (strcmp(key, "metadata") == 0)
        m->documents = value;
    else if (strcmp(key, "record_size") == 0)
        m->record_size = value;
    return true;
}

bool vz_kerchunk_is_directory(vz_bytes text)
{
    members m = {0};
    return memmem(text.data, text.size, "\"record_size\"", strlen("\"record_size\"")) &&
           vz_json_each_member(text, take_member, &m, NULL) && m.record_size.size > 0 && m.documents.size > 0 &&
           m.documents.data[0] == '{';
}

static bool take_record_size(vz_parquet_store *store, vz_bytes value, vz_error *err)
{
    vz_json *json = vz_json_parse_within((const char *)value.data, value.size, 1, err);
    if (!json)
        return false;
    const bool is_number = vz_json_get_uint64(json, &store->record_size) && store->record_size > 0;
    vz_json_free(json);
    if (!is_number)
        return vz_fail(err, VZ_CORRUPT, "\"record_size\" is no number of references");
    return store->record_size <= VZ_PARQUET_ROWS_MAX ||
           vz_fail(err, VZ_LIMIT, "files of %llu references, more than %llu", (unsigned long long)store->record_size,
                   (unsigned long long)VZ_PARQUET_ROWS_MAX);
}

/* All that stands there are documents, and chunks are below an array. */
static bool check_documents(const vz_kerchunk_table *table, vz_error *err)
{
    for (size_t i = 0; i < table->count; i++)
        if (table->entries[i].value.data[0] != '{')
            return vz_fail(err, VZ_CORRUPT, "\"%.100s\" is no document", table->entries[i].key);
    return vz_kerchunk_find(table, ".zgroup") ||
           vz_fail(err, VZ_UNSUPPORTED, "a directory of Parquet references without a group at the root");
}

bool vz_parquet_directory_read(vz_parquet_store *store, vz_buffer *text, vz_error *err)
{
    members m = {0};
    vz_error why = VZ_ERROR_NONE;
    const bool ok = vz_json_each_member((vz_bytes){text->data, text->size}, take_member, &m, &why) &&
                    ((m.documents.size > 0 && m.record_size.size > 0) ||
                     vz_fail(&why, VZ_CORRUPT, "\"metadata\" or \"record_size\" is missing")) &&
                    take_record_size(store, m.record_size, &why) &&
                    vz_kerchunk_table_take(&store->table, text, m.documents, &why) &&
                    check_documents(&store->table, &why);
    vz_buffer_clear(text);
    return ok || vz_fail(err, why.class, ".zmetadata: %s", why.text);
}

/* ---- arrays ---- */

static bool take_dims(const vz_json *document, vz_parquet_array *array)
{
    const vz_json *shape = vz_json_get(document, "shape"), *chunks = vz_json_get(document, "chunks");
    uint64_t extent, edge;
    if (vz_json_kind_of(shape) != VZ_JSON_ARRAY || vz_json_length(shape) != vz_json_length(chunks) ||
        vz_json_length(shape) > VZ_PARQUET_RANK_MAX)
        return false;
    array->rank = (unsigned)vz_json_length(shape);
    array->count = 1;
    for (unsigned d = 0; d < array->rank; d++) {
        if (!vz_json_get_uint64(vz_json_at(shape, d), &extent) || !vz_json_get_uint64(vz_json_at(chunks, d), &edge) ||
            edge == 0)
            return false;
        array->dims[d] = extent / edge + (extent % edge != 0);
        if (!vz_mul(array->count, array->dims[d], &array->count))
            return false;
    }
    return true;
}

/* The array of that key. *found=false: there is none. VZ_CORRUPT: its document makes no sense. */
static bool array_of(const vz_parquet_store *store, const char *key, size_t length, vz_parquet_array *array,
                     bool *found, vz_error *err)
{
    char *name = NULL;
    if (asprintf(&name, "%.*s/.zarray", (int)length, key) < 0)
        return vz_fail_memory(err);
    const vz_kerchunk_entry *entry = length ? vz_kerchunk_find(&store->table, name) : NULL;
    free(name);
    *found = entry != NULL;
    if (!entry)
        return true;
    vz_json *document = vz_json_parse((const char *)entry->value.data, entry->value.size, err);
    if (!document)
        return false;
    *array = (vz_parquet_array){.separator = vz_json_is(vz_json_get(document, "dimension_separator"), "/") ? '/' : '.'};
    const bool ok = take_dims(document, array) || vz_fail(err, VZ_CORRUPT, "an array without shape and chunks");
    vz_json_free(document);
    return ok;
}

/* ---- keys of chunks ---- */

static bool take_number(const char **text, uint64_t *number)
{
    const char *p = *text;
    if (*p < '0' || *p > '9' || (*p == '0' && p[1] >= '0' && p[1] <= '9'))
        return false;
    for (*number = 0; *p >= '0' && *p <= '9'; p++)
        if (!vz_mul(*number, 10, number) || !vz_add(*number, (uint64_t)(*p - '0'), number))
            return false;
    *text = p;
    return true;
}

/* A scalar has one chunk, "0". */
static bool take_chunk(const char *text, vz_parquet_key *parsed)
{
    const vz_parquet_array *array = &parsed->array;
    if (array->rank == 0)
        return strcmp(text, "0") == 0;
    for (unsigned d = 0; d < array->rank; d++) {
        uint64_t at;
        if (!take_number(&text, &at) || at >= array->dims[d])
            return false;
        parsed->number = parsed->number * array->dims[d] + at;
        if (d + 1 < array->rank && *text++ != array->separator)
            return false;
    }
    return *text == '\0';
}

bool vz_parquet_key_parse(const vz_parquet_store *store, const char *key, vz_parquet_key *parsed, bool *found,
                          vz_error *err)
{
    *found = false;
    for (size_t at = strlen(key); at > 0; at--) {
        bool is_array;
        if (key[at] != '/')
            continue;
        if (key[at + 1] < '0' || key[at + 1] > '9') /* no coordinate, so no array further up */
            return true;
        *parsed = (vz_parquet_key){.prefix = at};
        if (!array_of(store, key, at, &parsed->array, &is_array, err))
            return false;
        if (is_array) {
            *found = take_chunk(key + at + 1, parsed);
            return true;
        }
    }
    return true;
}

/* ---- what lies below a key ---- */

typedef struct listing {
    vz_entry *entries;
    size_t count, room;
    const vz_parquet_array *array;
    uint64_t lead[VZ_PARQUET_RANK_MAX]; /* the first coordinates, which the prefix has */
    unsigned leads;
} listing;

static bool add_chunk(listing *l, uint64_t number, vz_error *err)
{
    const vz_parquet_array *array = l->array;
    uint64_t at[VZ_PARQUET_RANK_MAX + 1] = {0};
    char name[VZ_PARQUET_RANK_MAX * VZ_DECIMAL_SIZE + 1];
    for (unsigned d = array->rank; d-- > 0;) {
        at[d] = number % array->dims[d];
        number /= array->dims[d];
    }
    if (memcmp(at, l->lead, l->leads * sizeof *at) != 0)
        return true;
    const bool nested = array->separator == '/' && l->leads + 1 < array->rank;
    const unsigned end = array->separator == '/' ? l->leads + 1 : array->rank ? array->rank : 1;
    size_t length = 0;
    for (unsigned d = l->leads; d < end; d++) {
        if (d > l->leads)
            name[length++] = array->separator;
        length += vz_decimal(at[d], name + length);
    }
    /* chunks come in C order: those of one coordinate follow each other */
    const char *last = l->count ? l->entries[l->count - 1].name : "";
    return (nested && strcmp(last, name) == 0) ||
           vz_kerchunk_append_entry(&l->entries, &l->count, &l->room, name, length, nested, err);
}

static bool list_record(vz_parquet_store *store, const char *array, size_t length, uint64_t record, listing *l,
                        vz_error *err)
{
    const uint64_t first = record * store->record_size, left = l->array->count - first;
    vz_parquet_rows *rows = vz_parquet_use(store, array, length, record, err);
    bool ok = rows != NULL;
    for (uint64_t i = 0; ok && i < rows->count && i < left && i < store->record_size; i++) {
        vz_kerchunk_value value = {0};
        bool found = false;
        ok = vz_parquet_value(rows, i, &value, &found, err) && (!found || add_chunk(l, first + i, err));
        vz_kerchunk_value_clear(&value);
    }
    if (rows)
        vz_parquet_leave(store, rows);
    return ok;
}

static bool list_chunks(vz_parquet_store *store, const char *prefix, size_t length, listing *l, vz_error *err)
{
    const uint64_t count = l->array->count, records = count / store->record_size + (count % store->record_size != 0);
    bool ok = records <= LIST_MAX ||
              vz_fail(err, VZ_LIMIT, "listing the chunks of %llu files of references", (unsigned long long)records);
    for (uint64_t record = 0; ok && record < records; record++)
        ok = list_record(store, prefix, length, record, l, err);
    return ok;
}

static int compare(const void *a, const void *b)
{
    return strcmp(((const vz_entry *)a)->name, ((const vz_entry *)b)->name);
}

/* The array that a prefix is, or leads into, as "a" and "a/0" do. *found=false: none. */
static bool find_array(const vz_parquet_store *store, const char *prefix, size_t *length, vz_parquet_array *array,
                       listing *l, bool *found, vz_error *err)
{
    *length = strlen(prefix);
    for (unsigned leads = 0; leads < VZ_PARQUET_RANK_MAX; leads++) {
        if (!array_of(store, prefix, *length, array, found, err))
            return false;
        if (*found)
            break;
        const char *slash = vz_find_last(prefix, '/', *length);
        if (!slash)
            return true;
        *length = (size_t)(slash - prefix);
    }
    const char *rest = prefix + *length;
    while (*found && *rest == '/') {
        rest++;
        *found = array->separator == '/' && l->leads + 1 < array->rank && take_number(&rest, &l->lead[l->leads++]);
    }
    *found = *found && *rest == '\0';
    return true;
}

bool vz_parquet_list_below(vz_parquet_store *store, const char *prefix, vz_entry **entries, size_t *count,
                           vz_error *err)
{
    vz_parquet_array array;
    listing l = {.array = &array};
    size_t length;
    bool found;
    if (!vz_kerchunk_list(&store->table, prefix, &l.entries, &l.count, err))
        return false;
    l.room = l.count;
    bool ok = find_array(store, prefix, &length, &array, &l, &found, err);
    if (ok && found)
        ok = list_chunks(store, prefix, length, &l, err);
    if (!ok) {
        vz_entries_free(l.entries, l.count);
        return false;
    }
    if (l.count > 1)
        qsort(l.entries, l.count, sizeof *l.entries, compare);
    *entries = l.entries;
    *count = l.count;
    return true;
}
