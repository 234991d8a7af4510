/* region_reference.c - old region references: twelve bytes that say where in the gateway's heap
 * a token and a selection are. Nothing leaves that heap, so each region is put there once. */
#include "hdf5/h5/h5.h"
#include "hdf5/datasets/datasets.h"
#include "hierarchy/resolve/token.h"
#include "hdf5/references/references.h"
#include "hdf5/handles/handle.h"
#include "hdf5/handles/locate.h"
#include "hdf5/handles/handle_internal.h"
#include "hdf5/handles/locate_internal.h"
#include "base/util/hash.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define TOKEN_DIGITS 16
#define REGION       "region"
#define FOREIGN      "bytes"

/* ---- what is in the heap: token and region <-> bytes ---- */

typedef struct entry {
    hdset_reg_ref_t reference;
    uint64_t token;
    char *region; /* JSON */
} entry;

typedef char reference_key[2 * sizeof(hdset_reg_ref_t) + 1];

static vz_strmap *by_region;    /* owns the entries */
static vz_strmap *by_reference; /* by the bytes in hexadecimal */

static void free_entry(void *value)
{
    entry *e = value;
    free(e->region);
    free(e);
}

/* At shutdown: the heap they were in is gone. */
static void forget_regions(void)
{
    vz_strmap_free(by_reference, NULL);
    vz_strmap_free(by_region, free_entry);
    by_region = by_reference = NULL;
}

static void key_of_reference(const hdset_reg_ref_t *reference, reference_key key)
{
    const uint8_t *bytes = (const uint8_t *)reference;
    for (size_t i = 0; i < sizeof *reference; i++)
        snprintf(key + 2 * i, 3, "%02x", bytes[i]);
}

/* The token in hexadecimal, a blank, and the region as JSON; heap. */
static char *key_of_region(uint64_t token, const vz_json *region, vz_error *err)
{
    static const char all[] = "\"all\""; /* an object reference read as one to a region */
    vz_buffer text = {0};
    char number[TOKEN_DIGITS + 2];
    snprintf(number, sizeof number, "%016" PRIx64 " ", token);
    if (!vz_buffer_append(&text, number, strlen(number), err) ||
        !(region ? vz_json_print(region, 0, &text, err) : vz_buffer_append(&text, all, strlen(all), err)) ||
        !vz_buffer_append(&text, "", 1, err)) {
        vz_buffer_clear(&text);
        return NULL;
    }
    return (char *)text.data;
}

/* An entry for both ways; what is known already keeps its bytes. */
static bool remember(const char *key, uint64_t token, const hdset_reg_ref_t *reference, vz_error *err)
{
    reference_key bytes;
    if ((!by_region && !(by_region = vz_strmap_new())) || (!by_reference && !(by_reference = vz_strmap_new())))
        return vz_fail_memory(err);
    vz_native_at_shutdown(forget_regions);
    entry *e = vz_strmap_get(by_region, key);
    if (!e) {
        e = calloc(1, sizeof *e);
        if (!e || !(e->region = strdup(key + TOKEN_DIGITS + 1)) || !vz_strmap_put(by_region, key, e, err)) {
            if (e)
                free_entry(e);
            return vz_fail_memory(err);
        }
        e->token = token;
        e->reference = *reference;
    }
    key_of_reference(reference, bytes);
    return vz_strmap_put(by_reference, bytes, e, err);
}

/* ---- answers to H5Rcreate ---- */

static uint64_t token_to_answer; /* the token that the next lookup answers; 0: the object's own */

/* A twin that cannot be is missed only by who asks for a region. */
static void renew_twin(vz_node *node, uint64_t token)
{
    vz_error ignored = VZ_ERROR_NONE;
    const hid_t space = node->meta ? vz_dataset_space(node, &ignored) : H5I_INVALID_HID;
    if (space < 0)
        return;
    VZ_H5_QUIETLY(vz_twin_dataset_renew(token, space, &ignored));
    vz_h5_close_quietly(space);
}

