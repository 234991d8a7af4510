/* open_stores.h - the stores that this process has open. */
#ifndef VZ_RESOLVE_OPEN_STORES_H
#define VZ_RESOLVE_OPEN_STORES_H

#include "hierarchy/nodes/node.h"

bool vz_registry_any(void); /* is there one? */
/* The open store of that root; NULL: none is. */
vz_hierarchy *vz_registry_find(const vz_identity *identity);

/* Does an open store have that identity? */
bool vz_registry_has_identity(uint64_t identity);

/* Retires the tokens of a store that is gone, unless a store with that identity is open. */
void vz_registry_forget_tokens(const vz_identity *identity);
void vz_registry_add(vz_hierarchy *hierarchy);
void vz_registry_remove(vz_hierarchy *hierarchy);

/* A registered store that is `directory`, holds it, or (below_too) lies in it; NULL: none. The
 * path is a resolved one. */
vz_hierarchy *vz_registry_find_around(const char *directory, bool below_too);

#endif
