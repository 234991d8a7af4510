/* grid.c - texts in rows and columns. */
#include "base/os/terminal.h"
#include "command/show/show_internal.h"
#include <stdlib.h>
#include <string.h>

#define BETWEEN   2   /* blanks */
#define BYTES_MAX 256 /* of a cell's text that are looked at */

bool vz_show_grid_init(vz_show_grid *grid, size_t rows, size_t columns, vz_error *err)
{
    *grid = (vz_show_grid){.rows = rows, .columns = columns};
    grid->cells = calloc(rows * columns, sizeof *grid->cells);
    grid->is_text = calloc(columns, sizeof *grid->is_text);
    if (grid->cells && grid->is_text)
        return true;
    vz_show_grid_clear(grid);
    return vz_fail_memory(err);
}

void vz_show_grid_clear(vz_show_grid *grid)
{
    for (size_t i = 0; grid->cells && i < grid->rows * grid->columns; i++)
        free(grid->cells[i]);
    free(grid->cells);
    free(grid->is_text);
    *grid = (vz_show_grid){0};
}

static size_t width_of(const char *text)
{
    size_t columns;
    vz_line_fits(text, strlen(text), SIZE_MAX, &columns);
    return columns;
}

/* At most so many columns, the last three of which are dots then. */
static void cut(char *text, size_t most)
{
    size_t columns;
    const size_t size = strlen(text), dots = strlen("...");
    if (vz_line_fits(text, size, most, &columns) < size) /* at least four bytes are taken away */
        strcpy(text + vz_line_fits(text, size, most - dots, &columns), "...");
}

/* As a terminal may show it: heap; NULL for want of memory. Combining marks may be many. */
static char *shown_text(const char *text)
{
    size_t length = strnlen(text, BYTES_MAX), size = 0;
    char *shown = NULL, *begin = NULL;
    while (length == BYTES_MAX && text[length] && length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80)
        length--;
    if (asprintf(&begin, "%.*s%s", (int)length, text, text[length] ? "..." : "") < 0)
        return NULL;
    FILE *stream = open_memstream(&shown, &size);
    if (stream) {
        vz_say_text(stream, begin);
        if (fclose(stream) != 0) {
            free(shown);
            shown = NULL;
        }
    }
    free(begin);
    return shown;
}

bool vz_show_grid_set(vz_show_grid *grid, size_t row, size_t column, const char *text, vz_error *err)
{
    char **cell = &grid->cells[row * grid->columns + column], *shown = shown_text(text);
    if (!shown)
        return vz_fail_memory(err);
    cut(shown, VZ_SHOW_CELL_MAX);
    free(*cell);
    *cell = shown;
    return true;
}

/* ---- printing ---- */

static const char *cell_of(const vz_show_grid *grid, size_t row, size_t column)
{
    const char *text = grid->cells[row * grid->columns + column];
    return text ? text : "";
}

static size_t column_width(const vz_show_grid *grid, size_t column)
{
    size_t width = 0;
    for (size_t row = 0; row < grid->rows; row++) {
        const size_t own = width_of(cell_of(grid, row, column));
        width = own > width ? own : width;
    }
    return width;
}

/* Leaves out columns beside the gap, or the last ones, until the rest fits. */
static void choose_columns(vz_show_grid *grid, bool *shown)
{
    const size_t room = vz_terminal_width(stdout) + BETWEEN, gap = grid->column_gap;
    size_t all = gap ? BETWEEN + 3 : 0, before = gap ? gap : grid->columns, behind = gap;
    for (size_t i = 0; i < grid->columns; i++) {
        shown[i] = true;
        all += column_width(grid, i) + BETWEEN;
    }
    while (all > room && (before > 2 || (gap && behind + 1 < grid->columns))) {
        const size_t dropped = before > 2 ? --before : behind++;
        all += gap || grid->cuts ? 0 : BETWEEN + 3;
        all -= column_width(grid, dropped) + BETWEEN;
        shown[dropped] = false;
        grid->cuts = true;
    }
}

static void print_cell(const vz_show_grid *grid, size_t row, size_t column, bool is_last)
{
    const char *text = cell_of(grid, row, column);
    const size_t width = width_of(text), all = column_width(grid, column), blanks = all > width ? all - width : 0;
    const bool is_left = grid->is_text[column];
    const char *colour = vz_say_colour(row == 0 || column == 0 ? VZ_COLOUR_FAINT : VZ_COLOUR_PLAIN);
    printf("%*s%s%s%s", is_left ? 0 : (int)blanks, "", colour, text, *colour ? vz_say_colour(VZ_COLOUR_PLAIN) : "");
    if (!is_last)
        printf("%*s", (is_left ? (int)blanks : 0) + BETWEEN, "");
}

static void print_row(const vz_show_grid *grid, size_t row, const bool *shown)
{
    size_t last = 0;
    for (size_t i = 0; i < grid->columns; i++)
        last = shown[i] ? i : last;
    for (size_t i = 0; i < grid->columns; i++) {
        if (grid->column_gap && i == grid->column_gap)
            printf("...%*s", BETWEEN, "");
        if (shown[i])
            print_cell(grid, row, i, i == last);
    }
    printf("%s\n", grid->cuts && !grid->column_gap ? "  ..." : "");
}

static bool has_heads(const vz_show_grid *grid)
{
    for (size_t i = 0; i < grid->columns; i++)
        if (grid->cells[i])
            return true;
    return false;
}

void vz_show_grid_print(vz_show_grid *grid)
{
    bool *shown = calloc(grid->columns, sizeof *shown);
    if (!shown)
        return;
    choose_columns(grid, shown);
    for (size_t row = has_heads(grid) ? 0 : 1; row < grid->rows; row++) {
        if (grid->row_gap && row == grid->row_gap)
            printf("...\n");
        print_row(grid, row, shown);
    }
    free(shown);
}

/* ---- heads and tails ---- */

size_t vz_show_ends(uint64_t count, uint64_t each, uint64_t *at, size_t *gap)
{
    size_t shown = 0;
    *gap = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (count > 2 * each + 1 && i == each) {
            *gap = shown;
            i = count - each;
        }
        at[shown++] = i;
    }
    return shown;
}
