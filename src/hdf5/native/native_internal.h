/* native_internal.h - the state of the gateway, and the driver of its file in memory. */
#ifndef VZ_NATIVE_NATIVE_INTERNAL_H
#define VZ_NATIVE_NATIVE_INTERNAL_H

#include "hdf5/h5/h5.h"
#include "hdf5/native/native.h"

/* Makes the gateway if it is on and was not made yet. May be called inside get_object: HDF5 may
 * be walking through the ids. */
bool vz_gateway_ensure(vz_error *err);

/* -- Memory driver --
 * The file driver under the gateway: memory with holes, so that an object header can lie at any
 * address. That makes a dataset's token the address of its twin (rule 5 of the gateway). */
/* Registers the driver: an id for H5Pset_driver, closed with H5FDunregister after its last file
 * (HDF5 drops a file's reference before it calls the driver's close). */
hid_t vz_driver_memory_register(void);
/* The next object header is put at this address, a multiple of VZ_TOKEN_STEP that nothing else
 * is at; 0: wherever there is room. */
void vz_driver_memory_place(uint64_t address);
/* Was the address taken? */
bool vz_driver_memory_placed(void);

/* -- Native state --
 * State that the files of the gateway share: the native side of the one host this module serves. */
typedef struct vz_native_state {
    bool started;
    unsigned starts;           /* how often it was started so far */
    hid_t connector;           /* "native"; 0 before start */
    hid_t own_connector;       /* "zarr", taken when first asked for; 0 before */
    const H5VL_class_t *class; /* the native class; NULL until a native object was there to ask */
    hid_t driver;              /* the gateway's; 0 before. Outlives the file: HDF5 closes a file
                                * with a class it may have freed */
    hid_t remote_driver;       /* of files that are not in the file system; 0 before */
    bool filters;              /* ours are registered */
    bool gateway;              /* it is on; made is what follows, when it is needed */
    bool making;               /* the latter, now */
    bool wraps;                /* files of HDF5 were opened through us */
    unsigned generation;       /* of gateways, for their names */
    void *file;                /* H5F_t: closes itself with its last object */
    void *group;
    void *dataset;
    void *attribute;
    void *type;
    void *types; /* root group of the file that has the twins of types; NULL before the first */
} vz_native_state;

extern vz_native_state vz_native;

void vz_gateway_close(void);
void *vz_gateway_types(vz_error *err);
/* Closes the twins of datasets. */
void vz_twin_datasets_forget(void);
/* Forgets twins whose owners did not retire them. */
void vz_twin_files_forget(void);
/* The H5atclose callback. */
void vz_native_shutdown(void *unused);
/* Learns the native class. HDF5 asks the connector for it, by an object that this does not look
 * at. */
bool vz_native_learn_class(void *object);

#endif
