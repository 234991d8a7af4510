/* test_gateway_calls.c - the calls that HDF5 keeps for native objects, on files and objects of each kind: what they
 * answer, not how large the file's parts are. */
#include "both.h"

typedef struct things {
    hid_t file, group, dataset, type, attribute;
} things;

static things make(trial *t)
{
    const hsize_t dims = 10, chunk = 5;
    const int values[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    const hid_t space = H5Screate_simple(1, &dims, NULL), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(dcpl, 1, &chunk);
    things made = {.file = t->file,
                   .group = H5Gcreate2(t->file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                   .dataset = H5Dcreate2(t->file, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT),
                   .type = H5Tcopy(H5T_NATIVE_SHORT)};
    H5Dwrite(made.dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Tcommit2(t->file, "t", made.type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    made.attribute = H5Acreate2(made.group, "a", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/d", t->file, "s", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external("elsewhere", "/x", t->file, "x", H5P_DEFAULT, H5P_DEFAULT);
    H5Pclose(dcpl);
    H5Sclose(space);
    return made;
}

static void unmake(const things *made)
{
    H5Aclose(made->attribute);
    H5Tclose(made->type);
    H5Dclose(made->dataset);
    H5Gclose(made->group);
}

static void ask_file(trial *t, hid_t at)
{
    H5F_info2_t info;
    H5F_info1_t info1;
    char name[256];
    hsize_t size = 0;
    unsigned long number = 0;
    unsigned intent = 9;
    say(t, "info %s %s, flush %s %s", went(H5Fget_info2(at, &info)), went(H5Fget_info1(at, &info1)),
        went(H5Fflush(at, H5F_SCOPE_LOCAL)), went(H5Fflush(at, H5F_SCOPE_GLOBAL)));
    const ssize_t length = H5Fget_name(at, name, sizeof name);
    say(t, ", name %d", length == (ssize_t)strlen(t->path) && strcmp(name, t->path) == 0);
    const hid_t file = H5Iget_file_id(at);
    say(t, ", its file %d\n", file == t->file);
    H5Fclose(file);
    say(t, "  size %s, number %s", went(H5Fget_filesize(at, &size)), went(H5Fget_fileno(at, &number)));
    say(t, ", intent %s", went(H5Fget_intent(at, &intent)));
    say(t, " %u\n", intent);
}

static void files(trial *t)
{
    const things made = make(t);
    const hid_t ids[] = {made.file, made.group, made.dataset, made.type, made.attribute};
    for (int i = 0; i < 5; i++)
        ask_file(t, ids[i]);
    unmake(&made);
}

static void metadata_cache(trial *t)
{
    H5AC_cache_config_t config = {.version = H5AC__CURR_CACHE_CONFIG_VERSION};
    size_t sizes[3] = {0};
    int entries = 0;
    double rate = -1;
    hbool_t enabled = 1, logging = 1;
    haddr_t where = 0;
    hsize_t length = 9;
    say(t, "config %s", went(H5Fget_mdc_config(t->file, &config)));
    config.initial_size = 4 << 20;
    config.set_initial_size = 1;
    say(t, " set %s", went(H5Fset_mdc_config(t->file, &config)));
    config.initial_size = 0;
    say(t, " again %s", went(H5Fget_mdc_config(t->file, &config)));
    say(t, " %d\n", (int)(config.initial_size >> 20));
    config.version = 77;
    say(t, "of another version %s", went(H5Fget_mdc_config(t->file, &config)));
    say(t, " set %s\n", went(H5Fset_mdc_config(t->file, &config)));
    say(t, "rate %s reset %s\n", went(H5Fget_mdc_hit_rate(t->file, &rate)), went(H5Freset_mdc_hit_rate_stats(t->file)));
    say(t, "sizes %s\n", went(H5Fget_mdc_size(t->file, &sizes[0], &sizes[1], &sizes[2], &entries)));
    say(t, "logging %s", went(H5Fget_mdc_logging_status(t->file, &enabled, &logging)));
    say(t, " %d %d, start %s", enabled, logging, went(H5Fstart_mdc_logging(t->file)));
    say(t, " stop %s\n", went(H5Fstop_mdc_logging(t->file)));
    say(t, "image %s", went(H5Fget_mdc_image_info(t->file, &where, &length)));
    say(t, " %d %d\n", where == HADDR_UNDEF, (int)length);
}

static void settings(trial *t)
{
    unsigned hits[2], misses[2], evictions[2], bypasses[2], accesses[2];
    hbool_t minimal = 1;
    H5F_retry_info_t retries = {0};
    H5F_sect_info_t sections[4];
    say(t, "pages %s %s\n", went(H5Freset_page_buffering_stats(t->file)),
        went(H5Fget_page_buffering_stats(t->file, accesses, hits, misses, evictions, bypasses)));
    say(t, "bounds %s", went(H5Fset_libver_bounds(t->file, H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST)));
    say(t, " wrong %s\n", went(H5Fset_libver_bounds(t->file, H5F_LIBVER_LATEST, H5F_LIBVER_EARLIEST)));
    say(t, "converted %s\n", went(H5Fformat_convert(t->file)));
    say(t, "hints %s", went(H5Fget_dset_no_attrs_hint(t->file, &minimal)));
    say(t, " %d set %s", minimal, went(H5Fset_dset_no_attrs_hint(t->file, 1)));
    say(t, " %s", went(H5Fget_dset_no_attrs_hint(t->file, &minimal)));
    say(t, " %d\n", minimal);
    say(t, "linked files %s\n", went(H5Fclear_elink_file_cache(t->file)));
    say(t, "retries %s", went(H5Fget_metadata_read_retry_info(t->file, &retries)));
    say(t, " %u\n", retries.nbins);
    say(t, "free %s sections %s\n", went(H5Fget_freespace(t->file)),
        went(H5Fget_free_sections(t->file, H5FD_MEM_DEFAULT, 4, sections)));
}

static void metadata_flushes(trial *t)
{
    const things made = make(t);
    const hid_t ids[] = {made.file, made.group, made.dataset, made.type};
    for (int i = 0; i < 4; i++) {
        hbool_t disabled = 9;
        say(t, "%d: %s", i, went(H5Oare_mdc_flushes_disabled(ids[i], &disabled)));
        say(t, " %d, enable %s", disabled, went(H5Oenable_mdc_flushes(ids[i])));
        say(t, " disable %s", went(H5Odisable_mdc_flushes(ids[i])));
        say(t, " again %s", went(H5Odisable_mdc_flushes(ids[i])));
        say(t, " %s", went(H5Oare_mdc_flushes_disabled(ids[i], &disabled)));
        say(t, " %d, enable %s\n", disabled, went(H5Oenable_mdc_flushes(ids[i])));
    }
    unmake(&made);
}

static herr_t tell1(hid_t at, const char *name, const H5L_info1_t *info, void *data)
{
    (void)at;
    say(data, "  %s %d\n", name, info->type);
    return 0;
}

static herr_t tell_object(hid_t at, const char *name, const H5O_info1_t *info, void *data)
{
    (void)at;
    say(data, "  %s %d rc %u attributes %d\n", name, info->type, info->rc, (int)info->num_attrs);
    return 0;
}

static herr_t tell_name(hid_t at, const char *name, void *data)
{
    (void)at;
    say(data, "  %s\n", name);
    return strcmp(name, "g") == 0 ? 5 : 0;
}

static void links(trial *t)
{
    const things made = make(t);
    hsize_t at = 0, count = 0;
    int position = 1;
    char text[32] = "";
    H5L_info1_t info = {0};
    say(t, "iterate %d", H5Literate1(t->file, H5_INDEX_NAME, H5_ITER_DEC, &at, tell1, t));
    say(t, " to %d\n", (int)at);
    at = 1;
    say(t, "by name %d\n", H5Literate_by_name1(t->file, "/", H5_INDEX_NAME, H5_ITER_INC, &at, tell1, t, H5P_DEFAULT));
    say(t, "visit %d\n", H5Lvisit1(t->file, H5_INDEX_NAME, H5_ITER_INC, tell1, t));
    say(t, "visit by name %d\n", H5Lvisit_by_name1(t->file, "/", H5_INDEX_NAME, H5_ITER_DEC, tell1, t, H5P_DEFAULT));
    say(t, "soft %s", went(H5Lget_info1(t->file, "s", &info, H5P_DEFAULT)));
    say(t, " %d\n", (int)info.u.val_size);
    say(t, "index %s", went(H5Lget_info_by_idx1(t->file, "/", H5_INDEX_NAME, H5_ITER_INC, 4, &info, H5P_DEFAULT)));
    say(t, " %d %d\n", info.type, (int)info.u.val_size);
    say(t, "old %d", H5Giterate(t->file, "/", &position, tell_name, t));
    say(t, " at %d", position);
    say(t, " text %s", went(H5Gget_linkval(t->file, "s", sizeof text, text)));
    say(t, " %s objects %s", text, went(H5Gget_num_objs(t->file, &count)));
    say(t, " %d", (int)count);
    for (hsize_t i = 0; i <= count; i++) {
        const ssize_t length = H5Gget_objname_by_idx(t->file, i, text, sizeof text);
        say(t, " %s %d;", length > 0 ? text : "none", H5Gget_objtype_by_idx(t->file, i));
    }
    say(t, "\nlink %s move %s", went(H5Glink2(t->file, "d", H5L_TYPE_HARD, t->file, "d2")),
        went(H5Gmove2(t->file, "d2", made.group, "d3")));
    say(t, " unlink %s %s\n", went(H5Gunlink(t->file, "g/d3")), went(H5Gunlink(t->file, "none")));
    unmake(&made);
}

static void say_objinfo(trial *t, hid_t at, const char *name, hbool_t follow)
{
    H5G_stat_t s = {0};
    unsigned long number = 0;
    say(t, "stat %s %s", name, went(H5Gget_objinfo(at, name, follow, &s)));
    H5Fget_fileno(t->file, &number);
    say(t, " type %d links %u length %d, of the file %d\n", s.type, s.nlink, (int)s.linklen, s.fileno[0] == number);
}

static void objects(trial *t)
{
    const things made = make(t);
    const hid_t ids[] = {made.file, made.group, made.dataset, made.type};
    H5O_info1_t info = {0};
    H5O_native_info_t native;
    for (int i = 0; i < 4; i++) {
        say(t, "%d: info %s", i, went(H5Oget_info1(ids[i], &info)));
        say(t, " type %d rc %u", info.type, info.rc);
        say(t, " %s", went(H5Oget_info2(ids[i], &info, H5O_INFO_ALL)));
        say(t, " attributes %d", (int)info.num_attrs);
        say(t, " sizes %s", went(H5Oget_native_info(ids[i], &native, H5O_NATIVE_INFO_ALL)));
        const hid_t again = H5Oopen_by_addr(t->file, info.addr);
        say(t, " by address %s\n", went(again));
        H5Oclose(again);
        say_objinfo(t, ids[i], ".", 1);
    }
    say_objinfo(t, t->file, "s", 0);
    say_objinfo(t, t->file, "s", 1);
    say_objinfo(t, t->file, "x", 0);
    say_objinfo(t, t->file, "none", 0);
    say(t, "by name %s", went(H5Oget_info_by_name1(t->file, "s", &info, H5P_DEFAULT)));
    say(t, " %d", info.type);
    say(t, ", by index %s", went(H5Oget_info_by_idx1(t->file, "/", H5_INDEX_NAME, H5_ITER_INC, 1, &info, H5P_DEFAULT)));
    say(t, " %d, native %s %s\n", info.type,
        went(H5Oget_native_info_by_name(t->file, "d", &native, H5O_NATIVE_INFO_ALL, H5P_DEFAULT)),
        went(H5Oget_native_info_by_idx(t->file, "/", H5_INDEX_NAME, H5_ITER_INC, 0, &native, H5O_NATIVE_INFO_ALL,
                                       H5P_DEFAULT)));
    say(t, "visit %d\n", H5Ovisit1(t->file, H5_INDEX_NAME, H5_ITER_INC, tell_object, t));
    say(t, "visit %d\n", H5Ovisit2(t->file, H5_INDEX_NAME, H5_ITER_DEC, tell_object, t, H5O_INFO_ALL));
    say(t, "by name %d\n", H5Ovisit_by_name1(t->file, "g", H5_INDEX_NAME, H5_ITER_INC, tell_object, t, H5P_DEFAULT));
    unmake(&made);
}

static void old_calls(trial *t)
{
    const hsize_t dims = 4, most = H5S_UNLIMITED, chunk = 2, more = 6;
    const hid_t space = H5Screate_simple(1, &dims, &most), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(dcpl, 1, &chunk);
    const hid_t group = H5Gcreate1(t->file, "g", 64), type = H5Tcopy(H5T_NATIVE_INT);
    say(t, "commit %s", went(H5Tcommit1(group, "t", type)));
    const hid_t opened = H5Topen1(t->file, "g/t"), dataset = H5Dcreate1(group, "d", opened, space, dcpl);
    say(t, " open %s dataset %s", went(opened), went(dataset));
    say(t, " more %s", went(H5Dextend(dataset, &more)));
    H5Dclose(dataset);
    const hid_t again = H5Gopen1(t->file, "g"), d = H5Dopen1(again, "d");
    const hid_t attribute = H5Acreate1(d, "a", opened, space, H5P_DEFAULT);
    say(t, " attribute %s count %d", went(attribute), H5Aget_num_attrs(d));
    H5Aclose(attribute);
    const hid_t named = H5Aopen_name(d, "a"), first = H5Aopen_idx(d, 0), second = H5Aopen_idx(d, 1);
    say(t, " named %s first %s second %s\n", went(named), went(first), went(second));
    say(t, "convert %s, comment %s", went(H5Dformat_convert(d)), went(H5Gset_comment(t->file, "g/d", "said")));
    char text[8] = "";
    say(t, " %d", H5Gget_comment(t->file, "g/d", sizeof text, text));
    say(t, " %s\n", text);
    H5Aclose(named);
    H5Aclose(first);
    H5Dclose(d);
    H5Gclose(again);
    H5Gclose(group);
    H5Tclose(opened);
    H5Tclose(type);
    H5Pclose(dcpl);
    H5Sclose(space);
}

static int tell_chunk(const hsize_t *offset, unsigned mask, haddr_t where, hsize_t size, void *data)
{
    (void)where, (void)size;
    say(data, "  at %d mask %u\n", (int)offset[0], mask);
    return 0;
}

static void chunks(trial *t)
{
    const things made = make(t);
    const hid_t space = H5Dget_space(made.dataset);
    hsize_t count = 0, offset = 5, size = 0, at[1] = {9};
    unsigned mask = 9;
    haddr_t where = 0;
    H5Fflush(t->file, H5F_SCOPE_LOCAL);
    say(t, "chunks %s", went(H5Dget_num_chunks(made.dataset, H5S_ALL, &count)));
    say(t, " %d", (int)count);
    say(t, " selected %s", went(H5Dget_num_chunks(made.dataset, space, &count)));
    say(t, " %d", (int)count);
    say(t, " info %s", went(H5Dget_chunk_info(made.dataset, H5S_ALL, 1, at, &mask, &where, &size)));
    say(t, " at %d, by place %s", (int)at[0],
        went(H5Dget_chunk_info_by_coord(made.dataset, &offset, &mask, &where, &size)));
    say(t, ", beyond %s", went(H5Dget_chunk_info(made.dataset, H5S_ALL, 2, at, &mask, &where, &size)));
    say(t, ", size %s\n", went(H5Dget_chunk_storage_size(made.dataset, &offset, &size)));
    say(t, "iterate %d\n", H5Dchunk_iter(made.dataset, H5P_DEFAULT, tell_chunk, t));
    say(t, "storage %d\n", H5Dget_storage_size(made.dataset) > 0);
    H5Sclose(space);
    unmake(&made);
}

static void types(trial *t)
{
    const things made = make(t);
    const hid_t copy = H5Tcopy(made.type), tcpl = H5Tget_create_plist(made.type);
    say(t, "commit again %s", went(H5Tcommit2(t->file, "u", made.type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
    say(t, " copy %s", went(H5Tcommit2(t->file, "u", copy, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
    say(t, " list %s flush %s refresh %s", went(tcpl), went(H5Tflush(made.type)), went(H5Trefresh(made.type)));
    say(t, " equal %d committed %d\n", H5Tequal(copy, made.type), H5Tcommitted(made.type));
    H5Pclose(tcpl);
    H5Tclose(copy);
    unmake(&made);
}

WITH_GATEWAY(files)
WITH_GATEWAY(metadata_cache)
WITH_GATEWAY(settings)
WITH_GATEWAY(metadata_flushes)
WITH_GATEWAY(links)
WITH_GATEWAY(objects)
WITH_GATEWAY(old_calls)
WITH_GATEWAY(chunks)
WITH_GATEWAY(types)

int main(void)
{
    const struct CMUnitTest tests[] = {
        AS_NATIVE(files), AS_NATIVE(metadata_cache), AS_NATIVE(settings),  AS_NATIVE(metadata_flushes),
        AS_NATIVE(links), AS_NATIVE(objects),        AS_NATIVE(old_calls), AS_NATIVE(chunks),
        AS_NATIVE(types),
    };
    return cmocka_run_group_tests(tests, quiet, NULL);
}
