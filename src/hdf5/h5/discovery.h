/* discovery.h - files that HDF5 2.x finds through its plugin search (no HDF5_VOL_CONNECTOR set, only the plugin path).
 *
 * HDF5 2.0 to 2.2 opens such a file with the connector it found, but registers the id with the connector that had
 * failed, the native one, which then takes our object for a native file and crashes the program. (1.14 is right.) The
 * connector is an argument of the library's internal H5VL_register; so, for the one registration that follows our
 * callback, the library's own call of that function goes through us and gets the right connector. */
#ifndef VZ_H5_DISCOVERY_H
#define VZ_H5_DISCOVERY_H

#include "hdf5/h5/h5.h"
#include "base/util/error.h"

/* Is HDF5 searching just now? It is when it asks in the middle of an open that failed, whose records stand on its error
 * stack; a program's own question clears that first. Leaves the records. (Drivers whose own code clears it when a list
 * is copied hide that.) */
bool vz_discovery_searches(void);
/* HDF5 was told that this name is a store; where it searched an open follows at once. Makes no HDF5 call. */
void vz_discovery_answered(const char *name, bool searched);
/* A file callback begins: is it the open that follows such an answer, for that name? Forgets the answer. */
bool vz_discovery_follows(const char *name);
/* The open callback is about to return `object`: sees to its registration, and that the list goes which the search made
 * and HDF5 never gives back (drivers' own code runs when it goes: too late at exit). VZ_UNSUPPORTED, with what to do
 * instead, where the host cannot be mended. */
bool vz_discovery_opened(void *object, hid_t fapl, vz_error *err);
/* It is about to fail: the list goes, and HDF5's records stay. */
void vz_discovery_failed(hid_t fapl);

#endif
