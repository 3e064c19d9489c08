// An echo server as a Go programmer writes it: a goroutine a connection, blocking calls. It prints
// the `listening` event of serverlab-server, and serves until it is killed.
package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"syscall"
)

// What all peers set, so that the kernel does the same for each.
func congestion(_, _ string, socket syscall.RawConn) error {
	var failure error
	err := socket.Control(func(fd uintptr) {
		const tcpCongestion = 13
		failure = syscall.SetsockoptString(int(fd), syscall.IPPROTO_TCP, tcpCongestion, "reno")
	})
	if err != nil {
		return err
	}
	return failure
}

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
	config := net.ListenConfig{Control: congestion}
	listener, err := config.Listen(context.Background(), "tcp4", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("{\"event\":\"listening\",\"address\":\"%s\"}\n", listener.Addr())
	for {
		connection, err := listener.Accept()
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		go echo(connection)
	}
}
