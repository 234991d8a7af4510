/* behind_support.h - a store that is far away below one that sends what is put later. */
#ifndef BEHIND_SUPPORT_H
#define BEHIND_SUPPORT_H

#include "store/layers/layer_internal.h"
#include "failing_store.h"
#include "slow_store.h"
#include "store_support.h"
#include <stdio.h>

enum { LATENCY = 50, IN_FLIGHT = 64, MANY = 1000 };

typedef struct far {
    vz_store *memory;
    failing_store *failing;
    slow_store *slow;
    vz_store *store;
} far;

static inline int open_far(void **state)
{
    far *f = calloc(1, sizeof *f);
    f->memory = vz_store_new_memory(NULL);
    f->failing = failing_store_over(f->memory);
    f->slow = slow_store_over(&f->failing->layer.base, LATENCY, IN_FLIGHT);
    f->store = vz_layer_write_behind(&f->slow->layer.base, NULL);
    *state = f;
    return f->store ? 0 : -1;
}

static inline int close_far(void **state)
{
    far *f = *state;
    vz_store_close(f->store);
    free(f);
    return 0;
}

static inline void put_numbered(vz_store *store, unsigned first, unsigned count)
{
    char key[32];
    for (unsigned i = first; i < first + count; i++) {
        snprintf(key, sizeof key, "a/%u", i);
        put(store, key, key);
    }
}

static inline void assert_numbered(vz_store *store, unsigned first, unsigned count)
{
    char key[32];
    for (unsigned i = first; i < first + count; i++) {
        snprintf(key, sizeof key, "a/%u", i);
        assert_value(store, key, key);
    }
}

static inline void must_drain(vz_store *store)
{
    vz_error err = VZ_ERROR_NONE;
    if (!vz_store_drain(store, &err))
        fail_msg("%s", err.text);
    assert_false(vz_store_has_unwritten(store, ""));
}

#endif
