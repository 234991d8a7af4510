/* s3.h - what is Amazon's way, for the rows of services.c. */
#ifndef VZ_PROTOCOL_S3_H
#define VZ_PROTOCOL_S3_H

#include "remote/protocol/service.h"

/* As vz_service has them. */
vz_error_class vz_s3_class_of(int status, const char *code);
bool vz_s3_heeds_conditions(const char *endpoint); /* Amazon's own documentation says so */
bool vz_s3_list_query(const vz_list_question *question, vz_buffer *out, vz_error *err);

#endif
