//! Files that only the owner of a store may read: it holds names, password hashes and second-factor secrets.
//!
//! Two rules. Whatever a process creates is closed to everyone else (mode 0600, folders 0700). And whatever root creates in the
//! store of another user belongs to that user, who could not open it otherwise.

use std::fs::{DirBuilder, File, Metadata, OpenOptions};
use std::io::{Error, ErrorKind, Result};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt, fchown, lchown};
use std::path::Path;

use rustix::fs::{Access, Mode, OFlags};
use rustix::io::Errno;

const FILE_MODE: u32 = 0o600;
const FOLDER_MODE: u32 = 0o700;
/// The rights of everyone who is neither the owner nor in the group.
const OTHERS: u32 = 0o007;
/// Permissions that an operator may have granted to a group.
const OWNER_AND_GROUP: u32 = 0o660;

/// Closes every file that this process creates from now on to other users, by whatever library it is created.
pub fn restrict_umask() {
    rustix::process::umask(Mode::RWXG | Mode::RWXO);
}

/// Creates a folder and its missing parents.
pub fn create_folder(folder: &Path) -> Result<()> {
    if folder.as_os_str().is_empty() || folder.is_dir() {
        return Ok(());
    }
    if let Some(parent) = folder.parent() {
        create_folder(parent)?;
    }
    match DirBuilder::new().mode(FOLDER_MODE).create(folder) {
        Ok(()) => match foreign_owner(folder)? {
            Some((user, group)) => lchown(folder, Some(user), Some(group)),
            None => Ok(()),
        },
        // Another process was faster.
        Err(error) if error.kind() == ErrorKind::AlreadyExists && folder.is_dir() => Ok(()),
        Err(error) => Err(error),
    }
}

/// Creates a file that must not exist yet.
pub fn create_new(path: &Path) -> Result<File> {
    let file = OpenOptions::new().read(true).write(true).create_new(true).mode(FILE_MODE).open(path)?;
    if let Some((user, group)) = foreign_owner(path)? {
        fchown(&file, Some(user), Some(group))?;
    }
    Ok(file)
}

/// Opens a file for writing, or creates it. Follows no symbolic link, which another user may have put there.
pub fn open_or_create(path: &Path) -> Result<File> {
    match create_new(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            OpenOptions::new().read(true).write(true).custom_flags(no_follow()).open(path)
        }
        outcome => outcome,
    }
}

/// Opens an existing file for reading. Follows no symbolic link.
pub fn open(path: &Path) -> Result<File> {
    OpenOptions::new().read(true).custom_flags(no_follow()).open(path)
}

/// Creates the file that takes the place of `old`: with its owner, and with its rights except those of everyone.
pub fn create_like(path: &Path, old: &Metadata) -> Result<File> {
    let file = create_new(path)?;
    if rustix::process::geteuid().is_root() {
        fchown(&file, Some(old.uid()), Some(old.gid()))?;
    }
    file.set_permissions(PermissionsExt::from_mode(FILE_MODE | old.mode() & OWNER_AND_GROUP))?;
    Ok(file)
}

/// Takes away the rights of everyone, which earlier versions granted, if this process may.
pub fn close_to_others(path: &Path) {
    if let Ok(metadata) = path.symlink_metadata()
        && metadata.is_file()
        && metadata.mode() & OTHERS != 0
        && is_ours(&metadata)
    {
        // Harmless on a read-only disk: no other user can change it either.
        let _ = std::fs::set_permissions(path, PermissionsExt::from_mode(metadata.mode() & 0o7777 & !OTHERS));
    }
}

/// Gives a file or folder that root created to the owner of `folder`.
pub(crate) fn give_to_owner(path: &Path, owner: (u32, u32)) -> Result<()> {
    let metadata = path.symlink_metadata()?;
    // A hard link to another file of root is none of ours.
    let is_new = metadata.uid() == 0 && (metadata.is_dir() || metadata.is_file() && metadata.nlink() == 1);
    if is_new { lchown(path, Some(owner.0), Some(owner.1)) } else { Ok(()) }
}

