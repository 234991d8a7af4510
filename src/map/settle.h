/* settle.h - what is rewritten before documents go to the store (vz_hierarchy_set_settle). */
#ifndef VZ_MAP_SETTLE_H
#define VZ_MAP_SETTLE_H

#include "hierarchy/node.h"

bool vz_settle(vz_hierarchy *hierarchy, vz_error *err);

#endif
