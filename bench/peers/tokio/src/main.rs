//! An echo server as Tokio's own examples write it, on the current-thread runtime: a task a
//! connection. It prints the `listening` event of serverlab-server, and serves until it is killed.

use std::os::fd::AsRawFd;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};

/// What all peers set, so that the kernel does the same for each.
fn set_congestion(socket: &TcpSocket) {
    let name = b"reno";
    let status = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_CONGESTION,
            name.as_ptr().cast(),
            name.len() as libc::socklen_t,
        )
    };
    assert_eq!(status, 0, "TCP_CONGESTION: {}", std::io::Error::last_os_error());
}

fn listen() -> std::io::Result<TcpListener> {
    let socket = TcpSocket::new_v4()?;
    set_congestion(&socket);
    socket.bind("127.0.0.1:0".parse().unwrap())?;
    socket.listen(4096)
}

async fn echo(mut stream: TcpStream) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut buffer = vec![0; 64 << 10];
    loop {
        let got = stream.read(&mut buffer).await?;
        if got == 0 {
            return Ok(());
        }
        stream.write_all(&buffer[..got]).await?;
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> std::io::Result<()> {
    let listener = listen()?;
    println!(
        "{{\"event\":\"listening\",\"address\":\"{}\"}}",
        listener.local_addr()?
    );
    loop {
        let (stream, _) = listener.accept().await?;
        tokio::spawn(echo(stream));
    }
}
