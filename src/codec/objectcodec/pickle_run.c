/* pickle_run.c - the loop that runs a program on the stack machine. */
#include "codec/objectcodec/objects_internal.h"

#define FIRST_PROTOCOL 2
#define LAST_PROTOCOL  5

static bool check_protocol(vz_unpickler *u)
{
    const uint8_t *start = vz_unpickler_read(u, 2);
    if (!start)
        return false;
    if (start[0] != 0x80 || start[1] < FIRST_PROTOCOL || start[1] > LAST_PROTOCOL)
        return vz_fail(u->err, VZ_UNSUPPORTED, "pickle: not of protocol %d to %d", FIRST_PROTOCOL, LAST_PROTOCOL);
    return true;
}

static vz_pickled *stop(vz_unpickler *u)
{
    vz_pickled *value = vz_unpickler_pop(u);
    if (value && (u->stack.count > 0 || u->mark_count > 0)) {
        vz_fail(u->err, VZ_CORRUPT, "pickle: more than one value");
        return NULL;
    }
    if (value && u->at != u->in.size) {
        vz_fail(u->err, VZ_CORRUPT, "pickle: %zu bytes after the value", u->in.size - u->at);
        return NULL;
    }
    return value;
}

vz_pickled *vz_unpickle(vz_unpickler *u, vz_bytes in, vz_error *err)
{
    *u = (vz_unpickler){.in = in, .err = err};
    u->stack.items = vz_unpickler_grown(u, NULL, sizeof *u->stack.items, &u->stack.capacity);
    if (!u->stack.items || !check_protocol(u))
        return NULL;
    for (;;) {
        const uint8_t *opcode = vz_unpickler_read(u, 1);
        if (!opcode)
            return NULL;
        if (*opcode == '.')
            return stop(u);
        if (!vz_pickle_operations[*opcode]) {
            vz_fail(err, VZ_UNSUPPORTED, "pickle: opcode 0x%02x at byte %zu is none that data need", *opcode,
                    u->at - 1);
            return NULL;
        }
        if (!vz_pickle_operations[*opcode](u))
            return NULL;
    }
}
