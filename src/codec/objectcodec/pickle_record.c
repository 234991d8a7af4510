/* pickle_record.c - the structure whose rows an array holds, as far as a pickled dtype of numpy's
 * tells it. */
#include "codec/objectcodec/objects_internal.h"

#include <stdio.h>
#include <stdlib.h>

#define POINTER_SIZE 8
#define RECORD_MAX   (1u << 30) /* bytes of a row */

/* "<i4", "|S5", "|O" ...; false where rows with such a member are not written. */
static bool read_code(vz_pickle_field *field, const char *text)
{
    const char *order = text && *text && strchr("<>|=", *text) ? text++ : "|";
    if (!text || !*text || !strchr("biufSUO", *text) || strlen(text) >= sizeof field->code)
        return false;
    field->kind = *text;
    field->order[0] = *order == '=' ? '<' : *order;
    char *end;
    const unsigned long number = *text == 'O' ? POINTER_SIZE : strtoul(text + 1, &end, 10);
    if (number > RECORD_MAX / 4)
        return false;
    field->size = (uint32_t)(*text == 'U' ? 4 * number : number);
    snprintf(field->code, sizeof field->code, "%c%lu", *text, number);
    return true;
}

static bool add_field(vz_pickle_record *record, const vz_json *entry, vz_error *err)
{
    const vz_json *name = vz_json_at(entry, 0);
    vz_pickle_field *field = &record->fields[record->field_count];
    const char *text = vz_json_get_string(name, NULL);
    if (!(field->name = strdup(text ? text : "")))
        return vz_fail_memory(err);
    record->field_count++;
    field->offset = record->size;
    if (!text || vz_json_length(entry) != 2 || !read_code(field, vz_json_get_string(vz_json_at(entry, 1), NULL)) ||
        record->size > RECORD_MAX)
        record->read_only = true;
    record->size += field->size;
    return true;
}

bool vz_pickle_record_read(vz_pickle_record *record, const vz_json *dtype, vz_error *err)
{
    const size_t count = vz_json_length(dtype);
    if (count > VZ_PICKLE_MEMBERS_MAX)
        return vz_fail(err, VZ_LIMIT, "pickle: a structure of %zu members", count);
    if (!(record->fields = calloc(count ? count : 1, sizeof *record->fields)))
        return vz_fail_memory(err);
    for (size_t i = 0; i < count; i++)
        if (!add_field(record, vz_json_at(dtype, i), err))
            return false;
    return true;
}

void vz_pickle_record_clear(vz_pickle_record *record)
{
    for (size_t i = 0; i < record->field_count; i++)
        free(record->fields[i].name);
    free(record->fields);
}
