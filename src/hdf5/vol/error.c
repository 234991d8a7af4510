/* error.c - the one place where a failure becomes a record on HDF5's error stack. Every HDF5
 * call clears that stack, so this is the last act of a callback. Programs read the innermost
 * record: its "errno = N" tells h5py which exception to raise. */
#include "hdf5/vol/vol_internal.h"
#include <stdio.h>
#include <string.h>

enum { MESSAGE_SIZE = 1200, NOTE_SIZE = 400 };

static hid_t major_of(const vz_error *err)
{
    switch (err->class) {
    case VZ_NOT_FOUND:
    case VZ_EXISTS:
        return err->sys_errno ? H5E_FILE : H5E_SYM;
    case VZ_PERMISSION:
    case VZ_BUSY:
        return H5E_FILE;
    case VZ_READ_ONLY:
    case VZ_IO:
    case VZ_CORRUPT:
    case VZ_CHANGED:
    case VZ_TRANSIENT:
        return H5E_IO;
    case VZ_INVALID:
        return H5E_ARGS;
    case VZ_LIMIT:
    case VZ_NO_MEMORY:
        return H5E_RESOURCE;
    default:
        return H5E_VOL;
    }
}

static hid_t minor_of(const vz_error *err)
{
    switch (err->class) {
    case VZ_NOT_FOUND:
        return err->sys_errno ? H5E_CANTOPENFILE : H5E_NOTFOUND;
    case VZ_EXISTS:
        return err->sys_errno ? H5E_FILEEXISTS : H5E_EXISTS;
    case VZ_PERMISSION:
    case VZ_BUSY:
        return H5E_CANTOPENFILE;
    case VZ_READ_ONLY:
        return H5E_WRITEERROR;
    case VZ_IO:
    case VZ_CORRUPT:
    case VZ_CHANGED:
    case VZ_TRANSIENT:
        return H5E_READERROR;
    case VZ_UNSUPPORTED:
        return H5E_UNSUPPORTED;
    case VZ_INVALID:
        return H5E_BADVALUE;
    case VZ_LIMIT:
    case VZ_NO_MEMORY:
        return H5E_NOSPACE;
    default:
        return H5E_CANTOPERATE;
    }
}

/* Behind the message: what the reader of a traceback, who sees no error class, needs besides. */
static void write_note(const vz_error *err, const char *message, char note[NOTE_SIZE])
{
    note[0] = '\0';
    /* Many of these texts only name the feature. */
    if (err->class == VZ_UNSUPPORTED && !strstr(message, "supported"))
        snprintf(note, NOTE_SIZE, ": not supported");
    /* Of a file that is no store there is nothing to check. */
    if (err->class == VZ_CORRUPT && !strstr(message, "neither a Zarr store nor"))
        snprintf(note, NOTE_SIZE, "; h5zarr check %s tells what else is damaged", err->store[0] ? err->store : "STORE");
}

void vz_vol_push(hid_t stack, const vz_error *err, const char *callback)
{
    char message[MESSAGE_SIZE], note[NOTE_SIZE], line[MESSAGE_SIZE + NOTE_SIZE + 32];
    vz_error_message(err, message, sizeof message);
    write_note(err, message, note);
    if (err->sys_errno)
        snprintf(line, sizeof line, "%s%s, errno = %d", message, note, err->sys_errno);
    else
        snprintf(line, sizeof line, "%s%s", message, note);
    H5Epush2(stack, "vol-zarr", callback, 0, H5E_ERR_CLS, major_of(err), minor_of(err), "%s", line);
}

static unsigned depth; /* of callbacks: one in an operator of the program's, or in a call of ours */

bool vz_vol_is_inside(void)
{
    return depth > 0;
}

/* Made in the place where it is wanted, as vz_error_none is. */
static inline void fill_call(vz_vol_call *call, bool beside)
{
    depth++;
    call->errno_place = &errno;
    call->errno_before = *call->errno_place;
    call->beside = beside;
    vz_error_clear(&call->err);
}

/* Requests are rare, and callbacks are short: what requests need stands apart. */
static __attribute__((noinline, cold)) vz_vol_call begin_among_requests(bool may_be)
{
    if (may_be) {
        vz_async_make_fetched();
        vz_async_enter();
    } else {
        vz_async_finish();
    }
    vz_vol_call call;
    fill_call(&call, may_be);
    return call;
}

vz_vol_call vz_vol_begin(void)
{
    if (vz_async_unsettled)
        return begin_among_requests(false);
    vz_vol_call call;
    fill_call(&call, false);
    return call;
}

vz_vol_call vz_vol_begin_beside(bool may_be)
{
    if (vz_async_unsettled)
        return begin_among_requests(may_be);
    vz_vol_call call;
    fill_call(&call, false);
    return call;
}

static __attribute__((noinline, cold)) herr_t end_failed(herr_t status, const vz_vol_call *call, const char *callback)
{
    if (call->err.class != VZ_HDF5 && call->err.class != VZ_OK)
        vz_vol_push(H5E_DEFAULT, &call->err, callback);
    return status;
}

static __attribute__((noinline, cold)) herr_t end_beside(herr_t status, const vz_vol_call *call, const char *callback)
{
    vz_async_leave();
    if (status < 0)
        return end_failed(status, call, callback);
    *call->errno_place = call->errno_before;
    return status;
}

herr_t vz_vol_status(herr_t status, const vz_vol_call *call, const char *callback)
{
    depth--;
    if (call->beside)
        return end_beside(status, call, callback);
    if (status < 0)
        return end_failed(status, call, callback);
    *call->errno_place = call->errno_before;
    return status;
}

void *vz_vol_object(vz_object *object, const vz_vol_call *call, const char *callback)
{
    vz_vol_status(object ? 0 : -1, call, callback);
    return object;
}

bool vz_vol_same_kind(const void *a, const void *b, const char *call, vz_error *err)
{
    if (!a || !b || vz_vol_ops(a) == vz_vol_ops(b))
        return true;
    return vz_fail(err, VZ_UNSUPPORTED, "%s between a Zarr store and an HDF5 file", call);
}
