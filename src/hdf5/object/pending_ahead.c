/* pending_ahead.c - what pending objects, and reads of pending datasets, will ask a server for. It
 * is fetched by the thread of hdf5/async, which calls nothing of HDF5: documents first, then the
 * chunks that the documents tell. */
#include "hdf5/async/async.h"
#include "hdf5/object/object_internal.h"
#include "store/store/prefetch.h"
#include <stdlib.h>

#define CHUNKS_BYTES_MAX ((uint64_t)32 << 20) /* decoded, of what is fetched together */
#define CHUNK_BYTES_MAX  ((uint64_t)16 << 20)
enum { TOGETHER_MAX = 512 };

static vz_obj_ahead *first;  /* in the order of the calls; with the turn */
static uint64_t last_number; /* that was taken */

static void add(vz_obj_ahead *one)
{
    vz_obj_ahead **last = &first;
    while (*last)
        last = &(*last)->next;
    *last = one;
}

/* ---- fetching, in the module's thread ---- */

/* Of one store: what is taken together. Its documents are a step, and its chunks the next one,
 * which has the documents of the round after it. */
typedef struct round {
    vz_store *store;
    vz_obj_ahead *items[TOGETHER_MAX];
    size_t count;
    bool reads; /* some of them read elements */
    vz_tree_keys documents, attributes, lists;
    const char **keys;
    vz_prefetch *prefetch;
} round;

static void take(round *r)
{
    *r = (round){0};
    for (vz_obj_ahead *one = first; one && r->count < TOGETHER_MAX; one = one->next) {
        if (one->is_asked || (r->store && one->wanted.store != r->store))
            continue;
        r->store = one->wanted.store;
        r->items[r->count++] = one;
        r->reads = r->reads || one->reads;
        one->is_asked = true;
        last_number = one->number;
    }
}

/* So many attributes go with the documents: all, or those that fill the last round trip where
 * chunks will be another one. */
static size_t attributes_now(const round *r)
{
    const size_t before = r->documents.count + r->lists.count, at_once = r->store->in_flight;
    if (!r->reads || at_once == 0)
        return r->attributes.count;
    const size_t left = (at_once - before % at_once) % at_once;
    return left < r->attributes.count ? left : r->attributes.count;
}

static void ask_for_documents(round *r)
{
    for (size_t i = 0; i < r->count; i++)
        if (!r->items[i]->reads)
            vz_tree_wanted_keys(&r->items[i]->wanted, &r->documents, &r->attributes, &r->lists);
    if (r->count == 0)
        return;
    vz_tree_keys_move(&r->documents, &r->attributes, r->attributes.count - attributes_now(r));
    r->prefetch = vz_prefetch_begin(r->store,
                                    &(vz_prefetch_wanted){.keys = (const char *const *)r->documents.at,
                                                          .count = r->documents.count,
                                                          .prefixes = (const char *const *)r->lists.at,
                                                          .list_count = r->lists.count},
                                    NULL);
}

static void find_chunks(round *r)
{
    uint64_t bytes = CHUNKS_BYTES_MAX;
    for (size_t i = 0; i < r->count; i++) {
        vz_obj_ahead *one = r->items[i];
        if (one->reads)
            vz_tree_wanted_chunks(&one->wanted, &one->box, &one->chunks, &bytes);
        else
            vz_tree_wanted_others(&one->wanted, &r->attributes);
    }
}

/* The attributes that are left, other documents, and then chunks. */
static void ask_for_chunks(round *r)
{
    find_chunks(r);
    size_t count = r->attributes.count;
    const size_t others = count;
    for (size_t i = 0; i < r->count; i++)
        count += r->items[i]->chunks.count;
    r->keys = count > 0 ? calloc(count, sizeof *r->keys) : NULL;
    if (!r->keys)
        return;
    for (count = 0; count < others; count++)
        r->keys[count] = r->attributes.at[count];
    for (size_t i = 0; i < r->count; i++)
        for (size_t k = 0; k < r->items[i]->chunks.count; k++)
            r->keys[count++] = r->items[i]->chunks.at[k];
    const vz_prefetch_wanted wanted = {
        .keys = r->keys, .count = count, .chunk_count = count - others, .most = CHUNK_BYTES_MAX};
    r->prefetch = vz_prefetch_begin(r->store, &wanted, NULL);
}

/* Others have the turn while it waits. */
static void wait_for(round *a, round *b)
{
    if (a->prefetch || b->prefetch) {
        vz_async_give_turn();
        vz_prefetch_wait(a->prefetch);
        vz_prefetch_wait(b->prefetch);
        vz_async_take_turn();
    }
    vz_prefetch_end(a->prefetch, NULL);
    vz_prefetch_end(b->prefetch, NULL);
    a->prefetch = b->prefetch = NULL;
}

static void conclude(const round *r)
{
    for (size_t i = 0; i < r->count; i++)
        if (!r->items[i]->reads)
            vz_tree_wanted_conclude(&r->items[i]->wanted);
}

/* The calls before the first one that lacks something may be made. */
static void tell(void)
{
    uint64_t number = last_number;
    for (const vz_obj_ahead *one = first; one; one = one->next)
        if (!one->is_fetched) {
            number = one->number - 1;
            break;
        }
    vz_async_fetched(number);
}

static void end(round *r)
{
    for (size_t i = 0; i < r->count; i++)
        r->items[i]->is_fetched = true;
    vz_tree_keys_clear(&r->documents);
    vz_tree_keys_clear(&r->attributes);
    vz_tree_keys_clear(&r->lists);
    free(r->keys);
    const bool was_any = r->count > 0;
    *r = (round){0};
    if (was_any)
        tell();
}

static void fetch(void)
{
    static round rounds[2]; /* large for a thread's stack */
    round *old = &rounds[0], *new = &rounds[1];
    for (take(new); old->count > 0 || new->count > 0;) {
        ask_for_chunks(old);
        if (!old->prefetch)
            end(old);
        ask_for_documents(new);
        wait_for(old, new);
        end(old);
        conclude(new);
        round *const empty = old;
        old = new;
        new = empty;
        if (vz_async_may_fetch_more())
            take(new);
    }
}

/* ---- from its call to its end ---- */

void vz_obj_ahead_begin(vz_obj_ahead *one, vz_async_request *request)
{
    if (!one->wanted.store)
        return;
    add(one);
    vz_async_fetch_ahead(request, fetch, &one->number);
}

static void forget_chunks(vz_obj_ahead *one)
{
    for (size_t i = 0; i < one->chunks.count; i++)
        vz_store_forget_prefetched(one->wanted.store, one->chunks.at[i]);
    vz_tree_keys_clear(&one->chunks);
}

void vz_obj_ahead_end(vz_obj_ahead *one)
{
    for (vz_obj_ahead **at = &first; *at; at = &(*at)->next)
        if (*at == one) {
            *at = one->next;
            break;
        }
    forget_chunks(one);
    vz_tree_wanted_clear(&one->wanted);
}

/* The list has the place of `from` taken by `to`. */
void vz_obj_ahead_move(vz_obj_ahead *to, vz_obj_ahead *from)
{
    *to = *from;
    *from = (vz_obj_ahead){0};
    for (vz_obj_ahead **at = &first; *at; at = &(*at)->next)
        if (*at == from) {
            *at = to;
            break;
        }
}
