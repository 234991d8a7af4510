/* token.h - tokens of nodes, also of those that moved or are deleted. */
#ifndef VZ_HIERARCHY_TOKEN_H
#define VZ_HIERARCHY_TOKEN_H

#include "hierarchy/node.h"

/* token.c */
void vz_token_moved(vz_hierarchy *hierarchy, const char *from, const char *to); /* paths; the subtree goes along */
void vz_token_deleted(vz_hierarchy *hierarchy, const char *path);
void vz_token_keep(vz_node *node, const char *path); /* a deleted subtree goes on with the numbers that it had there */
void vz_token_linked(vz_node *node);                 /* numbers that the subtree had while unlinked get their paths */

/* gone.c: deleted nodes that somebody holds, and the paths below VZ_NOWHERE that lead to them */
bool vz_gone_token(vz_hierarchy *hierarchy, const char *path, uint64_t *token, vz_error *err); /* 0: of none */
bool vz_gone_path(const vz_node *node, char **path, vz_error *err);                            /* heap; NULL: none */
/* A nameless node got a name. `was`: the path that it had (vz_gone_path), taken. */
bool vz_gone_linked(vz_node *node, char *was, vz_error *err);

#endif
