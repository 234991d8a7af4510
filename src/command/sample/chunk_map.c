/* chunk_map.c - which chunks are stored, and what they take, as a map of two dimensions. */
#include "command/sample/sample_internal.h"
#include <stdlib.h>

/* The two dimensions with the most chunks; -1 where only one chunk lies along them. */
static void choose_dimensions(const vz_sample_chunk_list *list, int *row, int *column)
{
    int first = -1, second = -1;
    for (unsigned i = 0; i < list->rank; i++) {
        if (list->grid[i] < 2)
            continue;
        if (first < 0 || list->grid[i] > list->grid[first]) {
            second = first;
            first = (int)i;
        } else if (second < 0 || list->grid[i] > list->grid[second]) {
            second = (int)i;
        }
    }
    *row = second < 0 ? -1 : first < second ? first : second;
    *column = first > second ? first : second;
}

static unsigned cells_of(const vz_sample_chunk_list *list, int dimension, unsigned most)
{
    return dimension < 0 ? 1 : list->grid[dimension] < most ? (unsigned)list->grid[dimension] : most;
}

/* The cell of an index: as many cells as there are share the indices evenly. */
static unsigned cell_of(uint64_t index, uint64_t grid, unsigned cells)
{
    return (unsigned)((unsigned __int128)index * cells / grid);
}

static uint64_t index_along(const vz_sample_chunk_list *list, uint64_t number, int dimension)
{
    for (unsigned i = list->rank; i-- > (unsigned)dimension + 1;)
        number /= list->grid[i];
    return number % list->grid[dimension];
}

/* How many indices lie in a cell. */
static uint64_t share(uint64_t grid, unsigned cells, unsigned cell)
{
    const unsigned __int128 from = ((unsigned __int128)cell * grid + cells - 1) / cells,
                            to = ((unsigned __int128)(cell + 1) * grid + cells - 1) / cells;
    return (uint64_t)(to - from);
}

static void count_possible(const vz_sample_chunk_list *list, vz_sample_chunks *chunks)
{
    uint64_t others = 1;
    for (unsigned i = 0; i < list->rank; i++)
        if ((int)i != chunks->row_dimension && (int)i != chunks->column_dimension)
            others = vz_sample_product(others, list->grid[i]);
    for (unsigned row = 0; row < chunks->rows; row++)
        for (unsigned column = 0; column < chunks->columns; column++) {
            uint64_t of = list->possible ? others : 0;
            if (chunks->row_dimension >= 0)
                of = vz_sample_product(of, share(list->grid[chunks->row_dimension], chunks->rows, row));
            if (chunks->column_dimension >= 0)
                of = vz_sample_product(of, share(list->grid[chunks->column_dimension], chunks->columns, column));
            chunks->cells[(size_t)row * chunks->columns + column].of = of;
        }
}

static uint64_t add(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* element_size: 0: it is not known. */
static void count_stored(const vz_sample_chunk_list *list, uint64_t element_size, vz_sample_chunks *chunks)
{
    const int row = chunks->row_dimension, column = chunks->column_dimension;
    for (size_t i = 0; i < list->count; i++) {
        const vz_sample_stored *stored = &list->items[i];
        const unsigned y = row < 0 ? 0 : cell_of(index_along(list, stored->number, row), list->grid[row], chunks->rows);
        const unsigned x =
            column < 0 ? 0 : cell_of(index_along(list, stored->number, column), list->grid[column], chunks->columns);
        vz_sample_cell *cell = &chunks->cells[(size_t)y * chunks->columns + x];
        cell->stored++;
        if (stored->size == UINT64_MAX)
            continue;
        cell->sized++;
        cell->bytes += stored->size;
        cell->decoded = add(cell->decoded, vz_sample_chunk_decoded(list, stored->number, element_size));
        chunks->bytes += stored->size;
        chunks->smallest = chunks->sized == 0 || stored->size < chunks->smallest ? stored->size : chunks->smallest;
        chunks->largest = stored->size > chunks->largest ? stored->size : chunks->largest;
        chunks->sized++;
    }
    chunks->stored = list->count;
    for (size_t i = 0; i < (size_t)chunks->rows * chunks->columns; i++)
        chunks->decoded = add(chunks->decoded, chunks->cells[i].decoded);
}

bool vz_sample_chunks_map(vz_sample_object *array, unsigned most_rows, unsigned most_columns, vz_sample_chunks *chunks,
                          vz_error *err)
{
    const vz_sample_chunk_list *list = vz_sample_chunk_list_of(array);
    vz_sample_store_sizes(array, &array->chunks);
    *chunks = (vz_sample_chunks){.is_known = list->is_known,
                                 .is_complete = list->is_complete,
                                 .rank = list->rank,
                                 .row_dimension = -1,
                                 .column_dimension = -1};
    snprintf(chunks->why, sizeof chunks->why, "%s", list->why);
    if (!list->is_known)
        return true;
    chunks->possible = list->possible;
    for (unsigned i = 0; i < list->rank; i++)
        chunks->grid[i] = list->grid[i];
    chunks->is_uneven = list->uneven;
    const uint64_t element_size = vz_sample_is_variable(array->type) ? 0 : array->facts.element_size;
    if (element_size && !list->uneven)
        chunks->chunk_bytes = vz_sample_chunk_bytes(array);
    choose_dimensions(list, &chunks->row_dimension, &chunks->column_dimension);
    chunks->rows = cells_of(list, chunks->row_dimension, most_rows ? most_rows : 1);
    chunks->columns = cells_of(list, chunks->column_dimension, most_columns ? most_columns : 1);
    chunks->cells = calloc((size_t)chunks->rows * chunks->columns, sizeof *chunks->cells);
    if (!chunks->cells)
        return vz_fail_memory(err);
    count_possible(list, chunks);
    count_stored(list, element_size, chunks);
    return true;
}

void vz_sample_chunks_clear(vz_sample_chunks *chunks)
{
    free(chunks->cells);
    *chunks = (vz_sample_chunks){0};
}
