/* main.c - bench_floor OPERATION key=value ... */
#include "floor.h"
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    floor_operation *run;
} operations[] = {
    {"array_read", floor_read},
    {"array_write", floor_write},
    {"array_boxes", floor_boxes},
    {"array_fancy", floor_boxes},
    {"array_multi", floor_multi},
    {"array_grid", floor_grid_alone},
    {"csr_read", floor_store_result},
    {"csr_batches", floor_store},
    {"compounds_read", floor_store_result},
    {"compounds_write", floor_store_again},
    {"cells_read", floor_store_result},
    {"cells_backed", floor_store},
    {"cells_rows", floor_store},
    {"cells_write", floor_store_again},
    {"nwb_read", floor_store_result},
    {"nwb_write", floor_store_again},
    {"tree_create", floor_tree_create},
    {"tree_list", floor_tree_list},
    {"tree_walk", floor_tree_walk},
    {"tree_read", floor_tree_read},
    {"tree_open", floor_tree_open},
    {"stores_create", floor_stores_create},
    {"stores_open", floor_stores_open},
    {"rows_append", floor_append},
    {"strings_write", floor_strings_write},
    {"strings_read", floor_strings_read},
    {"attributes_write", floor_attributes_write},
    {"attributes_read", floor_attributes_read},
};

int main(int count, char **arguments)
{
    bench_arguments(count, arguments);
    for (size_t i = 0; count > 1 && i < sizeof operations / sizeof *operations; i++)
        if (strcmp(operations[i].name, arguments[1]) == 0) {
            operations[i].run();
            return 0;
        }
    fprintf(stderr, "usage: bench_floor OPERATION key=value ...\n");
    return 2;
}
