/* handle.h - what HDF5 holds of a Zarr store. There is one vz_file for each H5Fopen, H5Fcreate or
 * H5Freopen, and a vz_handle for each open file, group, dataset and attribute. */
#ifndef VZ_HANDLES_HANDLE_H
#define VZ_HANDLES_HANDLE_H

#include "base/util/error.h"
#include "hdf5/h5/object.h"
#include "hdf5/attributes/attributes.h"
#include "hdf5/native/native.h"
#include "hierarchy/nodes/node.h"

typedef struct vz_handle vz_handle;
typedef struct vz_file vz_file;

/* -- Opened path --
 * The path by which an object was opened: what H5Iget_name returns. It is kept as text, as HDF5
 * keeps it, because the way is part of it: a second name, a soft link, a mount. It follows
 * renames of the links along the way and is lost when one of them is deleted. Without a path the
 * name is looked for. */
/* Zero-initialised: no path. */
typedef struct vz_opened {
    char *user;      /* as the program knows it; NULL: it must be looked for */
    char *full;      /* from the topmost file of the mounts; NULL: not followed any more. Without a
                      * mount on the way it is the very text of `user` */
    unsigned hidden; /* number of mounts that lie over it: it has no name then */
} vz_opened;

void vz_opened_clear(vz_opened *opened);
bool vz_opened_copy(vz_opened *to, const vz_opened *from, vz_error *err);
/* Gives the path to a handle that was just opened, and returns the handle. Takes the path, also
 * if `handle` is NULL. */
vz_handle *vz_opened_give(vz_handle *handle, vz_opened *opened);
/* Updates the paths of all open objects below the same topmost file. The link at the full path
 * `from` is at `to` now, or was deleted. NULL paths: nothing happens. Without memory a name is lost
 * and will be looked for. */
void vz_opened_moved(vz_file *file, const char *from, const char *to);
void vz_opened_deleted(vz_file *file, const char *path);

/* -- Handle -- */
/* Shared by the file object and every object opened through it; lives until the last of them is
 * closed. */
struct vz_file {
    struct vz_file *next;      /* list of all open ones, state of the module instance (handle.c) */
    const vz_ops *ops;         /* of every object of the file */
    vz_hierarchy *hierarchy;   /* one reference */
    vz_node *start;            /* what this file shows as "/"; one reference */
    char *name;                /* as given to open or create */
    char *whole_name;          /* absolute path of the store (of the target, if a redirect file led
                                * there) */
    unsigned intent;           /* H5F_ACC_RDWR or H5F_ACC_RDONLY, H5F_ACC_SWMR_*: one answer for all
                                * handles on a store */
    H5F_close_degree_t degree; /* never H5F_CLOSE_DEFAULT */
    hid_t fapl;                /* a copy, ours */
    hid_t fcpl;                /* a copy; invalid until vz_file_creation_list needs it */
    bool usual_fcpl;           /* it was made by HDF5's default list, of which `fcpl` is a copy
                                * then */
    hid_t shown_fapl;          /* of several ranks: what H5Fget_access_plist shows; invalid:
                                * `fapl` */
    vz_twin_file twin;
    bool twin_is_live;   /* opened and not yet retired */
    vz_handle *object;   /* the file object behind the id, NULL once that was closed */
    size_t refs;         /* vz_handles */
    bool gave_up;        /* a close failed to write and was reported: the next one drops what it
                          * cannot write ... */
    uint64_t gave_up_at; /* ... unless there are changes since */
    struct {
        int descriptor;
        int none;                      /* programs read it as a number of 8 bytes, as they can of
                                        * the sec2 driver's */
    } vfd __attribute__((aligned(8))); /* what H5Fget_vfd_handle leads to */
    bool is_atomic;                    /* H5Fset_mpi_atomicity: remembered; without effect, since
                                        * each write is in the store at once */
    bool is_alone;                     /* read by one of the ranks that have the store open: no
                                        * turns, no change */
    bool ranks_failed;                 /* a close by several ranks failed, and was reported */
    bool is_written;                   /* all ranks have written the data that the close had to
                                        * write */
    bool is_seen, is_covered;          /* was it looked whether another connector lies above this
                                        * one, and does one */
    bool minimize_headers;             /* H5Fset_dset_no_attrs_hint: remembered, without effect */
};

