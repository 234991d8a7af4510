/* members_support.h - what the tests of members and links share: hierarchies over a store in memory that holds
 * given documents. */
#ifndef MEMBERS_SUPPORT_H
#define MEMBERS_SUPPORT_H

#include "hierarchy/open/open.h"
#include "hierarchy/writeback/writeback.h"
#include "node_support.h"

static inline vz_store *new_store(void)
{
    vz_store *store = NULL;
    must((store = vz_store_new_memory(&err)));
    return store;
}

/* A hierarchy that reads what `keys` (pairs, NULL at the end) hold. */
static inline vz_hierarchy *reading(const char *const *keys, bool writable)
{
    vz_store *store = new_store();
    for (; *keys; keys += 2)
        put_text(store, keys[0], keys[1]);
    return over(store, writable, false);
}

static inline void close_it(vz_hierarchy *hierarchy)
{
    must(vz_close_hierarchy(hierarchy, &err));
}

static inline void flush(vz_hierarchy *hierarchy)
{
    must(vz_flush_store(hierarchy, false, &err));
}

#define GROUP "{'zarr_format':2}"

static inline void assert_names(vz_node *group, vz_link_order order, const char *expected)
{
    char text[1024] = "";
    uint64_t count = 0;
    must(vz_group_count(group, &count, &err));
    for (uint64_t i = 0; i < count; i++) {
        vz_link *link = NULL;
        must((link = vz_group_link_at(group, order, i, &err)));
        strcat(strcat(text, i ? " " : ""), link->name);
    }
    assert_string_equal(text, expected);
    must_fail(vz_group_link_at(group, order, count, &err), VZ_NOT_FOUND, "only");
}

static const char *const tree[] = {".zgroup",
                                   GROUP,
                                   ".zattrs",
                                   "{'title':'x','n':1}",
                                   "b/.zarray",
                                   ARRAY_DOCUMENT,
                                   "b/.zattrs",
                                   "{'unit':'m'}",
                                   "b/0",
                                   "12345678",
                                   "a/.zgroup",
                                   GROUP,
                                   "a/x/.zarray",
                                   ARRAY_DOCUMENT,
                                   "implicit/deep/y/.zarray",
                                   ARRAY_DOCUMENT,
                                   "chunks/0/0",
                                   "left by a deleted array",
                                   "notes/readme.txt",
                                   "hello",
                                   "v3/zarr.json",
                                   "{'zarr_format':3,'node_type':'group'}",
                                   "plain.txt",
                                   "hello",
                                   NULL};

#endif
