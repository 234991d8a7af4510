/* table_read.c - columns of a table are opened, and rows of them read. */
#include "command/sample/sample_internal.h"
#include <stdlib.h>
#include <string.h>

static bool set_why(vz_sample_column *column, const char *why, vz_error *err)
{
    free(column->why);
    column->why = strdup(why);
    return column->why || vz_fail_memory(err);
}

/* ---- opening a column ---- */

static vz_sample_object *open_below(const vz_sample_table *table, const char *path, const char *name, vz_error *err)
{
    char *below = NULL;
    if (asprintf(&below, "%s/%s", path, name) < 0) {
        vz_fail_memory(err);
        return NULL;
    }
    vz_sample_object *object = vz_sample_object_open(table->file, below, err);
    free(below);
    return object;
}

/* All values of the array of categories. */
static bool read_categories(vz_sample_column *column, vz_sample_object *categories, vz_error *err)
{
    vz_sample_part all;
    if (!categories)
        return false;
    vz_sample_part_all(&categories->facts, &all);
    if (categories->facts.rank != 1)
        return vz_fail(err, VZ_INVALID, "its categories are no list");
    column->categories = vz_sample_read(categories, &all, err);
    return column->categories != NULL;
}

/* A group of AnnData that stands for a column. */
static bool open_group_column(const vz_sample_table *table, vz_sample_column *column, vz_error *err)
{
    vz_sample_object *group = column->object;
    vz_json *encoding = vz_sample_attribute(group, "encoding-type");
    const bool is_categorical = vz_json_is(encoding, "categorical");
    const char *word = vz_json_get_string(encoding, NULL);
    const bool is_masked = word && strncmp(word, "nullable-", 9) == 0;
    vz_json_free(encoding);
    column->object = NULL;
    bool ok = is_categorical || is_masked || vz_fail(err, VZ_UNSUPPORTED, "a group, which is no column");
    if (ok)
        column->object = open_below(table, column->path, is_categorical ? "codes" : "values", err);
    if (ok && is_categorical)
        column->mask = open_below(table, column->path, "categories", err);
    else if (ok)
        column->mask = open_below(table, column->path, "mask", err);
    ok = ok && column->object && column->mask;
    if (ok && is_categorical)
        ok = read_categories(column, column->mask, err);
    vz_sample_object_close(group);
    return ok;
}

static bool set_type(vz_sample_column *column, vz_error *err)
{
    const vz_sample_facts *of = column->categories ? &column->mask->facts : &column->object->facts;
    if (asprintf(&column->type, column->categories ? "category of %s" : "%s", of->type) < 0) {
        column->type = NULL;
        return vz_fail_memory(err);
    }
    return true;
}

/* Has it one cell for each row? */
static bool check_shape(const vz_sample_table *table, const vz_sample_column *column, vz_error *err)
{
    const vz_sample_facts *facts = &column->object->facts;
    const vz_sample_facts *mask = column->mask && !column->categories ? &column->mask->facts : facts;
    if (facts->kind != VZ_SAMPLE_ARRAY || facts->rank != (column->has_second ? 2 : 1) || mask->rank != facts->rank)
        return vz_fail(err, VZ_UNSUPPORTED, "an object that is no column");
    if (facts->shape[0] != table->rows || mask->shape[0] != table->rows)
        return vz_fail(err, VZ_INVALID, "%llu values for %llu rows", (unsigned long long)facts->shape[0],
                       (unsigned long long)table->rows);
    return true;
}

