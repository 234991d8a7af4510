/* s3_xml.h - what servers that speak S3's protocol answer, as C has it. Answers are hostile: keys and sizes in them
 * are claims. */
#ifndef VZ_PROTOCOL_S3_XML_H
#define VZ_PROTOCOL_S3_XML_H

#include "remote/protocol/page.h"

/* Never fails: an answer that is no such document leaves all empty. */
void vz_s3_read_refusal(vz_bytes answer, vz_refusal *refusal);

/* VZ_CORRUPT: it is no listing. Clear the page in any case. */
bool vz_s3_read_page(vz_bytes answer, vz_list_page *page, vz_error *err);

/* What a deletion of many keys could not delete: false with err set that says so, of the first of them. Keys that were
 * not there count as deleted. */
bool vz_s3_read_deleted(vz_bytes answer, vz_error *err);
/* The id of an upload in parts; the caller's. NULL with err set. */
char *vz_s3_read_upload(vz_bytes answer, vz_error *err);
/* The answer to a copy, to that of a part, or to the end of an upload in parts, which may be a refusal with status 200.
 * The ETag it has goes to `etag`, the refusal's parts to `refusal`. VZ_TRANSIENT: the server says that it failed;
 * VZ_CORRUPT: it is no such answer. */
bool vz_s3_read_made(vz_bytes answer, char *etag, size_t etag_size, vz_refusal *refusal, vz_error *err);

/* Text as it stands in XML, appended; what XML cannot say is left to the caller not to have. */
bool vz_xml_escape(const char *text, vz_buffer *out, vz_error *err);

#endif
