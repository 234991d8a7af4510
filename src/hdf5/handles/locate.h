/* locate.h - from a VOL location to a node, a link or the place for a new name. */
#ifndef VZ_HANDLES_LOCATE_H
#define VZ_HANDLES_LOCATE_H

#include "hdf5/h5/h5.h"
#include "hdf5/handles/handle.h"
#include "store/store/kind.h"

/* Where a path leaves the store: by an external link. Zero-initialised = it does not. */
typedef struct vz_locate_exit {
    vz_node *group; /* that the external link is in; one reference */
    char *link;     /* its name there; heap */
    uint8_t *value; /* of the link; `size` bytes, heap */
    size_t size;
    char *rest;      /* of the path, behind the link; heap */
    size_t left;     /* links that may still be followed */
    bool from_index; /* it is the link that an index named; else one on the way */
} vz_locate_exit;
void vz_locate_exit_clear(vz_locate_exit *out);

/* Result of a walk along a path, besides the node. */
typedef struct vz_locate_result {
    bool wants_path;    /* asked for: */
    vz_opened opened;   /* the path that the node was found by (of a location by token, and on
                         * failure: none) */
    vz_locate_exit out; /* where the path leads instead; with a node: nowhere */
} vz_locate_result;

/* For the functions below: a path that leaves the store leads to no node here. With `reached` the
 * result is NULL without an error, and reached->out says where the path leads (vz_locate_external).
 * Without `reached` the error is VZ_UNSUPPORTED. */

/* The object a location means (by self, name, index or token); the node carries a reference.
 * NULL + VZ_NOT_FOUND. */
vz_node *vz_locate(const vz_handle *from, const vz_loc *loc, vz_error *err);

vz_node *vz_locate_as(const vz_handle *from, const vz_loc *loc, vz_locate_result *reached, vz_error *err);

/* Locates the object at a path; "." and "" are the handle's own node. Soft links are followed,
 * as many as the link access list allows (vz_locate_path: the default). */
vz_node *vz_locate_path_as(const vz_handle *from, const char *path, hid_t lapl, vz_locate_result *reached,
                           vz_error *err);
vz_node *vz_locate_path(const vz_handle *from, const char *path, vz_error *err);

/* Does the path fail to lead to an object only because the last part of a soft link's path is
 * missing? */
bool vz_locate_dangles(const vz_handle *from, const char *path, hid_t lapl);

/* vz_locate_as, but VZ_INVALID unless it is a group. */
vz_node *vz_locate_group(const vz_handle *from, const vz_loc *loc, vz_locate_result *reached, vz_error *err);

/* A name in a group: where a link is, or will be. Zero-initialised = none. Functions that fill
 * one return false without an error if the path to the group leaves the store. Then only `out`
 * is set, and its rest ends with the name if that is known. */
typedef struct vz_place {
    vz_node *group;   /* one reference */
    char *name;       /* heap */
    vz_opened opened; /* the path of the link */
    vz_locate_exit out;
    bool utf8; /* what the link creation list says of a new name's character set */
} vz_place;

/* The place of an existing link (by name or index), or, by name, one that may not exist. False +
 * VZ_INVALID for "/" and ".", which are no links. */
bool vz_place_of_link(vz_place *place, const vz_handle *from, const vz_loc *loc, vz_error *err);

/* The place for a new link; groups on the way are made if the link creation list says so. */
bool vz_place_for_new(vz_place *place, const vz_handle *from, const char *path, hid_t lcpl, hid_t lapl, vz_error *err);

/* The place for a new group. Groups made on the way get its flags for the order of attributes,
 * as in native HDF5. */
bool vz_place_for_group(vz_place *place, const vz_handle *from, const char *path, const vz_creation *with,
                        unsigned attributes, vz_error *err);
void vz_place_clear(vz_place *place);

/* The store of what is created there; without a place, of what is created without a name. */
static inline vz_hierarchy *vz_place_hierarchy(const vz_place *place, const vz_handle *from)
{
    return place->group ? place->group->hierarchy : from->node->hierarchy;
}

/* Is a new link of that name said to be UTF-8? */
bool vz_place_is_utf8(hid_t lcpl, const char *name, bool *utf8, vz_error *err);

/* Gives a node this name, in a place for a new link, with the character set of the list that it
 * was made with. */
bool vz_place_link(const vz_place *place, vz_node *node, vz_error *err);