struct vz_handle {
    vz_object object; /* first: HDF5's pointer is a vz_object */
    vz_file *file;
    vz_node *node;              /* one reference; of a file: file->start; of an attribute: its
                                 * object's node */
    vz_opened opened;           /* the path it was opened by; of an attribute: that of the node */
    vz_attribute attribute;     /* attributes only: its name, which follows renames, and its
                                 * value */
    H5T_cset_t cset;            /* of the name, attributes only */
    void *type_twin;            /* committed datatypes: native stand-in of the same type; NULL
                                 * without gateway */
    hid_t dapl;                 /* datasets: copy of the access list, or invalid = the default
                                 * one */
    hid_t linked;               /* datasets whose elements another file has: that dataset; 0: it
                                 * was not opened */
    bool sources_seen;          /* virtual datasets: their extent follows the sources that are
                                 * there */
    bool keep_cached;           /* H5Odisable_mdc_flushes, for all handles of the object:
                                 * remembered, without effect */
    vz_handle *next, *previous; /* in the list of all open ones, state of the module instance
                                 * (handle.c) */
};

static inline vz_handle *vz_handle_of(vz_object *object)
{
    return (vz_handle *)object;
}

static inline bool vz_handle_is_zarr(const vz_object *object)
{
    return object->ops->kind == VZ_OPS_ZARR;
}

static inline herr_t vz_handle_status(bool ok)
{
    return ok ? 0 : -1;
}

/* The answer when an HDF5 call failed: its record stays on the stack and nothing is added. */
static inline bool vz_fail_hdf5(vz_error *err)
{
    return vz_fail(err, VZ_HDF5, "an HDF5 call failed");
}

/* A handle of that type on the node, which gets a reference. It is opened through the file, or
 * through the file mounted in it that has the node. */
vz_handle *vz_handle_open(vz_file *file, H5I_type_t type, vz_node *node, vz_error *err);
vz_handle *vz_handles_first(void);
/* Moves the handle to `into`, memory of malloc that HDF5 knows already. Frees `from`. */
void vz_handle_take_place(vz_handle *into, vz_handle *from);
/* The file's own object; the one handle whose closing retires the twin. */
vz_handle *vz_handle_open_file(vz_file *file, vz_error *err);
/* False: dirty data could not be written, and the handle is still open. The next close tries
 * again, and drops what it still cannot write if nothing changed in between. Consolidated metadata
 * and zip files are written when the last file id of the store is closed. They are written again
 * with the last object, if that is closed later and changed more. */
bool vz_handle_close(vz_handle *handle, vz_error *err);
/* After a failed close, if HDF5 drops the object in any case: frees the handle. The file stays,
 * to be written later (vz_file_retry_left). */
void vz_handle_abandon(vz_handle *handle);
/* H5I_GROUP, H5I_DATASET or H5I_DATATYPE. */
H5I_type_t vz_handle_node_id_type(const vz_node *node);
/* Closes a handle of a callback that fails. Keeps the error records of HDF5 if `err` says that
 * they give the reason. */
void vz_handle_drop(vz_handle *handle, const vz_error *err);
/* A handle on the node with an id of its own, for operators of the user; closed by
 * vz_h5_close_quietly. */
hid_t vz_handle_id_open(vz_file *file, vz_node *node, vz_error *err);
/* Like vz_handle_id_open, for a node that was reached by the path `opened`, which is taken. */
hid_t vz_handle_id_open_as(vz_file *file, vz_node *node, vz_opened *opened, vz_error *err);

typedef struct vz_file_open_request {
    const vz_ops *ops; /* of the file and all its objects */
    const char *name;  /* as given to open or create */
    const char *place; /* where the store is, if a redirect file led there; else the name */
    unsigned intent;
    hid_t fcpl; /* may be H5P_DEFAULT */
    hid_t fapl;
} vz_file_open_request;

/* A file object for an opened hierarchy; takes the references to hierarchy and start also on
 * failure. It gets a twin when HDF5 looks into it: that cannot go before its file has an id. */
