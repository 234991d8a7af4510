/* time_values.c - arrays whose numbers count time: their attribute "units", as CF has it. */
#include "command/sample/sample_internal.h"
#include <stdlib.h>
#include <string.h>

/* Once for an object: arrays of numbers with the attribute "units". */
static void ask_units(vz_sample_object *array)
{
    vz_json *units = vz_sample_attribute(array, "units"), *calendar = vz_sample_attribute(array, "calendar");
    const char *text = vz_json_get_string(units, NULL), *name = vz_json_get_string(calendar, NULL);
    if (text && (!calendar || name) && vz_sample_clock_parse(text, name ? name : "", &array->clock))
        array->units = strdup(text);
    vz_json_free(units);
    vz_json_free(calendar);
}

const char *vz_sample_units(vz_sample_object *array)
{
    const vz_sample_facts *facts = &array->facts;
    if (!array->asked_units && facts->kind == VZ_SAMPLE_ARRAY &&
        (facts->class == VZ_SAMPLE_INTEGER || facts->class == VZ_SAMPLE_REAL))
        ask_units(array);
    array->asked_units = true;
    return array->units;
}

bool vz_sample_number_date(vz_sample_object *array, vz_sample_number number, char text[VZ_SAMPLE_DATE])
{
    _Static_assert(VZ_SAMPLE_DATE == VZ_SAMPLE_DATE_SIZE, "one size");
    if (!vz_sample_units(array))
        return false;
    if (number.kind == VZ_SAMPLE_FLOAT)
        return vz_sample_clock_real(&array->clock, number.real, text);
    if (number.kind == VZ_SAMPLE_UNSIGNED && number.large > INT64_MAX)
        return false;
    return vz_sample_clock_integer(&array->clock, number.integer, text);
}

bool vz_sample_element_date(vz_sample_object *array, const void *element, char text[VZ_SAMPLE_DATE])
{
    union {
        char bytes[64];
        int64_t integer;
        uint64_t large;
        double real;
    } room;
    const size_t size = array->facts.element_size;
    if (!vz_sample_units(array) || size > sizeof room)
        return false;
    const bool is_real = array->facts.class == VZ_SAMPLE_REAL;
    const bool is_unsigned = !is_real && H5Tget_sign(array->type) == H5T_SGN_NONE;
    memcpy(room.bytes, element, size);
    if (H5Tconvert(array->type,
                   is_real       ? H5T_NATIVE_DOUBLE
                   : is_unsigned ? H5T_NATIVE_UINT64
                                 : H5T_NATIVE_INT64,
                   1, room.bytes, NULL, H5P_DEFAULT) < 0)
        return false;
    vz_sample_number number = {.kind = is_real ? VZ_SAMPLE_FLOAT : is_unsigned ? VZ_SAMPLE_UNSIGNED : VZ_SAMPLE_SIGNED};
    if (is_real)
        number.real = room.real;
    else
        number.large = room.large;
    return vz_sample_number_date(array, number, text);
}
