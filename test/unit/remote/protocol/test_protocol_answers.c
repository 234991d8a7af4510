/* test_protocol_answers.c - what servers answer in XML: as Amazon, MinIO and others spell it, and what is no such
 * answer.
 */
#include "remote/protocol/service.h"
#include "remote/protocol/remote_internal.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define HEAD         "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"

static vz_bytes bytes_of(const char *text)
{
    return (vz_bytes){(const uint8_t *)text, strlen(text)};
}

static void test_refusals(void **state)
{
    static const struct {
        const char *text, *code, *message, *region;
    } cases[] = {
        {HEAD "<Error><Code>NoSuchKey</Code><Message>The specified key does not exist.</Message><Key>a&amp;b</Key>"
              "<RequestId>4442587FB7D0A2F9</RequestId></Error>",
         "NoSuchKey", "The specified key does not exist.", ""},
        {HEAD
         "<Error xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Code>AuthorizationHeaderMalformed</Code><Message>x"
         "</Message><Region>eu-central-1</Region></Error>",
         "AuthorizationHeaderMalformed", "x", "eu-central-1"},
        {"<ErrorResponse><Error><Code>Throttling</Code></Error></ErrorResponse>", "Throttling", "", ""},
        {"<html><body>502</body></html>", "", "", ""},
        {"<Error><Code>cut off", "", "", ""},
        {"", "", "", ""},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        vz_refusal refusal;
        vz_s3_read_refusal(bytes_of(cases[i].text), &refusal);
        assert_string_equal(refusal.code, cases[i].code);
        assert_string_equal(refusal.message, cases[i].message);
        assert_string_equal(refusal.region, cases[i].region);
    }
}

static void test_page(void **state)
{
    static const char text[] = HEAD
        "<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Name>b</Name><Prefix>x%2F</Prefix>"
        "<KeyCount>3</KeyCount><MaxKeys>3</MaxKeys><Delimiter>%2F</Delimiter>\n  <IsTruncated>true</IsTruncated>"
        "<Contents><Key>x/a+b%2Bc%3D</Key><LastModified>2026-01-01T00:00:00.000Z</"
        "LastModified><ETag>&quot;e&quot;</ETag>"
        "<Size>7</Size><Owner><ID>Key</ID></Owner></Contents><Contents><Size>8</Size><Key>x/%C3%A4</Key></Contents>"
        "<CommonPrefixes><Prefix>x/g/</Prefix></CommonPrefixes><EncodingType>url</EncodingType>"
        "<NextContinuationToken>1/a+b=</NextContinuationToken></ListBucketResult>";
    vz_list_page page = {0};
    vz_error err = VZ_ERROR_NONE;
    (void)state;
    assert_true(vz_s3_read_page(bytes_of(text), &page, &err));
    assert_int_equal(page.count, 3);
    assert_string_equal(page.items[0].key, "x/a b+c=");
    assert_string_equal(page.items[1].key, "x/\xc3\xa4");
    assert_false(page.items[1].is_prefix);
    assert_string_equal(page.items[2].key, "x/g/");
    assert_true(page.items[2].is_prefix);
    assert_true(page.items[0].size == 7 && page.items[1].size == 8 && page.items[2].size == 0);
    assert_string_equal(page.items[0].etag, "\"e\"");
    assert_true(page.items[0].modified_ns == INT64_C(1767225600) * 1000000000);
    assert_true(!page.items[1].etag && page.items[1].modified_ns == 0 && !page.items[2].etag);
    assert_string_equal(page.token, "1/a+b=");
    vz_list_page_clear(&page);
}

/* A server that does not encode says nothing of it, and its keys are what they are. */
static void test_plain_page(void **state)
{
    static const char text[] =
        "<s:ListBucketResult xmlns:s=\"x\"><s:Contents><s:Key>a+b%20&lt;</s:Key></s:Contents>"
        "<s:IsTruncated>false</s:IsTruncated><s:NextContinuationToken>t</s:NextContinuationToken>"
        "</s:ListBucketResult>";
    vz_list_page page = {0};
    (void)state;
    assert_true(vz_s3_read_page(bytes_of(text), &page, NULL));
    assert_int_equal(page.count, 1);
    assert_string_equal(page.items[0].key, "a+b%20<");
    assert_null(page.token);
    vz_list_page_clear(&page);
}

#define BOM "\xef\xbb\xbf"

