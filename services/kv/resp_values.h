#pragma once

// The commands that read and change values.

#include "services/kv/resp_call.h"

namespace serverlab::kv {

void get(const RespCall& call);
void set(const RespCall& call);
void exchange(const RespCall& call);
void erase(const RespCall& call);
void exists(const RespCall& call);
void increment(const RespCall& call);  // by one, or by a third word
void decrement(const RespCall& call);  // as well
void append(const RespCall& call);
void string_length(const RespCall& call);
void get_many(const RespCall& call);
void set_many(const RespCall& call);

}  // namespace serverlab::kv
