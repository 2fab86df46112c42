//! The `size` parameter: a few steps, so that the cache stays small and every pixel of a texture is drawn as a whole square.

use crate::error::ApiError;
use crate::http::query::Query;

/// Multiples of the 8 pixels of a face.
pub const SQUARE: Sizes = Sizes { allowed: &[16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512], default: 128 };
/// Multiples of the 32 pixels of a figure; the height, the width is half of it.
pub const FIGURE: Sizes = Sizes { allowed: &[32, 64, 96, 128, 192, 256, 384, 512], default: 256 };

pub struct Sizes {
    allowed: &'static [u32],
    default: u32,
}

impl Sizes {
    pub fn read(&self, query: &Query) -> Result<u32, ApiError> {
        let Some(text) = query.get("size") else { return Ok(self.default) };
        let size = text.parse().ok().filter(|size| self.allowed.contains(size));
        size.ok_or_else(|| {
            let allowed: Vec<String> = self.allowed.iter().map(u32::to_string).collect();
            ApiError::BadRequest(format!("size must be one of {}", allowed.join(", ")))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_steps_are_allowed() {
        let read = |query: &str| FIGURE.read(&Query::parse(query).unwrap());
        assert_eq!(read(""), Ok(256));
        assert_eq!(read("size=512"), Ok(512));
        for wrong in ["size=0", "size=33", "size=1024", "size=-32", "size=32.0", "size=99999999999", "size=a"] {
            let message = "size must be one of 32, 64, 96, 128, 192, 256, 384, 512";
            assert_eq!(read(wrong).unwrap_err().message(), message, "{wrong}");
        }
    }
}
