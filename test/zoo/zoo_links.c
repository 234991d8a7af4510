/* zoo_links.c - links of every kind, creation orders, names, comments. */
#include "zoo.h"

static void links(hid_t file)
{
    const hid_t where = zoo_group(file, "links"), inner = zoo_group(where, "inner");
    zoo_dataset(inner, "data", H5T_STD_I32LE, 4, H5P_DEFAULT);
    must(H5Lcreate_soft("/links/inner/data", where, "absolute", H5P_DEFAULT, H5P_DEFAULT));
    must(H5Lcreate_soft("inner/data", where, "relative", H5P_DEFAULT, H5P_DEFAULT));
    must(H5Lcreate_soft("absolute", where, "to a link", H5P_DEFAULT, H5P_DEFAULT));
    must(H5Lcreate_soft("inner", where, "to a group", H5P_DEFAULT, H5P_DEFAULT));
    must(H5Lcreate_soft("nowhere", where, "dangling", H5P_DEFAULT, H5P_DEFAULT));
    must(H5Lcreate_soft("itself", where, "itself", H5P_DEFAULT, H5P_DEFAULT));
    must(H5Lcreate_hard(inner, "data", where, "second", H5P_DEFAULT, H5P_DEFAULT));
    must(H5Lcreate_hard(where, "inner", where, "second group", H5P_DEFAULT, H5P_DEFAULT));
    must(H5Lcreate_hard(file, "/links", inner, "up", H5P_DEFAULT, H5P_DEFAULT)); /* a cycle */
    must(H5Lcreate_hard(file, "/", inner, "root", H5P_DEFAULT, H5P_DEFAULT));
    must(H5Lcreate_external("other.h5", "/a/b", where, "external", H5P_DEFAULT, H5P_DEFAULT));
    H5Gclose(inner);
    H5Gclose(where);
}

static void orders(hid_t file)
{
    const unsigned tracked = H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED;
    const hid_t gcpl = must(H5Pcreate(H5P_GROUP_CREATE));
    must(H5Pset_link_creation_order(gcpl, tracked));
    must(H5Pset_attr_creation_order(gcpl, tracked));
    const hid_t where = must(H5Gcreate2(file, "in order", H5P_DEFAULT, gcpl, H5P_DEFAULT));
    static const char *const names[] = {"z", "b", "y", "a"};
    for (int i = 0; i < 4; i++) {
        H5Gclose(zoo_group(where, names[i]));
        zoo_attribute(where, names[i], H5T_STD_I32LE, 0);
    }
    must(H5Lcreate_soft("z", where, "m", H5P_DEFAULT, H5P_DEFAULT));
    must(H5Ldelete(where, "b", H5P_DEFAULT));
    H5Gclose(where);
    H5Pclose(gcpl);
}

static void names(hid_t file)
{
    static const char *const odd[] = {" ",       "50%",     "a\\b",  ".zarray",     "zarr.json", "gr\xc3\xbcn",
                                      "..dots.", "bad\xff", "%2F",   "a\nnewline",  "0",         "0.0",
                                      ".hidden", "c:*?\"",  "\x01x", "UPPER Upper", "_HDF5"};
    const hid_t where = zoo_group(file, "names"), utf8 = must(H5Pcreate(H5P_LINK_CREATE));
    must(H5Pset_char_encoding(utf8, H5T_CSET_UTF8));
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        H5Gclose(zoo_group(where, odd[i]));
    H5Gclose(must(H5Gcreate2(where, "\xce\xb1", utf8, H5P_DEFAULT, H5P_DEFAULT)));
    char name[400];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = 0;
    H5Gclose(zoo_group(where, name));
    H5Pclose(utf8);
    H5Gclose(where);
}

static void comments(hid_t file)
{
    const hid_t where = zoo_group(file, "comments");
    must(H5Oset_comment(where, "of a group"));
    zoo_dataset(where, "data", H5T_STD_I32LE, 2, H5P_DEFAULT);
    must(H5Oset_comment_by_name(where, "data", "of a dataset\nin two lines", H5P_DEFAULT));
    const hid_t type = must(H5Tcopy(H5T_STD_I32LE));
    must(H5Tcommit2(where, "type", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    must(H5Oset_comment(type, "of a type"));
    H5Tclose(type);
    H5Gclose(where);
}

void zoo_part_links(hid_t file)
{
    links(file);
    orders(file);
    names(file);
    comments(file);
}
