/* service_internal.h - what a server answers in XML, read element by element. The parser is expat; here are the limits.
 */
#ifndef VZ_PROTOCOL_SERVICE_INTERNAL_H
#define VZ_PROTOCOL_SERVICE_INTERNAL_H

#include "base/util/bytes.h"
#include "remote/protocol/service.h"

/* -- S3 xml --
 * what servers that speak S3's protocol answer, as C has it. Answers are hostile: keys and sizes in them
 * are claims. */
/* Never fails: an answer that is no such document leaves all empty. */
void vz_s3_read_refusal(vz_bytes answer, vz_refusal *refusal);

#define VZ_XML_DEPTH_MAX 16              /* elements inside of one another */
#define VZ_XML_TEXT_MAX  ((size_t)16384) /* bytes of text in one element */

/* An element ended. `path`: its name behind those of the elements around it, "List/Contents/Key", without prefixes of
 * namespaces; `text`: of an element without elements inside, what stands in it; else "". Both are borrowed. False with
 * err set ends the reading. */
typedef bool (*vz_xml_visit)(void *context, const char *path, const char *text, vz_error *err);

/* VZ_CORRUPT: it is no XML, or cut off, or beyond the limits, or has a document type, of which entities would come. */
bool vz_xml_read(vz_bytes document, vz_xml_visit visit, void *context, vz_error *err);

#endif
