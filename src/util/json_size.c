/* json_size.c - how large a value is as a text, before it is printed. */
#include "util/json_tree.h"

static void measure_element(const vz_json *value, size_t key, unsigned indent, unsigned depth, vz_json_size *size)
{
    size->bytes += key + 2 + (size_t)indent * depth; /* a comma and a line of its own */
    vz_json_measure(value, indent, depth, size);
}

void vz_json_measure(const vz_json *value, unsigned indent, unsigned depth, vz_json_size *size)
{
    size->values++;
    if (value->kind == VZ_JSON_ARRAY) {
        for (size_t i = 0; i < value->count; i++)
            measure_element(value->items[i], 0, indent, depth + 1, size);
    } else if (value->kind == VZ_JSON_OBJECT) {
        for (size_t i = 0; i < value->count; i++)
            measure_element(value->members[i].value, strlen(value->members[i].key) + 4, indent, depth + 1, size);
    } else if (value->kind == VZ_JSON_STRING || vz_json_number_text(value)) {
        size->bytes += value->count;
    }
    size->bytes += value->kind >= VZ_JSON_ARRAY ? 3 + (size_t)indent * depth : 5; /* brackets; quotes, or a word */
}