/* Azure's: with a byte order mark, and of accounts with directories these among the values. */
static void test_azure_page(void **state)
{
    static const char text[] =
        BOM "<?xml version=\"1.0\" encoding=\"utf-8\"?><EnumerationResults "
            "ServiceEndpoint=\"https://a.blob.core.windows.net/\" ContainerName=\"c\">"
            "<Prefix>x/</Prefix><MaxResults>4</MaxResults><Delimiter>/</Delimiter><Blobs>"
            "<Blob><Name>x/a+b%20c=&amp;</Name><Properties><Etag>0x8D</Etag>"
            "<Last-Modified>Sun, 06 Nov 1994 08:49:37 GMT</Last-Modified><Content-MD5>AAAA</Content-MD5>"
            "<Content-Length>7</Content-Length></Properties></Blob>"
            "<Blob><Name>x/d</Name><Properties><ResourceType>directory</ResourceType>"
            "<Content-Length>0</Content-Length></Properties></Blob>"
            "<BlobPrefix><Name>x/d/</Name><Properties><ResourceType>directory</ResourceType>"
            "</Properties></BlobPrefix>"
            "<Blob><Name>x/\xc3\xa4</Name><Properties><Content-Length>8</Content-Length>"
            "</Properties></Blob></Blobs><NextMarker>2!76!a+b=</NextMarker></EnumerationResults>";
    vz_list_page page = {0};
    vz_error err = VZ_ERROR_NONE;
    (void)state;
    assert_true(vz_azure_read_page(bytes_of(text), &page, &err));
    assert_int_equal(page.count, 3);
    assert_string_equal(page.items[0].key, "x/a+b%20c=&");
    assert_string_equal(page.items[1].key, "x/d/");
    assert_string_equal(page.items[2].key, "x/\xc3\xa4");
    assert_true(!page.items[0].is_prefix && page.items[1].is_prefix && !page.items[2].is_prefix);
    assert_true(page.items[0].size == 7 && page.items[1].size == 0 && page.items[2].size == 8);
    assert_string_equal(page.items[0].etag, "\"0x8D\"");
    assert_string_equal(page.items[0].md5, "AAAA");
    assert_true(page.items[0].modified_ns == INT64_C(784111777) * 1000000000 && !page.items[2].etag);
    assert_string_equal(page.token, "2!76!a+b=");
    vz_list_page_clear(&page);
    assert_true(
        vz_azure_read_page(bytes_of("<EnumerationResults><Blobs/><NextMarker/></EnumerationResults>"), &page, &err));
    assert_true(page.count == 0 && !page.token);
    vz_list_page_clear(&page);
    static const char *const none[] = {"", "<html/>", "<ListBucketResult/>", "<EnumerationResults><Blobs>"};
    for (size_t i = 0; i < COUNT(none); i++) {
        err = VZ_ERROR_NONE;
        assert_false(vz_azure_read_page(bytes_of(none[i]), &page, &err));
        assert_int_equal(err.class, VZ_CORRUPT);
        vz_list_page_clear(&page);
    }
}

