/* store_support.h - text in stores, for the tests of store kinds. */
#ifndef STORE_SUPPORT_H
#define STORE_SUPPORT_H

#include "store/store/store.h"
#include "store/zip/zip.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

static inline void put(vz_store *store, const char *key, const char *text)
{
    vz_error err = VZ_ERROR_NONE;
    if (!vz_store_put(store, key, (vz_bytes){.data = (const uint8_t *)text, .size = strlen(text)}, &err))
        fail_msg("%s: %s", key, err.text);
}

/* NULL: there is no such value. */
static inline void assert_value(vz_store *store, const char *key, const char *text)
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

/* Names, prefixes with a slash at their end, between blanks. */
static inline void assert_list(vz_store *store, const char *prefix, const char *expected)
{
    vz_error err = VZ_ERROR_NONE;
    vz_entry *entries;
    size_t count;
    char text[4096] = "";
    assert_true(vz_store_list(store, prefix, &entries, &count, &err));
    for (size_t i = 0; i < count; i++)
        sprintf(text + strlen(text), "%s%s%s", i ? " " : "", entries[i].name, entries[i].is_prefix ? "/" : "");
    assert_string_equal(text, expected);
    vz_entries_free(entries, count);
}

#endif
