package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"time"
)

// rule says which requests fail and how. All that match count; the first `skip` of them pass, then each `every`-th fails, until `times` have.
type rule struct {
	Name  string `json:"name"`
	Kind  string `json:"kind"`  // as kindOf says it; "": any
	Path  string `json:"path"`  // a regular expression that matches some part of the path; "": any
	Skip  int    `json:"skip"`  //
	Every int    `json:"every"` // 0: each
	Times int    `json:"times"` // 0: for ever

	// What happens:
	//   answer    `status`, `headers` and `body`; the server is not asked
	//   reset     the connection is cut; the server is not asked
	//   lost      the server does what is asked, and the connection is cut instead of its answer
	//   truncate  the answer with its right length, of which `bytes` come before the connection is cut
	//   short     `bytes` of the answer, and a length that says so
	//   long      the answer, and `bytes` more, with a length that says so
	//   stall     `bytes` of the answer come, the next after `ms`
	//   late      the answer comes `ms` later
	//   hold      there is no answer, and the server is not asked: until the client goes away (GET /held)
	//   gate      the server is not asked until these rules are replaced or cleared (GET /held)
	//   strip     the request is passed on without these `headers` (their values do not matter), signed again
	//   garble    the answer with each byte inverted
	Fault   string            `json:"fault"`
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`
	Bytes   int               `json:"bytes"`
	Ms      int               `json:"ms"`

	matches     *regexp.Regexp
	seen, fails int
	opens       <-chan struct{} // closed when other rules take the place of these
}

func readRules(body io.Reader) (rules []*rule, err error) {
	decoder := json.NewDecoder(body)
	decoder.DisallowUnknownFields()
	if err = decoder.Decode(&rules); err != nil {
		return nil, err
	}
	for _, r := range rules {
		switch r.Fault {
		case "answer", "reset", "lost", "truncate", "short", "long", "stall", "late", "hold", "gate", "strip", "garble":
		default:
			return nil, fmt.Errorf("no such fault: %q", r.Fault)
		}
		if r.matches, err = regexp.Compile(r.Path); err != nil {
			return nil, err
		}
	}
	return rules, nil
}

// replaceRules opens the gates of the rules before. The caller has the mutex.
func (p *proxy) replaceRules(rules []*rule) {
	if p.replaced != nil {
		close(p.replaced)
	}
	p.replaced = make(chan struct{})
	for _, r := range rules {
		r.opens = p.replaced
	}
	p.rules = rules
}

// ruleFor is the rule that makes this request fail, or nil.
func (p *proxy) ruleFor(r *http.Request, kind string) *rule {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for _, rule := range p.rules {
		if (rule.Kind != "" && rule.Kind != kind) || !rule.matches.MatchString(r.URL.Path) {
			continue
		}
		rule.seen++
		if rule.seen <= rule.Skip || (rule.Times > 0 && rule.fails >= rule.Times) ||
			(rule.Every > 1 && (rule.seen-rule.Skip)%rule.Every != 0) {
			continue
		}
		rule.fails++
		return rule
	}
	return nil
}

func cut() { panic(http.ErrAbortHandler) }

// ask has the server answer into memory.
func (p *proxy) ask(r *http.Request) *httptest.ResponseRecorder {
	recorder := httptest.NewRecorder()
	p.pass.ServeHTTP(recorder, r)
	return recorder
}

// send writes an answer that says it has `length` bytes.
func send(w http.ResponseWriter, from *httptest.ResponseRecorder, length int, body []byte) {
	for name, values := range from.Header() {
		w.Header()[name] = values
	}
	w.Header().Set("Content-Length", strconv.Itoa(length))
	w.WriteHeader(from.Code)
	_, _ = w.Write(body)
	_ = http.NewResponseController(w).Flush()
}

func (p *proxy) fail(w http.ResponseWriter, r *http.Request, rule *rule) {
	wait := time.Duration(rule.Ms) * time.Millisecond
	switch rule.Fault {
	case "answer":
		_, _ = io.Copy(io.Discard, r.Body)
		for name, value := range rule.Headers {
			w.Header().Set(name, value)
		}
		w.WriteHeader(rule.Status)
		_, _ = io.WriteString(w, rule.Body)
		return
	case "reset":
		cut()
	case "hold":
		_, _ = io.Copy(io.Discard, r.Body) // only then is it seen that the client goes away
		p.held.Add(1)
		<-r.Context().Done()
		p.held.Add(-1)
		cut()
	case "gate":
		p.held.Add(1)
		select {
		case <-rule.opens:
		case <-r.Context().Done():
		}
		p.held.Add(-1)
		p.pass.ServeHTTP(w, r)
		return
	case "late":
		time.Sleep(wait)
		p.pass.ServeHTTP(w, r)
		return
	case "strip":
		for name := range rule.Headers {
			r.Header.Del(name)
		}
		p.signer.sign(r)
		p.pass.ServeHTTP(w, r)
		return
	}
	from := p.ask(r)
	body := from.Body.Bytes()
	some := body[:min(rule.Bytes, len(body))]
	switch rule.Fault {
	case "lost":
		cut()
	case "truncate":
		send(w, from, len(body), some)
		cut()
	case "short":
		send(w, from, len(some), some)
	case "long":
		send(w, from, len(body)+rule.Bytes, append(body, make([]byte, rule.Bytes)...))
	case "garble":
		for i := range body {
			body[i] = ^body[i]
		}
		send(w, from, len(body), body)
	case "stall":
		send(w, from, len(body), some)
		select {
		case <-time.After(wait):
			_, _ = w.Write(body[len(some):])
		case <-r.Context().Done():
		}
	}
}
