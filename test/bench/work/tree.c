/* tree.c - groups with many small datasets, each with two attributes: `value` (a number) and `unit` (text). */
#include "work.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ELEMENTS 8
#define OPENS    5

/* path, groups, nodes (in each of them) */
void tree_create(void)
{
    const long groups = bench_number("groups", 30), nodes = bench_number("nodes", 100);
    const hid_t text = work_text_type();
    const hsize_t length = ELEMENTS;
    const char *unit = "mV";
    bench_start();
    const hid_t file = work_create_file(bench_text("path", NULL));
    const hid_t space = work_id(H5Screate_simple(1, &length, NULL), "H5Screate_simple");
    for (int64_t g = 0, number = 0; g < groups; g++) {
        char name[32];
        snprintf(name, sizeof name, "g%05d", (int)g);
        const hid_t group = work_id(H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), "H5Gcreate2");
        for (long n = 0; n < nodes; n++, number++) {
            int64_t values[ELEMENTS];
            for (int i = 0; i < ELEMENTS; i++)
                values[i] = number + i;
            snprintf(name, sizeof name, "d%05d", (int)n);
            const hid_t set = work_id(
                H5Dcreate2(group, name, H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), "H5Dcreate2");
            work_status(H5Dwrite(set, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), "H5Dwrite");
            work_scalar_attribute(set, "value", H5T_NATIVE_INT64, &number);
            work_scalar_attribute(set, "unit", text, &unit);
            work_status(H5Dclose(set), "H5Dclose");
        }
        H5Gclose(group);
    }
    H5Sclose(space);
    work_close_file(file);
    bench_stop();
    bench_report(0);
}

/* What a walk has found: numbers whose sum does not depend on its order. */
typedef struct {
    int64_t names, letters, values, units, data;
} found;

static herr_t each_name(hid_t group, const char *name, const H5L_info2_t *info, void *context)
{
    (void)group;
    (void)info;
    found *all = context;
    all->names++;
    all->letters += (int64_t)strlen(name);
    return 0;
}

static herr_t each_group(hid_t group, const char *name, const H5L_info2_t *info, void *context)
{
    (void)info;
    ((found *)context)->letters += (int64_t)strlen(name);
    hid_t inner = work_id(H5Gopen2(group, name, H5P_DEFAULT), name);
    work_status(H5Literate2(inner, H5_INDEX_NAME, H5_ITER_INC, NULL, each_name, context), "H5Literate2");
    H5Gclose(inner);
    return 0;
}

static void report(const found *all)
{
    bench_digest(all, sizeof *all);
    bench_report(0);
}

/* path; opens: so many times the file is opened and all names in its groups are listed */
void tree_list(void)
{
    found all = {0};
    const long opens = bench_number("opens", OPENS);
    bench_start();
    for (long i = 0; i < opens; i++) {
        const hid_t file = work_open_file(bench_text("path", NULL));
        work_status(H5Literate2(file, H5_INDEX_NAME, H5_ITER_INC, NULL, each_group, &all), "H5Literate2");
        work_close_file(file);
    }
    bench_stop();
    report(&all);
}

static herr_t each_attribute(hid_t object, const char *name, const H5A_info_t *info, void *context)
{
    (void)info;
    found *all = context;
    const hid_t attribute = work_id(H5Aopen(object, name, H5P_DEFAULT), name);
    const hid_t type = work_id(H5Aget_type(attribute), "H5Aget_type");
    if (H5Tget_class(type) == H5T_STRING) {
        char *text = NULL;
        work_status(H5Aread(attribute, type, &text), "H5Aread");
        all->units += (int64_t)strlen(text);
        H5free_memory(text);
    } else {
        int64_t value;
        work_status(H5Aread(attribute, H5T_NATIVE_INT64, &value), "H5Aread");
        all->values += value;
    }
    H5Tclose(type);
    H5Aclose(attribute);
    return 0;
}

static herr_t each_object(hid_t root, const char *name, const H5O_info2_t *info, void *context)
{
    found *all = context;
    if (info->type != H5O_TYPE_DATASET)
        return 0;
    const hid_t set = work_id(H5Dopen2(root, name, H5P_DEFAULT), name);
    hsize_t place = 0;
    all->names++;
    work_status(H5Aiterate2(set, H5_INDEX_NAME, H5_ITER_INC, &place, each_attribute, all), "H5Aiterate2");
    H5Dclose(set);
    return 0;
}

/* path: every dataset and its attributes */
void tree_walk(void)
{
    found all = {0};
    bench_start();
    const hid_t file = work_open_file(bench_text("path", NULL));
    work_status(H5Ovisit3(file, H5_INDEX_NAME, H5_ITER_INC, each_object, &all, H5O_INFO_BASIC), "H5Ovisit3");
    work_close_file(file);
    bench_stop();
    report(&all);
}

/* path; opens: so many times the file is opened and one attribute is read */
void tree_open(void)
{
    int64_t value = 0, total = 0;
    const long opens = bench_number("opens", 1);
    bench_start();
    for (long i = 0; i < opens; i++) {
        const hid_t file = work_open_file(bench_text("path", NULL));
        const hid_t attribute =
            work_id(H5Aopen_by_name(file, "g00000/d00001", "value", H5P_DEFAULT, H5P_DEFAULT), "H5Aopen_by_name");
        work_status(H5Aread(attribute, H5T_NATIVE_INT64, &value), "H5Aread");
        H5Aclose(attribute);
        work_close_file(file);
        total += value;
    }
    bench_stop();
    bench_digest(&total, sizeof total);
    bench_report(0);
}

/* path, groups, nodes: the data of every dataset, opened by its name */
void tree_read(void)
{
    const long groups = bench_number("groups", 30), nodes = bench_number("nodes", 100);
    found all = {0};
    bench_start();
    const hid_t file = work_open_file(bench_text("path", NULL));
    for (long g = 0; g < groups; g++) {
        char name[32];
        snprintf(name, sizeof name, "g%05d", (int)g);
        const hid_t group = work_id(H5Gopen2(file, name, H5P_DEFAULT), "H5Gopen2");
        for (long n = 0; n < nodes; n++) {
            int64_t values[ELEMENTS];
            snprintf(name, sizeof name, "d%05d", (int)n);
            const hid_t set = work_id(H5Dopen2(group, name, H5P_DEFAULT), "H5Dopen2");
            work_status(H5Dread(set, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), "H5Dread");
            H5Dclose(set);
            all.names++;
            for (int i = 0; i < ELEMENTS; i++)
                all.data += values[i];
        }
        H5Gclose(group);
    }
    work_close_file(file);
    bench_stop();
    report(&all);
}
