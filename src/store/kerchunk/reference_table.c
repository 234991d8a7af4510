/* reference_table.c - the keys of a reference file, sorted. Values stay JSON text until they are
 * asked for. */
#include "base/util/json.h"
#include "store/kerchunk/kerchunk_internal.h"
#include <stdlib.h>

/* ---- is it one? ---- */

bool vz_kerchunk_may_begin(const uint8_t *start, size_t size)
{
    size_t at = size >= 3 && memcmp(start, "\357\273\277", 3) == 0 ? 3 : 0;
    while (at < size && (start[at] == ' ' || start[at] == '\n' || start[at] == '\t' || start[at] == '\r'))
        at++;
    return at == size || start[at] == '{' || (size >= 4 && memcmp(start, ".tar", 4) == 0);
}

/* A key of Zarr's metadata, which any store has. */
static bool is_document(const char *key)
{
    static const char *const names[] = {".zgroup", ".zarray", ".zattrs", ".zmetadata", "zarr.json"};
    const char *slash = strrchr(key, '/'), *name = slash ? slash + 1 : key;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static bool meet_document(void *context, const char *key, vz_bytes value, vz_error *err)
{
    (void)value, (void)err;
    *(bool *)context = is_document(key);
    return !is_document(key);
}

static vz_bytes without_mark(vz_bytes text)
{
    const bool has_mark = text.size >= 3 && memcmp(text.data, "\357\273\277", 3) == 0;
    return has_mark ? (vz_bytes){text.data + 3, text.size - 3} : text;
}

bool vz_kerchunk_is(vz_bytes text)
{
    const vz_bytes json = without_mark(text);
    size_t start, size;
    bool is_it = false;
    if (vz_kerchunk_tar_is(text))
        return true;
    if (vz_json_find_object((const char *)json.data, json.size, "refs", &start, &size))
        return true;
    vz_json_each_member(json, meet_document, &is_it, NULL);
    return is_it;
}

/* ---- members ---- */

typedef struct reading {
    vz_kerchunk_table *table;
    size_t room;
    vz_bytes refs;
    bool has_refs, has_version;
} reading;

/* Empty parts, "." and ".." are in no key of a store. */
static bool is_key(const char *key)
{
    if (!*key)
        return false;
    for (const char *part = key;; part++) {
        const size_t size = strcspn(part, "/");
        if (size == 0 || (size == 1 && part[0] == '.') || (size == 2 && part[0] == '.' && part[1] == '.'))
            return false;
        part += size;
        if (!*part)
            return true;
    }
}

/* A scalar's only chunk is "name/0"; VirtualiZarr writes "name/". */
static char *copy_key(vz_kerchunk_table *table, const char *key, vz_error *err)
{
    const size_t size = strlen(key);
    char *copy = vz_arena_alloc(&table->arena, size + 2, err);
    if (!copy)
        return NULL;
    memcpy(copy, key, size + 1);
    if (size > 1 && key[size - 1] == '/')
        strcpy(copy + size, "0");
    if (is_key(copy))
        return copy;
    vz_fail(err, VZ_CORRUPT, "a reference with the key \"%.100s\", which no store has", key);
    return NULL;
}

static bool is_url(const vz_bytes *value)
{
    const uint8_t *at = value->size && value->data[0] == '[' ? memmem(value->data, value->size, ":", 1) : NULL;
    const size_t left = at ? (size_t)(value->data + value->size - at) : 0;
    const bool is_slash = left > 2 && (at[1] == '/' || (at[1] == '\\' && at[2] == '/'));
    return is_slash && !(at - value->data >= 5 && memcmp(at - 5, "\"file", 5) == 0);
}

static bool take_reference(void *context, const char *key, vz_bytes value, vz_error *err)
{
    reading *r = context;
    vz_kerchunk_table *table = r->table;
    if (table->count == VZ_KERCHUNK_KEYS_MAX)
        return vz_fail(err, VZ_LIMIT, "more than %zu references", VZ_KERCHUNK_KEYS_MAX);
    if (table->count == r->room) {
        const size_t room = r->room ? 2 * r->room : 64;
        vz_kerchunk_entry *grown = realloc(table->entries, room * sizeof *grown);
        if (!grown)
            return vz_fail_memory(err);
        table->entries = grown;
        r->room = room;
    }
    const char *copy = copy_key(table, key, err);
    if (!copy)
        return false;
    table->names_servers |= is_url(&value);
    table->entries[table->count++] = (vz_kerchunk_entry){.key = copy, .value = value};
    return true;
}

static bool take_template(void *context, const char *name, vz_bytes value, vz_error *err)
{
    vz_kerchunk_table *table = ((reading *)context)->table;
    vz_json *json = vz_json_parse_within((const char *)value.data, value.size, 1, err);
    size_t length = 0;
    const char *text = vz_json_get_string(json, &length);
    bool ok = json != NULL;
    if (ok && (!text || strlen(text) != length))
        ok = vz_fail(err, VZ_CORRUPT, "the template \"%.60s\" is no text", name);
    if (ok && length > VZ_KERCHUNK_NAME_MAX)
        ok = vz_fail(err, VZ_LIMIT, "the template \"%.60s\" has %zu bytes", name, length);
    char *copy = ok ? vz_arena_copy(&table->arena, text, length + 1, err) : NULL;
    if (copy && strstr(copy, "://"))
        table->names_servers = true;
    vz_json_free(json);
    return copy && vz_strmap_put(table->templates, name, copy, err);
}

static bool take_templates(reading *r, vz_bytes value, vz_error *err)
{
    if (value.size && value.data[0] == 'n') /* null */
        return true;
    if (!r->table->templates && !(r->table->templates = vz_strmap_new()))
        return vz_fail_memory(err);
    return vz_json_each_member(value, take_template, r, err);
}

/* `gen` makes references, too: without them chunks would be taken for absent. */
static bool check_gen(vz_bytes value, vz_error *err)
{
    vz_json *json = vz_json_parse((const char *)value.data, value.size, err);
    const bool ok = json && (vz_json_length(json) == 0 ||
                             vz_fail(err, VZ_UNSUPPORTED,
                                     "references that are made from patterns (\"gen\"): write them out with kerchunk"));
    vz_json_free(json);
    return ok;
}

static bool check_version(vz_bytes value, vz_error *err)
{
    vz_json *json = vz_json_parse((const char *)value.data, value.size, err);
    int64_t version = 0;
    const bool ok = json && ((vz_json_get_int64(json, &version) && version == 1) ||
                             vz_fail(err, VZ_UNSUPPORTED, "version %.20s of reference files: 0 and 1 are known",
                                     vz_json_number_text(json) ? vz_json_number_text(json) : "that is no number"));
    vz_json_free(json);
    return ok;
}

static bool take_member(void *context, const char *key, vz_bytes value, vz_error *err)
{
    reading *r = context;
    if (strcmp(key, "refs") == 0) {
        r->refs = value;
        r->has_refs = value.data[0] == '{';
        return true;
    }
    if (strcmp(key, "version") == 0) {
        r->has_version = true;
        return check_version(value, err);
    }
    if (strcmp(key, "templates") == 0)
        return take_templates(r, value, err);
    if (strcmp(key, "generationMetadata") == 0)
        return vz_kerchunk_take_sources(r->table, value, err);
    return strcmp(key, "gen") != 0 || check_gen(value, err);
}

/* ---- LINDI ---- */

#define ELSEWHERE "_EXTERNAL_ARRAY_LINK"
#define ATTRS     "/.zattrs"

static bool note_elsewhere(vz_kerchunk_table *table, const vz_kerchunk_entry *entry, vz_error *err)
{
    const size_t length = strlen(entry->key), tail = sizeof ATTRS - 1;
    if (length <= tail || strcmp(entry->key + length - tail, ATTRS) != 0 ||
        !memmem(entry->value.data, entry->value.size, ELSEWHERE, sizeof ELSEWHERE - 1))
        return true;
    char *prefix = vz_arena_copy(&table->arena, entry->key, length + 1, err);
    if (!prefix || (!table->elsewhere && !(table->elsewhere = vz_strmap_new())))
        return vz_fail_memory(err);
    prefix[length - tail] = '\0';
    return vz_strmap_put(table->elsewhere, prefix, prefix, err);
}

static bool take_conventions(vz_kerchunk_table *table, vz_error *err)
{
    const vz_kerchunk_entry *group = vz_kerchunk_find(table, ".zgroup");
    bool ok = true;
    table->is_lindi = group && group->value.data[0] == '{';
    for (size_t i = 0; ok && table->is_lindi && i < table->count; i++)
        ok = note_elsewhere(table, &table->entries[i], err);
    return ok;
}

bool vz_kerchunk_check_absent(const vz_kerchunk_table *table, const char *key, vz_error *err)
{
    const char *slash = strrchr(key, '/');
    if (!table->elsewhere || !slash || slash[1] == '.')
        return true;
    char *prefix = strndup(key, (size_t)(slash - key));
    const bool ok = prefix && !vz_strmap_get(table->elsewhere, prefix);
    free(prefix);
    return ok || vz_fail(err, VZ_UNSUPPORTED,
                         "its elements lie in a dataset of an HDF5 file, which the attribute " ELSEWHERE " names");
}

/* ---- order ---- */

/* Equal keys stay in the file's order, in which their values lie. */
static int compare(const void *a, const void *b)
{
    const vz_kerchunk_entry *x = a, *y = b;
    const int order = strcmp(x->key, y->key);
    return order ? order : (x->value.data > y->value.data) - (x->value.data < y->value.data);
}

/* Of equal keys the last one counts. */
static void sort(vz_kerchunk_table *table)
{
    size_t kept = 0;
    if (table->count > 1)
        qsort(table->entries, table->count, sizeof *table->entries, compare);
    for (size_t i = 0; i < table->count; i++) {
        if (kept > 0 && strcmp(table->entries[kept - 1].key, table->entries[i].key) == 0)
            kept--;
        table->entries[kept++] = table->entries[i];
    }
    table->count = kept;
}

bool vz_kerchunk_table_read(vz_kerchunk_table *table, vz_buffer *text, vz_error *err)
{
    reading r = {.table = table};
    table->text = *text;
    *text = (vz_buffer){0};
    const vz_bytes all = without_mark((vz_bytes){table->text.data, table->text.size});
    if (!vz_json_each_member(all, take_member, &r, err))
        return false;
    if (r.has_refs && !r.has_version)
        return vz_fail(err, VZ_CORRUPT, "\"refs\" without a \"version\"");
    if (r.has_version && !r.has_refs)
        return vz_fail(err, VZ_CORRUPT, "a \"version\" without \"refs\"");
    if (!vz_json_each_member(r.has_refs ? r.refs : all, take_reference, &r, err))
        return false;
    sort(table);
    return take_conventions(table, err);
}

bool vz_kerchunk_table_take(vz_kerchunk_table *table, vz_buffer *text, vz_bytes members, vz_error *err)
{
    reading r = {.table = table};
    *table = (vz_kerchunk_table){.text = *text};
    *text = (vz_buffer){0};
    if (!vz_json_each_member(members, take_reference, &r, err))
        return false;
    sort(table);
    return true;
}

void vz_kerchunk_table_clear(vz_kerchunk_table *table)
{
    vz_buffer_clear(&table->text);
    free(table->entries);
    vz_strmap_free(table->templates, NULL);
    vz_strmap_free(table->elsewhere, NULL);
    vz_strmap_free(table->sources, NULL);
    vz_kerchunk_archive_clear(&table->archive);
    vz_arena_clear(&table->arena);
    *table = (vz_kerchunk_table){0};
}

/* ---- looking ---- */

/* The first entry whose key's first `length` bytes do not come before those of `key`. */
static size_t lower_bound(const vz_kerchunk_table *table, const char *key, size_t length)
{
    size_t low = 0, high = table->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (strncmp(table->entries[middle].key, key, length) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const vz_kerchunk_entry *vz_kerchunk_find(const vz_kerchunk_table *table, const char *key)
{
    const size_t at = lower_bound(table, key, strlen(key) + 1);
    return at < table->count && strcmp(table->entries[at].key, key) == 0 ? &table->entries[at] : NULL;
}

/* "a", "a-b" and "a/c" follow each other in this order: a member may have been met before. */
static vz_entry *find_met(vz_entry *entries, size_t count, const char *name, size_t length)
{
    for (size_t i = count; i-- > 0 && strncmp(entries[i].name, name, length) == 0;)
        if (entries[i].name[length] == '\0')
            return &entries[i];
    return NULL;
}

bool vz_kerchunk_append_entry(vz_entry **entries, size_t *count, size_t *room, const char *name, size_t length,
                              bool is_prefix, vz_error *err)
{
    if (*count == *room) {
        vz_entry *grown = realloc(*entries, (*room ? 2 * *room : 16) * sizeof *grown);
        if (!grown)
            return vz_fail_memory(err);
        *entries = grown;
        *room = *room ? 2 * *room : 16;
    }
    char *copy = strndup(name, length);
    if (!copy)
        return vz_fail_memory(err);
    if (vz_partial_is_name(copy))
        free(copy);
    else
        (*entries)[(*count)++] = (vz_entry){.name = copy, .is_prefix = is_prefix};
    return true;
}

static bool add(vz_entry **entries, size_t *count, size_t *room, const char *name, size_t length, bool is_prefix,
                vz_error *err)
{
    vz_entry *met = find_met(*entries, *count, name, length);
    if (met) {
        met->is_prefix |= is_prefix;
        return true;
    }
    return vz_kerchunk_append_entry(entries, count, room, name, length, is_prefix, err);
}

/* The first entry behind all that lies below the first `length` bytes of a key. */
static bool skip_below(const vz_kerchunk_table *table, const char *key, size_t length, size_t *at, vz_error *err)
{
    char *end = strndup(key, length + 1);
    if (!end)
        return vz_fail_memory(err);
    end[length] = '/' + 1;
    *at = lower_bound(table, end, length + 1);
    free(end);
    return true;
}

bool vz_kerchunk_list(const vz_kerchunk_table *table, const char *prefix, vz_entry **entries, size_t *count,
                      vz_error *err)
{
    const size_t length = strlen(prefix), skip = length ? length + 1 : 0;
    size_t at = 0, room = 0;
    char *below = malloc(length + 2);
    bool ok = below || vz_fail_memory(err);
    if (ok) {
        memcpy(below, prefix, length);
        strcpy(below + length, length ? "/" : "");
        at = lower_bound(table, below, skip);
    }
    while (ok && at < table->count && strncmp(table->entries[at].key, below, skip) == 0) {
        const char *key = table->entries[at].key, *name = key + skip;
        const size_t size = strcspn(name, "/");
        const bool is_prefix = name[size] == '/';
        ok = add(entries, count, &room, name, size, is_prefix, err);
        at++;
        if (ok && is_prefix)
            ok = skip_below(table, key, skip + size, &at, err);
    }
    free(below);
    if (ok)
        return true;
    vz_entries_free(*entries, *count);
    *entries = NULL;
    *count = 0;
    return false;
}
