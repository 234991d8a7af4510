/* options_table.c - the options: parser, text form, messages and documentation come from these
 * rows. */
#include "base/util/options_internal.h"
#include <inttypes.h>

#define AT(field)   offsetof(vz_options, field)
#define ROOM(field) sizeof(((vz_options *)0)->field)

const vz_option_row vz_option_rows[] = {
    {"format", VZ_OPTION_NUMBER, AT(format), .min = 2, .max = 3, .standard = "2",
     .sentence = "Zarr format of new stores."},
    {"dialect", VZ_OPTION_CHOICE, AT(dialect), .words = {"auto", "plain", "hdmf"}, .standard = "auto",
     .sentence = "Conventions of new stores: hdmf is what NWB files in Zarr use; auto finds out."},
    {"references", VZ_OPTION_CHOICE, AT(references), .words = {"json2", "pickle"}, .standard = "json2",
     .sentence = "Codec of references and of compounds with references in the hdmf dialect."},
    {"consolidated", VZ_OPTION_CHOICE, AT(consolidated), .words = {"auto", "use", "ignore"}, .standard = "auto",
     .sentence = "Whether consolidated metadata is used for reading; ignore does not write it either."},
    {"dims", VZ_OPTION_CHOICE, AT(dims), .words = {"auto", "always", "never"}, .standard = "auto",
     .sentence = "Which arrays get names of dimensions for xarray; auto is those with dimension scales or labels."},
    {"netcdf", VZ_OPTION_CHOICE, AT(netcdf), .words = {"auto", "never", "always"}, .standard = "auto",
     .sentence = "Which groups show dimension scales for the names that their arrays give dimensions; auto goes by "
                 "content."},
    {"compress", VZ_OPTION_WORD, AT(compress), ROOM(compress), .words = {"auto", "blosc", "zstd", "zlib", "none"},
     .standard = "auto",
     .sentence = "Compressor of datasets in new stores that ask for no filter; auto is blosc, in format 3 zstd."},
    {"shards", VZ_OPTION_SIZE, AT(shards), .min = 0, .max = INT64_C(1) << 40, .standard = "0",
     .sentence = "Bytes of decoded data that new arrays of format 3 put into one shard; 0 is none."},
    {"threads", VZ_OPTION_NUMBER, AT(threads), .min = 0, .max = 256, .standard = "0",
     .sentence =
         "Threads that work on chunks, and look through groups of 512 names and more; 0 is what the machine allows."},
    {"gateway", VZ_OPTION_SWITCH, AT(gateway), .standard = "1",
     .sentence = "Stand for native objects, so that calls of the HDF5 1.10 interface work."},
    {"locking", VZ_OPTION_SWITCH, AT(locking), .standard = "0",
     .sentence = "Lock the root's metadata file while a store is open."},
    {"follow_links", VZ_OPTION_SWITCH, AT(follow_links), .standard = "0",
     .sentence =
         "Change what lies behind symbolic links that lead out of the store, too; reading always follows them."},
    {"sync", VZ_OPTION_SWITCH, AT(sync), .standard = "0",
     .sentence = "A flush or close returns when the data is on the disk (fsync)."},
    {"skip_fill", VZ_OPTION_SWITCH, AT(skip_fill), .standard = "0",
     .sentence = "Do not store chunks that hold nothing but the fill value."},
    {"dirty_max", VZ_OPTION_SIZE, AT(dirty_max), .min = 0, .max = INT64_C(1) << 50, .standard = "64M",
     .sentence = "Bytes of unwritten data and metadata kept in memory before they are written."},
    {"write_through", VZ_OPTION_SWITCH, AT(write_through), .standard = "0",
     .sentence = "A write of elements returns when the store has them, and does not leave them for a flush."},
    {"document_ratio", VZ_OPTION_NUMBER, AT(document_ratio), .min = 1, .max = 1 << 20, .standard = "64",
     .sentence =
         "Times the size of a zip file that its metadata documents may take when they are read; 4 MiB are always "
         "allowed."},
    {"chunk_max", VZ_OPTION_SIZE, AT(chunk_max), .min = 0, .max = INT64_C(1) << 40, .standard = "4G",
     .sentence = "Bytes that a chunk may take in memory, decoded, where the array fills less than a 64th of it; others "
                 "may take 16 GiB."},
    {"container", VZ_OPTION_CHOICE, AT(container), .words = {"auto", "directory", "zip", "file"}, .standard = "auto",
     .sentence =
         "What a new store is; auto is a zip file for names that end with .zip, one file for programs that ask for "
         "a user block, else a directory."},
    {"doorways", VZ_OPTION_CHOICE, AT(doorways), .words = {"below", "anywhere"}, .standard = "below",
     .sentence = "Where a doorway, a file that names a store, may lead to: below the directory that it lies in, or "
                 "anywhere."},
    {"links", VZ_OPTION_CHOICE, AT(links), .words = {"local", "below", "anywhere"}, .standard = "local",
     .sentence = "Where external links, virtual sources, external storage and references in a local file may lead to: "
                 "this machine's files, only those below its directory, or servers, too, without credentials."},
    {"targets", VZ_OPTION_CHOICE, AT(targets), .words = {"network", "below", "anywhere"}, .standard = "network",
     .sentence = "Where a reference file (kerchunk, LINDI) may say that chunks lie: below its directory and, without "
                 "credentials, on public servers; only below its directory; or anywhere."},
    {"create", VZ_OPTION_PATTERNS, AT(create), .standard = "",
     .sentence =
         "File names that are created as Zarr stores: shell patterns on the last part of the path, separated by "
         "commas, each with a kind if wanted (`*.zarr,*.h5ad:file`); empty is all."},
    {"endpoint", VZ_OPTION_ENDPOINT, AT(endpoint), .redirect = true, .standard = "",
     .sentence = "Server of `s3://`, `gs://` and `az://` names, `https://host:port`; empty is what AWS's or Azure's "
                 "settings say, else Amazon's, Google's or the account's own."},
    {"region", VZ_OPTION_REGION, AT(region), .redirect = true, .standard = "",
     .sentence = "Region of buckets; empty is what AWS's settings say, else what the server says."},
    {"profile", VZ_OPTION_TEXT, AT(profile), .standard = "",
     .sentence = "Profile of AWS's files with credentials and settings, before the environment's keys; empty is "
                 "AWS_PROFILE or `default`."},
    {"account", VZ_OPTION_REGION, AT(account), .standard = "",
     .sentence = "Account of Azure's storage, for `az://` names; empty is what they or AZURE_STORAGE_ACCOUNT say."},
    {"anonymous", VZ_OPTION_SWITCH, AT(anonymous), .redirect = true, .standard = "0",
     .sentence = "Ask remote servers without credentials."},
    {"requester_pays", VZ_OPTION_SWITCH, AT(requester_pays), .redirect = true, .standard = "0",
     .sentence = "Pay for requests to buckets whose owner does not."},
    {"addressing", VZ_OPTION_CHOICE, AT(addressing), .redirect = true, .words = {"auto", "path", "virtual"},
     .standard = "auto",
     .sentence = "Where the bucket stands in a URL: in the path, or in the host's name; auto is virtual for Amazon and "
                 "buckets without a dot."},
    {"missing", VZ_OPTION_CHOICE, AT(missing), .words = {"auto", "403", "404"}, .standard = "auto",
     .sentence =
         "Which answer says that a chunk is not there, beside 404: 403 (and 410 from web servers), or none (404); "
         "auto is 403 in a bucket where listing is refused, else none."},
    {"ca_bundle", VZ_OPTION_TEXT, AT(ca_bundle), .standard = "",
     .sentence = "File with the certificates of authorities that are trusted; empty is AWS_CA_BUNDLE, CURL_CA_BUNDLE, "
                 "SSL_CERT_FILE or the system's."},
    {"connections", VZ_OPTION_NUMBER, AT(connections), .min = 1, .max = 256, .standard = "64",
     .sentence = "Connections to one remote server at a time."},
    {"timeout", VZ_OPTION_NUMBER, AT(timeout), .min = 1, .max = 3600, .standard = "20",
     .sentence = "Seconds without a byte after which a transfer is taken for dead and asked for again."},
    {"second_get", VZ_OPTION_SWITCH, AT(second_get), .standard = "1",
     .sentence = "Ask once more for what is read and late to come; of 64 requests at most one."},
};
const size_t vz_option_count = sizeof vz_option_rows / sizeof *vz_option_rows;

