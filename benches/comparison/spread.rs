//! Median and range of repeated measurements.

#[derive(Clone, Copy, Debug)]
pub struct Spread {
    pub median: f64,
    pub min: f64,
    pub max: f64,
}

impl Spread {
    /// `None` without values.
    pub fn of(values: &[f64]) -> Option<Self> {
        let mut values = values.to_vec();
        values.sort_by(f64::total_cmp);
        let (min, max) = (*values.first()?, *values.last()?);
        let (lower, upper) = (values[(values.len() - 1) / 2], values[values.len() / 2]);
        Some(Self { median: f64::midpoint(lower, upper), min, max })
    }

    /// The ratio of two spreads that were not measured in pairs: its range is the widest possible one.
    pub fn over(self, other: Self) -> Self {
        let Self { median, min, max } = self;
        Self { median: median / other.median, min: min / other.max, max: max / other.min }
    }
}

impl std::fmt::Display for Spread {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let digits = if self.median < 10.0 { 2 } else { 0 };
        let Self { median, min, max } = self;
        write!(f, "{median:.digits$} [{min:.digits$} to {max:.digits$}]")
    }
}
