/* copy_tree.h - moving a tree where the store cannot rename: copy, then delete. */
#ifndef VZ_STORE_COPY_TREE_H
#define VZ_STORE_COPY_TREE_H

#include "store/store/store_read.h"

/* Keeps the contract of rename_tree, in more than one step. Needs the class's get, put, stat, list and del_tree. */
bool vz_store_move_by_copy(vz_store *store, const char *from, const char *to, vz_error *err);

/* Copies a value and all that lies below it, over what is there, perhaps into another store. */
bool vz_store_copy_tree(vz_store *from_store, const char *from, vz_store *to_store, const char *to, vz_error *err);

#endif
