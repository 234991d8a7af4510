/* source_version.c - which version of a file its references were made of. Without a note nothing is
 * known, and nothing is checked. */
#include "base/util/json.h"
#include "store/kerchunk/kerchunk_internal.h"

#define NOTE_VALUES_MAX 64 /* JSON values in the note of one file */
#define SECOND_NS       1000000000
#define ETAG_MAX        1024 /* bytes */

/* ---- reading notes ---- */

/* A note of another form is another program's. */
static bool take_source(void *context, const char *name, vz_bytes value, vz_error *err)
{
    vz_kerchunk_table *table = context;
    vz_kerchunk_source note = {0};
    vz_json *json = vz_json_parse_within((const char *)value.data, value.size, NOTE_VALUES_MAX, NULL);
    const bool has_size = vz_json_get_uint64(vz_json_get(json, "size"), &note.size);
    note.has_time = vz_json_get_int64(vz_json_get(json, "mtime_ns"), &note.modified_ns);
    size_t length = 0;
    const char *etag = vz_json_get_string(vz_json_get(json, "etag"), &length);
    const bool has_etag = has_size && etag && length > 0 && strlen(etag) == length && length <= ETAG_MAX;
    if (has_etag)
        note.etag = vz_arena_copy(&table->arena, etag, length + 1, err);
    vz_json_free(json);
    if (!has_size)
        return true;
    if (has_etag && !note.etag)
        return false;
    vz_kerchunk_source *kept = vz_arena_copy(&table->arena, &note, sizeof note, err);
    if (!kept || (!table->sources && !(table->sources = vz_strmap_new())))
        return vz_fail_memory(err);
    return vz_strmap_put(table->sources, name, kept, err);
}

static bool take_member(void *context, const char *key, vz_bytes value, vz_error *err)
{
    if (strcmp(key, "sources") != 0 || value.size == 0 || value.data[0] != '{')
        return true;
    return vz_json_each_member(value, take_source, context, err);
}

bool vz_kerchunk_take_sources(vz_kerchunk_table *table, vz_bytes value, vz_error *err)
{
    return value.size == 0 || value.data[0] != '{' || vz_json_each_member(value, take_member, table, err);
}

/* ---- comparing ---- */

/* Copies by some programs have whole seconds. */
static bool is_time(const vz_kerchunk_source *note, struct timespec modified)
{
    int64_t seconds = note->modified_ns / SECOND_NS, rest = note->modified_ns % SECOND_NS;
    if (rest < 0) {
        rest += SECOND_NS;
        seconds--;
    }
    return modified.tv_sec == seconds && (modified.tv_nsec == rest || modified.tv_nsec == 0);
}

bool vz_kerchunk_take_etag(const vz_kerchunk_table *table, vz_kerchunk_value *value, vz_error *err)
{
    const vz_kerchunk_source *note = table->sources && value->name ? vz_strmap_get(table->sources, value->name) : NULL;
    return !note || !note->etag || (value->etag = strdup(note->etag)) || vz_fail_memory(err);
}

bool vz_kerchunk_check_source(const vz_kerchunk_table *table, const char *name, uint64_t size, struct timespec modified,
                              vz_error *err)
{
    const vz_kerchunk_source *note = table->sources ? vz_strmap_get(table->sources, name) : NULL;
    if (!note)
        return true;
    if (note->size != size)
        return vz_fail(err, VZ_CORRUPT,
                       "it was changed since its references were made: it has %llu bytes, and had %llu (h5zarr virtual "
                       "makes them anew)",
                       (unsigned long long)size, (unsigned long long)note->size);
    return !note->has_time || is_time(note, modified) ||
           vz_fail(err, VZ_CORRUPT,
                   "it was changed since its references were made: its time of change is another (h5zarr virtual makes "
                   "them anew)");
}