bool vz_handle_reference_lookup(vz_node *node, H5O_token_t *token, vz_error *err)
{
    if (token_to_answer) {
        memset(token, 0, sizeof *token);
        vz_bytes_store_le64(token, token_to_answer);
        return true;
    }
    if (!vz_handle_token_of(node, token, err))
        return false;
    if (node->kind == VZ_NODE_ARRAY && vz_gateway_is_on())
        renew_twin(node, vz_bytes_load_le64(token));
    return true;
}

void vz_handle_resized(vz_node *node)
{
    if (node->token && vz_twin_dataset_exists(node->token))
        renew_twin(node, node->token);
}

bool vz_handle_refreshed(vz_node *node, bool succeeded)
{
    if (succeeded)
        vz_handle_resized(node);
    return succeeded;
}

/* ---- from an HDF5 file ---- */

/* Programs copy elements as they are (h5repack those of compounds). The bytes are kept and lead
 * nowhere, as in a native file. */
static bool take_foreign(const vz_json *bytes, hdset_reg_ref_t *out)
{
    size_t length;
    const char *text = vz_json_get_string(bytes, &length);
    vz_buffer buffer = {0};
    const bool ok = text && vz_base64_decode(text, length, &buffer, NULL) && buffer.size == sizeof *out &&
                    vz_bytes_load_le64(buffer.data) < VZ_GATEWAY_HEAP;
    if (ok)
        memcpy(out, buffer.data, sizeof *out);
    vz_buffer_clear(&buffer);
    return ok;
}

static uint64_t describe_foreign(const hdset_reg_ref_t *reference, vz_json **text, vz_error *err)
{
    char *bytes = vz_base64_encode(reference, sizeof *reference, err);
    *text = bytes ? vz_json_object(err) : NULL;
    const bool ok = *text && vz_json_set_text(*text, FOREIGN, bytes, err);
    free(bytes);
    if (ok)
        return 1; /* any address */
    vz_json_free(*text);
    *text = NULL;
    return 0;
}

/* ---- to HDF5 ---- */

/* The region in its dataset. Where that is gone, or is another now, any selection will do: what
 * the reference leads to is not found, or has no such region. */
static hid_t space_of(vz_file *file, uint64_t token, const vz_json *region, vz_error *err)
{
    vz_error unfit = VZ_ERROR_NONE;
    vz_node *target = vz_token_node(file->hierarchy, token, NULL);
    const bool is_dataset = target && target->kind == VZ_NODE_ARRAY;
    const hid_t space = is_dataset ? vz_dataset_space(target, err) : H5Screate(H5S_SCALAR);
    if (space < 0 || !is_dataset)
        return space;
    renew_twin(target, token);
    if (region ? VZ_H5_QUIETLY(vz_reference_region_select(space, region, &unfit)) : H5Sselect_all(space) >= 0)
        return space;
    H5Sselect_none(space);
    return space;
}

/* The dataset may have another extent than when the region was made. A later open of the store has
 * another node, which knows its token from here on (vz_handle_resized). */
static const hdset_reg_ref_t *made_before(const vz_file *file, uint64_t token, const char *key)
{
    const entry *known = by_region ? vz_strmap_get(by_region, key) : NULL;
    vz_node *target = known ? vz_token_node(file->hierarchy, token, NULL) : NULL;
    if (target && target->kind == VZ_NODE_ARRAY)
        renew_twin(target, token);
    return known ? &known->reference : NULL;
}

static bool create(vz_file *file, uint64_t token, const vz_json *region, hdset_reg_ref_t *out, vz_error *err)
{
    const hid_t space = space_of(file, token, region, err);
    const hid_t id = space < 0 ? H5I_INVALID_HID : vz_handle_id_open(file, vz_hierarchy_root(file->hierarchy), err);
    bool ok = id >= 0;
    if (ok) {
        token_to_answer = token;
        ok = H5Rcreate(out, id, ".", H5R_DATASET_REGION, space) >= 0 || vz_fail_hdf5(err);
        token_to_answer = 0;
        vz_h5_close_quietly(id);
    }
    if (space >= 0)
        vz_h5_close_quietly(space);
    return ok;
}

