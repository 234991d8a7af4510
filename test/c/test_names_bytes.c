/* test_names_bytes.c - names, paths and comments that are not UTF-8: HDF5 takes any bytes, JSON does not. Each scenario
 * closes the file and looks again. */
#include "both.h"

#define BAD   "b\xff" /* no UTF-8 */
#define LATIN "na\xefve"

static void make(hid_t at, const char *name)
{
    const hid_t id = H5Gcreate2(at, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(id >= 0);
    H5Gclose(id);
}

/* Bytes that are not ASCII in hexadecimal, so that a transcript can be read. */
static void say_bytes(trial *t, const char *text)
{
    for (; *text; text++)
        say(t, (unsigned char)*text < 128 ? "%c" : "<%02x>", (unsigned char)*text);
}

static herr_t tell(hid_t at, const char *name, const H5O_info2_t *info, void *data)
{
    char comment[64] = "";
    const hid_t id = H5Oopen(at, name, H5P_DEFAULT);
    H5Oget_comment(id, comment, sizeof comment);
    H5Oclose(id);
    say(data, "  ");
    say_bytes(data, name);
    say(data, " type %d rc %u \"", (int)info->type, info->rc);
    say_bytes(data, comment);
    say(data, "\"\n");
    return 0;
}

static void look(trial *t)
{
    say(t, "closed: %s\n", went(H5Fclose(t->file)));
    t->file = H5Fopen(t->path, H5F_ACC_RDWR, t->fapl);
    say(t, "objects: %s\n", went(H5Ovisit3(t->file, H5_INDEX_NAME, H5_ITER_INC, tell, t, H5O_INFO_BASIC)));
}

static void hard(trial *t, const char *object, const char *name)
{
    say(t, "hard %s\n", went(H5Lcreate_hard(t->file, object, t->file, name, H5P_DEFAULT, H5P_DEFAULT)));
}

static void second_names(trial *t)
{
    make(t->file, BAD);
    make(t->file, "g");
    hard(t, "g", BAD "/other");
    hard(t, BAD, "g/" LATIN);
    say(t, "soft %s\n", went(H5Lcreate_soft("/" BAD "/other", t->file, "soft", H5P_DEFAULT, H5P_DEFAULT)));
    look(t);
    say(t, "first name goes: %s\n", went(H5Ldelete(t->file, "g", H5P_DEFAULT)));
    look(t);
    say(t, "moved: %s\n", went(H5Lmove(t->file, BAD, t->file, "c\xfe", H5P_DEFAULT, H5P_DEFAULT)));
    look(t);
}

static hid_t number(hid_t at, const char *name, hid_t type)
{
    const int value = 7;
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t id = H5Dcreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(id >= 0 && H5Dwrite(id, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value) >= 0);
    H5Sclose(space);
    return id;
}

static void say_target(trial *t)
{
    H5R_ref_t reference;
    int value = 0;
    const hid_t id = H5Dopen2(t->file, "references", H5P_DEFAULT);
    assert_true(H5Dread(id, H5T_STD_REF, H5S_ALL, H5S_ALL, H5P_DEFAULT, &reference) >= 0);
    const hid_t target = H5Ropen_object(&reference, H5P_DEFAULT, H5P_DEFAULT);
    say(t, "reference: %s", went(target));
    if (target >= 0) {
        H5Dread(target, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value);
        H5Dclose(target);
    }
    say(t, " %d\n", value);
    H5Rdestroy(&reference);
    H5Dclose(id);
}

static void references(trial *t)
{
    H5R_ref_t reference;
    const hid_t space = H5Screate(H5S_SCALAR);
    H5Dclose(number(t->file, BAD, H5T_NATIVE_INT));
    make(t->file, LATIN);
    const hid_t id = H5Dcreate2(t->file, "references", H5T_STD_REF, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    say(t, "make %s\n", went(H5Rcreate_object(t->file, BAD, H5P_DEFAULT, &reference)));
    say(t, "write %s\n", went(H5Dwrite(id, H5T_STD_REF, H5S_ALL, H5S_ALL, H5P_DEFAULT, &reference)));
    H5Rdestroy(&reference);
    H5Dclose(id);
    H5Sclose(space);
    look(t);
    say_target(t);
    say(t, "moved: %s\n", went(H5Lmove(t->file, BAD, t->file, LATIN "/\xe9", H5P_DEFAULT, H5P_DEFAULT)));
    look(t);
    say_target(t);
    say(t, "moved: %s\n", went(H5Lmove(t->file, LATIN, t->file, "plain", H5P_DEFAULT, H5P_DEFAULT)));
    look(t);
    say_target(t);
    say(t, "deleted: %s\n", went(H5Ldelete(t->file, "plain/\xe9", H5P_DEFAULT)));
    H5Dclose(number(t->file, BAD, H5T_NATIVE_INT));
    look(t);
}

static void say_type(trial *t, hid_t type)
{
    char name[64] = "";
    const ssize_t length = H5Tcommitted(type) > 0 ? H5Iget_name(type, name, sizeof name) : 0;
    say(t, "type: committed %d, name of %d bytes: ", (int)H5Tcommitted(type), (int)length);
    say_bytes(t, name);
    say(t, "\n");
    H5Tclose(type);
}

static void committed_types(trial *t)
{
    const hid_t type = H5Tcopy(H5T_NATIVE_INT), space = H5Screate(H5S_SCALAR);
    make(t->file, BAD);
    assert_true(H5Tcommit2(t->file, BAD "/t\xfe", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT) >= 0);
    hid_t id = number(t->file, LATIN, type);
    say(t, "attribute %s\n", went(H5Aclose(H5Acreate2(id, "\xe8", type, space, H5P_DEFAULT, H5P_DEFAULT))));
    H5Dclose(id);
    H5Sclose(space);
    H5Tclose(type);
    look(t);
    id = H5Dopen2(t->file, LATIN, H5P_DEFAULT);
    say_type(t, H5Dget_type(id));
    const hid_t attribute = H5Aopen(id, "\xe8", H5P_DEFAULT);
    say_type(t, H5Aget_type(attribute));
    H5Aclose(attribute);
    H5Dclose(id);
}

static void comment(trial *t, const char *text)
{
    say(t, "set %s\n", went(H5Oset_comment_by_name(t->file, "g", text, H5P_DEFAULT)));
    look(t);
}

static void comments(trial *t)
{
    char three[4] = "";
    make(t->file, "g");
    comment(t, LATIN);
    say(t, "length %d\n", (int)H5Oget_comment_by_name(t->file, "g", NULL, 0, H5P_DEFAULT));
    say(t, "length %d", (int)H5Oget_comment_by_name(t->file, "g", three, sizeof three, H5P_DEFAULT));
    say(t, ", first %c\n", three[0]);
    comment(t, "plain");
    comment(t, "\xff\xfe");
    comment(t, "");
    comment(t, LATIN);
    comment(t, NULL);
}

ON_EVERY_KIND(second_names)
ON_EVERY_KIND(references)
ON_EVERY_KIND(committed_types)
WITH_GATEWAY(comments)

int main(void)
{
    const struct CMUnitTest tests[] = {
        AS_NATIVE(second_names),
        AS_NATIVE(references),
        AS_NATIVE(committed_types),
        AS_NATIVE(comments),
    };
    return cmocka_run_group_tests(tests, quiet, NULL);
}
