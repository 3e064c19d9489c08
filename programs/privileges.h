#pragma once

// What a server of root gives up before a peer can send it anything: what root may do beyond others
// (capabilities(7)).

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

}  // namespace serverlab
