//! The server of hyper's guide, with Nagle's algorithm off, replies to pipelined requests flushed
//! together, and the other resources of serverlab's http service.

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::CONTENT_TYPE;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::TcpSocket;

const BYTES_MAX: usize = 1 << 30;

/// The content of `/bytes/N`: the printable characters of ASCII, repeated.
fn printable(path: &str) -> Option<Bytes> {
    let size: usize = path.strip_prefix("/bytes/")?.parse().ok()?;
    let characters: Vec<u8> = (b' '..=b'~').collect();
    let mut content = (size <= BYTES_MAX).then(|| characters.repeat(size / 95 + 1))?;
    content.truncate(size);
    Some(content.into())
}

async fn reply(request: Request<Incoming>) -> hyper::Result<Response<Full<Bytes>>> {
    let (status, content) = match request.uri().path() {
        "/" => (StatusCode::OK, "Hello, World!".into()),
        "/echo" => (
            StatusCode::OK,
            request.into_body().collect().await?.to_bytes(),
        ),
        path => match printable(path) {
            Some(content) => (StatusCode::OK, content),
            None => (StatusCode::NOT_FOUND, "not found".into()),
        },
    };
    let response = Response::builder()
        .status(status)
        .header(CONTENT_TYPE, "text/plain");
    Ok(response.body(Full::new(content)).unwrap())
}

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let address = std::env::args().nth(1).expect("HOST:PORT");
    let socket = TcpSocket::new_v4()?;
    socket.set_reuseaddr(true)?;
    socket.bind(address.parse().expect("HOST:PORT"))?;
    let listener = socket.listen(1024)?;
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        tokio::spawn(
            http1::Builder::new()
                .pipeline_flush(true)
                .serve_connection(TokioIo::new(stream), service_fn(reply)),
        );
    }
}
