/* object.c - from objects to ids and back. HDF5 has no public call that gives the object of a
 * connector behind an id. But whenever it looks at an id it asks get_object. So the last object
 * asked about is the one behind the id just looked at. */
#include "hdf5/h5/h5.h"
#include "hdf5/h5/object.h"

static _Thread_local bool registering;
static _Thread_local const vz_object *last_seen;
static _Thread_local bool looking;

hid_t vz_object_register(vz_object *object, vz_error *err)
{
    registering = true;
    const hid_t id = H5VLwrap_register(object, object->type);
    registering = false;
    if (id < 0)
        vz_fail(err, VZ_HDF5, "no identifier for the object");
    return id;
}

bool vz_object_registering(void)
{
    return registering;
}

void vz_object_seen(const vz_object *object)
{
    last_seen = object;
}

bool vz_object_is_looked_for(void)
{
    return looking;
}

static vz_object *take_seen(void)
{
    const vz_object *object = last_seen;
    last_seen = NULL;
    return (vz_object *)object;
}

static bool can_have_object(hid_t id)
{
    switch (H5Iget_type(id)) {
    case H5I_FILE:
    case H5I_GROUP:
    case H5I_DATASET:
    case H5I_ATTR:
        return true;
    case H5I_DATATYPE:
        return H5Tcommitted(id) > 0;
    default:
        return false;
    }
}

vz_object *vz_object_of_id(hid_t id)
{
    if (!can_have_object(id))
        return NULL;
    last_seen = NULL;
    looking = true;
    H5VLobject(id);
    looking = false;
    return take_seen();
}

typedef struct id_walk {
    vz_id_visit visit;
    void *context;
} id_walk;

/* HDF5 asked get_object for this id just before; for ids of other connectors it asked somebody
 * else. */
static herr_t visit_id(hid_t id, void *context)
{
    const id_walk *walk = context;
    vz_object *object = take_seen();
    looking = false;
    const bool more = !object || walk->visit(walk->context, id, object);
    looking = true;
    last_seen = NULL;
    return more ? H5_ITER_CONT : H5_ITER_STOP;
}

void vz_object_each_id(H5I_type_t type, vz_id_visit visit, void *context)
{
    id_walk walk = {visit, context};
    last_seen = NULL;
    looking = true;
    H5Iiterate(type, visit_id, &walk);
    looking = false;
}
