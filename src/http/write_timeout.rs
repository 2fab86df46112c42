//! A stream that waits for its reader, but not for ever: a client that leaves its answer lying is cut off.

use std::cell::RefCell;
use std::future::Future;
use std::io::{self, ErrorKind, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Sleep;

use super::idle_timeout::Waiting;

/// Reading is bounded by those who read; this bounds writing, and says when all is written.
pub struct Patient {
    stream: TcpStream,
    patience: Duration,
    request: Arc<Waiting>,
    /// Runs since a write first had to wait.
    waiting: Option<Pin<Box<Sleep>>>,
    /// Bytes the client has taken since then.
    taken: usize,
}

/// What a client must take before our patience begins anew, so that a sip now and then does not hold us.
const SWALLOW: usize = 16 * 1024;

/// Up to so much is put together and sent as one piece: the system takes longer over a list than we over the copy.
const PIECE: usize = 8 * 1024;

thread_local! {
    static PIECES: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

impl Patient {
    pub fn new(stream: TcpStream, patience: Duration, request: Arc<Waiting>) -> Self {
        Self { stream, patience, request, waiting: None, taken: 0 }
    }

    fn content(&mut self) {
        self.waiting = None;
        self.taken = 0;
    }

    /// Passes on what a write came to, unless it has been waiting for too long.
    fn judge(&mut self, context: &mut Context, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        match &written {
            Poll::Pending => {
                let patience = self.patience;
                let waiting = self.waiting.get_or_insert_with(|| Box::pin(tokio::time::sleep(patience)));
                ready!(waiting.as_mut().poll(context));
                // What nobody reads must not stay in the kernel either.
                let _ = self.stream.set_zero_linger();
                return Poll::Ready(Err(ErrorKind::TimedOut.into()));
            }
            Poll::Ready(Ok(bytes)) => {
                self.taken += bytes;
                if self.taken >= SWALLOW {
                    self.content();
                }
            }
            Poll::Ready(Err(_)) => {}
        }
        written
    }
}

impl AsyncRead for Patient {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context, into: &mut ReadBuf) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, into)
    }
}

impl AsyncWrite for Patient {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.judge(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context,
        bytes: &[IoSlice],
    ) -> Poll<io::Result<usize>> {
        let stream = Pin::new(&mut self.stream);
        let written = if bytes.iter().map(|part| part.len()).sum::<usize>() <= PIECE {
            PIECES.with_borrow_mut(|piece| {
                piece.clear();
                bytes.iter().for_each(|part| piece.extend_from_slice(part));
                stream.poll_write(context, piece)
            })
        } else {
            stream.poll_write_vectored(context, bytes)
        };
        self.judge(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    /// Comes when everything has been written.
    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context) -> Poll<io::Result<()>> {
        self.content();
        self.request.written();
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
