/* fuzz_s3_answer.c - what a server may answer in XML: a listing, also of Azure's form, a refusal, what was deleted or
 * made. */
#include "fuzz.h"
#include "remote/protocol/remote_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const vz_bytes answer = {data, size};
    vz_refusal refusal;
    vz_list_page page = {0};
    char etag[64];
    vz_error err = VZ_ERROR_NONE;
    const bool is_page = vz_s3_read_page(answer, &page, &err);
    fuzz_check_error(is_page, &err);
    for (size_t i = 0; is_page && i < page.count; i++)
        FUZZ_REQUIRE(page.items[i].key && strlen(page.items[i].key) <= size);
    vz_list_page_clear(&page);
    err = VZ_ERROR_NONE;
    fuzz_check_error(vz_azure_read_page(answer, &page, &err), &err);
    for (size_t i = 0; i < page.count; i++)
        FUZZ_REQUIRE(page.items[i].key && strlen(page.items[i].key) <= size);
    vz_list_page_clear(&page);
    err = VZ_ERROR_NONE;
    fuzz_check_error(vz_s3_read_deleted(answer, &err), &err);
    err = VZ_ERROR_NONE;
    fuzz_check_error(vz_s3_read_made(answer, etag, sizeof etag, &refusal, &err), &err);
    err = VZ_ERROR_NONE;
    char *id = vz_s3_read_upload(answer, &err);
    fuzz_check_error(id != NULL, &err);
    free(id);
    vz_s3_read_refusal(answer, &refusal);
    FUZZ_REQUIRE(strlen(refusal.code) < sizeof refusal.code && strlen(refusal.region) < sizeof refusal.region);
    return 0;
}
