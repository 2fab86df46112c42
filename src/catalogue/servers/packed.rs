//! Several short texts in one piece of memory.

/// A hundred thousand servers have a million such texts; a `String` each would weigh more than what they say.
pub struct Packed<const N: usize> {
    text: Box<str>,
    ends: [u32; N],
}

impl<const N: usize> Packed<N> {
    pub fn new(texts: [&str; N]) -> Self {
        let mut end = 0;
        let ends = texts.map(|text| {
            end += text.len() as u32;
            end
        });
        Self { text: texts.concat().into(), ends }
    }

    pub fn get(&self, i: usize) -> &str {
        let start = i.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start as usize..self.ends[i] as usize]
    }
}

impl<const N: usize> Default for Packed<N> {
    fn default() -> Self {
        Self { text: Box::default(), ends: [0; N] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_in_comes_out() {
        let texts = ["ä", "", "name", ""];
        let packed = Packed::new(texts);
        for (i, text) in texts.into_iter().enumerate() {
            assert_eq!(packed.get(i), text);
            assert_eq!(Packed::<4>::default().get(i), "");
        }
    }
}
