/* json.c - h5zarr show --json: facts, statistics, chunks, members. */
#include "command/show/show_internal.h"
#include <stdlib.h>

#define MAP_MOST 64 /* cells of each dimension */

static bool set_real(vz_json *object, const char *key, double value, vz_error *err)
{
    return vz_json_set(object, key,
                       vz_sample_number_json((vz_sample_number){.kind = VZ_SAMPLE_FLOAT, .real = value}, err), err);
}

static vz_json *sizes(const uint64_t *list, unsigned count, vz_error *err)
{
    vz_json *array = vz_json_array(err);
    bool ok = array != NULL;
    for (unsigned i = 0; ok && i < count; i++)
        ok = vz_json_append(array, vz_json_uint64(list[i], err), err);
    if (ok)
        return array;
    vz_json_free(array);
    return NULL;
}

static bool set_facts(const vz_show *show, vz_json *object, vz_error *err)
{
    static const char *const kinds[] = {"group", "array", "committed datatype"};
    const vz_sample_facts *facts = show->facts;
    bool ok = vz_describe_set_text(object, "file", vz_sample_file_name(show->file), err) &&
              vz_json_set(object, "store", vz_json_bool(vz_sample_file_is_store(show->file), err), err) &&
              vz_describe_set_text(object, "path", facts->path, err) &&
              vz_describe_set_text(object, "kind", kinds[facts->kind], err);
    if (!ok || facts->kind != VZ_SAMPLE_ARRAY)
        return ok;
    ok = vz_describe_set_text(object, "type", facts->type, err) &&
         vz_json_set(object, "shape", facts->is_null ? vz_json_null(err) : sizes(facts->shape, facts->rank, err), err);
    if (ok && facts->is_chunked)
        ok = vz_json_set(object, "chunk", sizes(facts->chunk, facts->rank, err), err);
    return ok && vz_describe_set_text(object, "filters", facts->filters, err) &&
           (!facts->fill || vz_describe_set_text(object, "fill", facts->fill, err));
}

/* ---- statistics, chunks ---- */

static bool set_distinct(vz_json *object, const vz_sample_statistics *s, vz_error *err)
{
    vz_json *list = vz_json_array(err);
    bool ok = list != NULL;
    for (size_t i = 0; ok && i < s->value_count; i++) {
        vz_json *pair = vz_json_object(err);
        const bool filled = pair && vz_describe_set_text(pair, "value", s->values[i].text, err) &&
                            vz_show_json_count(pair, "count", s->values[i].count, err);
        if (!filled)
            vz_json_free(pair);
        ok = filled && vz_json_append(list, pair, err);
    }
    if (ok)
        return vz_json_set(object, "values", list, err);
    vz_json_free(list);
    return false;
}

static bool fill_statistics(vz_show *show, vz_json *object, const vz_sample_statistics *s, vz_error *err)
{
    bool ok = vz_show_json_count(object, "of", s->of, err) && vz_show_json_count(object, "counted", s->counted, err) &&
              vz_json_set(object, "sampled", vz_json_bool(s->is_sampled, err), err) &&
              (!s->zeros || vz_show_json_count(object, "not_stored", s->zeros, err)) &&
              (!s->knows_absent || vz_show_json_count(object, "absent_chunks", s->absent_chunks, err));
    if (ok && s->has_range)
        ok = vz_json_set(object, "least", vz_sample_number_json(s->least, err), err) &&
             vz_json_set(object, "greatest", vz_sample_number_json(s->most, err), err);
    if (ok && s->has_mean)
        ok = set_real(object, "mean", s->mean, err) && set_real(object, "deviation", s->deviation, err);
    if (ok && (show->facts->class == VZ_SAMPLE_REAL || s->nan || s->infinite))
        ok = vz_show_json_count(object, "nan", s->nan, err) && vz_show_json_count(object, "infinite", s->infinite, err);
    if (ok && s->has_lengths)
        ok = vz_show_json_count(object, "empty", s->empty, err) &&
             vz_show_json_count(object, "shortest", s->shortest, err) &&
             vz_show_json_count(object, "longest", s->longest, err);
    if (ok && s->distinct && s->distinct <= VZ_SAMPLE_DISTINCT_MAX)
        ok = vz_show_json_count(object, "distinct", s->distinct, err);
    return ok && (!s->value_count || set_distinct(object, s, err));
}

static bool set_statistics(vz_show *show, vz_sample_table *table, vz_json *object, vz_error *err)
{
    vz_sample_statistics s;
    if (!vz_show_statistics_make(show, table, &s))
        return true;
    vz_json *own = vz_json_object(err);
    const bool ok = own && fill_statistics(show, own, &s, err);
    if (s.unreadable)
        vz_show_failed(show, "statistics", s.why);
    vz_sample_statistics_clear(&s);
    if (ok)
        return vz_json_set(object, "statistics", own, err);
    vz_json_free(own);
    return false;
}

/* The map as rows of [chunks, of them stored, of these with known bytes, bytes]. */
static vz_json *map_of(const vz_sample_chunks *chunks, vz_error *err)
{
    vz_json *map = vz_json_array(err);
    bool ok = map != NULL;
    for (unsigned row = 0; ok && row < chunks->rows; row++) {
        vz_json *line = vz_json_array(err);
        for (unsigned column = 0; line && ok && column < chunks->columns; column++) {
            const vz_sample_cell *cell = &chunks->cells[(size_t)row * chunks->columns + column];
            const uint64_t facts[] = {cell->of, cell->stored, cell->sized, cell->bytes};
            ok = vz_json_append(line, sizes(facts, 4, err), err);
        }
        if (!ok)
            vz_json_free(line);
        ok = ok && vz_json_append(map, line, err);
    }
    if (ok)
        return map;
    vz_json_free(map);
    return NULL;
}

