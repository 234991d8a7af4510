package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"sort"
	"strings"
)

// signer signs a request anew of which a header was taken away, by version 4 of AWS's signatures: of the header alone, for the time, the
// place and the hash of the body that the request has already.
type signer struct{ access, secret string }

func mac(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}

func (s signer) sign(r *http.Request) {
	given := r.Header.Get("Authorization")
	_, after, signed := strings.Cut(given, "Credential=")
	scope := strings.SplitN(strings.SplitN(after, ",", 2)[0], "/", 2)
	if !signed || len(scope) != 2 {
		return // anonymous
	}
	var names []string
	headers := map[string]string{"host": r.Host}
	for name, values := range r.Header {
		if lower := strings.ToLower(name); strings.HasPrefix(lower, "x-amz-") {
			headers[lower] = strings.TrimSpace(strings.Join(values, ","))
		}
	}
	for name := range headers {
		names = append(names, name)
	}
	sort.Strings(names)
	canonical := r.Method + "\n" + r.URL.EscapedPath() + "\n" + canonicalQuery(r.URL.RawQuery) + "\n"
	for _, name := range names {
		canonical += name + ":" + headers[name] + "\n"
	}
	list := strings.Join(names, ";")
	canonical += "\n" + list + "\n" + r.Header.Get("X-Amz-Content-Sha256")
	hash := sha256.Sum256([]byte(canonical))
	text := "AWS4-HMAC-SHA256\n" + r.Header.Get("X-Amz-Date") + "\n" + scope[1] + "\n" + hex.EncodeToString(hash[:])
	key := []byte("AWS4" + s.secret)
	for _, part := range strings.Split(scope[1], "/") {
		key = mac(key, part)
	}
	r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential="+s.access+"/"+scope[1]+", SignedHeaders="+list+
		", Signature="+hex.EncodeToString(mac(key, text)))
}

func canonicalQuery(query string) string {
	if query == "" {
		return ""
	}
	parts := strings.Split(query, "&")
	for i, part := range parts {
		if !strings.Contains(part, "=") {
			parts[i] = part + "="
		}
	}
	sort.Strings(parts)
	return strings.Join(parts, "&")
}
