/* convert.c - a copy from its beginning to its end. */
#include "command/convert/convert_internal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static hid_t link_list(H5T_cset_t cset)
{
    const hid_t lcpl = H5Pcreate(H5P_LINK_CREATE);
    if (lcpl >= 0 && H5Pset_char_encoding(lcpl, cset) >= 0)
        return lcpl;
    vz_convert_id_close(lcpl);
    return H5I_INVALID_HID;
}

static bool begin(vz_convert_job *c, vz_error *err)
{
    c->lcpl_ascii = link_list(H5T_CSET_ASCII);
    c->lcpl_utf8 = link_list(H5T_CSET_UTF8);
    c->met = vz_strmap_new();
    c->file_name = vz_side_name(c->from);
    if (!c->met || !c->file_name)
        return vz_fail_memory(err);
    if (c->request->places && !(c->places = vz_convert_places_create(c->request->places, err)))
        return false;
    return (c->lcpl_ascii >= 0 && c->lcpl_utf8 >= 0) || vz_convert_h5_fail(err, "HDF5 makes no property lists");
}

static void free_met(void *value)
{
    vz_seen *met = value;
    vz_convert_id_close(met->type);
    free(met->path);
    free(met);
}

static void end(vz_convert_job *c)
{
    void *reference;
    for (size_t at = 0; vz_nummap_next(&c->references, &at, &reference);)
        free(reference);
    vz_nummap_clear(&c->references);
    vz_strmap_free(c->met, free_met);
    vz_convert_name_list_clear(&c->groups);
    vz_convert_name_list_clear(&c->waiting);
    free(c->file_name);
    vz_convert_id_close(c->lcpl_ascii);
    vz_convert_id_close(c->lcpl_utf8);
}

static const char *shown(const vz_convert_side *side)
{
    return side->shown ? side->shown : side->path;
}

static bool copy_into(vz_convert_job *c, vz_error *err)
{
    const vz_convert_watch *watch = &c->request->watch;
    vz_convert_counts counts = {0};
    uint64_t bytes = 0;
    if (watch->begin && vz_convert_survey_file(c->from, &counts, err))
        bytes = counts.bytes;
    if (watch->begin)
        watch->begin(watch->context, "copying", bytes);
    bool ok = (!err || err->class == VZ_OK) && begin(c, err) && vz_convert_copy_all(c, err);
    ok = vz_convert_places_finish(c->places, ok ? err : NULL) && ok;
    end(c);
    if (watch->end)
        watch->end(watch->context);
    return ok;
}

/* HDMF's mark on a root group: then what is written is in HDMF's form from the beginning. */
static bool is_hdmf(hid_t file)
{
    const bool is = H5Aexists(file, "nwb_version") > 0 || H5Aexists(file, ".specloc") > 0;
    H5Eclear2(H5E_DEFAULT);
    return is;
}

static hid_t create_target(const vz_convert_request *request, hid_t from, vz_error *err)
{
    vz_convert_side target = request->target;
    const char *given = target.options ? target.options : "";
    char *options = NULL;
    if (target.is_store && !strstr(given, "dialect=") && is_hdmf(from)) {
        if (asprintf(&options, "%s%sdialect=hdmf", given, *given ? ";" : "") < 0) {
            vz_fail_memory(err);
            return H5I_INVALID_HID;
        }
        target.options = options;
    }
    const hid_t file = vz_side_create(&target, from, err);
    free(options);
    return file;
}

/* Bytes of the source's user block; 0: it has none, or cannot have one. */
static uint64_t user_block_of(const vz_convert_request *request, hid_t from)
{
    hsize_t size = 0;
    const hid_t fcpl = request->source.is_store ? H5I_INVALID_HID : H5Fget_create_plist(from);
    if (fcpl >= 0 && H5Pget_userblock(fcpl, &size) < 0)
        size = 0;
    vz_convert_id_close(fcpl);
    return size;
}

static bool finish(vz_convert_job *c, bool ok, vz_error *err)
{
    const vz_convert_request *request = c->request;
    const uint64_t user_block = user_block_of(request, c->from);
    vz_error failed = VZ_ERROR_NONE;
    if (!vz_side_close(c->to, &failed) && ok) {
        *err = failed;
        ok = false;
    }
    if (ok && user_block > 0 && !vz_side_has_user_block(&request->target))
        vz_convert_copy_note(c, NULL, "a store has no room for the user block of %llu bytes",
                             (unsigned long long)user_block);
    else if (ok && user_block > 0)
        ok = vz_convert_user_block_copy(request->source.path, request->target.path, user_block, err);
    return ok;
}

static void clear_rules(vz_convert_job *c)
{
    vz_convert_rules_clear(&c->chunks);
    vz_convert_rules_clear(&c->codecs);
}

static bool parse_rules(vz_convert_job *c, vz_error *err)
{
    if (vz_convert_chunk_rules_parse(c->request->chunks, &c->chunks, err) &&
        vz_convert_compress_rules_parse(c->request->compress, &c->codecs, err))
        return true;
    clear_rules(c);
    return false;
}

/* A source that was only read is closed without a question. */
bool vz_convert_copy(const vz_convert_request *request, vz_convert_counts *counts, vz_error *err)
{
    vz_convert_job c = {.request = request, .counts = counts, .lcpl_ascii = -1, .lcpl_utf8 = -1};
    *counts = (vz_convert_counts){0};
    if (!parse_rules(&c, err))
        return false;
    c.from = vz_side_open(&request->source, err);
    if (c.from < 0) {
        clear_rules(&c);
        return vz_convert_copy_source_failed(&c, err);
    }
    if (request->places)
        vz_convert_view_bound_metadata(c.from);
    c.to = create_target(request, c.from, err);
    counts->created = c.to >= 0;
    bool ok = c.to >= 0 && copy_into(&c, err);
    clear_rules(&c);
    if (c.to >= 0)
        ok = finish(&c, ok, err);
    H5Fclose(c.from);
    if (!ok)
        vz_error_where(err, shown(&request->target), NULL);
    return ok;
}

bool vz_convert_survey(const vz_convert_request *request, vz_convert_counts *counts, vz_error *err)
{
    const hid_t file = vz_side_open(&request->source, err);
    const bool ok = file >= 0 && vz_convert_survey_file(file, counts, err);
    if (file >= 0)
        H5Fclose(file);
    if (!ok)
        vz_error_where(err, shown(&request->source), NULL);
    return ok;
}
