/* name_snapshot.h - lists of names taken before a walk, so that the user's operator may create and delete while it runs. */
#ifndef VZ_HANDLES_NAME_SNAPSHOT_H
#define VZ_HANDLES_NAME_SNAPSHOT_H

#include "hdf5/handles/handle.h"

typedef struct vz_name_snapshot {
    const char **at; /* in the order of the walk */
    size_t count;
    vz_link **links; /* whose names they are, while vz_links_moment() is `moment`; NULL: they are to be found */
    uint64_t moment;
    vz_arena arena;
} vz_name_snapshot;

/* Links of a group. Creation order on a group that does not track it is VZ_INVALID. */
bool vz_names_of_links(vz_name_snapshot *names, vz_node *group, H5_index_t index, H5_iter_order_t order, vz_error *err);
/* The link of the group that has one of those names now; NULL: it is gone. */
vz_link *vz_names_link(const vz_name_snapshot *names, size_t at, vz_node *group);
/* The same for who looks for each of them then: some may turn out to be no links (vz_group_links_to_find). */
bool vz_names_to_find(vz_name_snapshot *names, vz_node *group, H5_index_t index, H5_iter_order_t order, vz_error *err);
/* Visible attributes of a node. */
bool vz_names_of_attributes(vz_name_snapshot *names, const vz_node *node, H5_index_t index, H5_iter_order_t order,
                            vz_error *err);
void vz_name_snapshot_clear(vz_name_snapshot *names);

#endif
