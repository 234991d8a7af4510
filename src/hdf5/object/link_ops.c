/* link_ops.c - links: names of objects, made, moved, removed. */
#include "hierarchy/edit/edit.h"
#include "hdf5/object/object_internal.h"
#include "hdf5/handles/locate.h"
#include "hdf5/handles/handle.h"
#include <stdlib.h>

/* H5L_SAME_LOC: where one of the two objects is missing, the other one counts. */
static const vz_handle *either(vz_object *object, vz_object *other)
{
    return vz_handle_of(object ? object : other);
}

static bool same_store(const vz_handle *a, const vz_handle *b, vz_error *err)
{
    return a->file->hierarchy == b->file->hierarchy ||
           vz_fail(err, VZ_INVALID, "source and destination should be in the same store");
}

static bool place_for_new(vz_place *place, const vz_handle *to, const vz_loc *loc, hid_t lcpl, vz_error *err)
{
    *place = (vz_place){0};
    return vz_handle_check_loc(loc, err) &&
           vz_place_for_new(place, to, loc->loc_data.loc_by_name.name, lcpl, loc->loc_data.loc_by_name.lapl_id, err);
}

/* One more name for an object. `nameless`, if not NULL, is how the object was opened: by this
 * name from now on. */
static bool name_node(const vz_handle *to, const vz_loc *to_loc, vz_node *node, vz_opened *nameless, hid_t lcpl,
                      vz_locate_exit *out, vz_error *err)
{
    vz_place place;
    if (!place_for_new(&place, to, to_loc, lcpl, err)) {
        *out = place.out;
        return false;
    }
    const bool ok = vz_place_link(&place, node, err);
    if (ok && nameless) {
        vz_opened_clear(nameless);
        *nameless = place.opened;
        place.opened = (vz_opened){0};
    }
    vz_place_clear(&place);
    return ok;
}

static bool create_hard(const H5VL_link_create_args_t *args, vz_object *obj, const vz_loc *loc, hid_t lcpl,
                        vz_locate_exit *out, vz_error *err)
{
    const vz_handle *from = either(args->args.hard.curr_obj, obj);
    const vz_handle *to = either(obj, args->args.hard.curr_obj);
    if (!same_store(from, to, err) || !vz_handle_check_loc(loc, err))
        return false;
    vz_node *node = vz_locate(from, &args->args.hard.curr_loc_params, err);
    if (!node)
        return false;
    /* H5Olink of what was opened without a path. */
    vz_object *opened = args->args.hard.curr_obj;
    const bool gives_name = opened && args->args.hard.curr_loc_params.type == H5VL_OBJECT_BY_SELF && !from->opened.user;
    const bool ok = name_node(to, loc, node, gives_name ? &vz_handle_of(opened)->opened : NULL, lcpl, out, err);
    vz_node_unref(node);
    return ok;
}

/* As native keeps it: one slash where there are several, none at the end. */
static char *normalised(const char *path, vz_error *err)
{
    char *text = strdup(path), *out = text;
    if (!text) {
        vz_fail_memory(err);
        return NULL;
    }
    for (const char *c = text; *c; c++)
        if (*c != '/' || out == text || out[-1] != '/')
            *out++ = *c;
    if (out > text + 1 && out[-1] == '/')
        out--;
    *out = '\0';
    return text;
}

typedef struct link_value {
    vz_link_kind kind;
    int class; /* of VZ_LINK_USER */
    vz_bytes bytes;
} link_value;

/* A new link that is no object's name. */
static bool name_value(const vz_handle *to, const vz_loc *loc, hid_t lcpl, const link_value *value, vz_locate_exit *out,
                       vz_error *err)
{
    vz_place place;
    bool utf8 = false;
    if (!place_for_new(&place, to, loc, lcpl, err)) {
        *out = place.out;
        return false;
    }
    const bool ok = vz_place_is_utf8(lcpl, place.name, &utf8, err) &&
                    vz_edit_link_value(place.group, place.name, utf8, value->kind, value->class, value->bytes, err);
    vz_place_clear(&place);
    return ok;
}

