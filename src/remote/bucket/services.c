/* services.c - a row for each service with buckets. Google's has Amazon's protocol. */
#include "remote/protocol/service.h"
#include "remote/bucket/tree_internal.h"
#include "remote/bucket/task_internal.h"

static const char *const amazons_absent[] = {"NoSuchKey", NULL}, *const amazons_hiding[] = {"AccessDenied", NULL};

static const vz_protocol amazons = {
    .kind = "s3",
    .class_of = vz_s3_class_of,
    .hint = vz_s3_hint,
    .no_bucket = "NoSuchBucket",
    .absent_codes = amazons_absent,
    .hiding_codes = amazons_hiding,
    .list_query = vz_s3_list_query,
    .read_page = vz_s3_read_page,
    .begin_parts = vz_task_begin_parts,
    .begin_copy = vz_bucket_copy_begin,
    .begin_copy_large = vz_bucket_copy_begin_large,
};

static const vz_service s3 = {
    .protocol = &amazons,
    .net = VZ_NET_S3,
    .region = "us-east-1", /* other servers do not mind, and Amazon's tell the right one */
    .copy_max = VZ_COPY_MAX,
    .heeds_conditions = vz_s3_heeds_conditions,
};

static bool has_to_be_tried(const char *endpoint)
{
    (void)endpoint;
    return false;
}

static const vz_service gs = {
    .protocol = &amazons,
    .net = VZ_NET_GS,
    .region = "auto",
    .endpoint = "https://storage.googleapis.com",
    .deletes_one_by_one = true,
    .copy_max = UINT64_MAX,
    .heeds_conditions = has_to_be_tried,
};

/* All requests of this module need this version; servers have had it for years. */
static const char *const azure_lines[] = {"x-ms-version: 2021-12-02", NULL};

/* "ResourceNotFound" is not among them: it is also said of a container that is not public. */
static const char *const azures_absent[] = {"BlobNotFound", NULL}, *const azures_hiding[] = {
                                                                       "AuthorizationPermissionMismatch", NULL};

static const vz_protocol azures = {
    .kind = "az",
    .has_no_suffixes = true,
    .lines = azure_lines,
    .value_line = "x-ms-blob-type: BlockBlob",
    .class_of = vz_azure_class_of,
    .hint = vz_azure_hint,
    .code_header = "x-ms-error-code",
    .no_bucket = "ContainerNotFound",
    .absent_codes = azures_absent,
    .hiding_codes = azures_hiding,
    .list_query = vz_azure_list_query,
    .read_page = vz_azure_read_page,
    .begin_parts = vz_azure_begin_blocks,
    .begin_copy = vz_azure_begin_copy,
    .begin_copy_large = vz_azure_begin_copy,
};

static const vz_service az = {
    .protocol = &azures,
    .net = VZ_NET_AZ,
    .region = "auto",
    .by_path = true,
    .deletes_one_by_one = true,
    .copy_max = UINT64_MAX,
    .heeds_conditions = vz_azure_heeds_conditions,
};

const vz_service *vz_service_of(vz_scheme scheme)
{
    switch (scheme) {
    case VZ_SCHEME_S3:
        return &s3;
    case VZ_SCHEME_GS:
        return &gs;
    case VZ_SCHEME_AZ:
        return &az;
    default:
        return NULL;
    }
}
