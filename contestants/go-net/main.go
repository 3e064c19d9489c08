// The echo server of the documentation of package net. Go turns Nagle's algorithm off by itself.
package main

import (
	"log"
	"net"
	"os"
)

func echo(connection net.Conn) {
	defer connection.Close()
	buffer := make([]byte, 64<<10)
	for {
		got, err := connection.Read(buffer)
		if err != nil {
			return
		}
		if _, err := connection.Write(buffer[:got]); err != nil {
			return
		}
	}
}

func main() {
	listener, err := net.Listen("tcp", os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	for {
		connection, err := listener.Accept()
		if err != nil {
			log.Fatal(err)
		}
		go echo(connection)
	}
}
