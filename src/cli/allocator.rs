//! Settings of the memory allocator.

use std::os::unix::process::CommandExt;
use std::process::Command;

/// Give back at once what is freed; take no pages of 2 MiB, which are held whole for the sake of a few bytes; and leave full
/// pages to whoever frees what is in them, since what one thread made another lets go. With a million players that is a
/// fifth of all memory, and requests are answered as quickly.
const SETTINGS: [(&str, &str); 3] =
    [("MIMALLOC_PURGE_DELAY", "0"), ("MIMALLOC_ALLOW_THP", "0"), ("MIMALLOC_PAGE_FULL_RETAIN", "0")];

/// The allocator reads its settings from the environment before any code of ours runs. So a program that is to serve for
/// long begins once more as itself, in the same process, with those set that nobody has set. If it cannot, it goes on with
/// what it has.
pub fn settle() {
    let unset: Vec<_> = SETTINGS.into_iter().filter(|(name, _)| std::env::var_os(name).is_none()).collect();
    let (Ok(program), false) = (std::env::current_exe(), unset.is_empty()) else { return };
    let mut arguments = std::env::args_os();
    let mut again = Command::new(program);
    again.arg0(arguments.next().unwrap_or_default()).args(arguments).envs(unset);
    // Comes back only when it failed.
    let _failed = again.exec();
}
