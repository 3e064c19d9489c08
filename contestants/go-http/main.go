// The server of the documentation of package net/http, with an echo of POST.
package main

import (
	"io"
	"log"
	"net/http"
	"os"
)

func hello(reply http.ResponseWriter, request *http.Request) {
	if request.URL.Path != "/" {
		http.NotFound(reply, request)
		return
	}
	reply.Header().Set("Content-Type", "text/plain")
	io.WriteString(reply, "Hello, World!")
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
	http.HandleFunc("/", hello)
	http.HandleFunc("/echo", echo)
	log.Fatal(http.ListenAndServe(os.Args[1], nil))
}
