/* table.c - a table whose rows are read: its cells, and what is known of it. */
#include "command/sample/sample_internal.h"
#include <stdlib.h>
#include <string.h>

/* ---- cells ---- */

/* Of a categorical one: the place of its category; false: it is missing. */
static bool category_of(const vz_sample_column *column, uint64_t row, size_t *place, vz_error *err)
{
    int64_t code = -1;
    vz_json *value = vz_sample_value_json(column->cells, row, err);
    const bool has =
        vz_json_get_int64(value, &code) && code >= 0 && (uint64_t)code < vz_sample_values_count(column->categories);
    vz_json_free(value);
    *place = has ? (size_t)code : 0;
    return has;
}

static bool is_masked(const vz_sample_column *column, uint64_t row, vz_error *err)
{
    bool masked = false;
    if (!column->masked)
        return false;
    vz_json *value = vz_sample_value_json(column->masked, row, err);
    vz_json_get_bool(value, &masked);
    vz_json_free(value);
    return masked;
}

/* The element that a cell shows. */
typedef struct cell {
    hid_t type;
    const void *element; /* NULL: it has none */
    bool failed;         /* it cannot be read */
} cell;

static cell cell_at(const vz_sample_table *table, uint64_t row, size_t index, vz_error *err)
{
    const vz_sample_column *column = &table->columns[index];
    const vz_sample_values *values = column->kind == VZ_COLUMN_MEMBER ? table->elements : column->cells;
    size_t place = row;
    if (!values || row >= vz_sample_values_count(values) || vz_sample_values_lack(values, row) ||
        (column->masked && vz_sample_values_lack(column->masked, row)))
        return (cell){.failed = true};
    if (column->categories && !category_of(column, row, &place, err))
        return (cell){0};
    if (is_masked(column, row, err))
        return (cell){0};
    values = column->categories ? column->categories : values;
    if (vz_sample_values_lack(values, place))
        return (cell){.failed = true};
    cell at = {vz_sample_values_type(values), vz_sample_values_at(values, place), false};
    if (column->kind == VZ_COLUMN_MEMBER)
        at = (cell){column->member, (const char *)at.element + column->offset, false};
    return at;
}

bool vz_sample_table_text(const vz_sample_table *table, uint64_t row, size_t column, vz_buffer *out, vz_error *err)
{
    const vz_sample_column *of = &table->columns[column];
    if (of->kind == VZ_COLUMN_LINE)
        return of->lines ? vz_words_printf(out, err, "%llu", (unsigned long long)of->lines[row])
                         : vz_words_printf(out, err, "?");
    const cell at = cell_at(table, row, column, err);
    char date[VZ_SAMPLE_DATE];
    if (at.element && of->kind == VZ_COLUMN_OBJECT && !of->categories &&
        vz_sample_element_date(of->object, at.element, date))
        return vz_words_printf(out, err, "%s", date);
    return at.element ? vz_sample_element_text(table->file, at.type, at.element, out, err)
                      : vz_words_printf(out, err, "%s", at.failed ? "?" : "");
}

vz_json *vz_sample_table_json(const vz_sample_table *table, uint64_t row, size_t column, vz_error *err)
{
    const vz_sample_column *of = &table->columns[column];
    if (of->kind == VZ_COLUMN_LINE)
        return of->lines ? vz_json_uint64(of->lines[row], err) : vz_json_null(err);
    const cell at = cell_at(table, row, column, err);
    return at.element ? vz_sample_element_json(table->file, at.type, at.element, err) : vz_json_null(err);
}

/* ---- the table ---- */

vz_sample_table *vz_sample_table_open(vz_sample_object *object, vz_error *err)
{
    bool is = false;
    vz_sample_table *table = calloc(1, sizeof *table);
    if (!table) {
        vz_fail_memory(err);
        return NULL;
    }
    table->file = object->file;
    if (vz_sample_table_find(table, object, &is, err) && is)
        return table;
    vz_sample_table_close(table);
    return NULL;
}

void vz_sample_table_close(vz_sample_table *table)
{
    if (!table)
        return;
    vz_sample_values_free(table->elements);
    for (size_t i = 0; i < table->count; i++)
        vz_sample_column_clear(&table->columns[i]);
    vz_sample_object_close(table->opened);
    vz_buffer_clear(&table->words);
    free(table->columns);
    free(table);
}

const char *vz_sample_table_what(const vz_sample_table *table)
{
    return table->what;
}

const char *vz_sample_table_noun(const vz_sample_table *table)
{
    return table->noun ? table->noun : "row";
}

uint64_t vz_sample_table_rows(const vz_sample_table *table)
{
    return table->rows;
}

size_t vz_sample_table_columns(const vz_sample_table *table)
{
    return table->count;
}

uint64_t vz_sample_table_left(const vz_sample_table *table)
{
    return table->left;
}

bool vz_sample_table_has_index(const vz_sample_table *table)
{
    return table->has_index;
}

const char *vz_sample_table_name(const vz_sample_table *table, size_t column)
{
    return table->columns[column].name;
}

const char *vz_sample_table_type(const vz_sample_table *table, size_t column)
{
    const char *type = table->columns[column].type;
    return type ? type : "";
}

const char *vz_sample_table_why(const vz_sample_table *table, size_t column)
{
    return table->columns[column].why;
}
