//! Usage as CSV (RFC 4180).

use crate::http::csv_field::{quote, text};
use rollcall_model::time;
use rollcall_model::usage::UsageLine;

/// One row per line, with the names of the keys.
pub fn csv<'a>(lines: &[UsageLine], name_of: impl Fn(i64) -> &'a str) -> String {
    let mut out = String::from("time,key,endpoint,status,requests,bytes\r\n");
    for line in lines {
        let (time, name) = (time::iso(line.at), text(name_of(line.key_n)));
        let endpoint = quote(&line.endpoint);
        out += &format!("{time},{name},{endpoint},{},{},{}\r\n", line.status, line.requests, line.bytes);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_names_are_quoted_and_not_run_as_formulas() {
        let line = |key_n, status: &str| UsageLine {
            key_n,
            at: 1_780_495_200_000,
            endpoint: "/servers/{slug}".to_owned(),
            status: status.to_owned(),
            requests: 7,
            bytes: 70,
        };
        let names = ["plain", "a, \"b\"", "=HYPERLINK(\"x\")", "+1", "-1", "@a", "\ta", "it=1"];
        let lines: Vec<UsageLine> = (0..).zip(names).map(|(n, _)| line(n, "2xx")).collect();
        let text = csv(&lines, |n| names[n as usize]);
        let keys: Vec<&str> = text
            .strip_prefix("time,key,endpoint,status,requests,bytes\r\n")
            .unwrap()
            .split_terminator("\r\n")
            .map(|row| row.strip_prefix("2026-06-03T14:00:00.000Z,").unwrap())
            .map(|row| row.strip_suffix(",/servers/{slug},2xx,7,70").unwrap())
            .collect();
        assert_eq!(
            keys,
            ["plain", "\"a, \"\"b\"\"\"", "\"'=HYPERLINK(\"\"x\"\")\"", "'+1", "'-1", "'@a", "'\ta", "it=1"]
        );
        assert_eq!(csv(&[], |_| ""), "time,key,endpoint,status,requests,bytes\r\n");
    }
}
