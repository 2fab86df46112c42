//! Marks a response that is sent for as long as the client wants, with pauses: the connection is not idle meanwhile. Clients that
//! do not read are still disconnected.

/// An extension of the response.
#[derive(Clone, Copy, Debug)]
pub struct LiveResponse;
