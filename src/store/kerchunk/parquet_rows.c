/* parquet_rows.c - the footer of a Parquet file, and its four columns: path, offset, size, raw. */
#include "store/kerchunk/parquet_internal.h"
#include <stdlib.h>

#define MAGIC       "PAR1"
#define MAGIC_SIZE  4
#define FOOTER_SIZE (4 + MAGIC_SIZE) /* its length, and the magic again */
#define OPTIONAL    1
#define REQUIRED    0

typedef struct reading {
    vz_bytes file;
    vz_parquet_thrift t;
    vz_parquet_rows *rows;
    uint64_t unpacked;
    uint64_t met; /* columns of the schema */
    bool in_groups;
} reading;

static vz_parquet_column *column_named(vz_parquet_rows *rows, vz_bytes name)
{
    static const char *const names[VZ_PARQUET_COLUMNS] = {"path", "offset", "size", "raw"};
    for (size_t i = 0; i < VZ_PARQUET_COLUMNS; i++)
        if (name.size == strlen(names[i]) && memcmp(name.data, names[i], name.size) == 0)
            return &rows->columns[i];
    return NULL;
}

/* ---- schema ---- */

/* The first element is the root; each other one is a column. */
static bool read_element(reading *r, vz_error *err)
{
    vz_parquet_field field = {0};
    vz_bytes name = {0};
    int64_t type = -1, repetition = REQUIRED, children = 0;
    while (vz_parquet_next(&r->t, &field))
        if (field.id == 1)
            type = vz_parquet_integer(&r->t, &field);
        else if (field.id == 3)
            repetition = vz_parquet_integer(&r->t, &field);
        else if (field.id == 4)
            name = vz_parquet_text(&r->t, &field);
        else if (field.id == 5)
            children = vz_parquet_integer(&r->t, &field);
        else
            vz_parquet_skip(&r->t, &field);
    if (r->t.wrong)
        return vz_parquet_damaged("the schema", err);
    vz_parquet_column *column = r->met++ == 0 ? NULL : column_named(r->rows, name);
    if (!column)
        return true;
    if (children != 0 || (repetition != REQUIRED && repetition != OPTIONAL) || column->is_there)
        return vz_fail(err, VZ_UNSUPPORTED, "the column \"%.*s\" is not flat", (int)name.size, (const char *)name.data);
    if (type != VZ_PARQUET_INT32 && type != VZ_PARQUET_INT64 && type != VZ_PARQUET_BYTES)
        return vz_fail(err, VZ_UNSUPPORTED, "the column \"%.*s\" has the type %lld of Parquet", (int)name.size,
                       (const char *)name.data, (long long)type);
    *column = (vz_parquet_column){.is_there = true, .is_optional = repetition == OPTIONAL, .type = type};
    return true;
}

static bool read_schema(reading *r, const vz_parquet_field *list, vz_error *err)
{
    vz_parquet_field element;
    const uint64_t count = vz_parquet_list(&r->t, list, &element);
    if (count > VZ_PARQUET_COLUMNS_MAX)
        return vz_fail(err, VZ_LIMIT, "more than %d columns", VZ_PARQUET_COLUMNS_MAX);
    for (uint64_t i = 0; i < count; i++)
        if (!vz_parquet_structure(&r->t, &element) || !read_element(r, err))
            return vz_parquet_damaged("the schema", err);
    return true;
}

/* ---- room ---- */

static bool make_room(vz_parquet_rows *rows, vz_error *err)
{
    for (size_t i = 0; i < VZ_PARQUET_COLUMNS; i++) {
        vz_parquet_column *c = &rows->columns[i];
        const size_t count = (size_t)rows->count;
        if (!c->is_there)
            continue;
        if (!(c->present = vz_arena_alloc(&rows->arena, count * sizeof *c->present, err)))
            return false;
        if (c->type == VZ_PARQUET_BYTES ? !(c->texts = vz_arena_alloc(&rows->arena, count * sizeof *c->texts, err))
                                        : !(c->numbers = vz_arena_alloc(&rows->arena, count * sizeof *c->numbers, err)))
            return false;
    }
    return true;
}

/* ---- groups of rows ---- */

