/* inside_support.h - types in short form, JSON as text, elements compared: for tests that look inside the rooms between
 * HDF5 and Zarr. */
#ifndef INSIDE_SUPPORT_H
#define INSIDE_SUPPORT_H

#include "bind_here.h"
#include "hdf5/annotation/annotation.h"
#include "hdf5/dialects/dialects.h"
#include "hdf5/types/types.h"
#include "hdf5/types/elements.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static inline vz_json *parse_json(const char *text)
{
    vz_error err = VZ_ERROR_NONE;
    vz_json *json = vz_json_parse(text, strlen(text), &err);
    if (!json)
        fail_msg("%s: %s", text, err.text);
    return json;
}

static inline char *print_json(const vz_json *json)
{
    vz_buffer out = {0};
    vz_error err = VZ_ERROR_NONE;
    if (!json)
        return strdup("-");
    assert_true(vz_json_print(json, 0, &out, &err) && vz_buffer_append(&out, "", 1, &err));
    return (char *)out.data;
}

static inline void expect_json(const vz_json *json, const char *text)
{
    char *found = print_json(json);
    assert_string_equal(found, text);
    free(found);
}

static inline hid_t type_of(const char *note)
{
    vz_error err = VZ_ERROR_NONE;
    vz_json *json = parse_json(note);
    hid_t type = vz_short_form_parse(json, &err);
    if (type < 0)
        fail_msg("%s: %s", note, err.text);
    vz_json_free(json);
    return type;
}

static inline void expect_equal(const vz_type_tree *layout, const uint8_t *a, const uint8_t *b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        vz_buffer x = {0}, y = {0};
        assert_true(vz_record_write(layout, a + i * layout->size, &x, NULL));
        assert_true(vz_record_write(layout, b + i * layout->size, &y, NULL));
        assert_int_equal(x.size, y.size);
        if (x.size)
            assert_memory_equal(x.data, y.data, x.size);
        vz_buffer_clear(&x);
        vz_buffer_clear(&y);
    }
}

#endif
