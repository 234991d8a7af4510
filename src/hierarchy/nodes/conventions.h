/* conventions.h - what modules above, which know other programs, do for a hierarchy. */
#ifndef VZ_NODES_CONVENTIONS_H
#define VZ_NODES_CONVENTIONS_H

#include "hierarchy/nodes/node.h"

/* Callbacks of the modules above, which know the conventions of other programs. */
typedef struct vz_conventions {
    /* A group's members were loaded: adds the links that its attributes tell of, by
     * vz_edit_add_foreign. */
    bool (*read_links)(vz_node *group, vz_error *err);
    /* The name of such an attribute: a list of objects, each with the link's "name". */
    const char *(*links_attribute)(const vz_node *group);
    /* Something is dirty, and is about to be written: all of it if `only` is NULL. Else it is
     * that node and the groups above it that are not there yet. Then only that is done without
     * which no reader may see them. It may change nodes, and flush. Not called while it is at
     * work. */
    bool (*before_writing)(vz_hierarchy *hierarchy, vz_node *only, vz_error *err);
    /* All members of a group are known, or a name is none of them: adds those that follow from the
     * others (vz_group_add_dimension). NULL: there are none. Once for each listing. */
    bool (*complete)(vz_node *group, vz_error *err);
    /* An array was loaded, and is its link's node. May be NULL. */
    bool (*loaded)(vz_node *array, vz_error *err);
    /* The name that a member has in the store: `name` itself, or a part of it. */
    const char *(*stored_name)(const char *name);
    /* Does a new node leave its name in the store to another one? */
    bool (*gives_way)(const vz_node *node);
} vz_conventions;
/* Given right after opening, and borrowed; nothing happens if it was done before. Groups whose
 * members are loaded already get their links now. Without conventions a store has none. */
bool vz_hierarchy_set_conventions(vz_hierarchy *hierarchy, const vz_conventions *conventions, vz_error *err);

#endif
