// proxy - stands before a server of the tests: counts and notes what is asked, adds latency, and fails where it is told to.
//
//	proxy -target http://127.0.0.1:9000 [-certificate FILE] [-access KEY -secret KEY]
//
// It prints one line of JSON: {"http": ..., "https": ..., "control": ...}, each host:port on the loopback interface, and ends when its standard
// input does. With -certificate it speaks TLS, too, with a certificate that it makes and writes there. Requests are passed on as they came, the Host header too, so that signatures hold. Control:
//
//	POST /latency  {"ms": 20, "rate": 0}  each request waits so long before it is passed on; no body moves faster (bytes a second; 0: as it can)
//	POST /rules    [rule, ...]         what fails (rules.go); replaces the rules before
//	POST /clear                        no rules, no latency, nothing noted
//	GET  /held                         how many requests a rule holds just now, and how many others are under way
//	GET  /log                          what was asked since the last clear, in the order of the answers: it waits for those under way
package main

import (
	"cmp"
	"crypto/tls"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// patience is how long /log waits for answers: less than who asks for it waits (servers.py).
const patience = 20 * time.Second

// entry is one request.
type entry struct {
	Method string `json:"method"`
	Kind   string `json:"kind"`
	Path   string `json:"path"`
	Query  string `json:"query"`
	Range  string `json:"range"`
	Signed bool   `json:"signed"`
	Status int    `json:"status"` // 0: the connection was cut instead
	Bytes  int64  `json:"bytes"`  // of the answer's body
	Sent   int64  `json:"sent"`   // of the request's body, -1: not told
	Began  int64  `json:"began"`  // nanoseconds
	Ended  int64  `json:"ended"`  // before the last bytes of the answer went out: what is asked because of it began later
	Rule   string `json:"rule"`   // the name of the rule that made it fail
}

// kindOf says what a request asks a server of S3's kind to do; of another server's, GET and HEAD.
func kindOf(r *http.Request) string {
	query := r.URL.Query()
	switch {
	case r.Method == "GET" && (query.Has("list-type") || query.Has("prefix") || query.Has("delimiter")):
		return "LIST"
	case r.Method == "POST" && query.Has("delete"):
		return "DELETE-MANY"
	case query.Has("uploads") || query.Has("uploadId"):
		return "PART"
	case r.Method == "PUT" && r.Header.Get("X-Amz-Copy-Source") != "":
		return "COPY"
	case r.Method == "GET" && r.Header.Get("Range") != "":
		return "RANGE"
	}
	return r.Method
}

// requests are those that began between two clears.
type requests struct {
	noted    []*entry
	underWay int
}

type proxy struct {
	target   *url.URL
	pass     *httputil.ReverseProxy
	signer   signer
	latency  atomic.Int64 // milliseconds
	rate     atomic.Int64 // bytes a second, of each body
	held     atomic.Int64 // requests
	mutex    sync.Mutex   // of what follows
	ended    *sync.Cond   // nothing is under way, or somebody's patience is at its end
	rules    []*rule
	since    *requests     // since the last clear
	replaced chan struct{} // closed when other rules take the place of these
}

func newProxy(target *url.URL, s signer) *proxy {
	p := &proxy{target: target, signer: s, since: &requests{}}
	p.ended = sync.NewCond(&p.mutex)
	p.pass = &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = r.In.Host
		},
		Transport:     &http.Transport{MaxIdleConnsPerHost: 256, DisableCompression: true},
		FlushInterval: -1,
		ErrorLog:      log.New(io.Discard, "", 0),
	}
	return p
}

// pace is how fast the body of one request or answer may move: a connection to a service far away has its speed, whatever the network has.
type pace struct {
	rate  int64 // bytes a second; 0: any
	moved int64
	began time.Time
}

// wait comes after n bytes.
func (p *pace) wait(n int) {
	if p.rate == 0 {
		return
	}
	if p.moved == 0 {
		p.began = time.Now()
	}
	p.moved += int64(n)
	ahead := time.Duration(float64(p.moved)/float64(p.rate)*1e9) - time.Since(p.began)
	if ahead > time.Millisecond {
		time.Sleep(ahead)
	}
}

// paced is the body of a request.
type paced struct {
	io.ReadCloser
	pace pace
}

func (b *paced) Read(into []byte) (int, error) {
	n, err := b.ReadCloser.Read(into)
	b.pace.wait(n)
	return n, err
}

// counted notes what goes to the client.
type counted struct {
	http.ResponseWriter
	pace   pace
	status int
	bytes  int64
	last   int64 // when the last of it was about to go out, nanoseconds; 0: nothing did
}

func (c *counted) WriteHeader(status int) {
	if status >= 200 {
		c.status = status
		c.last = time.Now().UnixNano()
	}
	c.ResponseWriter.WriteHeader(status)
}

func (c *counted) Write(data []byte) (int, error) {
	if c.status == 0 {
		c.status = http.StatusOK
	}
	c.last = time.Now().UnixNano()
	n, err := c.ResponseWriter.Write(data)
	c.bytes += int64(n)
	c.pace.wait(n)
	return n, err
}