static void test_azure_query(void **state)
{
    static const struct {
        vz_list_question question;
        const char *query;
    } cases[] = {
        {{"x/", false, NULL, 0}, "comp=list&delimiter=%2F&prefix=x%2F&restype=container"},
        {{"x y/\xc3\xa4/", true, "2!a+b=", 16},
         "comp=list&marker=2%21a%2Bb%3D&maxresults=16&prefix=x%20y%2F%C3%A4%2F&restype=container"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        vz_buffer query = {0};
        assert_true(vz_azure_list_query(&cases[i].question, &query, NULL));
        assert_string_equal((const char *)query.data, cases[i].query);
        vz_buffer_clear(&query);
    }
}

/* What passes, what somebody else did, and what stays as it is. */
static void test_azure_classes(void **state)
{
    static const struct {
        int status;
        const char *code;
        vz_error_class class;
    } cases[] = {
        {409, "BlobAlreadyExists", VZ_CHANGED},
        {412, "ConditionNotMet", VZ_CHANGED},
        {412, "", VZ_CHANGED},
        {412, "LeaseIdMissing", VZ_PERMISSION},
        {503, "ServerBusy", VZ_TRANSIENT},
        {500, "OperationTimedOut", VZ_TRANSIENT},
        {400, "InvalidBlockList", VZ_TRANSIENT},
        {409, "SnapshotsPresent", VZ_IO},
        {409, "InvalidBlobType", VZ_IO},
        {409, "PublicAccessNotPermitted", VZ_PERMISSION},
        {403, "AuthenticationFailed", VZ_PERMISSION},
        {401, "NoAuthenticationInformation", VZ_PERMISSION},
        {416, "InvalidRange", VZ_CORRUPT},
        {400, "InvalidInput", VZ_IO},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_int_equal(vz_azure_class_of(cases[i].status, cases[i].code), cases[i].class);
    assert_true(vz_azure_heeds_conditions("https://a.blob.core.windows.net"));
    assert_false(vz_azure_heeds_conditions("https://a.blob.core.windows.net.example.org"));
    assert_false(vz_azure_heeds_conditions("http://127.0.0.1:10000/a"));
}

static void test_no_pages(void **state)
{
    static const struct {
        const char *text;
        vz_error_class class;
    } cases[] = {
        {"", VZ_CORRUPT},
        {"<html/>", VZ_CORRUPT},
        {"<ListBucketResult><Contents><Key>a</Key></Contents>", VZ_CORRUPT},
        {"<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>", VZ_UNSUPPORTED},
        {"<ListBucketResult><Contents><Key>a%00b</Key></Contents><EncodingType>url</EncodingType></ListBucketResult>",
         VZ_CORRUPT},
        {"<!DOCTYPE l [<!ENTITY a \"b\">]><ListBucketResult>&a;</ListBucketResult>", VZ_CORRUPT},
        {"<a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a>", VZ_CORRUPT},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        vz_list_page page = {0};
        vz_error err = VZ_ERROR_NONE;
        assert_false(vz_s3_read_page(bytes_of(cases[i].text), &page, &err));
        assert_int_equal(err.class, cases[i].class);
        vz_list_page_clear(&page);
    }
}

static void test_long_text(void **state)
{
    vz_buffer text = {0};
    vz_list_page page = {0};
    vz_error err = VZ_ERROR_NONE;
    (void)state;
    assert_true(vz_buffer_printf(&text, NULL, "<ListBucketResult><Contents><Key>"));
    for (size_t i = 0; i <= VZ_XML_TEXT_MAX; i++)
        assert_true(vz_buffer_append(&text, "k", 1, NULL));
    assert_true(vz_buffer_printf(&text, NULL, "</Key></Contents></ListBucketResult>"));
    assert_false(vz_s3_read_page((vz_bytes){text.data, text.size}, &page, &err));
    assert_int_equal(err.class, VZ_LIMIT);
    vz_list_page_clear(&page);
    vz_buffer_clear(&text);
}

static void test_deleted(void **state)
{
    static const struct {
        const char *text;
        vz_error_class class;
    } cases[] = {
        {HEAD "<DeleteResult xmlns=\"x\"></DeleteResult>", VZ_OK},
        {"<DeleteResult/>", VZ_OK},
        {"<DeleteResult><Deleted><Key>a</Key></Deleted></DeleteResult>", VZ_OK},
        {"<DeleteResult><Error><Key>a</Key><Code>NoSuchKey</Code></Error></DeleteResult>", VZ_OK},
        {"<DeleteResult><Error><Key>a</Key><Code>AccessDenied</Code></Error><Error><Key>b</Key><Code>NoSuchKey</Code>"
         "</Error></DeleteResult>",
         VZ_PERMISSION},
        {"<DeleteResult><Error><Key>a</Key><Code>InternalError</Code></Error></DeleteResult>", VZ_TRANSIENT},
        {"<DeleteResult><Error><Key>a</Key><Code>Whatever</Code></Error></DeleteResult>", VZ_IO},
        {"<Deleted/>", VZ_CORRUPT},
        {"", VZ_CORRUPT},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        vz_error err = VZ_ERROR_NONE;
        assert_int_equal(vz_s3_read_deleted(bytes_of(cases[i].text), &err), cases[i].class == VZ_OK);
        assert_int_equal(err.class, cases[i].class);
    }
}

static void test_made(void **state)
{
    char etag[64];
    vz_refusal refusal;
    vz_error err = VZ_ERROR_NONE;
    (void)state;
    assert_true(vz_s3_read_made(bytes_of(HEAD "<CopyObjectResult><ETag>&quot;9b2cf5&quot;</ETag></CopyObjectResult>"),
                                etag, sizeof etag, &refusal, &err));
    assert_string_equal(etag, "\"9b2cf5\"");
    assert_true(
        vz_s3_read_made(bytes_of("<CompleteMultipartUploadResult><ETag>\"a-2\"</ETag></CompleteMultipartUploadResult>"),
                        etag, sizeof etag, &refusal, &err));
    assert_string_equal(etag, "\"a-2\"");
    assert_false(
        vz_s3_read_made(bytes_of("<Error><Code>InternalError</Code></Error>"), etag, sizeof etag, &refusal, &err));
    assert_int_equal(err.class, VZ_TRANSIENT);
    err = VZ_ERROR_NONE;
    assert_false(vz_s3_read_made(bytes_of("<other/>"), etag, sizeof etag, &refusal, &err));
    assert_int_equal(err.class, VZ_CORRUPT);
    char *id = vz_s3_read_upload(
        bytes_of("<InitiateMultipartUploadResult><UploadId>a/b</UploadId></InitiateMultipartUploadResult>"), NULL);
    assert_string_equal(id, "a/b");
    free(id);
    assert_null(vz_s3_read_upload(
        bytes_of("<InitiateMultipartUploadResult><UploadId></UploadId></InitiateMultipartUploadResult>"), NULL));
}

static void test_escape(void **state)
{
    vz_buffer out = {0};
    (void)state;
    assert_true(vz_xml_escape("a<b>&\"c\"\t\xc3\xa4", &out, NULL));
    assert_int_equal(out.size, strlen("a&lt;b&gt;&amp;\"c\"&#9;\xc3\xa4"));
    assert_memory_equal(out.data, "a&lt;b&gt;&amp;\"c\"&#9;\xc3\xa4", out.size);
    vz_buffer_clear(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refusals),      cmocka_unit_test(test_page),       cmocka_unit_test(test_plain_page),
        cmocka_unit_test(test_no_pages),      cmocka_unit_test(test_azure_page), cmocka_unit_test(test_azure_query),
        cmocka_unit_test(test_azure_classes), cmocka_unit_test(test_long_text),  cmocka_unit_test(test_deleted),
        cmocka_unit_test(test_made),          cmocka_unit_test(test_escape),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
