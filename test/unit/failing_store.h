/* failing_store.h - a store over another one in which chosen requests fail: the k-th, once or from then on, with a
 * class of error that the test chooses. */
#ifndef FAILING_STORE_H
#define FAILING_STORE_H

#include "stacked_store.h"

typedef struct failing_store {
    stacked_store stacked;
    atomic_uint made; /* calls so far */
    unsigned turn;    /* the one that fails, counted from 1; 0: none does */
    bool for_good;    /* and all after it */
    vz_error_class class;
    const char *only; /* calls for other keys are not counted; NULL: all are */
} failing_store;

static bool failing_before(stacked_store *stacked, const char *key, vz_error *err)
{
    failing_store *failing = (failing_store *)stacked;
    if (failing->only && strcmp(key, failing->only) != 0)
        return true;
    const unsigned made = atomic_fetch_add(&failing->made, 1) + 1;
    if (failing->turn == 0 || made < failing->turn || (made > failing->turn && !failing->for_good))
        return true;
    return vz_fail(err, failing->class, "the test lets this request fail");
}

/* Takes `below` over, and is closed like any store. */
static failing_store *failing_store_over(vz_store *below)
{
    failing_store *failing = (failing_store *)stacked_new(below, sizeof *failing);
    failing->stacked.before = failing_before;
    failing->stacked.class.kind = "failing";
    failing->class = VZ_IO;
    return failing;
}

#endif
