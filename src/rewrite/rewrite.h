/* rewrite.h - what is rewritten before documents go to the store (vz_hierarchy_set_settle). */
#ifndef VZ_REWRITE_REWRITE_H
#define VZ_REWRITE_REWRITE_H

#include "hierarchy/node.h"

bool vz_settle(vz_hierarchy *hierarchy, vz_error *err);

#endif
