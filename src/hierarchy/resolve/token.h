/* token.h - tokens: numbers for nodes, for the life of the process, also of those that moved or
 * are deleted. */
#ifndef VZ_RESOLVE_TOKEN_H
#define VZ_RESOLVE_TOKEN_H

#include "hierarchy/nodes/node.h"

/* token.c */
/* In [2^40, 2^62), never another node's, unchanged after close and reopen; follows renames. 0 +
 * err on failure. */
uint64_t vz_token_of_node(vz_node *node, vz_error *err);
/* The token of the node that a hard link leads to. Nothing of the node is read if the link is its
 * first name. 0: it leads nowhere. */
bool vz_token_of_link(vz_node *group, vz_link *link, uint64_t *token, vz_error *err);
/* The node of this hierarchy with that token: NULL + VZ_NOT_FOUND for unknown, deleted or
 * another store's. Borrowed. */
vz_node *vz_token_node(vz_hierarchy *hierarchy, uint64_t token, vz_error *err);

/* The token of whatever is, or will be, at a path ("/a/b", as vz_node_path has it): references
 * are resolved without loading their targets. 0 + err when out of memory. */
uint64_t vz_token_at_path(vz_hierarchy *hierarchy, const char *path, vz_error *err);
/* `token` stands for a path of any store that this process knows: the token of that path in this
 * store. 0 without an error: nobody has a path with that token. */
uint64_t vz_token_here(vz_hierarchy *hierarchy, uint64_t token, vz_error *err);
/* The token of what is, or will be, at a path in the store that `store` leads to, without
 * opening that. 0 without an error: there is no store. */
uint64_t vz_path_token(const char *store, const vz_named *named, const char *path, vz_error *err);
/* The path that a token has in whatever store; heap. NULL without an error: none. */
char *vz_token_path(uint64_t token, vz_error *err);
/* Is it the token of a path in this store? Whether there is an object is not looked at. */
bool vz_token_is_named(const vz_hierarchy *hierarchy, uint64_t token);
/* Is it the token of an object of this store that has no name (yet)? */
bool vz_token_is_nameless(const vz_hierarchy *hierarchy, uint64_t token);
/* The path a token stands for now; heap. NULL + VZ_NOT_FOUND for an unlinked node, or a token of
 * another store. */
char *vz_token_path_here(const vz_hierarchy *hierarchy, uint64_t token, vz_error *err);
/* Was this number given to a node that is gone? */
bool vz_token_is_retired(const vz_hierarchy *hierarchy, uint64_t token);
/* paths; the subtree goes along */
void vz_token_moved(vz_hierarchy *hierarchy, const char *from, const char *to);
void vz_token_deleted(vz_hierarchy *hierarchy, const char *path);
void vz_token_keep(vz_node *node, const char *path); /* a deleted subtree goes on with the numbers
                                                      * that it had there */
void vz_token_linked(vz_node *node);                 /* numbers that the subtree had while unlinked
                                                      * get their paths */

/* move_log_token.c */
/* The token of the object that a stored reference names by a path (in the form of JSON), wherever
 * it was moved since. No object, if it was deleted. 0 + err when out of memory. */
uint64_t vz_token_of_reference(vz_hierarchy *hierarchy, const char *path, uint64_t since, vz_error *err);
/* Of what vz_hierarchy_stored_path made. */
uint64_t vz_token_of_stored(vz_hierarchy *hierarchy, const char *stored, vz_error *err);

/* first_path.c */
/* As vz_node_path, but of several paths the one that a walk in the order of names meets first. */
char *vz_path_first(vz_node *node, vz_error *err);

/* deleted_objects.c: deleted nodes that somebody holds, and the paths below VZ_NOWHERE that lead
 * to them */
bool vz_path_of_deleted(const vz_node *node, char **path, vz_error *err); /* heap; NULL: none */
/* A nameless node got a name. `was`: the path that it had (vz_path_of_deleted), taken. */
bool vz_path_deleted_linked(vz_node *node, char *was, vz_error *err);

#endif
