/* table_columns.c - which objects are tables, and of which columns: AnnData's dataframes, pandas'
 * two forms, sparse matrices, arrays of compounds. */
#include "command/sample/sample_internal.h"
#include <stdlib.h>
#include <string.h>

#define BLOCKS_MAX 64 /* of a pandas frame */

/* ---- AnnData ---- */

/* A column may have its categories beside all columns, in stores of old versions. */
static bool note_old_categories(vz_sample_object *group, const char *name, vz_sample_column *column, vz_error *err)
{
    char *path = NULL;
    if (H5Lexists(group->id, "__categories", H5P_DEFAULT) <= 0)
        return true;
    if (asprintf(&path, "__categories/%s", name) < 0)
        return vz_fail_memory(err);
    const bool has = H5Lexists(group->id, path, H5P_DEFAULT) > 0;
    free(path);
    if (has && asprintf(&column->categories_path, "%s/__categories/%s", group->path, name) < 0) {
        column->categories_path = NULL;
        return vz_fail_memory(err);
    }
    return true;
}

static bool find_anndata(vz_sample_table *table, vz_sample_object *group, vz_error *err)
{
    vz_json *index = vz_sample_attribute(group, "_index"), *order = vz_sample_attribute(group, "column-order");
    const char *index_name = vz_json_get_string(index, NULL);
    vz_sample_column *added = NULL;
    bool ok = vz_sample_table_add(table, group->path, index_name ? index_name : "_index",
                                  index_name ? index_name : "_index", &added, err) &&
              added && vz_sample_table_length(table->file, added->path, &table->rows, err);
    table->has_index = true;
    table->what = "AnnData dataframe";
    const size_t count = vz_json_kind_of(order) == VZ_JSON_ARRAY ? vz_json_length(order) : 0;
    const uint64_t all = vz_sample_attribute_length(group, "column-order");
    table->left = all > count ? all - count : 0;
    for (size_t i = 0; ok && i < count; i++) {
        const char *name = vz_json_get_string(vz_json_at(order, i), NULL);
        ok = !name || vz_sample_table_add(table, group->path, name, name, &added, err);
        if (ok && name && added)
            ok = note_old_categories(group, name, added, err);
    }
    vz_json_free(index);
    vz_json_free(order);
    H5Eclear2(H5E_DEFAULT);
    return ok;
}

/* ---- compounds ---- */

/* pandas notes the columns of a block as a pickled list of texts, a line each: "(lp0", "Vx", "p1",
 * "aVy". Length 0: there is no other. The text becomes the rest of the list. */
static size_t next_pickled(const char **text, const char **name)
{
    for (; **text; *text = **text ? *text + 1 : *text) {
        const char *line = *text + (**text == 'a');
        *text += strcspn(*text, "\n");
        *name = line + 1;
        if (*line == 'V' && *text > *name)
            return (size_t)(*text - *name);
    }
    return 0;
}

/* The name of the element of that number in a block of pandas; NULL: none is known. Heap. */
static char *pandas_name(const vz_sample_table *table, const char *member, size_t index)
{
    char attribute[128], *found = NULL;
    snprintf(attribute, sizeof attribute, "%.100s_kind", member);
    vz_json *kind = table->opened ? vz_sample_attribute(table->opened, attribute) : NULL;
    const char *text = vz_json_get_string(kind, NULL), *name = NULL;
    size_t length = 0;
    for (size_t i = 0; text && i <= index && (i == 0 || length); i++)
        length = next_pickled(&text, &name);
    if (length)
        found = strndup(name, length);
    vz_json_free(kind);
    return found;
}

static bool add_member(vz_sample_table *table, hid_t type, unsigned index, vz_error *err)
{
    char *name = H5Tget_member_name(type, index), *shown = NULL;
    const hid_t member = H5Tget_member_type(type, index);
    const hid_t base = member >= 0 && H5Tget_class(member) == H5T_ARRAY ? H5Tget_super(member) : H5I_INVALID_HID;
    const size_t each = base < 0 ? 1 : H5Tget_size(base), count = base < 0 ? 1 : H5Tget_size(member) / each;
    bool ok = (name && member >= 0) || vz_convert_h5_fail(err, "a member of its type cannot be had");
    for (size_t i = 0; ok && i < count; i++) {
        vz_buffer words = {0};
        shown = base < 0 ? NULL : pandas_name(table, name, i);
        ok = shown || asprintf(&shown, base < 0 ? "%s" : "%s[%zu]", name, i) >= 0 || vz_fail_memory(err);
        vz_sample_column *column = ok ? vz_sample_table_column(table, shown, err) : NULL;
        ok = ok && (column || err->class == VZ_OK);
        if (column) {
            column->kind = VZ_COLUMN_MEMBER;
            column->member = H5Tcopy(base < 0 ? member : base);
            column->offset = H5Tget_member_offset(type, index) + i * each;
            ok = vz_sample_type_words(column->member, &words, err);
            column->type = (char *)words.data;
        } else if (ok) { /* the limit: the others are counted only */
            table->left += count - i - 1;
            i = count;
        }
        free(shown);
        shown = NULL;
    }
    vz_convert_id_close(base);
    vz_convert_id_close(member);
    if (name)
        H5free_memory(name);
    return ok;
}

