/* store_share.c - how often a store was written, for forked children: a child takes a store over
 * if nobody has written to it since the fork. */
#include "base/os/file.h"
#include "store/store/store.h"

/* in the shared number of writes: a child has taken the store over */
#define TAKEN      ((uint64_t)1 << 63)
#define WRITE_BITS 40 /* of that number; those above tell which store it is of */
#define STORE_BITS 22

/* A page that forked children see change. To map one costs more than to make a document, so that
 * one that was used is kept for the next store. A child that still has it as another store's
 * meets a number that is not its own. */
typedef struct vz_shared_writes {
    _Atomic(uint64_t) number;
    pid_t owner; /* who mapped it: only he gives it to another store */
} vz_shared_writes;

static vz_shared_writes *spare;
static uint64_t stores; /* that had such a page */

static void unmap(vz_shared_writes *page)
{
    vz_os_unmap(page, sizeof *page);
}

static vz_shared_writes *take_page(void)
{
    const pid_t id = (pid_t)vz_process_id();
    vz_shared_writes *page = spare;
    spare = NULL;
    if (page && page->owner == id)
        return page;
    unmap(page); /* the parent's */
    page = vz_os_map_shared(sizeof *page);
    if (page)
        page->owner = id;
    return page;
}

void vz_store_share(vz_store *store)
{
    vz_store_unshare(store);
    vz_shared_writes *page = take_page();
    if (!page)
        return; /* no child can take the store over */
    store->shared_base = (++stores & (((uint64_t)1 << STORE_BITS) - 1)) << WRITE_BITS;
    atomic_store(&page->number, store->shared_base + store->writes);
    store->shared = page;
    store->shared_writes = &page->number;
}

void vz_store_unshare(vz_store *store)
{
    vz_shared_writes *page = store->shared;
    store->shared = NULL;
    store->shared_writes = NULL;
    if (!page)
        return;
    if (spare || page->owner != (pid_t)vz_process_id()) {
        unmap(page);
        return;
    }
    spare = page;
}

bool vz_store_take_over(vz_store *store)
{
    uint64_t seen = store->shared_base + store->writes;
    return store->shared_writes && atomic_compare_exchange_strong(store->shared_writes, &seen, seen | TAKEN);
}

/* The module may be unloaded, and loaded again. */
__attribute__((destructor)) static void forget_spare(void)
{
    unmap(spare);
}