vz_handle *vz_file_new(vz_hierarchy *hierarchy, vz_node *start, const vz_file_open_request *how, vz_error *err);
/* The creation list that the file shows; borrowed. Invalid with err set. */
hid_t vz_file_creation_list(vz_file *file, vz_error *err);
/* A twin for a file that has none, or whose twin went with an id that was closed. */
bool vz_file_renew_twin(vz_file *file, vz_error *err);
/* Must succeed before any change through the handle: fails if the file is read-only. */
bool vz_handle_check_write(const vz_handle *handle, vz_error *err);

/* Text into a buffer the way HDF5 wants names: cut to size and terminated, *length the whole
 * length. buffer may be NULL. */
void vz_handle_copy_text(const char *text, char *buffer, size_t size, size_t *length);

/* -- Creation order --
 * In which order a group keeps its links and attributes, as group creation lists say. */
enum { VZ_TRACKED_AND_INDEXED = H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED };

typedef struct vz_handle_orders {
    unsigned links, attributes; /* H5P_CRT_ORDER_... */
} vz_handle_orders;

/* Reads the orders that a group or file creation list asks for. */
bool vz_handle_orders_wanted(hid_t gcpl, vz_handle_orders *wanted, vz_error *err);
/* Gives a new group the orders that its creation list asks for. */
bool vz_handle_take_orders(vz_node *group, hid_t list, vz_error *err);
/* The order that was asked for when the group was made; `key`: "lo" of links, "ao" of
 * attributes. */
unsigned vz_handle_asked_order(const vz_node *group, const char *key, unsigned otherwise);

/* -- Name snapshot --
 * Lists of names taken before a walk, so that the user's operator may create and delete while it
 * runs. */
typedef struct vz_names_snapshot {
    const char **at; /* in the order of the walk */
    size_t count;
    vz_link **links; /* whose names they are, while vz_links_moment() is `moment`; NULL: they are to
                      * be found */
    uint64_t moment;
    vz_arena arena;
} vz_names_snapshot;

/* Links of a group. Creation order on a group that does not track it is VZ_INVALID. */
bool vz_names_of_links(vz_names_snapshot *names, vz_node *group, H5_index_t index, H5_iter_order_t order,
                       vz_error *err);
/* The link of the group that has one of those names now; NULL: it is gone. */
vz_link *vz_names_link(const vz_names_snapshot *names, size_t at, vz_node *group);
/* For callers that look up each name afterwards: some names may turn out to be no links
 * (vz_group_links_to_find). */
bool vz_names_to_find(vz_names_snapshot *names, vz_node *group, H5_index_t index, H5_iter_order_t order, vz_error *err);
/* Visible attributes of a node. */
bool vz_names_of_attributes(vz_names_snapshot *names, const vz_node *node, H5_index_t index, H5_iter_order_t order,
                            vz_error *err);
void vz_names_snapshot_clear(vz_names_snapshot *names);

/* -- Object info --
 * Answers to HDF5 about links and objects, from nodes. */
H5O_type_t vz_handle_object_type(const vz_node *node);
/* A node that cannot be loaded does not hide its link: the token is then undefined. */
bool vz_handle_link_info(vz_node *group, vz_link *link, H5L_info2_t *info, vz_error *err);
bool vz_handle_object_info(vz_node *node, unsigned fields, H5O_info2_t *info, vz_error *err);
/* The reference count HDF5 shows: names, what H5Oincr_refcount added (annotation "rc"), and the
 * users of a committed type. */
bool vz_handle_object_count(vz_node *node, unsigned *count, vz_error *err);
bool vz_handle_change_count(vz_node *node, int delta, vz_error *err);
/* The node's path as seen from the file's root, "" when it has none (deleted or anonymous).
 * Heap. */
char *vz_handle_path(const vz_file *file, vz_node *node, vz_error *err);

/* -- Stored name list --
 * A name that comes out of a store is opened through HDF5. A mark in the access list identifies
 * the file that holds the name. */
/* Describes a name that the file holds; borrows the file's own name. */
vz_named vz_file_named(const vz_file *file, const char *name);

/* Copies the mark of the list. False: no mark, so the program itself named the file. */
bool vz_file_mark_get(hid_t fapl, vz_named *named);
/* Removes the mark from the copy that a file keeps, since the program may see and use that copy. */
void vz_file_mark_drop(hid_t fapl);

#endif
