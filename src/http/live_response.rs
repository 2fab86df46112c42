//! Responses that are sent for as long as the client wants, with pauses. Over HTTP/1 their bodies leave hyper once it has sent the
//! headers: it would keep two buffers of 8 KiB for each.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::Mutex;

use axum::body::{Body, HttpBody};
use axum::http::{Response, Version};
use bytes::Bytes;
use futures_util::stream;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use super::response_body::ResponseBody;
use super::shutdown::{CloseSignal, CloseSignals};

/// An extension of the response: the connection is not idle in its pauses. Clients that do not read are still disconnected.
#[derive(Clone, Copy, Debug)]
pub struct LiveResponse;

/// A body that waits until its headers are sent.
#[derive(Default)]
pub struct LiveBody(Mutex<Option<(ResponseBody, Framing)>>);

#[derive(Clone, Copy)]
enum Framing {
    Chunked,
    /// HTTP/1.0 ends it by closing the connection.
    None,
}

const LAST_CHUNK: &[u8] = b"0\r\n\r\n";
const UNPOISONED: &str = "nothing panics under this lock";

impl LiveBody {
    /// Takes the body out of a response to a request of this version.
    pub fn take_from(&self, response: Response<ResponseBody>, version: Version) -> Response<ResponseBody> {
        let framing = if version >= Version::HTTP_11 { Framing::Chunked } else { Framing::None };
        let endless = Body::from_stream(stream::pending::<io::Result<Bytes>>());
        let (head, body) = response.into_parts();
        *self.0.lock().expect(UNPOISONED) = Some((body, framing));
        Response::from_parts(head, ResponseBody::Body(endless))
    }

    /// Sends it until it ends, the client closes the connection or the connection must close.
    pub async fn send(self, stream: impl AsyncRead + AsyncWrite + Unpin, close_signals: &mut CloseSignals) {
        let Some((body, framing)) = self.0.into_inner().expect(UNPOISONED) else { return };
        let closed = async {
            // The body ends by itself before the service stops.
            while close_signals.next().await == CloseSignal::Shutdown {}
        };
        tokio::select! {
            _ = send(stream, body, framing) => {}
            () = closed => {}
        }
    }
}

async fn send(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    mut body: ResponseBody,
    framing: Framing,
) -> io::Result<()> {
    loop {
        let next = poll_fn(|context| Pin::new(&mut body).poll_frame(context));
        let frame = tokio::select! {
            frame = next => frame,
            () = closed_by_client(&mut stream) => return Ok(()),
        };
        let Some(frame) = frame else { break };
        let Ok(data) = frame.map_err(io::Error::other)?.into_data() else { continue };
        let data = match framing {
            Framing::Chunked => chunk(&data),
            Framing::None => data,
        };
        stream.write_all(&data).await?;
        stream.flush().await?;
    }
    if let Framing::Chunked = framing {
        stream.write_all(LAST_CHUNK).await?;
    }
    stream.shutdown().await
}

fn chunk(data: &[u8]) -> Bytes {
    [format!("{:x}\r\n", data.len()).as_bytes(), data, b"\r\n"].concat().into()
}

/// Completes when the client has closed its side. What it sends is not looked at: there is no further request on this connection.
async fn closed_by_client(stream: &mut (impl AsyncRead + Unpin)) {
    if let Ok(1..) = stream.read(&mut [0; 16]).await {
        std::future::pending().await
    }
}