static bool create_soft(const char *path, const vz_handle *to, const vz_loc *loc, hid_t lcpl, vz_locate_exit *out,
                        vz_error *err)
{
    char *target = normalised(path, err);
    const link_value value = {.kind = VZ_LINK_SOFT, .bytes = {(const uint8_t *)target, target ? strlen(target) : 0}};
    const bool ok = target && name_value(to, loc, lcpl, &value, out, err);
    free(target);
    return ok;
}

static bool create_user(const H5VL_link_create_args_t *args, const vz_handle *to, const vz_loc *loc, hid_t lcpl,
                        vz_locate_exit *out, vz_error *err)
{
    const int class = (int)args->args.ud.type;
    const link_value value = {
        .kind = VZ_LINK_USER, .class = class, .bytes = {args->args.ud.buf, args->args.ud.buf_size}};
    if (class < H5L_TYPE_UD_MIN || class > H5L_TYPE_MAX)
        return vz_fail(err, VZ_INVALID, "link class %d", class);
    if (H5Lis_registered(args->args.ud.type) <= 0)
        return vz_fail(err, VZ_INVALID, "link class %d has not been registered with the library", class);
    return name_value(to, loc, lcpl, &value, out, err);
}

/* Every failure names the store. */
static herr_t done(bool ok, const vz_handle *handle, vz_error *err)
{
    if (!ok)
        vz_error_where(err, handle->file->name, NULL);
    return vz_handle_status(ok);
}

static bool create(const H5VL_link_create_args_t *args, vz_object *obj, const vz_loc *loc, hid_t lcpl,
                   vz_locate_exit *out, vz_error *err)
{
    switch (args->op_type) {
    case H5VL_LINK_CREATE_HARD:
        return create_hard(args, obj, loc, lcpl, out, err);
    case H5VL_LINK_CREATE_SOFT:
        return create_soft(args->args.soft.target, vz_handle_of(obj), loc, lcpl, out, err);
    case H5VL_LINK_CREATE_UD:
        return create_user(args, vz_handle_of(obj), loc, lcpl, out, err);
    }
    return vz_fail(err, VZ_UNSUPPORTED, "links of kind %d", (int)args->op_type);
}

/* The place of the link is in another file: a hard link is only made there if the path has come
 * back to a store. */
static herr_t create_there(vz_locate_external *there, const H5VL_link_create_args_t *args, vz_object *obj, hid_t lcpl,
                           hid_t dxpl, vz_error *err)
{
    H5VL_link_create_args_t own = *args;
    const bool is_hard = args->op_type == H5VL_LINK_CREATE_HARD;
    if (is_hard && !own.args.hard.curr_obj) /* H5L_SAME_LOC */
        own.args.hard.curr_obj = obj;
    if (!is_hard || vz_handle_is_zarr(there->root))
        return VZ_THERE(there, link_create, &own, there->root, &there->loc, lcpl, there->list, dxpl, err);
    vz_locate_external_close(there);
    return vz_handle_status(vz_fail(err, VZ_INVALID, "a hard link cannot lead to another file"));
}

herr_t vz_obj_link_create(H5VL_link_create_args_t *args, vz_object *obj, const vz_loc *loc, hid_t lcpl, hid_t lapl,
                          hid_t dxpl, vz_error *err)
{
    (void)lapl; /* the location has it */
    vz_locate_exit out = {0};
    vz_locate_external there;
    const bool may_be_same = args->op_type == H5VL_LINK_CREATE_HARD; /* then `obj` may be NULL */
    const vz_handle *to = either(obj, may_be_same ? args->args.hard.curr_obj : NULL);
    if (create(args, obj, loc, lcpl, &out, err))
        return 0;
    return vz_locate_external_by_loc(&there, to, &out, loc, err) ? create_there(&there, args, obj, lcpl, dxpl, err)
                                                                 : done(false, to, err);
}

/* Both ends are in this store: where a path leads over an external link was found out before
 * (link_across_files.c). */
static bool stays(vz_locate_exit *out, vz_error *err)
{
    if (!out->group)
        return false;
    vz_locate_exit_clear(out);
    return vz_fail(err, VZ_INVALID, "source and destination should be in the same store");
}

