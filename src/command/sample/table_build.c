/* table_build.c - columns under way: added to a table, and how long they are. */
#include "command/sample/sample_internal.h"
#include "base/util/c_library.h"
#include <stdlib.h>
#include <string.h>

vz_sample_column *vz_sample_table_column(vz_sample_table *table, const char *name, vz_error *err)
{
    if (table->count >= VZ_SAMPLE_COLUMNS_MAX) {
        table->left++;
        return NULL;
    }
    if (table->count == table->capacity) {
        const size_t capacity = table->capacity ? 2 * table->capacity : 16;
        vz_sample_column *columns = vz_realloc_items(table->columns, capacity, sizeof *columns);
        if (!columns) {
            vz_fail_memory(err);
            return NULL;
        }
        table->columns = columns;
        table->capacity = capacity;
    }
    vz_sample_column *column = &table->columns[table->count];
    *column = (vz_sample_column){.name = strdup(name), .member = H5I_INVALID_HID};
    if (!column->name) {
        vz_fail_memory(err);
        return NULL;
    }
    table->count++;
    return column;
}

bool vz_sample_table_add(vz_sample_table *table, const char *group, const char *member, const char *name,
                         vz_sample_column **added, vz_error *err)
{
    vz_sample_column *column = vz_sample_table_column(table, name, err);
    *added = column;
    if (!column)
        return err->class == VZ_OK;
    if (asprintf(&column->path, "%s/%s", strcmp(group, "/") == 0 ? "" : group, member) >= 0)
        return true;
    column->path = NULL;
    return vz_fail_memory(err);
}

/* Of a column that is a group: what has an element for each row. NULL: it has no such member. */
static const char *member_of_rows(const vz_sample_object *group)
{
    static const char *const members[] = {"values", "codes"};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (H5Lexists(group->id, members[i], H5P_DEFAULT) > 0)
            return members[i];
    return NULL;
}

static bool length_of_array(vz_sample_object *object, const char *path, uint64_t *length, vz_error *err)
{
    if (!object)
        return false;
    if (object->facts.kind != VZ_SAMPLE_ARRAY || object->facts.rank == 0)
        return vz_fail(err, VZ_INVALID, "%.200s is no list", path);
    *length = object->facts.shape[0];
    return true;
}

bool vz_sample_table_length(vz_sample_file *file, const char *path, uint64_t *length, vz_error *err)
{
    char *below = NULL;
    vz_sample_object *object = vz_sample_object_open(file, path, err);
    const char *member = object && object->facts.kind != VZ_SAMPLE_ARRAY ? member_of_rows(object) : NULL;
    if (member) {
        vz_sample_object_close(object);
        object = NULL;
        if (asprintf(&below, "%s/%s", path, member) < 0)
            return vz_fail_memory(err);
        object = vz_sample_object_open(file, below, err);
    }
    const bool ok = length_of_array(object, path, length, err);
    vz_sample_object_close(object);
    free(below);
    return ok;
}
