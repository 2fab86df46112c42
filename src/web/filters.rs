//! Filters that all templates share. Texts, numbers and dates follow the language of the request.

use std::fmt::Display;

use askama::filters::{Html, Safe};
use askama::{Result, Values, filter_fn};

use super::view::language;
use rollcall_model::time::{DAY, HOUR, MINUTE, iso};

/// Templates pass numbers by value or behind any number of references.
pub trait Number<T> {
    fn value(&self) -> T;
}

impl Number<i64> for i64 {
    fn value(&self) -> i64 {
        *self
    }
}

impl Number<f64> for f64 {
    fn value(&self) -> f64 {
        *self
    }
}

impl<T, N: Number<T>> Number<T> for &N {
    fn value(&self) -> T {
        (*self).value()
    }
}

/// `{{ "Players online"|t }}`: a text in the language of the page.
#[filter_fn]
pub fn t(text: &str, _: &dyn Values) -> Result<String> {
    Ok(language().translate(text).to_owned())
}

/// `{{ "Players of {}"|t1(name) }}`: a text with one value.
#[filter_fn]
pub fn t1<V: Display>(text: &str, _: &dyn Values, value: V) -> Result<String> {
    Ok(language().fill(text, &[&value]))
}

/// `{{ "Page {} of {}"|t2(page, pages) }}`: a text with two values.
#[filter_fn]
pub fn t2<A: Display, B: Display>(text: &str, _: &dyn Values, first: A, second: B) -> Result<String> {
    Ok(language().fill(text, &[&first, &second]))
}

/// `{{ "{} server|{} servers"|plural(total) }}`: the plural form for a count.
#[filter_fn]
pub fn plural<N: Number<i64>>(forms: &str, _: &dyn Values, count: N) -> Result<String> {
    Ok(language().translate_plural(forms, count.value()))
}

/// A whole number with separators, so that the layout does not shift when the script localizes it.
#[filter_fn]
pub fn count<N: Number<i64>>(count: N, _: &dyn Values) -> Result<String> {
    Ok(language().count(count.value()))
}

/// A number with at most one decimal.
#[filter_fn]
pub fn decimal<N: Number<f64>>(value: N, _: &dyn Values) -> Result<String> {
    Ok(language().decimal(value.value(), 1))
}

/// A rating of 1 to 5 as stars.
#[filter_fn]
pub fn stars<N: Number<i64>>(rating: N, _: &dyn Values) -> Result<String> {
    let full = rating.value().clamp(0, 5) as usize;
    Ok("★".repeat(full) + &"☆".repeat(5 - full))
}

/// `<time>` with date and time in UTC; the script shows local time.
#[filter_fn]
pub fn instant<N: Number<i64>>(at: N, _: &dyn Values) -> Result<Safe<String>> {
    let at = at.value();
    Ok(Safe(format!("<time datetime=\"{}\">{}</time>", iso(at), language().instant(at))))
}

/// `<time>` with a UTC day.
#[filter_fn]
pub fn day<N: Number<i64>>(at: N, _: &dyn Values) -> Result<Safe<String>> {
    let at = at.value();
    Ok(Safe(format!("<time datetime=\"{}\">{}</time>", &iso(at)[..10], language().day(at))))
}

/// `<time>` with the distance to `now`: `5 min ago`. The script keeps it current.
#[filter_fn]
pub fn ago<A: Number<i64>, N: Number<i64>>(at: A, _: &dyn Values, now: N) -> Result<Safe<String>> {
    let (at, now) = (at.value(), now.value());
    let age = (now - at).max(0);
    let text = match age {
        _ if age < MINUTE => language().translate("just now").to_owned(),
        _ if age < HOUR => language().fill("{} min ago", &[&(age / MINUTE)]),
        _ if age < 2 * DAY => language().fill("{} h ago", &[&(age / HOUR)]),
        _ => language().translate_plural("{} day ago|{} days ago", age / DAY),
    };
    Ok(Safe(format!("<time datetime=\"{}\" data-relative>{}</time>", iso(at), askama::filters::escape(text, Html)?)))
}

/// A duration in seconds: `3 h 20 min`.
#[filter_fn]
pub fn duration<N: Number<i64>>(seconds: N, _: &dyn Values) -> Result<String> {
    let seconds = seconds.value();
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60);
    let language = language();
    Ok(match (days, hours, minutes) {
        (0, 0, 0) => language.fill("{} s", &[&seconds]),
        (0, 0, _) => language.fill("{} min", &[&minutes]),
        (0, _, _) => language.fill("{} h {} min", &[&hours, &minutes]),
        _ => language.fill("{} d {} h", &[&language.count(days), &hours]),
    })
}