static bool find_compound(vz_sample_table *table, vz_sample_object *array, vz_error *err)
{
    const int members = H5Tget_nmembers(array->type);
    bool ok = true;
    table->what = table->what ? table->what : "compound data";
    table->own = array;
    table->rows = array->facts.rank ? array->facts.shape[0] : 1;
    for (int i = 0; ok && i < members; i++)
        ok = add_member(table, array->type, (unsigned)i, err);
    return ok;
}

/* ---- pandas ---- */

/* format="table": an array of compounds in the group. */
static bool find_pandas_table(vz_sample_table *table, vz_sample_object *group, vz_error *err)
{
    char *path = NULL;
    if (asprintf(&path, "%s/table", strcmp(group->path, "/") == 0 ? "" : group->path) < 0)
        return vz_fail_memory(err);
    table->opened = vz_sample_object_open(table->file, path, err);
    free(path);
    if (!table->opened)
        return false;
    table->what = "pandas table";
    table->has_index = true;
    return table->opened->facts.class == VZ_SAMPLE_COMPOUND && table->opened->facts.rank == 1
               ? find_compound(table, table->opened, err)
               : vz_fail(err, VZ_INVALID, "its member \"table\" is none");
}

/* Columns of one block of values, whose names are a list beside it. */
static bool add_block(vz_sample_table *table, const vz_sample_object *group, int block, vz_error *err)
{
    char items[32], values[32], *path = NULL;
    snprintf(items, sizeof items, "block%d_items", block);
    snprintf(values, sizeof values, "block%d_values", block);
    if (asprintf(&path, "%s/%s", strcmp(group->path, "/") == 0 ? "" : group->path, items) < 0)
        return vz_fail_memory(err);
    vz_sample_object *list = vz_sample_object_open(table->file, path, err);
    free(path);
    vz_sample_part all;
    vz_sample_values *names = NULL;
    if (list && list->facts.kind == VZ_SAMPLE_ARRAY && list->facts.rank == 1) {
        vz_sample_part_all(&list->facts, &all);
        names = vz_sample_read(list, &all, err);
    }
    bool ok = names || vz_fail(err, VZ_INVALID, "%s is no list", items);
    for (size_t i = 0; ok && i < vz_sample_values_count(names); i++) {
        vz_buffer name = {0};
        vz_sample_column *added = NULL;
        ok = vz_sample_value_text(names, i, &name, err) &&
             vz_sample_table_add(table, group->path, values, (const char *)name.data, &added, err);
        if (added) {
            added->has_second = true;
            added->second = i;
        }
        vz_buffer_clear(&name);
    }
    vz_sample_values_free(names);
    vz_sample_object_close(list);
    return ok;
}

/* format="fixed": axes and blocks. */
static bool find_pandas_frame(vz_sample_table *table, vz_sample_object *group, vz_error *err)
{
    int64_t blocks = 0;
    vz_sample_column *added = NULL;
    vz_json *count = vz_sample_attribute(group, "nblocks");
    const bool has = vz_json_get_int64(count, &blocks) && blocks >= 0;
    vz_json_free(count);
    table->what = "pandas dataframe";
    table->has_index = true;
    bool ok = (has || vz_fail(err, VZ_INVALID, "it does not say how many blocks it has")) &&
              vz_sample_table_add(table, group->path, "axis1", "index", &added, err) && added &&
              vz_sample_table_length(table->file, added->path, &table->rows, err);
    for (int block = 0; ok && block < blocks && block < BLOCKS_MAX; block++)
        ok = add_block(table, group, block, err);
    return ok;
}

/* ---- which ---- */

bool vz_sample_table_find(vz_sample_table *table, vz_sample_object *object, bool *is, vz_error *err)
{
    const vz_sample_facts *facts = &object->facts;
    *is = facts->kind == VZ_SAMPLE_ARRAY && facts->class == VZ_SAMPLE_COMPOUND && facts->rank <= 1 && !facts->is_null &&
          !facts->why;
    if (facts->kind == VZ_SAMPLE_ARRAY)
        return !*is || find_compound(table, object, err);
    if (facts->kind != VZ_SAMPLE_GROUP)
        return true;
    vz_json *encoding = vz_sample_attribute(object, "encoding-type"),
            *pandas = vz_sample_attribute(object, "pandas_type");
    bool ok = true, by_rows = false;
    *is = true;
    if (vz_json_is(encoding, "dataframe"))
        ok = find_anndata(table, object, err);
    else if (vz_json_is(pandas, "frame_table"))
        ok = find_pandas_table(table, object, err);
    else if (vz_json_is(pandas, "frame"))
        ok = find_pandas_frame(table, object, err);
    else if (vz_sample_is_sparse(object, &by_rows))
        ok = vz_sample_find_sparse(table, object, by_rows, err);
    else
        *is = false;
    vz_json_free(encoding);
    vz_json_free(pandas);
    return ok;
}