bool vz_handle_reference_make_region(void *file, uint64_t token, const vz_json *text, hdset_reg_ref_t *out,
                                     vz_error *err)
{
    if (!vz_gateway_is_on())
        return vz_fail(err, VZ_UNSUPPORTED, "old region references without the gateway: read them as H5T_STD_REF");
    if (take_foreign(vz_json_get(text, FOREIGN), out) || !token)
        return true;
    const vz_json *region = vz_json_get(text, REGION);
    char *key = key_of_region(token, region, err);
    const hdset_reg_ref_t *known = key ? made_before(file, token, key) : NULL;
    bool ok = key != NULL;
    if (known)
        *out = *known;
    else
        ok = ok && create(file, token, region, out, err) && remember(key, token, out, err);
    free(key);
    return ok;
}

/* ---- from HDF5 ---- */

static vz_json *region_text(vz_json *take, vz_error *err)
{
    vz_json *text = take ? vz_json_object(err) : NULL;
    if (text && vz_json_set(text, REGION, take, err))
        return text;
    vz_json_free(text);
    return NULL;
}

/* HDF5 looks into its heap and asks us for the object there, which may be in another store; 0:
 * it is in none. */
static uint64_t token_in_heap(const vz_file *file, hid_t id, const hdset_reg_ref_t *reference)
{
    H5O_type_t type;
    vz_locate_forget_token();
    VZ_H5_QUIETLY(H5Rget_obj_type2(id, H5R_DATASET_REGION, reference, &type));
    return vz_reference_is_known(file->hierarchy, vz_locate_last_token()) ? vz_locate_last_token() : 0;
}

static vz_json *selection_in_heap(hid_t id, const hdset_reg_ref_t *reference, vz_error *err)
{
    const hid_t space = VZ_H5_QUIETLY(H5Rget_region(id, H5R_DATASET_REGION, reference));
    if (space < 0)
        return NULL;
    vz_json *region = vz_reference_region_print(space, err);
    H5Sclose(space);
    return region;
}

static uint64_t look_up(vz_file *file, const hdset_reg_ref_t *reference, vz_json **text, vz_error *err)
{
    const hid_t id = vz_handle_id_open(file, vz_hierarchy_root(file->hierarchy), err);
    if (id < 0)
        return 0;
    uint64_t token = token_in_heap(file, id, reference);
    vz_json *region = token ? selection_in_heap(id, reference, err) : NULL;
    vz_h5_close_quietly(id);
    if (!region) {
        vz_fail(err, VZ_INVALID, "a region reference that leads to no dataset of this store");
        return 0;
    }
    char *key = key_of_region(token, region, err);
    *text = region_text(region, err);
    if (!*text || !key || !remember(key, token, reference, err)) {
        vz_json_free(*text);
        *text = NULL;
        token = 0;
    }
    free(key);
    return token;
}

uint64_t vz_handle_reference_describe_region(void *file, const hdset_reg_ref_t *reference, vz_json **text,
                                             vz_error *err)
{
    reference_key bytes;
    *text = NULL;
    if (!vz_gateway_is_on()) {
        vz_fail(err, VZ_UNSUPPORTED, "old region references without the gateway");
        return 0;
    }
    if (vz_bytes_load_le64(reference) < VZ_GATEWAY_HEAP)
        return describe_foreign(reference, text, err);
    key_of_reference(reference, bytes);
    const entry *known = by_reference ? vz_strmap_get(by_reference, bytes) : NULL;
    if (!known)
        return look_up(file, reference, text, err);
    if (!vz_reference_is_known(((vz_file *)file)->hierarchy, known->token)) {
        vz_fail(err, VZ_INVALID, "a region reference that leads to no dataset of this store");
        return 0;
    }
    *text = region_text(vz_json_parse(known->region, strlen(known->region), err), err);
    return *text ? known->token : 0;
}