static bool copy_link(const vz_place *place, const vz_handle *to, const vz_loc *to_loc, hid_t lcpl, vz_error *err)
{
    vz_locate_exit out = {0};
    vz_link *link = vz_group_find(place->group, place->name, err);
    if (!link)
        return false;
    const link_value soft = {.kind = VZ_LINK_SOFT,
                             .bytes = {(const uint8_t *)link->target, link->target ? strlen(link->target) : 0}};
    const link_value user = {.kind = VZ_LINK_USER, .class = link->class, .bytes = {link->value, link->value_size}};
    if (link->kind == VZ_LINK_SOFT || link->kind == VZ_LINK_USER)
        return name_value(to, to_loc, lcpl, link->kind == VZ_LINK_SOFT ? &soft : &user, &out, err) || stays(&out, err);
    vz_node *node = vz_link_node(place->group, link, err);
    if (!node)
        return false;
    vz_node_ref(node);
    const bool ok = name_node(to, to_loc, node, NULL, lcpl, &out, err) || stays(&out, err);
    vz_node_unref(node);
    return ok;
}

static bool place_of_source(vz_place *place, const vz_handle *from, const vz_loc *loc, vz_error *err)
{
    return vz_place_of_link(place, from, loc, err) || stays(&place->out, err);
}

herr_t vz_obj_link_copy(const vz_h5_link_ends *ends, vz_error *err)
{
    const vz_handle *from = either(ends->src, ends->dst), *to = either(ends->dst, ends->src);
    vz_place place;
    if (!same_store(from, to, err) || !place_of_source(&place, from, ends->src_loc, err))
        return done(false, from, err);
    const bool ok = copy_link(&place, to, ends->dst_loc, ends->lcpl, err);
    vz_place_clear(&place);
    return done(ok, from, err);
}

herr_t vz_obj_link_move(const vz_h5_link_ends *ends, vz_error *err)
{
    const vz_handle *from = either(ends->src, ends->dst), *to = either(ends->dst, ends->src);
    vz_place old, target;
    if (!same_store(from, to, err) || !place_of_source(&old, from, ends->src_loc, err))
        return done(false, from, err);
    H5T_cset_t cset = H5T_CSET_ASCII;
    bool ok = vz_group_find(old.group, old.name, err) &&
              (place_for_new(&target, to, ends->dst_loc, ends->lcpl, err) || stays(&target.out, err));
    if (ok) {
        ok = (H5Pget_char_encoding(ends->lcpl, &cset) >= 0 || vz_fail_hdf5(err)) &&
             vz_edit_rename(old.group, old.name, target.group, target.name, cset == H5T_CSET_UTF8, err);
        if (ok)
            vz_opened_moved(from->file, old.opened.full, target.opened.full);
        vz_place_clear(&target);
    }
    vz_place_clear(&old);
    return done(ok, from, err);
}

/* A path is cut and terminated, bytes are only cut. */
static bool get_value(const vz_link *link, void *buffer, size_t size, vz_error *err)
{
    if (link->kind == VZ_LINK_SOFT)
        vz_handle_copy_text(link->target, buffer, size, NULL);
    else if (link->kind != VZ_LINK_USER)
        return vz_fail(err, VZ_INVALID, "\"%s\": link type doesn't have a value", link->name);
    else if (buffer && link->value_size > 0)
        memcpy(buffer, link->value, size < link->value_size ? size : link->value_size);
    return true;
}

static bool get(const vz_place *place, H5VL_link_get_args_t *args, vz_error *err)
{
    vz_link *link = vz_group_find(place->group, place->name, err);
    if (!link)
        return false;
    switch (args->op_type) {
    case H5VL_LINK_GET_INFO:
        return vz_handle_link_info(place->group, link, args->args.get_info.linfo, err);
    case H5VL_LINK_GET_NAME:
        vz_handle_copy_text(link->name, args->args.get_name.name, args->args.get_name.name_size,
                            args->args.get_name.name_len);
        return true;
    case H5VL_LINK_GET_VAL:
        return get_value(link, args->args.get_val.buf, args->args.get_val.buf_size, err);
    }
    return vz_fail(err, VZ_UNSUPPORTED, "link information %d", (int)args->op_type);
}

