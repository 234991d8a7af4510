/* sparse_table.c - a sparse matrix as AnnData stores it, as a table of its stored elements: row,
 * column, value. */
#include "command/sample/sample_internal.h"
#include <stdlib.h>
#include <string.h>

/* The two sides of the matrix, from an attribute of two integers. */
static bool take_shape(vz_sample_object *group, uint64_t shape[2])
{
    bool ok = false;
    static const char *const names[] = {"shape", "h5sparse_shape"};
    for (size_t i = 0; !ok && i < sizeof names / sizeof *names; i++) {
        vz_json *sides = vz_sample_attribute(group, names[i]);
        ok = vz_json_length(sides) == 2 && vz_json_get_uint64(vz_json_at(sides, 0), &shape[0]) &&
             vz_json_get_uint64(vz_json_at(sides, 1), &shape[1]);
        vz_json_free(sides);
    }
    return ok;
}

bool vz_sample_is_sparse(vz_sample_object *group, bool *by_rows)
{
    vz_json *encoding = vz_sample_attribute(group, "encoding-type"),
            *old = vz_sample_attribute(group, "h5sparse_format");
    *by_rows = vz_json_is(encoding, "csr_matrix") || vz_json_is(old, "csr");
    const bool by_columns = vz_json_is(encoding, "csc_matrix") || vz_json_is(old, "csc");
    vz_json_free(encoding);
    vz_json_free(old);
    return *by_rows || by_columns;
}

/* ---- where rows begin ---- */

/* Element `at` of indptr. */
static bool begin_of(vz_sample_object *indptr, uint64_t at, uint64_t *begin, vz_error *err)
{
    const vz_sample_part one = {.rank = 1, .start = {at}, .count = {1}, .step = {1}};
    vz_sample_values *values = vz_sample_read(indptr, &one, err);
    vz_json *number = values ? vz_sample_value_json(values, 0, err) : NULL;
    const bool ok = number && (vz_json_get_uint64(number, begin) || vz_fail(err, VZ_INVALID, "indptr has no index"));
    vz_json_free(number);
    vz_sample_values_free(values);
    return ok;
}

/* The last row, or column, that begins at that element or before. */
static bool find_line(vz_sample_object *indptr, uint64_t element, uint64_t *line, vz_error *err)
{
    uint64_t low = 0, high = indptr->facts.shape[0], begin = 0;
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        if (!begin_of(indptr, middle, &begin, err))
            return false;
        if (begin <= element)
            low = middle;
        else
            high = middle;
    }
    *line = low;
    return true;
}

bool vz_sample_sparse_lines(vz_sample_column *column, uint64_t first, uint64_t count, vz_error *err)
{
    vz_sample_object *indptr = column->object;
    free(column->lines);
    column->lines = calloc(count ? count : 1, sizeof *column->lines);
    if (!column->lines)
        return vz_fail_memory(err);
    uint64_t end = 0, line = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (first + i >= end) { /* else it is the line of the element before */
            if (!find_line(indptr, first + i, &line, err))
                return false;
            end = line + 1 < indptr->facts.shape[0] ? 0 : UINT64_MAX;
            if (end == 0 && !begin_of(indptr, line + 1, &end, err))
                return false;
        }
        column->lines[i] = line;
    }
    column->line_count = count;
    return true;
}

/* ---- the table ---- */

static bool add(vz_sample_table *table, const vz_sample_object *group, const char *name, const char *member,
                vz_sample_column_kind kind, vz_error *err)
{
    vz_sample_column *added = NULL;
    if (!vz_sample_table_add(table, group->path, member, name, &added, err) || !added)
        return false;
    added->kind = kind;
    return true;
}

bool vz_sample_find_sparse(vz_sample_table *table, vz_sample_object *group, bool by_rows, vz_error *err)
{
    uint64_t shape[2], pointers = 0;
    char *data = NULL, *indptr = NULL;
    const char *above = strcmp(group->path, "/") == 0 ? "" : group->path;
    if (!take_shape(group, shape))
        return vz_fail(err, VZ_INVALID, "a sparse matrix without its shape");
    if (asprintf(&data, "%s/data", above) < 0 || asprintf(&indptr, "%s/indptr", above) < 0) {
        free(data);
        return vz_fail_memory(err);
    }
    bool ok = vz_sample_table_length(table->file, data, &table->rows, err) &&
              vz_sample_table_length(table->file, indptr, &pointers, err);
    if (ok && (pointers == 0 || pointers - 1 != shape[!by_rows]))
        ok = vz_fail(err, VZ_INVALID, "%llu places in indptr for %llu %s", (unsigned long long)pointers,
                     (unsigned long long)shape[!by_rows], by_rows ? "rows" : "columns");
    const double cells = (double)shape[0] * (double)shape[1];
    ok = ok && vz_words_printf(&table->words, err, "sparse matrix (%s) of shape (%llu, %llu), %.3g %% stored",
                               by_rows ? "csr" : "csc", (unsigned long long)shape[0], (unsigned long long)shape[1],
                               cells > 0 ? 100 * (double)table->rows / cells : 0);
    ok =
        ok &&
        add(table, group, "row", by_rows ? "indptr" : "indices", by_rows ? VZ_COLUMN_LINE : VZ_COLUMN_OBJECT, err) &&
        add(table, group, "column", by_rows ? "indices" : "indptr", by_rows ? VZ_COLUMN_OBJECT : VZ_COLUMN_LINE, err) &&
        add(table, group, "value", "data", VZ_COLUMN_OBJECT, err);
    table->what = (const char *)table->words.data;
    table->noun = "element";
    table->has_index = true;
    table->places = vz_sample_product(shape[0], shape[1]);
    free(data);
    free(indptr);
    return ok;
}

/* ---- statistics ---- */

static bool are_numbers(const vz_sample_facts *facts)
{
    return facts->kind == VZ_SAMPLE_ARRAY && facts->rank == 1 &&
           (facts->class == VZ_SAMPLE_INTEGER || facts->class == VZ_SAMPLE_REAL || facts->class == VZ_SAMPLE_BOOL);
}

/* An element that is stored twice counts twice. */
bool vz_sample_table_statistics(vz_sample_table *table, vz_sample_statistics *s, bool *has, vz_error *err)
{
    *has = false;
    if (table->places == 0 || table->places == UINT64_MAX || table->count < 3)
        return true;
    vz_sample_object *data = vz_sample_object_open(table->file, table->columns[2].path, err);
    if (!data)
        return false;
    bool ok = true;
    if (are_numbers(&data->facts)) {
        ok =
            table->rows <= table->places || vz_fail(err, VZ_INVALID, "%llu elements are stored in %llu places",
                                                    (unsigned long long)table->rows, (unsigned long long)table->places);
        *has = ok = ok && vz_sample_statistics_with_zeros(data, table->places - table->rows, s, err);
    }
    vz_sample_object_close(data);
    return ok;
}
