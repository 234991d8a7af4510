/* flat.c - see flat_internal.h. A table begins with the distance to its list of fields. The list
 * says where in the table each field stands; a field that is not in the list is not there. */
#include "store/icechunk/flat_internal.h"

#define FIRST_PLACE 4 /* of the list: two sizes stand before the places */

static uint16_t load16(const uint8_t *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

static vz_icechunk_flat_table none(vz_icechunk_flat *flat, const char *name)
{
    if (!flat->wrong)
        flat->wrong = name;
    return (vz_icechunk_flat_table){0};
}

/* `size` bytes from there on. */
static bool lies_in(const vz_icechunk_flat *flat, uint64_t at, uint64_t size)
{
    return flat->all.size <= VZ_FLAT_MAX && at <= flat->all.size && size <= flat->all.size - at;
}

static vz_icechunk_flat_table table_at(vz_icechunk_flat *flat, uint64_t at, const char *name)
{
    if (at == 0 || !lies_in(flat, at, 4))
        return none(flat, name);
    const int64_t places = (int64_t)at - (int32_t)vz_bytes_load_le32(flat->all.data + at);
    if (places < 0 || !lies_in(flat, (uint64_t)places, FIRST_PLACE))
        return none(flat, name);
    const vz_icechunk_flat_table table = {.at = (uint32_t)at,
                                          .places = (uint32_t)places,
                                          .places_size = load16(flat->all.data + places),
                                          .size = load16(flat->all.data + places + 2)};
    if (table.places_size < FIRST_PLACE || table.size < 4 || !lies_in(flat, table.places, table.places_size) ||
        !lies_in(flat, table.at, table.size))
        return none(flat, name);
    return table;
}

vz_icechunk_flat_table vz_icechunk_flat_root(vz_icechunk_flat *flat)
{
    static const char name[] = "root";
    return lies_in(flat, 0, 4) ? table_at(flat, vz_bytes_load_le32(flat->all.data), name) : none(flat, name);
}

/* Where `size` bytes of the field stand in the table; NULL: it is not there. */
static const uint8_t *find(vz_icechunk_flat *flat, const vz_icechunk_flat_table *table,
                           const vz_icechunk_flat_field *field, unsigned size)
{
    const unsigned place = FIRST_PLACE + 2u * field->number;
    if (!table->at || place + 2 > table->places_size)
        return NULL;
    const uint16_t offset = load16(flat->all.data + table->places + place);
    if (offset == 0)
        return NULL;
    if (offset >= 4 && offset + size <= table->size)
        return flat->all.data + table->at + offset;
    none(flat, field->name);
    return NULL;
}

/* Where the target of the field begins; 0: the field is not there. */
static uint64_t follow(vz_icechunk_flat *flat, const vz_icechunk_flat_table *table, const vz_icechunk_flat_field *field)
{
    const uint8_t *place = find(flat, table, field, 4);
    return place ? (uint64_t)(place - flat->all.data) + vz_bytes_load_le32(place) : 0;
}

uint64_t vz_icechunk_flat_number(vz_icechunk_flat *flat, const vz_icechunk_flat_table *table,
                                 const vz_icechunk_flat_field *field, uint64_t otherwise)
{
    const uint8_t *place = find(flat, table, field, field->size);
    if (!place)
        return otherwise;
    uint64_t number = 0;
    for (unsigned i = field->size; i-- > 0;)
        number = number << 8 | place[i];
    return number;
}

const uint8_t *vz_icechunk_flat_struct(vz_icechunk_flat *flat, const vz_icechunk_flat_table *table,
                                       const vz_icechunk_flat_field *field)
{
    return find(flat, table, field, field->size);
}

vz_icechunk_flat_table vz_icechunk_flat_child(vz_icechunk_flat *flat, const vz_icechunk_flat_table *table,
                                              const vz_icechunk_flat_field *field)
{
    const uint64_t at = follow(flat, table, field);
    return at ? table_at(flat, at, field->name) : (vz_icechunk_flat_table){0};
}

vz_icechunk_flat_vector vz_icechunk_flat_items(vz_icechunk_flat *flat, const vz_icechunk_flat_table *table,
                                               const vz_icechunk_flat_field *field)
{
    const uint64_t at = follow(flat, table, field);
    if (at && lies_in(flat, at, 4)) {
        const uint32_t count = vz_bytes_load_le32(flat->all.data + at);
        if (lies_in(flat, at + 4, (uint64_t)count * field->size))
            return (vz_icechunk_flat_vector){.at = (uint32_t)at + 4, .count = count};
    }
    if (at)
        none(flat, field->name);
    return (vz_icechunk_flat_vector){0};
}

vz_bytes vz_icechunk_flat_bytes(vz_icechunk_flat *flat, const vz_icechunk_flat_table *table,
                                const vz_icechunk_flat_field *field)
{
    const vz_icechunk_flat_vector items = vz_icechunk_flat_items(flat, table, field);
    return items.at ? (vz_bytes){flat->all.data + items.at, items.count} : (vz_bytes){0};
}

vz_icechunk_flat_table vz_icechunk_flat_item(vz_icechunk_flat *flat, const vz_icechunk_flat_vector *vector,
                                             uint32_t index)
{
    const uint64_t place = vector->at + 4 * (uint64_t)index;
    if (index >= vector->count || !lies_in(flat, place, 4))
        return none(flat, "item");
    return table_at(flat, place + vz_bytes_load_le32(flat->all.data + place), "item");
}
