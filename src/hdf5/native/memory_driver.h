/* memory_driver.h - the file driver under the gateway: memory with holes, so that an object header can lie at any
 * address. That makes a dataset's token the address of its twin (rule 5 of the gateway). Private to the room. */
#ifndef VZ_NATIVE_MEMORY_DRIVER_H
#define VZ_NATIVE_MEMORY_DRIVER_H

#include "hdf5/h5/h5.h"

/* Registers the driver: an id for H5Pset_driver, closed with H5FDunregister after its last file (HDF5
 * drops a file's reference before it calls the driver's close). */
hid_t vz_memory_driver_register(void);
/* The next object header is put at this address, a multiple of VZ_TOKEN_STEP that nothing else is at; 0:
 * wherever there is room. */
void vz_memory_driver_place(uint64_t address);
/* Was the address taken? */
bool vz_memory_driver_placed(void);

#endif
