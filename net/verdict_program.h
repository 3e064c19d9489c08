#pragma once

// The eBPF program that sends a socket's bytes back, in the words of <linux/bpf.h>.

#include <cstdint>
#include <linux/bpf.h>
#include <vector>

namespace serverlab {

/// Which connection a segment belongs to, as the program can tell: all in network byte order. Of an
/// IPv4 address the last three words are zero.
struct EchoKey {
  std::uint32_t remote_ip[4];
  std::uint32_t local_ip[4];
  std::uint32_t remote_port;  // as if it were a number of 32 bits
};

/// What the program and the process that serves let each other know of a connection, in memory that
/// both see.
struct EchoAccount {
  std::uint64_t echoed_bytes;   // by the program: handed to the socket's own sending side
  std::uint64_t echoed_chunks;  // by the program: in so many pieces
  std::uint64_t notice_bytes;   // by the process: a notice is due when as many have been echoed
  std::uint64_t is_noticed;     // set by the program with its notice, cleared by the process
};

/// The maps by which program and process meet; descriptors.
struct EchoMaps {
  int slots;     // hash: EchoKey to slot, 32 bits
  int accounts;  // array: slot to EchoAccount
  int sockets;   // sockmap: slot to socket
  int notices;   // ring buffer: a slot, 64 bits, when its connection has come to its notice_bytes
};

/// The program, to be attached to `sockets` as its stream verdict. Whatever arrives on a connection
/// with a slot is redirected to the socket's own sending side, and counted.
std::vector<bpf_insn> verdict_program(const EchoMaps& maps);

}  // namespace serverlab
