# pkg-config names the library, which needs a shell.
exec cc -O2 -o "$1/libuv-echo" main.c $(pkg-config --cflags --libs libuv)
