/* values.c - the values of an array: the head and the tail of each dimension. */
#include "command/show/show_internal.h"
#include <stdlib.h>
#include <string.h>

#define COLUMNS_EACH 4 /* of the head, and of the tail of the last dimension */
#define ROWS_MOST    1000

/* One page: two dimensions, the others are fixed. */
typedef struct page {
    vz_show *show;
    int row, column; /* dimensions; -1: there is none */
    vz_sample_part part;
    uint64_t row_at[2 * ROWS_MOST + 1], column_at[2 * COLUMNS_EACH + 1];
    size_t rows, columns, row_gap, column_gap;
    vz_show_grid grid;
    bool has_failed; /* which was reported */
} page;

/* ---- a page ---- */

/* A block of the page: rows and columns that lie side by side. */
static bool read_block(page *p, size_t row, size_t rows, size_t column, size_t columns, vz_error *err)
{
    const vz_sample_part *all = &p->show->part;
    vz_sample_part part = p->part;
    vz_error failed = VZ_ERROR_NONE;
    if (p->row >= 0) {
        part.start[p->row] = all->start[p->row] + p->row_at[row] * all->step[p->row];
        part.count[p->row] = rows;
    }
    if (p->column >= 0) {
        part.start[p->column] = all->start[p->column] + p->column_at[column] * all->step[p->column];
        part.count[p->column] = columns;
    }
    vz_sample_values *values = vz_sample_read(p->show->object, &part, &failed);
    const char *why = values ? vz_sample_values_why(values) : failed.text;
    if (why && !p->has_failed)
        vz_show_failed(p->show, NULL, why);
    p->has_failed = p->has_failed || why;
    bool ok = true;
    for (size_t i = 0; ok && i < rows * columns; i++) {
        vz_buffer text = {0};
        ok = !values || vz_sample_value_text(values, i, &text, err);
        ok = ok && vz_show_grid_set(&p->grid, 1 + row + i / columns, 1 + column + i % columns,
                                    values ? (const char *)text.data : "?", err);
        vz_buffer_clear(&text);
    }
    vz_sample_values_free(values);
    return ok;
}

static bool set_heads(page *p, vz_error *err)
{
    char text[VZ_DECIMAL_SIZE];
    const vz_sample_part *all = &p->show->part;
    bool ok = true;
    for (size_t i = 0; ok && p->row >= 0 && i < p->rows; i++) {
        vz_decimal(all->start[p->row] + p->row_at[i] * all->step[p->row], text);
        ok = vz_show_grid_set(&p->grid, 1 + i, 0, text, err);
    }
    for (size_t i = 0; ok && p->column >= 0 && i < p->columns; i++) {
        vz_decimal(all->start[p->column] + p->column_at[i] * all->step[p->column], text);
        ok = vz_show_grid_set(&p->grid, 0, 1 + i, text, err);
    }
    return ok;
}

/* Its blocks are the corners that heads and tails make. */
static bool read_page(page *p, vz_error *err)
{
    const size_t row_end[] = {p->row_gap ? p->row_gap : p->rows, p->rows};
    const size_t column_end[] = {p->column_gap ? p->column_gap : p->columns, p->columns};
    bool ok = true;
    for (size_t r = 0, row = 0; ok && r < 2; row = row_end[r++])
        for (size_t c = 0, column = 0; ok && c < 2; column = column_end[c++])
            if (row < row_end[r] && column < column_end[c])
                ok = read_block(p, row, row_end[r] - row, column, column_end[c] - column, err);
    return ok;
}

static bool show_page(page *p, vz_error *err)
{
    const vz_sample_class class = p->show->facts->class;
    const bool is_text =
        (class != VZ_SAMPLE_INTEGER && class != VZ_SAMPLE_REAL) || vz_sample_units(p->show->object) != NULL;
    bool ok = vz_show_grid_init(&p->grid, p->rows + 1, p->columns + 1, err);
    for (size_t i = 1; ok && i <= p->columns; i++)
        p->grid.is_text[i] = is_text;
    if (ok) {
        p->grid.row_gap = p->row_gap ? p->row_gap + 1 : 0;
        p->grid.column_gap = p->column_gap ? p->column_gap + 1 : 0;
        ok = set_heads(p, err) && read_page(p, err);
    }
    if (ok)
        vz_show_grid_print(&p->grid);
    vz_show_grid_clear(&p->grid);
    return ok;
}

/* ---- the pages ---- */

/* The dimensions that were not pinned to an index: the last two are those of a page. */
static void choose_dimensions(page *p)
{
    const vz_sample_part *all = &p->show->part;
    const uint64_t rows = p->show->request->rows;
    p->row = p->column = -1;
    for (int i = (int)all->rank; i-- > 0;) {
        if (all->is_index[i])
            continue;
        if (p->column < 0)
            p->column = i;
        else if (p->row < 0)
            p->row = i;
    }
    if (p->row < 0) { /* a list goes downwards */
        p->row = p->column;
        p->column = -1;
    }
    p->rows =
        p->row < 0 ? 1 : vz_show_ends(all->count[p->row], rows < ROWS_MOST ? rows : ROWS_MOST, p->row_at, &p->row_gap);
    p->columns = p->column < 0 ? 1 : vz_show_ends(all->count[p->column], COLUMNS_EACH, p->column_at, &p->column_gap);
}

static uint64_t pages_of(const page *p)
{
    const vz_sample_part *all = &p->show->part;
    uint64_t pages = 1;
    for (unsigned i = 0; i < all->rank; i++)
        if ((int)i != p->row && (int)i != p->column && __builtin_mul_overflow(pages, all->count[i], &pages))
            return UINT64_MAX;
    return pages;
}

/* "[0, :, :]" above a page, if there are several. */
static bool print_title(const page *p, vz_error *err)
{
    vz_buffer text = {0};
    const bool ok = vz_sample_part_text(p->show->facts, &p->part, &text, err);
    if (ok)
        printf("%s\n", (const char *)text.data);
    vz_buffer_clear(&text);
    return ok;
}

/* The first page and the last one. */
static bool show_pages(page *p, vz_error *err)
{
    const vz_sample_part *all = &p->show->part;
    const uint64_t pages = pages_of(p);
    char count[VZ_SHOW_COUNT];
    bool ok = true;
    for (unsigned last = 0; ok && last < 2; last++) {
        if (last && pages < 2)
            break;
        p->part = *all;
        for (unsigned i = 0; i < all->rank; i++) {
            if ((int)i == p->row || (int)i == p->column)
                continue;
            p->part.start[i] += last ? (all->count[i] - 1) * all->step[i] : 0;
            p->part.count[i] = p->part.step[i] = 1;
            p->part.is_index[i] = true;
        }
        if (last && pages > 2)
            printf("... %s more\n", vz_show_count(pages - 2, count));
        ok = (pages < 2 || print_title(p, err)) && show_page(p, err);
    }
    return ok;
}

bool vz_show_values_text(vz_show *show, vz_error *err)
{
    if (show->facts->is_null || vz_sample_part_count(&show->part) == 0) {
        printf("no elements\n");
        return true;
    }
    page *p = calloc(1, sizeof *p);
    if (!p)
        return vz_fail_memory(err);
    p->show = show;
    choose_dimensions(p);
    const bool ok = show_pages(p, err);
    free(p);
    return ok;
}
