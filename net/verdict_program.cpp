#include "net/verdict_program.h"

#include <cstddef>
#include <sys/socket.h>

namespace serverlab {
namespace {

using Register = std::uint8_t;
using Code = std::vector<bpf_insn>;

// The calling convention of <linux/bpf.h>: a call's result is in r0, its arguments are in r1 to r5,
// which it destroys; r6 to r9 survive it; r10 is the end of the stack.
constexpr Register r0 = 0, r1 = 1, r2 = 2, r3 = 3, r4 = 4, r6 = 6, r7 = 7, r8 = 8, r10 = 10;

constexpr bpf_insn instruction(int code, Register to, Register from, int offset, int value) {
  bpf_insn made{};
  made.code = static_cast<__u8>(code);
  made.dst_reg = to & 0xF;  // four bits each
  made.src_reg = from & 0xF;
  made.off = static_cast<__s16>(offset);
  made.imm = value;
  return made;
}

// BPF_K, which says that an operand is a constant, and BPF_LD are 0 and left out.
constexpr bpf_insn set(Register to, int value) {
  return instruction(BPF_ALU64 | BPF_MOV, to, 0, 0, value);
}
constexpr bpf_insn copy(Register to, Register from) {
  return instruction(BPF_ALU64 | BPF_MOV | BPF_X, to, from, 0, 0);
}
constexpr bpf_insn add(Register to, int value) {
  return instruction(BPF_ALU64 | BPF_ADD, to, 0, 0, value);
}
constexpr bpf_insn load(int width, Register to, Register from, std::size_t offset) {
  return instruction(BPF_LDX | BPF_MEM | width, to, from, static_cast<int>(offset), 0);
}
constexpr bpf_insn store(int width, Register to, int offset, Register from) {
  return instruction(BPF_STX | BPF_MEM | width, to, from, offset, 0);
}
// `operation` is BPF_ADD, which adds `from`, or BPF_XCHG, which also leaves there what was.
constexpr bpf_insn atomic(int operation, Register to, std::size_t offset, Register from) {
  return instruction(BPF_STX | BPF_ATOMIC | BPF_DW, to, from, static_cast<int>(offset), operation);
}
constexpr bpf_insn call(int helper) { return instruction(BPF_JMP | BPF_CALL, 0, 0, 0, helper); }
constexpr bpf_insn end() { return instruction(BPF_JMP | BPF_EXIT, 0, 0, 0, 0); }

// A map's address takes an instruction of two words.
void set_map(Code& code, Register to, int map) {
  code.push_back(instruction(BPF_DW | BPF_IMM, to, BPF_PSEUDO_MAP_FD, 0, map));
  code.push_back({});
}

template <class... Instructions>
void append(Code& code, Instructions... more) {
  (code.push_back(more), ...);
}

// Jumps whose target comes later.
std::size_t jump(Code& code) {
  code.push_back(instruction(BPF_JMP | BPF_JA, 0, 0, 0, 0));
  return code.size() - 1;
}
std::size_t jump_if(Code& code, int condition, Register left, Register right) {
  code.push_back(instruction(BPF_JMP | BPF_X | condition, left, right, 0, 0));
  return code.size() - 1;
}
std::size_t jump_unless_zero(Code& code, Register left) {
  code.push_back(instruction(BPF_JMP | BPF_JNE, left, 0, 0, 0));
  return code.size() - 1;
}
std::size_t jump_if_zero(Code& code, Register left) {
  code.push_back(instruction(BPF_JMP | BPF_JEQ, left, 0, 0, 0));
  return code.size() - 1;
}
void land(Code& code, std::initializer_list<std::size_t> jumps) {
  for (const std::size_t jump : jumps) code[jump].off = static_cast<__s16>(code.size() - jump - 1);
}

constexpr int key_at = -40;   // on the stack, below r10: an EchoKey
constexpr int slot_at = -48;  // 64 bits, of which the lower half is a key of the arrays

// Words of the connection's addresses into the key, which else has zeros.
void copy_to_key(Code& code, std::size_t context_field, std::size_t key_field, int words) {
  for (int word = 0; word < words; ++word) {
    const int at = static_cast<int>(sizeof(std::uint32_t)) * word;
    append(code, load(BPF_W, r2, r6, context_field + static_cast<std::size_t>(at)),
           store(BPF_W, r10, key_at + static_cast<int>(key_field) + at, r2));
  }
}

void make_key(Code& code) {
  append(code, set(r2, 0));
  for (int at = 0; at < static_cast<int>(sizeof(EchoKey)); at += sizeof(std::uint32_t))
    append(code, store(BPF_W, r10, key_at + at, r2));
  copy_to_key(code, offsetof(__sk_buff, remote_port), offsetof(EchoKey, remote_port), 1);
  append(code, load(BPF_W, r2, r6, offsetof(__sk_buff, family)), set(r3, AF_INET6));
  const std::size_t is_ip6 = jump_if(code, BPF_JEQ, r2, r3);
  copy_to_key(code, offsetof(__sk_buff, remote_ip4), offsetof(EchoKey, remote_ip), 1);
  copy_to_key(code, offsetof(__sk_buff, local_ip4), offsetof(EchoKey, local_ip), 1);
  const std::size_t is_made = jump(code);
  land(code, {is_ip6});
  copy_to_key(code, offsetof(__sk_buff, remote_ip6), offsetof(EchoKey, remote_ip), 4);
  copy_to_key(code, offsetof(__sk_buff, local_ip6), offsetof(EchoKey, local_ip), 4);
  land(code, {is_made});
}

}  // namespace

std::vector<bpf_insn> verdict_program(const EchoMaps& maps) {
  Code code;

  // Whose chunk is it? r7: its slot.
  append(code, copy(r6, r1));
  make_key(code);
  set_map(code, r1, maps.slots);
  append(code, copy(r2, r10), add(r2, key_at), call(BPF_FUNC_map_lookup_elem));
  const std::size_t unknown = jump_if_zero(code, r0);
  append(code, load(BPF_W, r7, r0, 0), store(BPF_DW, r10, slot_at, r7));

  // Its account: r8.
  set_map(code, r1, maps.accounts);
  append(code, copy(r2, r10), add(r2, slot_at), call(BPF_FUNC_map_lookup_elem));
  const std::size_t no_account = jump_if_zero(code, r0);
  append(code, copy(r8, r0), set(r2, 1),
         atomic(BPF_ADD, r8, offsetof(EchoAccount, echoed_chunks), r2),
         load(BPF_W, r2, r6, offsetof(__sk_buff, len)),
         atomic(BPF_ADD, r8, offsetof(EchoAccount, echoed_bytes), r2));

  // Is a notice due, that has not been put?
  append(code, load(BPF_DW, r2, r8, offsetof(EchoAccount, echoed_bytes)),
         load(BPF_DW, r3, r8, offsetof(EchoAccount, notice_bytes)));
  const std::size_t not_due = jump_if(code, BPF_JLT, r2, r3);
  append(code, set(r2, 1), atomic(BPF_XCHG, r8, offsetof(EchoAccount, is_noticed), r2));
  const std::size_t was_put = jump_unless_zero(code, r2);
  set_map(code, r1, maps.notices);
  append(code, copy(r2, r10), add(r2, slot_at), set(r3, sizeof(std::uint64_t)), set(r4, 0),
         call(BPF_FUNC_ringbuf_output));

  // Back it goes.
  land(code, {not_due, was_put});
  append(code, copy(r1, r6));
  set_map(code, r2, maps.sockets);
  append(code, copy(r3, r7), set(r4, 0), call(BPF_FUNC_sk_redirect_map), end());

  land(code, {unknown, no_account});
  append(code, set(r0, SK_PASS), end());
  return code;
}

}  // namespace serverlab
