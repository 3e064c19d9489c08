#pragma once

// What a server gives up before a peer can send it anything: what root may do beyond others
// (capabilities(7)), and calls that no server makes (seccomp(2)).

namespace serverlab {

enum class Capabilities {
  none,
  to_listen,          // on low ports, with a congestion control that only root may choose
  to_echo_in_kernel,  // the same, and load the kernel's echo
};

/// Gives up all capabilities but these, for good: neither this thread, nor those that it makes, nor
/// programs that they start get them back. Threads that exist keep theirs. A process without
/// capabilities keeps none.
void keep_capabilities(Capabilities kept);

/// Lets every call fail, with EPERM and for good, by which a process becomes another, reaches other
/// hosts and processes, or changes the machine: of this thread, and of the threads and processes
/// that it makes. Where the kernel has no filters, nothing changes.
/// @param kept to_echo_in_kernel keeps bpf(2)
void forbid_foreign_calls(Capabilities kept);

}  // namespace serverlab
