/* failing_store.h - a store over another one in which chosen requests fail: some from the k-th on, or all, with a class
 * of error that the test chooses; perhaps after they were done. */
#ifndef FAILING_STORE_H
#define FAILING_STORE_H

#include "store/layers/layer.h"
#include "store/layers/layer_internal.h"

typedef struct failing_store {
    vz_layer layer;
    atomic_uint made; /* calls so far */
    unsigned turn;    /* the one that fails, counted from 1; 0: none does */
    unsigned turns;   /* so many fail from there on; 0: that one */
    bool for_good;    /* and all after it */
    vz_error_class class;
    const char *only;  /* calls for other keys are not counted; NULL: all are */
    bool loses_answer; /* a change by condition (put_new too) that fails so was made nevertheless */
} failing_store;

static bool failing_is_turn(failing_store *failing, const char *key)
{
    if (failing->only && strcmp(key, failing->only) != 0)
        return false;
    const unsigned made = atomic_fetch_add(&failing->made, 1) + 1, turns = failing->turns ? failing->turns : 1;
    return failing->turn > 0 && made >= failing->turn && (made < failing->turn + turns || failing->for_good);
}

static bool failing_before(vz_layer *layer, const char *key, vz_error *err)
{
    return !failing_is_turn((failing_store *)layer, key) ||
           vz_fail(err, ((failing_store *)layer)->class, "the test lets this request fail");
}

static bool failing_change(vz_store *store, const char *key, const vz_bytes *value, const vz_version *version,
                           vz_version *now, vz_error *err)
{
    failing_store *failing = (failing_store *)store;
    vz_error failed = VZ_ERROR_NONE;
    const bool ok = failing->layer.before(&failing->layer, key, &failed);
    if ((ok || failing->loses_answer) &&
        !vz_store_change(failing->layer.below, key, value, version, now, ok ? err : NULL))
        return false;
    if (!ok)
        *err = failed;
    return ok;
}

static bool failing_put_new(vz_store *store, const char *key, vz_bytes value, vz_error *err)
{
    failing_store *failing = (failing_store *)store;
    vz_error failed = VZ_ERROR_NONE;
    const bool ok = failing->layer.before(&failing->layer, key, &failed);
    if ((ok || failing->loses_answer) && !vz_store_put_new(failing->layer.below, key, value, ok ? err : NULL))
        return false;
    if (!ok)
        *err = failed;
    return ok;
}

/* Takes `below` over, and is closed like any store. */
static failing_store *failing_store_over(vz_store *below)
{
    failing_store *failing = (failing_store *)vz_layer_new(below, sizeof *failing, "failing", NULL);
    failing->layer.before = failing_before;
    failing->layer.class.put_new = failing_put_new;
    if (failing->layer.class.change)
        failing->layer.class.change = failing_change;
    failing->class = VZ_IO;
    return failing;
}

#endif
