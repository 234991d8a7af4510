/* json_values.c - h5zarr show --json: elements, and rows of tables. */
#include "command/show/show_internal.h"
#include <stdlib.h>

#define ELEMENTS_MOST 1000 /* without a part; an array with more shows its ends */

bool vz_show_json_count(vz_json *object, const char *key, uint64_t count, vz_error *err)
{
    return vz_json_set(object, key, vz_json_uint64(count, err), err);
}

/* ---- values ---- */

/* A list of lists of the dimensions that were not pinned to an index. */
static vz_json *nested(const vz_sample_values *values, const vz_sample_part *part, unsigned depth, size_t *next,
                       vz_error *err)
{
    while (depth < part->rank && part->is_index[depth])
        depth++;
    if (depth == part->rank)
        return vz_sample_value_json(values, (*next)++, err);
    vz_json *list = vz_json_array(err);
    bool ok = list != NULL;
    for (uint64_t i = 0; ok && i < part->count[depth]; i++)
        ok = vz_json_append(list, nested(values, part, depth + 1, next, err), err);
    if (ok)
        return list;
    vz_json_free(list);
    return NULL;
}

static bool add_part(vz_show *show, const vz_sample_part *part, vz_json *list, vz_error *err)
{
    vz_buffer text = {0};
    vz_error failed = VZ_ERROR_NONE;
    size_t next = 0;
    vz_sample_values *values = vz_sample_read(show->object, part, &failed);
    const char *why = values ? vz_sample_values_why(values) : failed.text;
    if (why)
        vz_show_failed(show, NULL, why);
    vz_json *object = vz_json_object(err);
    bool ok = object && vz_sample_part_text(show->facts, part, &text, err) &&
              vz_describe_set_text(object, "part", (const char *)text.data, err);
    if (ok && values && vz_sample_values_count(values))
        ok = vz_json_set(object, "values", nested(values, part, 0, &next, err), err);
    else if (ok)
        ok = vz_json_set(object, "values", values ? vz_json_array(err) : vz_json_null(err), err);
    vz_buffer_clear(&text);
    vz_sample_values_free(values);
    if (!ok) {
        vz_json_free(object);
        return false;
    }
    return vz_json_append(list, object, err);
}

/* Of a large array the first and the last elements, as the text shows them: in each dimension. */
static bool add_end(vz_show *show, bool tail, vz_json *list, vz_error *err)
{
    vz_sample_part part = show->part;
    for (unsigned i = 0; i < part.rank; i++) {
        const uint64_t most = i + 2 < part.rank ? 1 : show->request->rows;
        if (part.count[i] <= most)
            continue;
        part.start[i] += tail ? (part.count[i] - most) * part.step[i] : 0;
        part.count[i] = most;
    }
    return add_part(show, &part, list, err);
}

bool vz_show_json_values(vz_show *show, vz_json *object, vz_error *err)
{
    vz_json *list = vz_json_array(err);
    const uint64_t count = vz_sample_part_count(&show->part);
    const bool whole = count <= (show->has_part ? VZ_SAMPLE_VALUES_MAX : ELEMENTS_MOST);
    const bool ok = list && (whole ? add_part(show, &show->part, list, err)
                                   : add_end(show, false, list, err) && add_end(show, true, list, err));
    if (ok)
        return vz_json_set(object, "values", list, err);
    vz_json_free(list);
    return false;
}

/* ---- tables ---- */

static vz_json *row_of(const vz_sample_table *table, uint64_t row, vz_error *err)
{
    vz_json *list = vz_json_array(err);
    bool ok = list != NULL;
    for (size_t i = 0; ok && i < vz_sample_table_columns(table); i++)
        ok = vz_json_append(list, vz_sample_table_json(table, row, i, err), err);
    if (ok)
        return list;
    vz_json_free(list);
    return NULL;
}

static bool set_rows(vz_json *object, const char *key, vz_sample_table *table, uint64_t first, uint64_t count,
                     vz_error *err)
{
    vz_json *list = vz_json_array(err);
    bool ok = list && vz_sample_table_read(table, first, count, vz_sample_table_columns(table), err);
    for (uint64_t i = 0; ok && i < count; i++)
        ok = vz_json_append(list, row_of(table, i, err), err);
    if (ok)
        return vz_json_set(object, key, list, err);
    vz_json_free(list);
    return false;
}

static bool set_columns(vz_show *show, vz_json *object, const vz_sample_table *table, vz_error *err)
{
    vz_json *list = vz_json_array(err);
    bool ok = list != NULL;
    for (size_t i = 0; ok && i < vz_sample_table_columns(table); i++) {
        vz_json *column = vz_json_object(err);
        const char *why = vz_sample_table_why(table, i);
        const bool filled = column && vz_describe_set_text(column, "name", vz_sample_table_name(table, i), err) &&
                            vz_describe_set_text(column, "type", vz_sample_table_type(table, i), err);
        if (why)
            vz_show_failed(show, vz_sample_table_name(table, i), why);
        if (!filled)
            vz_json_free(column);
        ok = filled && vz_json_append(list, column, err);
    }
    if (ok)
        return vz_json_set(object, "columns", list, err);
    vz_json_free(list);
    return false;
}

static bool fill_table(vz_show *show, vz_json *object, vz_sample_table *table, vz_error *err)
{
    const uint64_t rows = vz_sample_table_rows(table), each = show->request->rows;
    const bool whole = rows <= 2 * each + 1;
    return vz_describe_set_text(object, "what", vz_sample_table_what(table), err) &&
           vz_show_json_count(object, "rows", rows, err) &&
           vz_json_set(object, "has_index", vz_json_bool(vz_sample_table_has_index(table), err), err) &&
           set_rows(object, "head", table, 0, whole ? rows : each, err) &&
           (whole || set_rows(object, "tail", table, rows - each, each, err)) &&
           set_columns(show, object, table, err) &&
           (!vz_sample_table_left(table) ||
            vz_show_json_count(object, "columns_left_out", vz_sample_table_left(table), err));
}

bool vz_show_json_table(vz_show *show, vz_sample_table *table, vz_json *object, vz_error *err)
{
    vz_json *own = vz_json_object(err);
    if (own && fill_table(show, own, table, err))
        return vz_json_set(object, "table", own, err);
    vz_json_free(own);
    return false;
}
