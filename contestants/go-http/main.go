// The server of the documentation of package net/http, with the resources of serverlab's http
// service. Go turns Nagle's algorithm off by itself.
package main

import (
	"bytes"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
)

const (
	printable = " !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ" +
		"[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~"
	bytesMax = 1 << 30
)

func hello(reply http.ResponseWriter, request *http.Request) {
	reply.Header().Set("Content-Type", "text/plain")
	io.WriteString(reply, "Hello, World!")
}

func sized(reply http.ResponseWriter, request *http.Request) {
	size, err := strconv.Atoi(request.PathValue("size"))
	if err != nil || size < 0 || size > bytesMax {
		http.NotFound(reply, request)
		return
	}
	reply.Header().Set("Content-Type", "text/plain")
	reply.Header().Set("Content-Length", strconv.Itoa(size))
	reply.Write(bytes.Repeat([]byte(printable), size/len(printable)+1)[:size])
}

func echo(reply http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return
	}
	reply.Header().Set("Content-Type", "application/octet-stream")
	reply.Write(body)
}

func main() {
	http.HandleFunc("GET /{$}", hello)
	http.HandleFunc("GET /bytes/{size}", sized)
	http.HandleFunc("POST /echo", echo)
	log.Fatal(http.ListenAndServe(os.Args[1], nil))
}