/// User and group of the folder that holds `path`, if this process is root and the folder belongs to another user.
pub(crate) fn foreign_owner(path: &Path) -> Result<Option<(u32, u32)>> {
    if !rustix::process::geteuid().is_root() {
        return Ok(None);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let metadata = folder.metadata()?;
    Ok((metadata.uid() != 0).then(|| (metadata.uid(), metadata.gid())))
}

/// Fails unless a lock file is safe to wait for: a user who may open it may hold the lock. It must belong to this user, to root or
/// to the owner of the database, and grants access to no user who may not open the database.
pub fn check_lock_file(lock: &File, database: &Path) -> Result<()> {
    let (metadata, folder_owner) = (lock.metadata()?, foreign_owner(database)?);
    let database = database.metadata().ok();
    let owner = database.as_ref().map(Metadata::uid);
    if !metadata.is_file() || !(is_ours(&metadata) || metadata.uid() == 0 || owner == Some(metadata.uid())) {
        return Err(Error::new(
            ErrorKind::PermissionDenied,
            format!("it belongs to {}, who could block this store; delete it", user(metadata.uid())),
        ));
    }
    let new_owner = database.as_ref().map(|database| (database.uid(), database.gid())).or(folder_owner);
    if !give_lock_to_owner(lock, &metadata, new_owner) {
        return Ok(());
    }
    let allowed = FILE_MODE | database.map_or(0, |database| database.mode() & OWNER_AND_GROUP);
    if metadata.mode() & 0o777 & !allowed != 0 && is_ours(&metadata) {
        // Harmless if it fails on a read-only disk.
        let _ = lock.set_permissions(PermissionsExt::from_mode(allowed));
    }
    Ok(())
}

/// Gives a lock file that an earlier version created as root to the owner of the store, who could not open it once it is closed to
/// others. `false` if it must stay open to them, because it could not be given away.
fn give_lock_to_owner(lock: &File, metadata: &Metadata, owner: Option<(u32, u32)>) -> bool {
    let Some((user, group)) = owner.filter(|(user, _)| *user != 0 && metadata.uid() == 0) else { return true };
    if !rustix::process::geteuid().is_root() {
        return true;
    }
    // The owner of the folder may have linked or moved another file of root there. Ours is always empty.
    let is_plain = metadata.is_file() && metadata.nlink() == 1 && metadata.len() == 0;
    is_plain && fchown(lock, Some(user), Some(group)).is_ok()
}

/// Whether this process may change the file, or create it, and its folder. False on a read-only disk.
pub fn is_writable(path: &Path) -> bool {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let may_write = |path: &Path| rustix::fs::access(path, Access::WRITE_OK);
    matches!(may_write(path), Ok(()) | Err(Errno::NOENT)) && may_write(folder).is_ok()
}

/// Whether a file can be created in a folder, found out by creating one and deleting it again.
pub fn check_folder_writable(folder: &Path) -> Result<()> {
    let probe = folder.join(format!(".write-check-{}", std::process::id()));
    drop(create_new(&probe)?);
    std::fs::remove_file(probe)
}

/// Whether users besides the owner and the group may write. False if it does not exist.
pub fn is_writable_by_others(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| metadata.mode() & Mode::WOTH.as_raw_mode() != 0)
}

/// Whether users besides the owner and the group may read. False if it does not exist.
pub fn is_readable_by_others(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| metadata.mode() & Mode::ROTH.as_raw_mode() != 0)
}

/// Owner of the file, if it is not ours: the usual cause of "permission denied".
pub fn describe_foreign_owner(path: &Path) -> Option<String> {
    let us = rustix::process::geteuid();
    // A folder that we may not enter hides its files, so its own owner is named.
    let metadata = path.ancestors().find_map(|path| path.metadata().ok())?;
    let is_foreign = !us.is_root() && metadata.uid() != us.as_raw();
    is_foreign
        .then(|| format!("it belongs to {}, and this command runs as {}", user(metadata.uid()), user(us.as_raw())))
}

fn is_ours(metadata: &Metadata) -> bool {
    let us = rustix::process::geteuid();
    us.is_root() || metadata.uid() == us.as_raw()
}

/// The name of a user on this machine, else the number.
fn user(id: u32) -> String {
    let users = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let name = users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)? == id.to_string()).then_some(name)
    });
    name.map_or_else(|| format!("user {id}"), |name| format!("user {name} ({id})"))
}

fn no_follow() -> i32 {
    OFlags::NOFOLLOW.bits().cast_signed()
}