func (c *counted) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// begin notes a request before anything of its answer goes out: who has the answer finds it in the log.
func (p *proxy) begin(r *http.Request) (*requests, *entry) {
	noted := &entry{Method: r.Method, Kind: kindOf(r), Path: r.URL.Path, Query: r.URL.RawQuery, Range: r.Header.Get("Range"),
		Signed: strings.HasPrefix(r.Header.Get("Authorization"), "AWS4-HMAC"), Sent: r.ContentLength, Began: time.Now().UnixNano()}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.since.noted = append(p.since.noted, noted)
	p.since.underWay++
	return p.since, noted
}

func (p *proxy) end(among *requests, noted *entry, answer *counted) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	noted.Status, noted.Bytes, noted.Ended = answer.status, answer.bytes, answer.last
	if noted.Ended == 0 {
		noted.Ended = time.Now().UnixNano()
	}
	if among.underWay--; among.underWay == 0 {
		p.ended.Broadcast()
	}
}

// answered is what was asked since the last clear, once all of it is answered.
func (p *proxy) answered() ([]*entry, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	since, late := p.since, false
	timer := time.AfterFunc(patience, func() {
		p.mutex.Lock()
		defer p.mutex.Unlock()
		late = true
		p.ended.Broadcast()
	})
	defer timer.Stop()
	for since.underWay > 0 && !late {
		p.ended.Wait()
	}
	if since.underWay > 0 {
		return nil, fmt.Errorf("%d requests are still under way", since.underWay)
	}
	entries := append([]*entry{}, since.noted...)
	slices.SortStableFunc(entries, func(a, b *entry) int { return cmp.Compare(a.Ended, b.Ended) })
	return entries, nil
}

func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	rate := p.rate.Load()
	answer := &counted{ResponseWriter: w, pace: pace{rate: rate}}
	among, noted := p.begin(r)
	defer p.end(among, noted, answer) // also where a handler ends by a panic, which is how a connection is cut
	if ms := p.latency.Load(); ms > 0 {
		time.Sleep(time.Duration(ms) * time.Millisecond)
	}
	if rule := p.ruleFor(r, noted.Kind); rule != nil {
		noted.Rule = rule.Name // nobody else looks at it until it has ended
		p.fail(answer, r, rule)
		return
	}
	if rate > 0 && r.ContentLength != 0 {
		r.Body = &paced{r.Body, pace{rate: rate}}
	}
	p.pass.ServeHTTP(answer, r)
}

func (p *proxy) control(w http.ResponseWriter, r *http.Request) {
	var err error
	switch r.Method + " " + r.URL.Path {
	case "POST /latency":
		var latency struct{ Ms, Rate int64 }
		if err = json.NewDecoder(r.Body).Decode(&latency); err == nil {
			p.latency.Store(latency.Ms)
			p.rate.Store(latency.Rate)
		}
	case "POST /rules":
		var rules []*rule
		if rules, err = readRules(r.Body); err == nil {
			p.mutex.Lock()
			p.replaceRules(rules)
			p.mutex.Unlock()
		}
	case "POST /clear":
		p.latency.Store(0)
		p.rate.Store(0)
		p.mutex.Lock()
		p.replaceRules(nil)
		p.since = &requests{}
		p.mutex.Unlock()
	case "GET /held":
		p.mutex.Lock()
		others := p.since.underWay
		p.mutex.Unlock()
		held := int(p.held.Load())
		err = json.NewEncoder(w).Encode(map[string]int{"held": held, "others": others - held})
	case "GET /log":
		var entries []*entry
		if entries, err = p.answered(); err == nil {
			err = json.NewEncoder(w).Encode(entries)
		}
	default:
		http.NotFound(w, r)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
	}
}

// serve listens on a port that is free and says which.
func serve(handler http.Handler, certificate *tls.Certificate) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	address := listener.Addr().String()
	if certificate != nil {
		listener = tls.NewListener(listener, &tls.Config{Certificates: []tls.Certificate{*certificate}})
	}
	server := &http.Server{Handler: handler, ErrorLog: log.New(io.Discard, "", 0)}
	go func() { log.Fatal(server.Serve(listener)) }()
	return address
}

func main() {
	target := flag.String("target", "", "the server")
	certificate := flag.String("certificate", "", "where the certificate is written, PEM")
	access := flag.String("access", "", "access key with which requests that a rule changes are signed again")
	secret := flag.String("secret", "", "and its secret")
	flag.Parse()
	where, err := url.Parse(*target)
	if err != nil || where.Host == "" {
		log.Fatal("no -target")
	}
	p := newProxy(where, signer{*access, *secret})
	addresses := map[string]string{"http": serve(p, nil), "control": serve(http.HandlerFunc(p.control), nil)}
	if *certificate != "" {
		addresses["https"] = serve(p, makeCertificate(*certificate))
	}
	line, _ := json.Marshal(addresses)
	fmt.Println(string(line))
	_, _ = io.Copy(io.Discard, os.Stdin)
}