static bool fill_chunks(vz_json *object, const vz_sample_chunks *chunks, vz_error *err)
{
    return vz_json_set(object, "known", vz_json_bool(chunks->is_known, err), err) &&
           vz_json_set(object, "complete", vz_json_bool(chunks->is_complete, err), err) &&
           (!*chunks->why || vz_describe_set_text(object, "why", chunks->why, err)) &&
           (!chunks->is_known ||
            (vz_json_set(object, "grid", sizes(chunks->grid, chunks->rank, err), err) &&
             vz_show_json_count(object, "possible", chunks->possible, err) &&
             vz_show_json_count(object, "stored", chunks->stored, err) &&
             vz_show_json_count(object, "sized", chunks->sized, err) &&
             vz_show_json_count(object, "bytes", chunks->bytes, err) &&
             (!chunks->chunk_bytes || vz_show_json_count(object, "decoded_chunk_bytes", chunks->chunk_bytes, err)) &&
             (!chunks->decoded || vz_show_json_count(object, "decoded", chunks->decoded, err)) &&
             (!chunks->is_uneven || vz_json_set(object, "shapes_differ", vz_json_bool(true, err), err)) &&
             vz_json_set(object, "row_dimension", vz_json_int64(chunks->row_dimension, err), err) &&
             vz_json_set(object, "column_dimension", vz_json_int64(chunks->column_dimension, err), err) &&
             vz_json_set(object, "map", map_of(chunks, err), err)));
}

static bool set_chunks(const vz_show *show, vz_json *object, vz_error *err)
{
    vz_sample_chunks chunks;
    if (!vz_sample_chunks_map(show->object, MAP_MOST, MAP_MOST, &chunks, err))
        return false;
    vz_json *own = vz_json_object(err);
    const bool ok = own && fill_chunks(own, &chunks, err);
    vz_sample_chunks_clear(&chunks);
    if (ok)
        return vz_json_set(object, "chunks", own, err);
    vz_json_free(own);
    return false;
}

/* ---- groups ---- */

static bool add_member(void *context, const char *name, const char *target, vz_error *err)
{
    vz_json *member = vz_json_object(err);
    const bool ok = member && vz_describe_set_text(member, "name", name, err) &&
                    (!target || vz_describe_set_text(member, "target", target, err));
    if (ok)
        return vz_json_append(context, member, err);
    vz_json_free(member);
    return false;
}

static bool add_attribute(void *context, const char *name, const char *type, const vz_json *value, const char *why,
                          vz_error *err)
{
    vz_json *attribute = vz_json_object(err);
    const bool ok = attribute && vz_describe_set_text(attribute, "name", name, err) &&
                    vz_describe_set_text(attribute, "type", type, err) &&
                    (!value || vz_json_set(attribute, "value", vz_json_copy(value, err), err)) &&
                    (!why || vz_describe_set_text(attribute, "why", why, err));
    if (ok)
        return vz_json_append(context, attribute, err);
    vz_json_free(attribute);
    return false;
}

/* A table's members are its columns. */
static bool set_lists(vz_show *show, bool is_table, vz_json *object, vz_error *err)
{
    uint64_t left[2] = {0};
    vz_error failed = VZ_ERROR_NONE;
    vz_json *members = show->facts->kind == VZ_SAMPLE_GROUP && !is_table ? vz_json_array(err) : NULL;
    vz_json *attributes = vz_json_array(err);
    if (members && !vz_sample_members(show->object, add_member, members, &left[0], &failed))
        vz_show_failed(show, NULL, failed.text);
    vz_error_clear(&failed);
    if (attributes && !vz_sample_attributes(show->object, add_attribute, attributes, &left[1], &failed))
        vz_show_failed(show, "attributes", failed.text);
    bool ok = vz_json_set(object, "attributes", attributes, err);
    if (members)
        ok = vz_json_set(object, "members", members, err) && ok;
    return ok && (!left[0] || vz_show_json_count(object, "members_left_out", left[0], err)) &&
           (!left[1] || vz_show_json_count(object, "attributes_left_out", left[1], err));
}

bool vz_show_json(vz_show *show, vz_sample_table *table, vz_json *object, vz_error *err)
{
    const vz_show_request *request = show->request;
    const bool is_array = show->facts->kind == VZ_SAMPLE_ARRAY && !show->facts->why;
    bool ok = set_facts(show, object, err);
    if (ok && table && request->values)
        ok = vz_show_json_table(show, table, object, err);
    if (ok && is_array && request->values && !show->facts->is_null)
        ok = vz_show_json_values(show, object, err);
    if (ok && request->statistics && (is_array || show->facts->kind != VZ_SAMPLE_ARRAY))
        ok = set_statistics(show, table, object, err);
    if (ok && show->facts->kind == VZ_SAMPLE_ARRAY && request->chunks)
        ok = set_chunks(show, object, err);
    return ok && (!request->attributes || set_lists(show, table != NULL, object, err));
}