static void read_path(reading *r, const vz_parquet_field *list, vz_bytes *name)
{
    vz_parquet_field element;
    const uint64_t count = vz_parquet_list(&r->t, list, &element);
    for (uint64_t i = 0; i < count && !r->t.wrong; i++) {
        const vz_bytes part = vz_parquet_text(&r->t, &element);
        *name = count == 1 ? part : (vz_bytes){0}; /* else it lies in another column */
    }
}

static void read_part(reading *r, vz_parquet_part *part, vz_bytes *name)
{
    vz_parquet_field field = {0};
    while (vz_parquet_next(&r->t, &field))
        switch (field.id) {
        case 1:
            part->type = vz_parquet_integer(&r->t, &field);
            break;
        case 3:
            read_path(r, &field, name);
            break;
        case 4:
            part->codec = vz_parquet_integer(&r->t, &field);
            break;
        case 5:
            part->values = vz_parquet_integer(&r->t, &field);
            break;
        case 9:
            part->data_at = vz_parquet_integer(&r->t, &field);
            break;
        case 11:
            part->dictionary_at = vz_parquet_integer(&r->t, &field);
            break;
        default:
            vz_parquet_skip(&r->t, &field);
        }
}

static bool add_part(reading *r, const vz_parquet_part *part, vz_bytes name, vz_error *err)
{
    vz_parquet_column *column = column_named(r->rows, name);
    if (!column || !column->is_there)
        return true;
    if (part->type != column->type || part->values < 0 || (uint64_t)part->values > r->rows->count - column->rows)
        return vz_parquet_damaged("a column that is not as the schema says", err);
    return vz_parquet_read_part(r->file, part, column, &r->rows->arena, &r->unpacked, err);
}

static bool read_chunk(reading *r, vz_error *err)
{
    vz_parquet_field field = {0};
    vz_parquet_part part = {.type = -1, .values = -1};
    vz_bytes name = {0};
    while (vz_parquet_next(&r->t, &field))
        if (field.id == 3 && vz_parquet_structure(&r->t, &field))
            read_part(r, &part, &name);
        else
            vz_parquet_skip(&r->t, &field);
    return r->t.wrong ? vz_parquet_damaged("the list of columns", err) : add_part(r, &part, name, err);
}

static bool read_group(reading *r, vz_error *err)
{
    vz_parquet_field field = {0}, element;
    while (vz_parquet_next(&r->t, &field)) {
        if (field.id != 1) {
            vz_parquet_skip(&r->t, &field);
            continue;
        }
        const uint64_t count = vz_parquet_list(&r->t, &field, &element);
        for (uint64_t i = 0; i < count; i++)
            if (!vz_parquet_structure(&r->t, &element) || !read_chunk(r, err))
                return vz_parquet_damaged("the list of columns", err);
    }
    return !r->t.wrong || vz_parquet_damaged("a group of rows", err);
}

/* ---- all of it ---- */

static bool read_groups(reading *r, const vz_parquet_field *list, vz_error *err)
{
    vz_parquet_field element;
    const uint64_t count = vz_parquet_list(&r->t, list, &element);
    for (uint64_t i = 0; i < count; i++)
        if (!vz_parquet_structure(&r->t, &element) || !read_group(r, err))
            return vz_parquet_damaged("a group of rows", err);
    return true;
}

/* The schema and the count of rows stand before the groups. */
static bool read_footer(reading *r, vz_error *err)
{
    vz_parquet_field field = {0};
    while (vz_parquet_next(&r->t, &field)) {
        if (r->in_groups && field.id < 4)
            return vz_parquet_damaged("the footer", err);
        if (field.id == 3) {
            const int64_t count = vz_parquet_integer(&r->t, &field);
            if (count < 0 || (uint64_t)count > VZ_PARQUET_ROWS_MAX)
                return vz_fail(err, VZ_LIMIT, "%lld rows, more than %llu", (long long)count,
                               (unsigned long long)VZ_PARQUET_ROWS_MAX);
            r->rows->count = (uint64_t)count;
        } else if (field.id == 4) {
            if (r->in_groups)
                return vz_parquet_damaged("the footer", err);
            r->in_groups = true;
            if (!make_room(r->rows, err) || !read_groups(r, &field, err))
                return false;
        } else if (field.id == 2) {
            if (!read_schema(r, &field, err))
                return false;
        } else {
            vz_parquet_skip(&r->t, &field);
        }
    }
    return !r->t.wrong || vz_parquet_damaged("the footer", err);
}

