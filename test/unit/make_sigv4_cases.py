#!/usr/bin/env python3
"""Writes net_sigv4_cases.h: requests, and what AWS and botocore say their canonical form and signature are. Run it with a Python that has
botocore after changing them, and tools/format.sh.

PUBLISHED are vectors of AWS's own suite for Signature Version 4 (the names are its names) and the examples of S3's documentation; the script
fails when botocore does not agree with a signature. Of S3_KEYS botocore alone tells."""
import datetime
import hashlib
import json
import pathlib

import botocore.auth
import botocore.awsrequest
import botocore.credentials
from urllib.parse import quote, unquote

SUITE = ("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "us-east-1", "service", "20150830T123600Z")
GUIDE = ("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "us-east-1", "s3", "20130524T000000Z")
HOST = "https://example.amazonaws.com"
DATE = "X-Amz-Date:20150830T123600Z"
UNRESERVED = "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
TOKEN = ("AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBm"
         "Upp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYv"
         "KTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==")
SHORT_TOKEN = "6e86291e8372ff2a2260956d9b8aae1d763fbf315fa00fa31553b73ebf194267"
FORM = "Content-Type:application/x-www-form-urlencoded"
EMPTY = hashlib.sha256(b"").hexdigest()


def hash_of(body):
    return hashlib.sha256(body).hexdigest()


# name, scope, method, url, headers, hash of the body, published signature
PUBLISHED = [
    ("get-vanilla", SUITE, "GET", HOST + "/", [DATE], EMPTY, "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
    ("get-vanilla, no path", SUITE, "GET", HOST, [DATE], EMPTY, "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
    ("get-header-key-duplicate", SUITE, "GET", HOST + "/", ["My-Header1:value2", "My-Header1:value2", "My-Header1:value1", DATE], EMPTY,
     "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea"),
    ("get-header-value-order", SUITE, "GET", HOST + "/", ["My-Header1:value4", "My-Header1:value1", "My-Header1:value3", "My-Header1:value2", DATE], EMPTY,
     "08c7e5a9acfcfeb3ab6b2185e75ce8b1deb5e634ec47601a50643f830c755c01"),
    ("get-header-value-trim", SUITE, "GET", HOST + "/", ["My-Header1: value1", 'My-Header2: "a   b   c"', DATE], EMPTY,
     "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"),
    ("get-unreserved", SUITE, "GET", HOST + "/" + UNRESERVED, [DATE], EMPTY, "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"),
    ("get-utf8", SUITE, "GET", HOST + "/%E1%88%B4", [DATE], EMPTY, "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"),
    ("get-space", SUITE, "GET", HOST + "/example%20space/", [DATE], EMPTY, "652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741"),
    ("get-special-character", SUITE, "GET", HOST + "/example/$delete", [DATE], EMPTY, "a853c9b21b528b19643d00910d35b83a10c366a10833ceefb45edd6c80e40f27"),
    ("get-vanilla-empty-query-key", SUITE, "GET", HOST + "/?Param1=value1", [DATE], EMPTY,
     "a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb"),
    ("get-vanilla-query-order-encoded", SUITE, "GET", HOST + "/?Param-3=Value3&Param=Value2&%E1%88%B4=Value1", [DATE], EMPTY,
     "371d3713e185cc334048618a97f809c9ffe339c62934c032af5a0e595648fcac"),
    ("get-vanilla-query-order-key-case", SUITE, "GET", HOST + "/?Param2=value2&Param1=value1", [DATE], EMPTY,
     "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"),
    ("get-vanilla-query-order-key", SUITE, "GET", HOST + "/?Param1=value2&Param1=Value1", [DATE], EMPTY,
     "eedbc4e291e521cf13422ffca22be7d2eb8146eecf653089df300a15b2382bd1"),
    ("get-vanilla-query-order-value", SUITE, "GET", HOST + "/?Param1=value2&Param1=value1", [DATE], EMPTY,
     "5772eed61e12b33fae39ee5e7012498b51d56abc0abb7c60486157bd471c4694"),
    ("get-vanilla-query-unreserved", SUITE, "GET", HOST + "/?" + UNRESERVED + "=" + UNRESERVED, [DATE], EMPTY,
     "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197"),
    ("get-vanilla-utf8-query", SUITE, "GET", HOST + "/?%E1%88%B4=bar", [DATE], EMPTY, "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04"),
    ("get-vanilla-with-session-token", SUITE, "GET", HOST + "/", [DATE, "X-Amz-Security-Token:" + SHORT_TOKEN], EMPTY,
     "07ec1639c89043aa0e3e2de82b96708f198cceab042d4a97044c66dd9f74e7f8"),
    ("post-vanilla", SUITE, "POST", HOST + "/", [DATE], EMPTY, "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
    ("post-header-key-sort", SUITE, "POST", HOST + "/", ["My-Header1:value1", DATE], EMPTY, "c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c"),
    ("post-header-value-case", SUITE, "POST", HOST + "/", ["My-Header1:VALUE1", DATE], EMPTY, "cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d"),
    ("post-sts-header-before", SUITE, "POST", HOST + "/", [DATE, "X-Amz-Security-Token:" + TOKEN], EMPTY,
     "85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead"),
    ("post-vanilla-query", SUITE, "POST", HOST + "/?Param1=value1", [DATE], EMPTY, "28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11"),
    ("post-x-www-form-urlencoded", SUITE, "POST", HOST + "/", [FORM, DATE], hash_of(b"Param1=value1"),
     "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"),
    ("post-x-www-form-urlencoded-parameters", SUITE, "POST", HOST + "/", [FORM + "; charset=utf8", DATE], hash_of(b"Param1=value1"),
     "1a72ec8f64bd914b0e42e42607c7fbce7fb2c7465f63e3092b3b0d39fa77a6fe"),
    ("S3's guide: GET of a range", GUIDE, "GET", "https://examplebucket.s3.amazonaws.com/test.txt",
     ["Range: bytes=0-9", "x-amz-content-sha256: " + EMPTY, "x-amz-date: 20130524T000000Z"], EMPTY,
     "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"),
    ("S3's guide: PUT", GUIDE, "PUT", "https://examplebucket.s3.amazonaws.com/test%24file.text",
     ["Date: Fri, 24 May 2013 00:00:00 GMT", "x-amz-date: 20130524T000000Z", "x-amz-storage-class: REDUCED_REDUNDANCY",
      "x-amz-content-sha256: " + hash_of(b"Welcome to Amazon S3.")], hash_of(b"Welcome to Amazon S3."),
     "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"),
    ("S3's guide: GET of a setting", GUIDE, "GET", "https://examplebucket.s3.amazonaws.com/?lifecycle",
     ["x-amz-content-sha256: " + EMPTY, "x-amz-date: 20130524T000000Z"], EMPTY, "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
    ("S3's guide: listing", GUIDE, "GET", "https://examplebucket.s3.amazonaws.com/?max-keys=2&prefix=J",
     ["x-amz-content-sha256: " + EMPTY, "x-amz-date: 20130524T000000Z"], EMPTY, "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
]

S3_KEYS = ["a/b", "year=2024/month=01/0.0", "c/0:1", "with blank", "plus+sign", "a//b", "//", "a/../b/./c", "ä/ሴ/😀", "100%", "%41", "q?x=1&y#z", "~-._", "!*'()",
           "a;b,c@d$e", "\t", "\x7f", "[]{}|\\^`\"<>", "trailing/"]
QUERIES = ["delete", "list-type=2&prefix=a%2Fb&delimiter=%2F", "uploads", "partNumber=2&uploadId=x%3D%3D", "prefix=a%20b&list-type=2&continuation-token=1%2B2%3D",
           "prefix=%C3%A4&b&a=", "start-after=!*'()"]


def encoded(url):
    """botocore is given keys and parameters, and encodes them; what stands in a URL it takes as it is."""
    url, _, query = url.partition("?")
    parts = [pair.partition("=")[::2] for pair in query.split("&") if pair]
    return url + "?" * bool(parts) + "&".join(quote(unquote(name), safe="-_.~") + "=" + quote(unquote(value), safe="-_.~") for name, value in parts)


def canonical_of(case, signer):
    _, (access, secret, region, service, time), method, url, headers, payload, _ = case
    url = encoded(url)
    request = botocore.awsrequest.AWSRequest(method=method, url=url)
    request.headers["X-Amz-Content-SHA256"] = payload
    for line in headers:
        name, value = line.split(":", 1)
        if name.lower() != "x-amz-content-sha256":
            request.headers.add_header(name, value)
    auth = signer(botocore.credentials.Credentials(access, secret), service, region)
    auth._normalize_url_path = lambda path: quote(unquote(path), safe="/~") or "/"  # once, as S3 and the suite have it
    sends_hash = any(line.lower().startswith("x-amz-content-sha256") for line in headers)
    request.context["timestamp"] = time
    if not sends_hash:  # the suite hashes the body and does not tell the server what came out
        del request.headers["X-Amz-Content-SHA256"]
        auth.payload = lambda _: payload
    canonical = auth.canonical_request(request)
    return canonical, auth.signature(auth.string_to_sign(request, canonical), request), auth.signed_headers(auth.headers_to_sign(request))


def s3_cases():
    scope = ("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "eu-central-1", "s3", "20261123T134500Z")
    headers = ["x-amz-content-sha256: UNSIGNED-PAYLOAD", "x-amz-date: 20261123T134500Z", "X-Amz-Security-Token: " + TOKEN]
    for key in S3_KEYS:
        yield ["key " + ascii(key), scope, "PUT", "https://b.s3.eu-central-1.amazonaws.com/" + quote(key, safe="/~"), [*headers, "If-None-Match: *"],
               "UNSIGNED-PAYLOAD", None]
    for query in QUERIES:
        yield ["query " + query, scope, "GET", "http://127.0.0.1:9000/bucket?" + query, [*headers[1:2], "x-amz-content-sha256: " + EMPTY], EMPTY, None]


def main():
    rows = []
    for case in [*PUBLISHED, *s3_cases()]:
        signer = botocore.auth.S3SigV4Auth if case[1][3] == "s3" else botocore.auth.SigV4Auth
        canonical, signature, names = canonical_of(case, signer)
        assert case[6] in (None, signature), (case[0], signature)
        name, scope, method, url, headers, payload, _ = case
        text = lambda value: json.dumps(value, ensure_ascii=True) if value.isascii() and "\x7f" not in value else None
        rows.append("{%s, {%s}, %s, %s, {%s}, %s, %s, %s, %s}," % (
            text(name), ", ".join(map(text, scope)), text(method), text(url), ", ".join(map(text, headers)), text(payload), text(canonical), text(names), text(signature)))
    header = pathlib.Path(__file__).parent / "support/net_sigv4_cases.h"
    header.write_text("/* Made by make_sigv4_cases.py: change that, not this. */\nstatic const struct sigv4_case sigv4_cases[] = {\n" + "\n".join(rows) + "\n};\n")


main()
