/* test_reference_lists.c - attributes that are long lists of references, as H5DSattach_scale rewrites them for each
 * member: what is read of them at any moment, and what is stored. */
#include "both.h"

enum { MEMBERS = 40 };

typedef struct member {
    hobj_ref_t object;
    unsigned number;
} member;

static hid_t member_type(void)
{
    const hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(member));
    H5Tinsert(type, "object", HOFFSET(member, object), H5T_STD_REF_OBJ);
    H5Tinsert(type, "number", HOFFSET(member, number), H5T_NATIVE_UINT);
    return type;
}

static const char *name_of(int i)
{
    static char name[16];
    snprintf(name, sizeof name, "d%02d", i);
    return name;
}

static void make_object(hid_t file, const char *name)
{
    const hid_t space = H5Screate(H5S_SCALAR);
    H5Dclose(H5Dcreate2(file, name, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Sclose(space);
}

/* Deletes the attribute, and makes it anew of so many members. */
static void write_list(trial *t, hid_t object, hid_t type, const member *list, hsize_t count)
{
    if (H5Aexists(object, "list") > 0)
        say(t, "%s", H5Adelete(object, "list") < 0 ? "(not deleted)" : "");
    const hid_t space = H5Screate_simple(1, &count, NULL);
    const hid_t attribute = H5Acreate2(object, "list", type, space, H5P_DEFAULT, H5P_DEFAULT);
    if (attribute < 0 || H5Awrite(attribute, type, list) < 0)
        say(t, "(not written)");
    H5Aclose(attribute);
    H5Sclose(space);
}

/* A list of all objects, one more each time. */
static void grow_list(trial *t, member list[MEMBERS])
{
    const hid_t type = member_type(), root = H5Gopen2(t->file, "/", H5P_DEFAULT);
    for (int i = 0; i < MEMBERS; i++) {
        if (i > 0) {
            const hid_t old = H5Aopen(root, "list", H5P_DEFAULT), old_type = H5Aget_type(old);
            const hid_t native = H5Tget_native_type(old_type, H5T_DIR_ASCEND);
            memset(list, 0xff, MEMBERS * sizeof *list);
            if (H5Aread(old, native, list) < 0)
                say(t, "(not read)");
            H5Tclose(native);
            H5Tclose(old_type);
            H5Aclose(old);
        }
        make_object(t->file, name_of(i));
        H5Rcreate(&list[i].object, t->file, name_of(i), H5R_OBJECT, H5I_INVALID_HID);
        list[i].number = (unsigned)i;
        write_list(t, root, type, list, (hsize_t)i + 1);
    }
    H5Gclose(root);
    H5Tclose(type);
}

static void say_member(trial *t, const member *m)
{
    char name[32] = "";
    const hid_t object = H5Rdereference2(t->file, H5P_DEFAULT, H5R_OBJECT, &m->object);
    if (object >= 0)
        H5Iget_name(object, name, sizeof name);
    say(t, " %u:%s", m->number, object < 0 ? "nowhere" : name);
    if (object >= 0)
        H5Oclose(object);
}

/* The members as they are now, each from a new look at the attribute `name` of what is at `path`. */
static void say_list(trial *t, const char *path, const char *name)
{
    member list[MEMBERS];
    const hid_t attribute = H5Aopen_by_name(t->file, path, name, H5P_DEFAULT, H5P_DEFAULT), type = member_type();
    const hid_t space = H5Aget_space(attribute);
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    memset(list, 0xff, sizeof list);
    say(t, "%s of %s: %d, %d bytes, %s", name, path, (int)count, (int)H5Aget_storage_size(attribute),
        went(H5Aread(attribute, type, list)));
    for (hssize_t i = 0; i < count && i < MEMBERS; i++)
        say_member(t, &list[i]);
    say(t, "\n");
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attribute);
}

static herr_t say_name(hid_t object, const char *name, const H5A_info_t *info, void *context)
{
    (void)object;
    say(context, " %s %d", name, (int)info->data_size);
    return 0;
}

static void grows(trial *t)
{
    member list[MEMBERS];
    hsize_t place = 0;
    grow_list(t, list);
    say_list(t, "/", "list");
    say(t, "exists %d, attributes", (int)H5Aexists(t->file, "list"));
    H5Aiterate2(t->file, H5_INDEX_NAME, H5_ITER_INC, &place, say_name, t);
    say(t, "\n");
    reopen(t, H5F_ACC_RDWR);
    say_list(t, "/", "list");
}

/* Members one by one, in another order, and as nothing that is a reference. */
static void by_other_types(trial *t)
{
    member list[MEMBERS];
    unsigned numbers[MEMBERS];
    struct {
        unsigned number;
        hobj_ref_t object;
    } turned[MEMBERS];
    grow_list(t, list);
    const hid_t one = H5Tcreate(H5T_COMPOUND, sizeof *numbers), other = H5Tcreate(H5T_COMPOUND, sizeof *turned);
    H5Tinsert(one, "number", 0, H5T_NATIVE_UINT);
    H5Tinsert(other, "number", 0, H5T_NATIVE_UINT);
    H5Tinsert(other, "object", (size_t)((char *)&turned[0].object - (char *)turned), H5T_STD_REF_OBJ);
    const hid_t attribute = H5Aopen(t->file, "list", H5P_DEFAULT);
    say(t, "%s", went(H5Aread(attribute, one, numbers)));
    for (int i = 0; i < MEMBERS; i++)
        say(t, " %u", numbers[i]);
    memset(turned, 0xff, sizeof turned);
    say(t, "\n%s", went(H5Aread(attribute, other, turned)));
    for (int i = 0; i < MEMBERS; i++)
        say_member(t, &(member){turned[i].object, turned[i].number});
    say(t, "\n");
    for (int i = 0; i < MEMBERS; i++)
        numbers[i] += 100;
    say(t, "%s\n", went(H5Awrite(attribute, one, numbers))); /* the references stay */
    H5Aclose(attribute);
    H5Tclose(other);
    H5Tclose(one);
    say_list(t, "/", "list");
}

static void under_other_names(trial *t)
{
    member list[MEMBERS];
    grow_list(t, list);
    say(t, "%s\n", went(H5Arename(t->file, "list", "renamed")));
    say_list(t, "/", "renamed");
    H5Gclose(H5Gcreate2(t->file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t type = member_type(), g = H5Gopen2(t->file, "g", H5P_DEFAULT);
    write_list(t, g, type, list, MEMBERS);
    say(t, "%s\n", went(H5Ocopy(t->file, "g", t->file, "copy", H5P_DEFAULT, H5P_DEFAULT)));
    write_list(t, g, type, list, MEMBERS);
    say(t, "%s\n", went(H5Lmove(t->file, "g", t->file, "moved", H5P_DEFAULT, H5P_DEFAULT)));
    say_list(t, "moved", "list");
    H5Gclose(g);
    H5Tclose(type);
    reopen(t, H5F_ACC_RDWR);
    say_list(t, "moved", "list");
    say_list(t, "/", "renamed");
}

/* What a list refers to gets another name, or goes, before the list is in the store. */
static void targets_change(trial *t)
{
    member list[MEMBERS];
    grow_list(t, list);
    say(t, "%s ", went(H5Lmove(t->file, "d03", t->file, "moved", H5P_DEFAULT, H5P_DEFAULT)));
    say(t, "%s ", went(H5Ldelete(t->file, "d05", H5P_DEFAULT)));
    const hid_t held = H5Dopen2(t->file, "d07", H5P_DEFAULT);
    say(t, "%s ", went(H5Ldelete(t->file, "d07", H5P_DEFAULT)));
    say(t, "%s\n", went(H5Lcreate_hard(held, ".", t->file, "again", H5P_DEFAULT, H5P_DEFAULT)));
    H5Dclose(held);
    say_list(t, "/", "list");
    reopen(t, H5F_ACC_RDWR);
    say_list(t, "/", "list");
}

static void flushed_between(trial *t)
{
    member list[MEMBERS];
    grow_list(t, list);
    say(t, "%s ", went(H5Fflush(t->file, H5F_SCOPE_GLOBAL)));
    say_list(t, "/", "list");
    const hid_t type = member_type();
    write_list(t, t->file, type, list, MEMBERS - 1);
    const hid_t attribute = H5Aopen(t->file, "list", H5P_DEFAULT);
    list[2].number = 77;
    list[3].object = list[0].object;
    memset(&list[4].object, 0, sizeof list[4].object);
    say(t, "%s\n", went(H5Awrite(attribute, type, list)));
    say_list(t, "/", "list");
    say(t, "%s %s\n", went(H5Awrite(attribute, type, list)), went(H5Fflush(t->file, H5F_SCOPE_LOCAL)));
    H5Aclose(attribute);
    H5Tclose(type);
    reopen(t, H5F_ACC_RDONLY);
    say_list(t, "/", "list");
}

WITH_GATEWAY(grows)
WITH_GATEWAY(by_other_types)
WITH_GATEWAY(under_other_names)
WITH_GATEWAY(targets_change)
WITH_GATEWAY(flushed_between)

int main(void)
{
    const struct CMUnitTest tests[] = {
        AS_NATIVE(grows),          AS_NATIVE(by_other_types),  AS_NATIVE(under_other_names),
        AS_NATIVE(targets_change), AS_NATIVE(flushed_between),
    };
    return cmocka_run_group_tests(tests, quiet, NULL);
}