static bool check_columns(const vz_parquet_rows *rows, vz_error *err)
{
    for (size_t i = 0; i < VZ_PARQUET_COLUMNS; i++) {
        const vz_parquet_column *c = &rows->columns[i];
        if (c->is_there && c->rows != rows->count)
            return vz_parquet_damaged("a column with fewer values than there are rows", err);
    }
    return true;
}

bool vz_parquet_read(vz_parquet_rows *rows, vz_error *err)
{
    const vz_bytes file = {rows->file.data, rows->file.size};
    if (file.size < MAGIC_SIZE + FOOTER_SIZE || memcmp(file.data, MAGIC, MAGIC_SIZE) != 0 ||
        memcmp(file.data + file.size - MAGIC_SIZE, MAGIC, MAGIC_SIZE) != 0)
        return vz_fail(err, VZ_CORRUPT, "it does not begin and end as a Parquet file does");
    const uint32_t size = vz_bytes_load_le32(file.data + file.size - FOOTER_SIZE);
    const size_t end = file.size - FOOTER_SIZE;
    if (size > end - MAGIC_SIZE)
        return vz_parquet_damaged("the size of the footer", err);
    reading r = {.file = {file.data, end - size}, .t = {.bytes = {file.data + end - size, size}}, .rows = rows};
    return read_footer(&r, err) && check_columns(rows, err);
}

void vz_parquet_rows_clear(vz_parquet_rows *rows)
{
    vz_arena_clear(&rows->arena);
    vz_buffer_clear(&rows->file);
    free(rows->key);
    *rows = (vz_parquet_rows){0};
}

/* ---- one reference ---- */

static bool is_present(const vz_parquet_column *column, uint64_t row)
{
    return column->is_there && column->present[row];
}

static bool take_place(const vz_parquet_rows *rows, uint64_t row, vz_kerchunk_value *value, vz_error *err)
{
    const vz_parquet_column *offset = &rows->columns[VZ_PARQUET_OFFSET], *size = &rows->columns[VZ_PARQUET_SIZE];
    const int64_t at = is_present(offset, row) && offset->numbers ? offset->numbers[row] : 0;
    const int64_t length = is_present(size, row) && size->numbers ? size->numbers[row] : 0;
    if (at < 0 || length < 0 || at > INT64_MAX - length)
        return vz_fail(err, VZ_CORRUPT, "a reference whose offset and size are no places in a file");
    value->is_whole = at == 0 && length == 0;
    value->offset = (uint64_t)at;
    value->size = (uint64_t)length;
    return true;
}

static bool take_name(vz_bytes path, vz_kerchunk_value *value, vz_error *err)
{
    if (path.size == 0 || memchr(path.data, '\0', path.size))
        return vz_fail(err, VZ_CORRUPT, "a reference without the name of a file");
    if (path.size > VZ_KERCHUNK_NAME_MAX)
        return vz_fail(err, VZ_LIMIT, "a name of more than %d bytes", VZ_KERCHUNK_NAME_MAX);
    value->name = strndup((const char *)path.data, path.size);
    return value->name || vz_fail_memory(err);
}

bool vz_parquet_value(const vz_parquet_rows *rows, uint64_t row, vz_kerchunk_value *value, bool *found, vz_error *err)
{
    const vz_parquet_column *raw = &rows->columns[VZ_PARQUET_RAW], *path = &rows->columns[VZ_PARQUET_PATH];
    *found = row < rows->count && (is_present(raw, row) || is_present(path, row));
    if (!*found)
        return true;
    if (is_present(raw, row)) {
        if (!raw->texts)
            return vz_fail(err, VZ_CORRUPT, "bytes of a chunk that are a number");
        value->is_inline = true;
        value->bytes = raw->texts[row];
        return true;
    }
    if (!path->texts)
        return vz_fail(err, VZ_CORRUPT, "the name of a file that is a number");
    return take_name(path->texts[row], value, err) && take_place(rows, row, value, err);
}
