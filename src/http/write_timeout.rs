//! The write timeout of a connection: a client that does not read its response is disconnected.

use std::future::Future;
use std::io::{self, ErrorKind, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Sleep;

use super::idle_timeout::IdleTimer;

/// Bounds writes, and tells the idle timer when everything is flushed. Reads are bounded by the idle timer.
pub struct WriteTimeout {
    stream: TcpStream,
    timeout: Duration,
    idle_timer: Arc<IdleTimer>,
    /// Runs since a write first returned `Pending`.
    deadline: Option<Pin<Box<Sleep>>>,
    /// Bytes the client has read since then.
    progress: usize,
}

/// Bytes a client must read before the timeout restarts, so that one byte now and then does not keep a connection.
const MIN_PROGRESS: usize = 16 * 1024;

impl WriteTimeout {
    pub fn new(stream: TcpStream, timeout: Duration, idle_timer: Arc<IdleTimer>) -> Self {
        Self { stream, timeout, idle_timer, deadline: None, progress: 0 }
    }

    fn reset(&mut self) {
        if self.deadline.take().is_some() {
            self.idle_timer.write_resumed();
        }
        self.progress = 0;
    }

    /// Passes the result of a write on, or fails it when the client has not read for too long.
    fn check_deadline(&mut self, context: &mut Context, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        match &written {
            Poll::Pending => {
                let (timeout, idle_timer) = (self.timeout, &self.idle_timer);
                let deadline = self.deadline.get_or_insert_with(|| {
                    idle_timer.write_stalled();
                    Box::pin(tokio::time::sleep(timeout))
                });
                ready!(deadline.as_mut().poll(context));
                // Drop the unread bytes in the kernel, too.
                let _ = self.stream.set_zero_linger();
                return Poll::Ready(Err(ErrorKind::TimedOut.into()));
            }
            Poll::Ready(Ok(bytes)) => {
                self.progress += bytes;
                if self.progress >= MIN_PROGRESS {
                    self.reset();
                }
            }
            Poll::Ready(Err(_)) => {}
        }
        written
    }
}

impl AsyncRead for WriteTimeout {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context, into: &mut ReadBuf) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, into)
    }
}

impl AsyncWrite for WriteTimeout {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.check_deadline(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context,
        bytes: &[IoSlice],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, bytes);
        self.check_deadline(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context) -> Poll<io::Result<()>> {
        self.reset();
        self.idle_timer.flushed();
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
