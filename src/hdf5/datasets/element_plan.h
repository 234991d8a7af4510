/* element_plan.h - how elements of a dataset and of one memory type become each other: what depends on these two types
 * alone. Worked out once for an open dataset, and kept in its view for the last few memory types; it goes with the
 * view, when the dataset's type is another one. */
#ifndef VZ_DATASETS_ELEMENT_PLAN_H
#define VZ_DATASETS_ELEMENT_PLAN_H

#include "hdf5/datasets/view.h"
#include "hdf5/types/own_vlen.h"

typedef struct vz_element_plan {
    size_t users;    /* the view, and transfers */
    hid_t mem_type;  /* a copy, or: */
    bool lent;       /* it is one of HDF5's own, or the view's */
    hid_t shown;     /* what is converted to or from mem_type: the view's type, or with references a form of it, ours */
    bool references; /* the type holds some */
    bool same_type;  /* `shown` and mem_type are equal */
    bool vlen;       /* one of them holds variable-length data */
    bool background; /* H5Tconvert wants the elements that are there already */
    size_t file_size, shown_size, mem_size; /* bytes of one element in each form */
    bool is_number;                         /* both are numbers that the workers convert, by these: */
    vz_number_conversion to_memory, to_file;
    bool texts;          /* both are the same text of variable length, which the workers move */
    vz_packing *packing; /* NULL: not asked for yet, or the bytes are the same */
    vz_type_tree *layout;   /* of mem_type; NULL: not asked for yet */
    hid_t list;      /* a transfer list of default properties whose variable-length data lies in *arena; or invalid */
    vz_arena *arena; /* of the transfer that has the list now; NULL: nobody */
} vz_element_plan;

/* The plan of a dataset for a memory type, to be released before the view is. NULL with err set. */
vz_element_plan *vz_element_plan_take(vz_dataset_view *view, hid_t mem_type, vz_error *err);
void vz_element_plan_release(vz_element_plan *plan); /* NULL is fine */

/* What is made when it is first asked for; borrowed from the plan. NULL with err set. */
const vz_packing *vz_element_plan_packing(vz_element_plan *plan, const vz_dataset_view *view, vz_error *err);
const vz_type_tree *vz_element_plan_layout(vz_element_plan *plan, vz_error *err);

/* H5Tconvert allocates variable-length data by the transfer list that it is given: this one's lies in `arena`. Lent
 * until it is given back; H5I_INVALID_HID without an error: somebody has it (a conversion called the program, which
 * transfers too). */
hid_t vz_element_plan_lend_list(vz_element_plan *plan, vz_arena *arena, vz_error *err);
void vz_element_plan_give_back(vz_element_plan *plan);
/* A copy of `dxpl`, or a new list of default properties, to be closed; its data lies in the arena that *arena names. */
hid_t vz_arena_list(hid_t dxpl, vz_arena **arena, vz_error *err);

#endif
