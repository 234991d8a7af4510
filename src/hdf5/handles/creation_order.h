/* creation_order.h - in which order a group keeps its links and attributes, as group creation lists say. */
#ifndef VZ_HANDLES_CREATION_ORDER_H
#define VZ_HANDLES_CREATION_ORDER_H

#include "hdf5/handles/handle.h"

enum { VZ_TRACKED_AND_INDEXED = H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED };

typedef struct vz_group_orders {
    unsigned links, attributes; /* H5P_CRT_ORDER_... */
} vz_group_orders;

/* What a group or file creation list asks for. */
bool vz_group_orders_wanted(hid_t gcpl, vz_group_orders *wanted, vz_error *err);
/* The same, for a new group. */
bool vz_group_take_orders(vz_node *group, hid_t list, vz_error *err);
/* What an intermediate group has of the group above it: how the order of links is kept, where it is tracked. */
bool vz_group_inherit_order(vz_node *group, const vz_node *parent, unsigned attributes, vz_error *err);
/* The order that was asked for when the group was made; `key`: "lo" of links, "ao" of attributes. */
unsigned vz_group_asked_order(const vz_node *group, const char *key, unsigned otherwise);

#endif
