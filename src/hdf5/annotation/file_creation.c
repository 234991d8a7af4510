/* file_creation.c - the file creation list in the root's annotation: {"fc": {name: [numbers]}},
 * non-defaults only. */
#include "hdf5/annotation/annotation.h"
#include "hdf5/h5/h5.h"

enum { MAX_INDEXES = 8 /* H5O_SHMESG_MAX_NINDEXES */, MAX_NUMBERS = 2 * MAX_INDEXES + 2 };

typedef struct numbers {
    size_t count;
    uint64_t at[MAX_NUMBERS];
} numbers;

typedef bool (*getter)(hid_t fcpl, numbers *n);
typedef bool (*setter)(hid_t fcpl, const numbers *n);

static bool get_sizes(hid_t fcpl, numbers *n)
{
    size_t address = 0, length = 0;
    const bool ok = H5Pget_sizes(fcpl, &address, &length) >= 0;
    *n = (numbers){2, {address, length}};
    return ok;
}

static bool set_sizes(hid_t fcpl, const numbers *n)
{
    return H5Pset_sizes(fcpl, n->at[0], n->at[1]) >= 0;
}

static bool get_symbols(hid_t fcpl, numbers *n)
{
    unsigned inner = 0, leaf = 0;
    const bool ok = H5Pget_sym_k(fcpl, &inner, &leaf) >= 0;
    *n = (numbers){2, {inner, leaf}};
    return ok;
}

static bool set_symbols(hid_t fcpl, const numbers *n)
{
    return H5Pset_sym_k(fcpl, (unsigned)n->at[0], (unsigned)n->at[1]) >= 0;
}

static bool get_chunk_tree(hid_t fcpl, numbers *n)
{
    unsigned inner = 0;
    const bool ok = H5Pget_istore_k(fcpl, &inner) >= 0;
    *n = (numbers){1, {inner}};
    return ok;
}

static bool set_chunk_tree(hid_t fcpl, const numbers *n)
{
    return H5Pset_istore_k(fcpl, (unsigned)n->at[0]) >= 0;
}

static bool get_free_space(hid_t fcpl, numbers *n)
{
    H5F_fspace_strategy_t strategy = H5F_FSPACE_STRATEGY_FSM_AGGR;
    hbool_t persist = false;
    hsize_t threshold = 0;
    const bool ok = H5Pget_file_space_strategy(fcpl, &strategy, &persist, &threshold) >= 0;
    *n = (numbers){3, {(uint64_t)strategy, persist, threshold}};
    return ok;
}

static bool set_free_space(hid_t fcpl, const numbers *n)
{
    return H5Pset_file_space_strategy(fcpl, (H5F_fspace_strategy_t)n->at[0], n->at[1] != 0, n->at[2]) >= 0;
}

static bool get_page(hid_t fcpl, numbers *n)
{
    hsize_t size = 0;
    const bool ok = H5Pget_file_space_page_size(fcpl, &size) >= 0;
    *n = (numbers){1, {size}};
    return ok;
}

static bool set_page(hid_t fcpl, const numbers *n)
{
    return H5Pset_file_space_page_size(fcpl, n->at[0]) >= 0;
}

/* Two numbers for each index of shared messages, and the phase change. */
static bool get_shared(hid_t fcpl, numbers *n)
{
    unsigned count = 0, most = 0, least = 0;
    *n = (numbers){0};
    if (H5Pget_shared_mesg_nindexes(fcpl, &count) < 0 || count > MAX_INDEXES ||
        H5Pget_shared_mesg_phase_change(fcpl, &most, &least) < 0)
        return false;
    for (unsigned i = 0; i < count; i++) {
        unsigned kinds = 0, size = 0;
        if (H5Pget_shared_mesg_index(fcpl, i, &kinds, &size) < 0)
            return false;
        n->at[n->count++] = kinds;
        n->at[n->count++] = size;
    }
    n->at[n->count++] = most;
    n->at[n->count++] = least;
    return true;
}

