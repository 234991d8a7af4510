/* table.c - a dataframe or an array of compounds: its first and last rows. */
#include "base/os/terminal.h"
#include "command/show/show_internal.h"
#include <string.h>

#define ROWS_MOST 1000

/* Columns that may have room in a line. */
static size_t columns_of(const vz_sample_table *table)
{
    const size_t most = vz_terminal_width(stdout) / 3 + 1, all = vz_sample_table_columns(table);
    return all < most ? all : most;
}

static bool is_text(const char *type)
{
    return strncmp(type, "int", 3) != 0 && strncmp(type, "uint", 4) != 0 && strncmp(type, "float", 5) != 0;
}

/* Rows from `first` on, as rows of the grid from `row` on. */
static bool take_rows(vz_show_grid *grid, vz_sample_table *table, uint64_t first, size_t count, size_t row,
                      vz_error *err)
{
    const bool has_index = vz_sample_table_has_index(table);
    char number[VZ_DECIMAL_SIZE];
    const size_t columns = grid->columns - !has_index;
    bool ok = vz_sample_table_read(table, first, count, columns, err);
    for (size_t i = 0; ok && i < count; i++) {
        vz_decimal(first + i, number);
        ok = has_index || vz_show_grid_set(grid, row + i, 0, number, err);
        for (size_t column = 0; ok && column < columns; column++) {
            vz_buffer text = {0};
            ok = vz_sample_table_text(table, i, column, &text, err) &&
                 vz_show_grid_set(grid, row + i, column + !has_index, (const char *)text.data, err);
            vz_buffer_clear(&text);
        }
    }
    return ok;
}

static bool set_heads(vz_show_grid *grid, const vz_sample_table *table, vz_error *err)
{
    const bool has_index = vz_sample_table_has_index(table);
    bool ok = true;
    for (size_t i = 0; ok && i < grid->columns - !has_index; i++) {
        ok = vz_show_grid_set(grid, 0, i + !has_index, vz_sample_table_name(table, i), err);
        grid->is_text[i + !has_index] = is_text(vz_sample_table_type(table, i));
    }
    return ok;
}

static void tell_failures(vz_show *show, const vz_sample_table *table, size_t columns)
{
    for (size_t i = 0; i < columns; i++)
        if (vz_sample_table_why(table, i))
            vz_show_failed(show, vz_sample_table_name(table, i), vz_sample_table_why(table, i));
}

static void print_counted(const char *before, uint64_t count, const char *noun)
{
    char text[VZ_SHOW_COUNT];
    printf("%s%s %s%s", before, vz_show_count(count, text), noun, count == 1 ? "" : "s");
}

/* "AnnData dataframe: 700 rows, 1 column" */
static void print_head(const vz_sample_table *table)
{
    const char *noun = vz_sample_table_noun(table);
    printf("%s", vz_sample_table_what(table));
    print_counted(": ", vz_sample_table_rows(table), noun);
    if (strcmp(noun, "row") == 0)
        print_counted(", ",
                      vz_sample_table_columns(table) - vz_sample_table_has_index(table) + vz_sample_table_left(table),
                      "column");
    putchar('\n');
}

bool vz_show_table_text(vz_show *show, vz_sample_table *table, vz_error *err)
{
    uint64_t at[2 * ROWS_MOST + 1];
    vz_show_grid grid;
    size_t gap;
    const bool has_index = vz_sample_table_has_index(table);
    const uint64_t each = show->request->rows < ROWS_MOST ? show->request->rows : ROWS_MOST;
    const size_t columns = columns_of(table), rows = vz_show_ends(vz_sample_table_rows(table), each, at, &gap);
    const size_t head = gap ? gap : rows, all = vz_sample_table_columns(table);
    print_head(table);
    if (!vz_show_grid_init(&grid, rows + 1, columns + !has_index, err))
        return false;
    bool ok = rows > 0 ? take_rows(&grid, table, at[0], head, 1, err) : vz_sample_table_read(table, 0, 0, columns, err);
    if (ok && gap)
        ok = take_rows(&grid, table, at[gap], rows - gap, gap + 1, err);
    ok = ok && set_heads(&grid, table, err);
    if (ok) {
        grid.row_gap = gap ? gap + 1 : 0;
        vz_show_grid_print(&grid);
        if (columns < all && !grid.cuts)
            printf("%zu of %zu columns\n", columns, all);
        tell_failures(show, table, columns);
    }
    vz_show_grid_clear(&grid);
    return ok;
}
