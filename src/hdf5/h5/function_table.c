/* function_table.c - the one table of the host's functions and data symbols, and how it is
 * filled by name. */
#define VZ_H5_NO_NAMES
#include "hdf5/h5/h5.h"
#include <stddef.h>
#include <string.h>

vz_h5_table vz_h5;

typedef enum symbol_kind { REQUIRED, OPTIONAL, DATA } symbol_kind;

/* All members are pointers, so that an offset is enough to fill one. */
static const struct {
    const char *name;
    size_t offset;
    symbol_kind kind;
} symbols[] = {
#define VZ_H5_FUNCTION(name) {#name, offsetof(vz_h5_table, name), REQUIRED},
#define VZ_H5_OPTIONAL(name) {#name, offsetof(vz_h5_table, name), OPTIONAL},
#define VZ_H5_DATA(name)     {#name, offsetof(vz_h5_table, name), DATA},
#include "hdf5/h5/functions.def"
#include "hdf5/h5/data.def"
};

/* The value of a predefined type or class that the host does not have. */
static hid_t absent = H5I_INVALID_HID;

const char *vz_h5_bind(vz_h5_find find, void *context)
{
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        void *address = find(context, symbols[i].name, symbols[i].kind == DATA);
        if (!address && symbols[i].kind == REQUIRED) {
            memset(&vz_h5, 0, sizeof vz_h5);
            return symbols[i].name;
        }
        if (!address && symbols[i].kind == DATA)
            address = &absent;
        memcpy((char *)&vz_h5 + symbols[i].offset, &address, sizeof address);
    }
    return NULL;
}