static bool open_object_column(const vz_sample_table *table, vz_sample_column *column, vz_error *err)
{
    column->object = vz_sample_object_open(table->file, column->path, err);
    bool ok = column->object != NULL;
    if (ok && column->object->facts.kind == VZ_SAMPLE_GROUP)
        ok = open_group_column(table, column, err);
    if (ok && column->categories_path) {
        column->mask = vz_sample_object_open(table->file, column->categories_path, err);
        ok = read_categories(column, column->mask, err);
    }
    if (ok && column->kind == VZ_COLUMN_LINE) /* which has an element for each row of the matrix */
        return column->object->facts.kind == VZ_SAMPLE_ARRAY && column->object->facts.rank == 1
                   ? set_type(column, err)
                   : vz_fail(err, VZ_INVALID, "indptr is no list");
    return ok && check_shape(table, column, err) && set_type(column, err);
}

/* Once. A failure is the column's own reason. */
static bool open_column(const vz_sample_table *table, vz_sample_column *column, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    if (column->is_open || column->kind == VZ_COLUMN_MEMBER)
        return true;
    column->is_open = true;
    if (open_object_column(table, column, &failed))
        return true;
    vz_sample_values_free(column->categories);
    column->categories = NULL;
    vz_sample_object_close(column->object);
    column->object = NULL;
    return set_why(column, failed.text, err);
}

/* ---- reading ---- */

static void forget_cells(vz_sample_column *column)
{
    vz_sample_values_free(column->cells);
    vz_sample_values_free(column->masked);
    free(column->lines);
    column->cells = column->masked = NULL;
    column->lines = NULL;
}

static bool read_lines(vz_sample_column *column, uint64_t first, uint64_t count, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    if (vz_sample_sparse_lines(column, first, count, &failed))
        return true;
    free(column->lines);
    column->lines = NULL;
    return failed.class == VZ_NO_MEMORY ? vz_fail_memory(err) : set_why(column, failed.text, err);
}

static bool read_column(const vz_sample_table *table, vz_sample_column *column, uint64_t first, uint64_t count,
                        vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    vz_sample_part part = {
        .rank = column->has_second ? 2 : 1, .start = {first, column->second}, .count = {count, 1}, .step = {1, 1}};
    forget_cells(column);
    if (!open_column(table, column, err))
        return false;
    if (column->kind == VZ_COLUMN_MEMBER || !column->object)
        return true;
    if (column->kind == VZ_COLUMN_LINE)
        return read_lines(column, first, count, err);
    column->cells = vz_sample_read(column->object, &part, &failed);
    if (column->cells && column->mask && !column->categories)
        column->masked = vz_sample_read(column->mask, &part, &failed);
    const char *why = column->cells ? vz_sample_values_why(column->cells) : NULL;
    if (failed.class == VZ_OK && !why)
        return true;
    return set_why(column, failed.class != VZ_OK ? failed.text : why, err);
}

static bool read_own(vz_sample_table *table, uint64_t first, uint64_t count, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    const vz_sample_part part = {.rank = 1, .start = {first}, .count = {count}, .step = {1}};
    vz_sample_values_free(table->elements);
    table->elements = vz_sample_read(table->own, &part, &failed);
    const char *why = !table->elements ? failed.text : vz_sample_values_why(table->elements);
    bool ok = true;
    for (size_t i = 0; ok && why && i < table->count; i++)
        ok = set_why(&table->columns[i], why, err);
    return ok;
}

bool vz_sample_table_read(vz_sample_table *table, uint64_t first, uint64_t count, size_t columns, vz_error *err)
{
    if (first > table->rows || count > table->rows - first)
        return vz_fail(err, VZ_INVALID, "the table has %llu rows", (unsigned long long)table->rows);
    bool ok = !table->own || read_own(table, first, count, err);
    for (size_t i = 0; ok && i < columns && i < table->count; i++)
        ok = read_column(table, &table->columns[i], first, count, err);
    return ok;
}

void vz_sample_column_clear(vz_sample_column *column)
{
    forget_cells(column);
    vz_sample_values_free(column->categories);
    vz_sample_object_close(column->object);
    vz_sample_object_close(column->mask);
    vz_convert_id_close(column->member);
    char *const texts[] = {column->name, column->path, column->type, column->why, column->categories_path};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]);
}
