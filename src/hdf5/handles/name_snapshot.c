/* name_snapshot.c - snapshots of link and attribute names. */
#include "hdf5/netcdf/netcdf.h"
#include "hdf5/handles/handle.h"
#include "hdf5/attributes/attributes.h"
#include <stdlib.h>

void vz_names_snapshot_clear(vz_names_snapshot *names)
{
    vz_arena_clear(&names->arena);
    *names = (vz_names_snapshot){0};
}

static bool names_reserve(vz_names_snapshot *names, uint64_t count, vz_error *err)
{
    uint64_t size = 0;
    *names = (vz_names_snapshot){0};
    if (!vz_mul(count, sizeof *names->at, &size))
        return vz_fail(err, VZ_LIMIT, "%llu names", (unsigned long long)count);
    names->at = vz_arena_alloc(&names->arena, size, err);
    return names->at != NULL;
}

static bool names_add(vz_names_snapshot *names, const char *name, vz_error *err)
{
    const char *copy = vz_arena_copy(&names->arena, name, strlen(name) + 1, err);
    if (copy)
        names->at[names->count++] = copy;
    return copy != NULL;
}

static void names_reverse(vz_names_snapshot *names)
{
    for (size_t i = 0, j = names->count; i + 1 < j; i++) {
        const char *last = names->at[--j];
        names->at[j] = names->at[i];
        names->at[i] = last;
        if (!names->links)
            continue;
        vz_link *link = names->links[j];
        names->links[j] = names->links[i];
        names->links[i] = link;
    }
}

vz_link *vz_names_link(const vz_names_snapshot *names, size_t at, vz_node *group)
{
    return names->links && names->moment == vz_links_moment() ? names->links[at]
                                                              : vz_group_find(group, names->at[at], NULL);
}

static bool keep_links(vz_names_snapshot *names, vz_link *const *links, vz_error *err)
{
    names->links = vz_arena_copy(&names->arena, links, names->count * sizeof(vz_link *), err);
    names->moment = vz_links_moment();
    return names->links != NULL;
}

typedef vz_link **links_of_group(vz_node *group, vz_link_order order, uint64_t *count, vz_error *err);

static bool names_of(vz_names_snapshot *names, vz_node *group, links_of_group *links_of, H5_index_t index,
                     H5_iter_order_t order, vz_error *err)
{
    uint64_t count = 0;
    const bool keeps_links = links_of == vz_group_links;
    *names = (vz_names_snapshot){0};
    if (index == H5_INDEX_CRT_ORDER && !vz_netcdf_shows_order(group))
        return vz_fail(err, VZ_INVALID, "creation order is not tracked for the links of this group");
    vz_link **links = links_of(group, index == H5_INDEX_CRT_ORDER ? VZ_BY_CREATION : VZ_BY_NAME, &count, err);
    if (!links || !names_reserve(names, count, err))
        return false;
    bool ok = true;
    for (uint64_t i = 0; ok && i < count; i++)
        ok = names_add(names, links[i]->name, err);
    if (ok && keeps_links)
        ok = keep_links(names, links, err);
    if (ok && order == H5_ITER_DEC)
        names_reverse(names);
    if (!ok)
        vz_names_snapshot_clear(names);
    return ok;
}

bool vz_names_of_links(vz_names_snapshot *names, vz_node *group, H5_index_t index, H5_iter_order_t order, vz_error *err)
{
    return names_of(names, group, vz_group_links, index, order, err);
}

bool vz_names_to_find(vz_names_snapshot *names, vz_node *group, H5_index_t index, H5_iter_order_t order, vz_error *err)
{
    return names_of(names, group, vz_group_links_to_find, index, order, err);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

bool vz_names_of_attributes(vz_names_snapshot *names, const vz_node *node, H5_index_t index, H5_iter_order_t order,
                            vz_error *err)
{
    const size_t count = vz_attribute_count(node);
    if (!names_reserve(names, count, err))
        return false;
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        const char *name = vz_attribute_at(node, i);
        ok = name ? names_add(names, name, err) : vz_fail(err, VZ_NOT_FOUND, "attribute %zu", i);
    }
    if (ok && index != H5_INDEX_CRT_ORDER && names->count > 1)
        qsort(names->at, names->count, sizeof *names->at, by_name);
    if (ok && order == H5_ITER_DEC)
        names_reverse(names);
    if (!ok)
        vz_names_snapshot_clear(names);
    return ok;
}
