/* model_table.c - the first and the last rows of a dataframe, a sparse matrix, compound data. */
#include "base/os/process.h"
#include "command/report/model_internal.h"
#include <stdlib.h>

/* As text, cut; null where it is missing. */
static vz_json *cell_of(const vz_sample_table *table, uint64_t row, size_t column, vz_error *err)
{
    vz_buffer words = {0};
    vz_json *cell = NULL;
    if (!vz_sample_table_text(table, row, column, &words, err))
        return NULL;
    size_t length = strlen((char *)words.data);
    const bool is_long = length > VZ_MODEL_CELL_MAX;
    length = is_long ? VZ_MODEL_CELL_MAX : length;
    while (is_long && length > 0 && words.data[length] >> 6 == 2)
        length--;
    words.size = length;
    if (length == 0)
        cell = vz_json_null(err);
    else if (vz_buffer_printf(&words, err, is_long ? "..." : "") && vz_buffer_append(&words, "", 1, err))
        cell = vz_text_json_of_path((char *)words.data, err);
    vz_buffer_clear(&words);
    return cell;
}

static bool add_row(vz_json *rows, const vz_sample_table *table, uint64_t row, size_t columns, vz_error *err)
{
    vz_json *cells = vz_json_array(err);
    bool ok = cells != NULL;
    for (size_t i = 0; ok && i < columns; i++)
        ok = vz_json_append(cells, cell_of(table, row, i, err), err);
    if (ok)
        return vz_json_append(rows, cells, err);
    vz_json_free(cells);
    return false;
}

static bool set_rows(vz_json *object, const char *key, vz_sample_table *table, uint64_t first, uint64_t count,
                     size_t columns, vz_error *err)
{
    vz_json *rows = vz_json_array(err);
    bool ok = rows && vz_sample_table_read(table, first, count, columns, err);
    for (uint64_t i = 0; ok && i < count; i++)
        ok = add_row(rows, table, i, columns, err);
    if (ok)
        return vz_json_set(object, key, rows, err);
    vz_json_free(rows);
    return false;
}

/* Names and types, which are known when rows were read; what fails is a note of the node. */
static bool set_columns(vz_model *m, vz_json *node, vz_json *object, const vz_sample_table *table, size_t columns,
                        vz_error *err)
{
    vz_json *list = vz_json_array(err);
    bool ok = list && vz_json_set(object, "columns", list, err);
    for (size_t i = 0; ok && i < columns; i++) {
        const char *name = vz_sample_table_name(table, i), *why = vz_sample_table_why(table, i);
        vz_json *column = vz_json_object(err);
        ok = vz_json_append(list, column, err) && vz_describe_set_text(column, "name", name, err) &&
             vz_describe_set_text(column, "type", vz_sample_table_type(table, i), err);
        if (ok && why) {
            m->unreadable++;
            ok = vz_model_note(node, "notes", err, "Column %s cannot be read: %s", name, why);
        }
    }
    return ok;
}

static bool fill(vz_model *m, vz_json *node, vz_json *object, vz_sample_table *table, vz_error *err)
{
    const uint64_t rows = vz_sample_table_rows(table), each = VZ_MODEL_ROWS_MAX;
    const size_t all = vz_sample_table_columns(table),
                 columns = all < VZ_MODEL_COLUMNS_MAX ? all : VZ_MODEL_COLUMNS_MAX;
    const bool whole = rows <= 2 * each + 1;
    const uint64_t left = all - columns + vz_sample_table_left(table);
    return vz_describe_set_text(object, "what", vz_sample_table_what(table), err) &&
           vz_describe_set_text(object, "noun", vz_sample_table_noun(table), err) &&
           vz_json_set(object, "rows", vz_json_uint64(rows, err), err) &&
           vz_json_set(object, "has_index", vz_json_bool(vz_sample_table_has_index(table), err), err) &&
           set_rows(object, "head", table, 0, whole ? rows : each, columns, err) &&
           (whole || set_rows(object, "tail", table, rows - each, each, columns, err)) &&
           set_columns(m, node, object, table, columns, err) &&
           (!left || vz_json_set(object, "columns_left_out", vz_json_uint64(left, err), err));
}

static bool make(vz_model *m, vz_json *node, vz_sample_object *object, vz_sample_table *table, vz_error *err)
{
    vz_json *made = vz_json_object(err);
    m->tables++;
    if (!made || !fill(m, node, made, table, err)) {
        vz_json_free(made);
        return false;
    }
    return vz_json_set(node, "table", made, err) &&
           (vz_sample_facts_of(object)->kind != VZ_SAMPLE_GROUP || vz_model_statistics(m, node, object, table, err));
}

static bool leave(vz_model *m, vz_json *node, vz_error *err)
{
    m->left_tables++;
    return vz_model_note(node, "notes", err, "Its rows were not looked at.");
}

bool vz_model_table(vz_model *m, vz_json *node, vz_sample_object *object, bool *is, vz_error *err)
{
    vz_error why = VZ_ERROR_NONE;
    vz_sample_table *table = vz_sample_table_open(object, &why);
    *is = table != NULL;
    if (!table && why.class == VZ_OK)
        return true;
    if (!table)
        return why.class == VZ_NO_MEMORY ? vz_fail_memory(err)
                                         : vz_model_note(node, "notes", err, "It is no table: %s", why.text);
    const bool ok = m->tables >= VZ_MODEL_TABLES_MAX || vz_os_now_ns() > m->deadline
                        ? leave(m, node, err)
                        : make(m, node, object, table, err);
    vz_sample_table_close(table);
    return ok;
}