/* Is this property list of the class (one of H5P_..._ACCESS, H5P_..._CREATE) or the default one?
 * VZ_INVALID otherwise: HDF5 leaves these checks to connectors. */
bool vz_handle_check_list(hid_t list, hid_t class, vz_error *err);

/* Has a location by name or index a name, and is its link access list one? */
bool vz_handle_check_loc(const vz_loc *loc, vz_error *err);

/* True for paths of no part at all: "", ".", "/", "//.". */
bool vz_locate_is_trivial(const char *path);

/* -- External link --
 * Paths that leave the store by an external link. A walk that ends at one reports its target
 * (vz_locate_exit). The other file, a store or an HDF5 file, is opened as any program opens it, and
 * the operation goes to its table. Objects opened there keep that file open. */
typedef struct vz_locate_external {
    hid_t file;        /* open until vz_locate_external_close */
    vz_object *root;   /* its object */
    char *path;        /* in it; heap */
    hid_t list;        /* a copy of the access list, with the number of links that may still be
                        * followed */
    vz_creation with;  /* after vz_locate_external_to_create: with that list */
    vz_loc self;       /* of root */
    vz_object *before; /* the file that this one was reached from */
    vz_loc loc;        /* the location that was asked for, in terms of root and path */
} vz_locate_external;

/* Opens the file that a walk from `from` left for. Takes `out`. False if the walk did not leave
 * the store, or if the file cannot be opened (err is set). The first is for operations whose
 * last argument is a name, the second for those with a location, the third for new objects. */
bool vz_locate_external_by_name(vz_locate_external *there, const vz_handle *from, vz_locate_exit *out, hid_t lapl,
                                vz_error *err);
bool vz_locate_external_by_loc(vz_locate_external *there, const vz_handle *from, vz_locate_exit *out, const vz_loc *loc,
                               vz_error *err);
bool vz_locate_external_to_create(vz_locate_external *there, const vz_handle *from, vz_locate_exit *out,
                                  const vz_creation *with, vz_error *err);
void vz_locate_external_close(vz_locate_external *there);

/* Our object for a native one that the HDF5 file crossed into gives to an operator; NULL outside
 * of such a crossing. */
void *vz_locate_external_wrap(void *native, H5I_type_t type);

/* The value of an operation in the other file. Leaves that file afterwards. */
#define VZ_THERE(there, operation, ...)                                                                                \
    __extension__({                                                                                                    \
        __auto_type value_ = (there)->root->ops->operation(__VA_ARGS__);                                               \
        vz_locate_external_close(there);                                                                               \
        value_;                                                                                                        \
    })

/* -- File search --
 * Searches the file that an external link or a virtual dataset names. */
typedef struct vz_file_search {
    const char *environment; /* name of a variable: directories with ':' between them */
    const char *prefix;      /* a directory, "" for none */
    const char *beside;      /* path of the file that names it */
    const vz_named *named;   /* the file that holds the name, without `prefix` and `refused` */
    unsigned flags;
    hid_t fapl; /* a copy of ours */
} vz_file_search;

/* An id, or negative when no place has it; failures leave no record. The error is set where the
 * policy refused a place, or one could not be asked, and no other has it. It is no proof that there
 * is nothing. */
hid_t vz_file_search_open(const vz_file_search *search, const char *name, vz_error *err);

/* -- Source prefix --
 * Directories in which sources of virtual datasets and external files are searched. */
typedef enum vz_prefix { VZ_PREFIX_VIRTUAL, VZ_PREFIX_EXTERNAL } vz_prefix;

/* The environment's prefix, or else the access list's; a leading ${ORIGIN} is the store's
 * directory; "" for none. NULL: no memory. */
char *vz_prefix_of(const vz_handle *handle, vz_prefix which);

/* Do the ids of a dataset that is open already look for external files in the same place?
 * VZ_INVALID otherwise. */
bool vz_prefix_agrees(const vz_handle *handle, vz_error *err);

/* May HDF5 be given the external files of the dataset, to write to them or not? It opens them
 * itself. */
bool vz_prefix_check_external(const vz_handle *handle, bool writing, vz_error *err);

/* The access list of a dataset as HDF5 shows it: a new id with both prefixes resolved. */
hid_t vz_handle_dapl(const vz_handle *handle, vz_error *err);

#endif