const vz_option_row *vz_option_find(const char *name, size_t length)
{
    for (size_t i = 0; i < vz_option_count; i++)
        if (strlen(vz_option_rows[i].name) == length && memcmp(vz_option_rows[i].name, name, length) == 0)
            return &vz_option_rows[i];
    return NULL;
}

bool vz_option_describe_values(const vz_option_row *row, vz_buffer *out, vz_error *err)
{
    switch (row->type) {
    case VZ_OPTION_NUMBER:
        return vz_buffer_printf(out, err, "%" PRId64 " to %" PRId64, row->min, row->max);
    case VZ_OPTION_SIZE:
        return vz_buffer_printf(out, err, "bytes, or with K, M, G, T");
    case VZ_OPTION_SWITCH:
        return vz_buffer_printf(out, err, "0 or 1");
    case VZ_OPTION_TEXT:
        return vz_buffer_printf(out, err, "text");
    case VZ_OPTION_PATTERNS:
        return vz_buffer_printf(out, err, "patterns, with ? for a blank or =");
    case VZ_OPTION_ENDPOINT:
        return vz_buffer_printf(out, err, "http(s)://host[:port], without a user or query");
    case VZ_OPTION_REGION:
        return vz_buffer_printf(out, err, "letters, digits and -");
    default:
        break;
    }
    for (size_t i = 0; row->words[i]; i++)
        if (!vz_buffer_printf(out, err, "%s%s", i ? ", " : "", row->words[i]))
            return false;
    return true;
}
