/* json_size.c - how large a value is as a text, before it is printed. */
#include "base/util/json_internal.h"

static void measure_element(const vz_json *value, size_t key, unsigned indent, unsigned depth, vz_json_size *size)
{
    size->bytes += key + 2 + (size_t)indent * depth; /* a comma and a line of its own */
    vz_json_measure(value, indent, depth, size);
}

/* Each of its lines but the first gets what the lines around it have in front. */
static void measure_printed(const vz_json *value, unsigned indent, unsigned depth, vz_json_size *size)
{
    const char *at = value->text, *end = at + value->count;
    size->values += value->capacity - 1;
    size->bytes += value->count;
    for (; (at = memchr(at, '\n', (size_t)(end - at))); at++)
        size->bytes += (size_t)indent * depth;
}

static void measure_from(const vz_json *array, size_t first, unsigned indent, unsigned depth, vz_json_size *size)
{
    for (size_t i = first; i < array->count; i++)
        measure_element(array->items[i], 0, indent, depth + 1, size);
}

void vz_json_measure_items(const vz_json *array, size_t first, vz_json_items_size *size)
{
    measure_from(array, first, 0, 0, &size->plain);
    measure_from(array, first, 1, 0, &size->indented);
    measure_from(array, first, 1, 1, &size->deeper);
}

/* Of items that were measured before. */
static void add_known(const vz_json_items_size *known, unsigned indent, unsigned depth, vz_json_size *size)
{
    const size_t blanks = known->indented.bytes - known->plain.bytes,
                 lines = known->deeper.bytes - known->indented.bytes;
    size->values += known->plain.values;
    size->bytes += known->plain.bytes + indent * (blanks + depth * lines);
    if (known->plain.depth + depth > size->depth)
        size->depth = known->plain.depth + depth;
}

void vz_json_measure(const vz_json *value, unsigned indent, unsigned depth, vz_json_size *size)
{
    size->values++;
    size->depth = size->depth > depth ? size->depth : depth;
    if (value->kind == VZ_JSON_PRINTED) {
        measure_printed(value, indent, depth, size);
        return;
    }
    const vz_json_kept_text *kept = value->kind == VZ_JSON_ARRAY ? vz_json_kept(value) : NULL;
    if (kept) {
        add_known(&kept->size, indent, depth, size);
    } else if (value->kind == VZ_JSON_ARRAY) {
        measure_from(value, 0, indent, depth, size);
    } else if (value->kind == VZ_JSON_OBJECT) {
        for (size_t i = 0; i < value->count; i++)
            measure_element(value->members[i].value, strlen(value->members[i].key) + 4, indent, depth + 1, size);
    } else if (value->kind == VZ_JSON_STRING || vz_json_number_text(value)) {
        size->bytes += value->count;
    }
    /* brackets; quotes, or a word */
    size->bytes += value->kind >= VZ_JSON_ARRAY ? 3 + (size_t)indent * depth : 5;
}