herr_t vz_obj_link_get(vz_object *obj, const vz_loc *loc, H5VL_link_get_args_t *args, hid_t dxpl, vz_error *err)
{
    const vz_handle *from = vz_handle_of(obj);
    vz_place place;
    vz_locate_external there;
    if (!vz_place_of_link(&place, from, loc, err))
        return vz_locate_external_by_loc(&there, from, &place.out, loc, err)
                   ? VZ_THERE(&there, link_get, there.root, &there.loc, args, dxpl, err)
                   : done(false, from, err);
    const bool ok = get(&place, args, err);
    vz_place_clear(&place);
    return done(ok, from, err);
}

static bool delete_link(const vz_handle *from, const vz_loc *loc, vz_locate_exit *out, vz_error *err)
{
    vz_place place;
    if (!vz_handle_check_write(from, err))
        return false;
    if (!vz_place_of_link(&place, from, loc, err)) {
        *out = place.out;
        return false;
    }
    const bool ok = vz_edit_unlink(place.group, place.name, err);
    if (ok)
        vz_opened_deleted(from->file, place.opened.full);
    vz_place_clear(&place);
    return ok;
}

/* "/" exists, "." is no link; a missing group on the way is an error, as in native. */
static bool exists(const vz_handle *from, const vz_loc *loc, hbool_t *answer, vz_locate_exit *out, vz_error *err)
{
    vz_place place;
    const char *path = loc->loc_data.loc_by_name.name;
    if (vz_locate_is_trivial(path)) {
        *answer = strcmp(path, "/") == 0;
        return true;
    }
    if (!vz_place_of_link(&place, from, loc, err)) {
        *out = place.out;
        return false;
    }
    vz_error absent = VZ_ERROR_NONE;
    *answer = vz_group_find(place.group, place.name, &absent) != NULL;
    const bool ok = *answer || absent.class == VZ_NOT_FOUND;
    if (!ok)
        vz_fail(err, absent.class, "%s", absent.text);
    vz_place_clear(&place);
    return ok;
}

static herr_t iterate(const vz_handle *from, const vz_loc *loc, const H5VL_link_iterate_args_t *args,
                      vz_locate_exit *out, vz_error *err)
{
    vz_locate_result reached = {.wants_path = true};
    vz_node *group = vz_locate_group(from, loc, &reached, err);
    *out = reached.out;
    if (!group)
        return -1;
    const herr_t status = vz_iterate_links(from->file, group, &reached.opened, args, err);
    vz_opened_clear(&reached.opened);
    vz_node_unref(group);
    return status;
}

static herr_t specific(const vz_handle *from, const vz_loc *loc, H5VL_link_specific_args_t *args, vz_locate_exit *out,
                       vz_error *err)
{
    switch (args->op_type) {
    case H5VL_LINK_DELETE:
        return done(delete_link(from, loc, out, err), from, err);
    case H5VL_LINK_EXISTS:
        return done(exists(from, loc, args->args.exists.exists, out, err), from, err);
    case H5VL_LINK_ITER:
        return iterate(from, loc, &args->args.iterate, out, err);
    }
    return vz_handle_status(vz_fail(err, VZ_UNSUPPORTED, "link operation %d", (int)args->op_type));
}

herr_t vz_obj_link_specific(vz_object *obj, const vz_loc *loc, H5VL_link_specific_args_t *args, hid_t dxpl,
                            vz_error *err)
{
    const vz_handle *from = vz_handle_of(obj);
    vz_locate_exit out = {0};
    vz_locate_external there;
    const herr_t status = specific(from, loc, args, &out, err);
    return vz_locate_external_by_loc(&there, from, &out, loc, err)
               ? VZ_THERE(&there, link_specific, there.root, &there.loc, args, dxpl, err)
               : status;
}

herr_t vz_obj_link_optional(vz_object *obj, const vz_loc *loc, H5VL_optional_args_t *args, hid_t dxpl, vz_error *err)
{
    (void)obj, (void)loc, (void)dxpl;
    return vz_handle_status(vz_fail(err, VZ_UNSUPPORTED, "native link operation %d", args->op_type));
}
