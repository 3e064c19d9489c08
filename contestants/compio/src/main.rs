//! An echo server as compio's documentation has its examples: the kernel owns a buffer while it
//! fills it, and gives it back. Nagle's algorithm is off.

use compio::io::{AsyncRead, AsyncWriteExt};
use compio::net::{TcpListener, TcpStream};
use compio::BufResult;

async fn echo(mut stream: TcpStream) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut buffer = Vec::with_capacity(64 << 10);
    loop {
        let BufResult(read, filled) = stream.read(buffer).await;
        if read? == 0 {
            return Ok(());
        }
        let BufResult(written, mut sent) = stream.write_all(filled).await;
        written?;
        sent.clear();
        buffer = sent;
    }
}

#[compio::main]
async fn main() -> std::io::Result<()> {
    let address = std::env::args().nth(1).expect("HOST:PORT");
    let listener = TcpListener::bind(address).await?;
    loop {
        let (stream, _) = listener.accept().await?;
        compio::runtime::spawn(echo(stream)).detach();
    }
}
