/* parquet_thrift.c - Thrift's compact protocol, of which each step is checked against the bytes. */
#include "store/kerchunk/parquet_internal.h"

enum { TRUE = 1, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT };

#define DEPTH_MAX 16 /* of structures that are skipped */

static uint8_t take_byte(vz_parquet_thrift *t)
{
    if (t->at < t->bytes.size)
        return t->bytes.data[t->at++];
    t->wrong = true;
    return 0;
}

static uint64_t take_number(vz_parquet_thrift *t)
{
    uint64_t number = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        const uint8_t byte = take_byte(t);
        number |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return number;
    }
    t->wrong = true;
    return 0;
}

static int64_t take_signed(vz_parquet_thrift *t)
{
    const uint64_t number = take_number(t);
    return (int64_t)(number >> 1) ^ -(int64_t)(number & 1);
}

static void skip_bytes(vz_parquet_thrift *t, uint64_t size)
{
    if (size <= t->bytes.size - t->at)
        t->at += (size_t)size;
    else
        t->wrong = true;
}

bool vz_parquet_next(vz_parquet_thrift *t, vz_parquet_field *field)
{
    const uint8_t head = t->wrong ? 0 : take_byte(t);
    if (t->wrong || head == 0)
        return false;
    const int64_t step = head >> 4;
    field->id = step ? field->id + step : take_signed(t);
    field->type = head & 15;
    /* ids count up from a small number: others are of no field that is known */
    if (field->id < 0 || field->id > INT16_MAX)
        t->wrong = true;
    return !t->wrong;
}

int64_t vz_parquet_integer(vz_parquet_thrift *t, const vz_parquet_field *field)
{
    if (field->type >= I16 && field->type <= I64)
        return take_signed(t);
    if (field->type == TRUE || field->type == FALSE)
        return field->type == TRUE;
    t->wrong = true;
    return 0;
}

vz_bytes vz_parquet_text(vz_parquet_thrift *t, const vz_parquet_field *field)
{
    const uint64_t size = field->type == BINARY ? take_number(t) : 0;
    const size_t at = t->at;
    if (field->type != BINARY)
        t->wrong = true;
    else
        skip_bytes(t, size);
    return t->wrong ? (vz_bytes){0} : (vz_bytes){t->bytes.data + at, (size_t)size};
}

uint64_t vz_parquet_list(vz_parquet_thrift *t, const vz_parquet_field *field, vz_parquet_field *element)
{
    const bool is_list = field->type == LIST || field->type == SET;
    const uint8_t head = is_list ? take_byte(t) : 0; /* 0: fastparquet's empty list */
    if (!is_list)
        t->wrong = true;
    *element = (vz_parquet_field){.type = head & 15};
    const uint64_t count = head >> 4 == 15 ? take_number(t) : head >> 4;
    if (count > t->bytes.size - t->at) /* an element has a byte at least */
        t->wrong = true;
    return t->wrong ? 0 : count;
}

bool vz_parquet_structure(vz_parquet_thrift *t, const vz_parquet_field *field)
{
    if (field->type != STRUCT)
        t->wrong = true;
    return !t->wrong;
}

/* ---- what is of no interest ---- */

static void skip(vz_parquet_thrift *t, const vz_parquet_field *field, bool in_list, unsigned depth);

static void skip_list(vz_parquet_thrift *t, const vz_parquet_field *field, unsigned depth)
{
    vz_parquet_field element;
    const uint64_t count = vz_parquet_list(t, field, &element);
    for (uint64_t i = 0; i < count && !t->wrong; i++)
        skip(t, &element, true, depth + 1);
}

static void skip_map(vz_parquet_thrift *t, unsigned depth)
{
    const uint64_t count = take_number(t);
    const uint8_t types = count ? take_byte(t) : 0;
    const vz_parquet_field key = {.type = types >> 4}, value = {.type = types & 15};
    for (uint64_t i = 0; i < count && !t->wrong; i++) {
        skip(t, &key, true, depth + 1);
        skip(t, &value, true, depth + 1);
    }
}

static void skip_structure(vz_parquet_thrift *t, unsigned depth)
{
    vz_parquet_field field = {0};
    while (vz_parquet_next(t, &field))
        skip(t, &field, false, depth + 1);
}

static void skip(vz_parquet_thrift *t, const vz_parquet_field *field, bool in_list, unsigned depth)
{
    if (depth > DEPTH_MAX)
        t->wrong = true;
    if (t->wrong)
        return;
    switch (field->type) {
    case TRUE:
    case FALSE:
        skip_bytes(t, in_list); /* else the type has the value */
        return;
    case BYTE:
        skip_bytes(t, 1);
        return;
    case I16:
    case I32:
    case I64:
        take_number(t);
        return;
    case DOUBLE:
        skip_bytes(t, 8);
        return;
    case BINARY:
        skip_bytes(t, take_number(t));
        return;
    case LIST:
    case SET:
        skip_list(t, field, depth);
        return;
    case MAP:
        skip_map(t, depth);
        return;
    case STRUCT:
        skip_structure(t, depth);
        return;
    default:
        t->wrong = true;
    }
}

void vz_parquet_skip(vz_parquet_thrift *t, const vz_parquet_field *field)
{
    skip(t, field, false, 0);
}
