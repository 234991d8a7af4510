/* store_support.h - text in stores, for the tests of store kinds. */
#ifndef STORE_SUPPORT_H
#define STORE_SUPPORT_H

#include "store/store.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void put(vz_store *store, const char *key, const char *text)
{
    vz_error err = VZ_ERROR_NONE;
    if (!vz_store_put(store, key, (vz_bytes){.data = (const uint8_t *)text, .size = strlen(text)}, &err))
        fail_msg("%s: %s", key, err.text);
}

/* NULL: there is no such value. */
static void assert_value(vz_store *store, const char *key, const char *text)
{
    vz_error err = VZ_ERROR_NONE;
    vz_buffer out = {0};
    bool found = !text;
    if (!vz_store_get(store, key, VZ_WHOLE, &out, &found, &err))
        fail_msg("%s: %s", key, err.text);
    assert_int_equal(found, text != NULL);
    if (text) {
        assert_int_equal(out.size, strlen(text));
        assert_memory_equal(out.data, text, out.size);
    }
    vz_buffer_clear(&out);
}

#endif
