#pragma once

// The commands about the connection and the server.

#include "services/kv/resp_call.h"

namespace serverlab::kv {

void ping(const RespCall& call);
void echo(const RespCall& call);
void select(const RespCall& call);
void flush_all(const RespCall& call);
void db_size(const RespCall& call);
void info(const RespCall& call);
void config(const RespCall& call);
void client(const RespCall& call);
void hello(const RespCall& call);

}  // namespace serverlab::kv
