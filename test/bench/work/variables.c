/* variables.c - a store whose arrays name their dimensions, which HDF5 sees as dimension scales. */
#include "work.h"
#include <stdlib.h>

typedef struct {
    hobj_ref_t dataset;
    unsigned dimension;
} use;

typedef struct {
    int64_t variables, scales, uses;
} found;

static hsize_t elements_of(hid_t attribute, hid_t *space)
{
    *space = work_id(H5Aget_space(attribute), "H5Aget_space");
    return (hsize_t)H5Sget_simple_extent_npoints(*space);
}

/* The scale of each dimension. */
static void read_scales(hid_t set, found *all)
{
    const hid_t attribute = work_id(H5Aopen(set, "DIMENSION_LIST", H5P_DEFAULT), "H5Aopen");
    const hid_t type = work_id(H5Tvlen_create(H5T_STD_REF_OBJ), "H5Tvlen_create");
    hid_t space;
    hvl_t lists[H5S_MAX_RANK];
    const hsize_t rank = elements_of(attribute, &space);
    bench_need(rank <= H5S_MAX_RANK, "rank");
    work_status(H5Aread(attribute, type, lists), "H5Aread");
    for (hsize_t i = 0; i < rank; i++)
        all->scales += (int64_t)lists[i].len;
    work_status(H5Treclaim(type, space, H5P_DEFAULT, lists), "H5Treclaim");
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attribute);
}

/* All that use a scale. */
static void read_uses(hid_t set, found *all)
{
    const hid_t attribute = work_id(H5Aopen(set, "REFERENCE_LIST", H5P_DEFAULT), "H5Aopen");
    const hid_t type = work_id(H5Tcreate(H5T_COMPOUND, sizeof(use)), "H5Tcreate");
    hid_t space;
    const hsize_t count = elements_of(attribute, &space);
    use *uses = bench_allocate(count * sizeof *uses);
    H5Tinsert(type, "dataset", HOFFSET(use, dataset), H5T_STD_REF_OBJ);
    H5Tinsert(type, "dimension", HOFFSET(use, dimension), H5T_NATIVE_UINT);
    work_status(H5Aread(attribute, type, uses), "H5Aread");
    for (hsize_t i = 0; i < count; i++)
        all->uses += 1 + uses[i].dimension;
    free(uses);
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attribute);
}

static herr_t each_variable(hid_t group, const char *name, const H5L_info2_t *info, void *context)
{
    (void)info;
    found *all = context;
    const hid_t set = work_id(H5Dopen2(group, name, H5P_DEFAULT), name);
    all->variables++;
    if (H5Aexists(set, "DIMENSION_LIST") > 0)
        read_scales(set, all);
    if (H5Aexists(set, "REFERENCE_LIST") > 0)
        read_uses(set, all);
    H5Dclose(set);
    return 0;
}

/* path: of a store of another program; count: of arrays that have a dimension of their own and one that all share */
void variables_walk(void)
{
    const int64_t count = bench_number("count", 1000);
    found all = {0};
    bench_start();
    const hid_t file = work_open_file(bench_text("path", NULL));
    work_status(H5Literate2(file, H5_INDEX_NAME, H5_ITER_INC, NULL, each_variable, &all), "H5Literate2");
    work_close_file(file);
    bench_stop();
    bench_need(all.variables == 2 * count + 1 && all.scales == 2 * count && all.uses == 3 * count, "dimension scales");
    bench_digest(&all, sizeof all);
    bench_report(0);
}
