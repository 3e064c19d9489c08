%% The echo server of gen_tcp's documentation: a process for each connection, in passive mode.
-module(echo).
-export([start/1]).

start([Host, Port]) ->
    {ok, Address} = inet:parse_address(atom_to_list(Host)),
    Options = [binary, {ip, Address}, {active, false}, {nodelay, true}, {backlog, 1024},
               {reuseaddr, true}, {buffer, 65536}],
    {ok, Listener} = gen_tcp:listen(list_to_integer(atom_to_list(Port)), Options),
    accept(Listener).

accept(Listener) ->
    {ok, Socket} = gen_tcp:accept(Listener),
    Process = spawn(fun() -> receive go -> echo(Socket) end end),
    ok = gen_tcp:controlling_process(Socket, Process),
    Process ! go,
    accept(Listener).

echo(Socket) ->
    case gen_tcp:recv(Socket, 0) of
        {ok, Data} ->
            ok = gen_tcp:send(Socket, Data),
            echo(Socket);
        {error, _} ->
            gen_tcp:close(Socket)
    end.