static bool set_shared(hid_t fcpl, const numbers *n)
{
    const unsigned count = (unsigned)(n->count / 2 - 1);
    if (H5Pset_shared_mesg_nindexes(fcpl, count) < 0)
        return false;
    for (unsigned i = 0; i < count; i++)
        if (H5Pset_shared_mesg_index(fcpl, i, (unsigned)n->at[2 * i], (unsigned)n->at[2 * i + 1]) < 0)
            return false;
    return H5Pset_shared_mesg_phase_change(fcpl, (unsigned)n->at[n->count - 2], (unsigned)n->at[n->count - 1]) >= 0;
}

static const struct setting {
    const char *key;
    size_t least, most; /* numbers */
    getter get;
    setter set;
} settings[] = {
    {"sizes", 2, 2, get_sizes, set_sizes},
    {"sym_k", 2, 2, get_symbols, set_symbols},
    {"istore_k", 1, 1, get_chunk_tree, set_chunk_tree},
    {"space", 3, 3, get_free_space, set_free_space},
    {"page", 1, 1, get_page, set_page},
    {"shared", 2, MAX_NUMBERS, get_shared, set_shared},
};

/* ---- to the annotation ---- */

static vz_json *print(const numbers *n, vz_error *err)
{
    vz_json *list = vz_json_array(err);
    for (size_t i = 0; list && i < n->count; i++)
        if (!vz_json_append(list, vz_json_uint64(n->at[i], err), err)) {
            vz_json_free(list);
            return NULL;
        }
    return list;
}

static bool differs(const numbers *a, const numbers *b)
{
    return a->count != b->count || memcmp(a->at, b->at, a->count * sizeof a->at[0]) != 0;
}

enum { SETTINGS = sizeof settings / sizeof *settings };

/* Values of a new list, whatever a program did to the default one: they are constant while the
 * process runs. NULL: HDF5 does not give them. */
static const numbers *default_numbers(void)
{
    static numbers defaults[SETTINGS];
    static bool known;
    const hid_t list = known ? H5I_INVALID_HID : H5Pcreate(H5P_FILE_CREATE);
    if (list < 0)
        return known ? defaults : NULL;
    known = true;
    for (size_t i = 0; i < SETTINGS; i++)
        known = known && settings[i].get(list, &defaults[i]);
    vz_h5_close_quietly(list);
    return known ? defaults : NULL;
}

static bool store_setting(const struct setting *s, hid_t fcpl, const numbers *defaults, vz_json *into, vz_error *err)
{
    numbers asked;
    if (!s->get(fcpl, &asked))
        return vz_fail(err, VZ_HDF5, "an HDF5 call failed");
    if (!differs(&asked, defaults))
        return true;
    vz_json *list = print(&asked, err);
    return list && vz_json_set(into, s->key, list, err);
}

bool vz_annotation_file_store(vz_node *root, hid_t fcpl, vz_error *err)
{
    const numbers *defaults = default_numbers();
    if (!defaults)
        return vz_fail(err, VZ_HDF5, "an HDF5 call failed");
    vz_json *all = vz_json_object(err);
    bool ok = all != NULL;
    for (size_t i = 0; ok && i < SETTINGS; i++)
        ok = store_setting(&settings[i], fcpl, &defaults[i], all, err);
    if (ok && vz_json_length(all) > 0)
        return vz_json_set(root->annotation, "fc", all, err);
    vz_json_free(all);
    return ok;
}

/* ---- from the annotation ---- */

static bool read_numbers(const vz_json *list, numbers *n)
{
    *n = (numbers){.count = vz_json_length(list)};
    if (vz_json_kind_of(list) != VZ_JSON_ARRAY || n->count > MAX_NUMBERS)
        return false;
    for (size_t i = 0; i < n->count; i++)
        if (!vz_json_get_uint64(vz_json_at(list, i), &n->at[i]))
            return false;
    return true;
}

void vz_annotation_file_show(const vz_node *root, hid_t fcpl)
{
    const vz_json *all = vz_json_get(root->annotation, "fc");
    for (size_t i = 0; all && i < SETTINGS; i++) {
        const vz_json *list = vz_json_get(all, settings[i].key);
        numbers n;
        if (list && read_numbers(list, &n) && n.count >= settings[i].least && n.count <= settings[i].most)
            (void)VZ_H5_QUIETLY(settings[i].set(fcpl, &n));
    }
}
