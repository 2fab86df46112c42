//! `rollcall account`: manages the accounts of the web pages.

use std::io::BufRead;

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::output::{OutputArgs, confirm, print_line};
use super::{Failure, ListArgs, StoreArgs, load, store};
use crate::accounts::{invitations, log_retention, passwords, policy, reset_password};
use crate::config::Config;
use rollcall_model::clock::Clock;
use rollcall_model::{id, time};
use rollcall_store::accounts::{self, Account, NewAccount, Role};
use rollcall_store::audit::Author;
use rollcall_store::{Conn, account_deletion, login_sessions};

#[derive(Subcommand)]
pub enum AccountCommand {
    /// Create an account and print its password, which the user must replace within seven days
    Create(CreateArgs),
    /// List all accounts
    List(ListArgs),
    /// Set a new password and print it; the user must replace it within seven days, and all sessions end
    Password(PasswordArgs),
    /// Make an account a user, a moderator (who reviews texts of others) or an admin (an operator)
    Role(RoleArgs),
    /// Let what an account writes skip the moderation queue
    Trust(OneArgs),
    /// Let moderators review the texts of an account again
    Distrust(OneArgs),
    /// Disable an account and its keys
    Disable(OneArgs),
    /// Enable a disabled account
    Enable(OneArgs),
    /// Delete an account and its keys; asks first
    Delete(DeleteArgs),
    /// Print an invitation link for one sign-up
    Invite(InviteArgs),
}

#[derive(Args)]
pub struct CreateArgs {
    /// 3 to 24 letters, digits, hyphens or underscores, starting with a letter or digit
    username: String,
    /// Make the account an operator, who manages all accounts and keys
    #[arg(long)]
    admin: bool,
    /// Read the password from the first line of standard input instead of generating one
    #[arg(long)]
    password_stdin: bool,
    /// Let the user keep the given password: it is their own
    #[arg(long, requires = "password_stdin")]
    permanent: bool,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    store: StoreArgs,
}

#[derive(Args)]
pub struct PasswordArgs {
    /// Username
    username: String,
    /// Also turn two-factor authentication off and remove all passkeys, for users who lost them and their recovery codes
    #[arg(long)]
    without_second_factor: bool,
    /// Read the password from the first line of standard input instead of generating one
    #[arg(long)]
    password_stdin: bool,
    /// Let the user keep the given password: it is their own
    #[arg(long, requires = "password_stdin")]
    permanent: bool,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    store: StoreArgs,
}

#[derive(Args)]
pub struct OneArgs {
    /// Username
    username: String,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    store: StoreArgs,
}

#[derive(Args)]
pub struct RoleArgs {
    /// Username
    username: String,
    /// The new role
    #[arg(value_parser = ["user", "moderator", "admin"])]
    role: String,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    store: StoreArgs,
}

#[derive(Args)]
pub struct DeleteArgs {
    /// Username
    username: String,
    /// Do not ask
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    store: StoreArgs,
}

#[derive(Args)]
pub struct InviteArgs {
    /// Days until the link expires
    #[arg(long, value_name = "N", default_value_t = invitations::DEFAULT_DAYS, value_parser = clap::value_parser!(u16).range(1..=365))]
    days: u16,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    store: StoreArgs,
}

pub fn run(command: AccountCommand) -> Result<(), Failure> {
    match command {
        AccountCommand::Create(args) => create(&args),
        AccountCommand::List(args) => list(&args),
        AccountCommand::Password(args) => set_password(&args),
        AccountCommand::Role(args) => set_role(&args),
        AccountCommand::Trust(args) => set_trusted(&args, true),
        AccountCommand::Distrust(args) => set_trusted(&args, false),
        AccountCommand::Disable(args) => set_disabled(&args, true),
        AccountCommand::Enable(args) => set_disabled(&args, false),
        AccountCommand::Delete(args) => delete(&args),
        AccountCommand::Invite(args) => invite(&args),
    }
}

fn author() -> Author {
    Author::command_line(Clock::System.now())
}

fn create(args: &CreateArgs) -> Result<(), Failure> {
    policy::check_username(&args.username).map_err(|error| Failure::Usage(error.to_string()))?;
    let password = password(&args.username, args.password_stdin)?;
    let config = load(&args.store.flags())?;
    let (mut conn, media) = store::open(&config)?;
    let avatar = media.put_png_blocking("avatar", &rollcall_paint::avatar(rand::random()))?;
    let (hash, author) = (passwords::hash(password.text(), config.accounts.password_memory_kib), author());
    let new = NewAccount {
        id: &id::encode(rand::random()),
        username: &args.username,
        avatar: &avatar,
        password: &hash,
        operator: args.admin,
        password_expires_at: expiry(args.permanent, author.at),
    };
    conn.transaction(|conn| {
        if accounts::create(conn, &new, &author)?.is_none() {
            return Err(Failure::Failed(format!("the username {:?} is taken", args.username)));
        }
        password.print(args.output, &args.username)
    })
}

/// A password that the operator knows must be replaced by its user.
fn expiry(permanent: bool, now: i64) -> Option<i64> {
    (!permanent).then(|| now + policy::INITIAL_PASSWORD_LIFETIME)
}

/// A given password is not printed; a generated one is, or nothing is changed.
enum Password {
    Given(String),
    Generated(String),
}

impl Password {
    fn text(&self) -> &str {
        match self {
            Self::Given(text) | Self::Generated(text) => text,
        }
    }

    fn print(&self, output: OutputArgs, username: &str) -> Result<(), Failure> {
        match self {
            Self::Given(_) if output.json => print_line(&json!({"username": username}).to_string()),
            Self::Given(_) => Ok(()),
            Self::Generated(text) => {
                output.print_secret(text, "password", &json!({"username": username, "password": text}))
            }
        }
    }
}

fn password(username: &str, from_input: bool) -> Result<Password, Failure> {
    if !from_input {
        // 100 bits, easy to type.
        return Ok(Password::Generated(id::encode(rand::random())));
    }
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line)?;
    let text = line.trim_end_matches(['\n', '\r']).to_owned();
    policy::check_password(&text, username).map_err(|error| Failure::Usage(error.to_string()))?;
    Ok(Password::Given(text))
}

/// Row number and id of any account, also one that cannot sign in.
pub fn named(conn: &mut Conn, username: &str) -> Result<(i64, String), Failure> {
    let unknown = || Failure::Failed(format!("no account has the username {username:?}"));
    accounts::find_name(conn, username)?.ok_or_else(unknown)
}

fn find(conn: &mut Conn, username: &str) -> Result<Account, Failure> {
    let unknown = || format!("no account has the username {username:?}; `rollcall account list` shows all accounts");
    accounts::find(conn, username)?.ok_or_else(|| Failure::Failed(unknown()))
}

fn existing(args: &StoreArgs) -> Result<(Config, Conn), Failure> {
    let config = load(&args.flags())?;
    let (conn, _) = store::open_existing(&config)?;
    Ok((config, conn))
}

fn set_password(args: &PasswordArgs) -> Result<(), Failure> {
    let (config, mut conn) = existing(&args.store)?;
    let account = find(&mut conn, &args.username)?;
    let password = password(&account.username, args.password_stdin)?;
    let (hash, author) = (passwords::hash(password.text(), config.accounts.password_memory_kib), author());
    conn.transaction(|conn| {
        let expires_at = expiry(args.permanent, author.at);
        reset_password(conn, &account, &hash, expires_at, args.without_second_factor, &author)?;
        password.print(args.output, &account.username)
    })
}

fn set_role(args: &RoleArgs) -> Result<(), Failure> {
    let (_, mut conn) = existing(&args.store)?;
    let account = find(&mut conn, &args.username)?;
    let role = Role::parse(&args.role).ok_or_else(|| Failure::Usage(format!("unknown role {:?}", args.role)))?;
    accounts::set_role(&mut conn, account.n, role, &author())?;
    let value = json!({"username": account.username, "role": role.as_str()});
    args.output.print(&format!("{} is now {}.", account.username, role.as_str()), &value)
}

fn set_trusted(args: &OneArgs, trusted: bool) -> Result<(), Failure> {
    let (_, mut conn) = existing(&args.store)?;
    let account = find(&mut conn, &args.username)?;
    accounts::set_trusted(&mut conn, account.n, trusted, &author())?;
    let state = if trusted { "now trusted" } else { "no longer trusted" };
    let value = json!({"username": account.username, "trusted": trusted});
    args.output.print(&format!("{} is {state}.", account.username), &value)
}

fn set_disabled(args: &OneArgs, disabled: bool) -> Result<(), Failure> {
    let (_, mut conn) = existing(&args.store)?;
    let account = find(&mut conn, &args.username)?;
    accounts::set_disabled(&mut conn, account.n, disabled, &author())?;
    let done = if disabled { "Disabled" } else { "Enabled" };
    let value = json!({"username": account.username, "disabled": disabled});
    args.output.print(&format!("{done} {}.", account.username), &value)
}

fn delete(args: &DeleteArgs) -> Result<(), Failure> {
    let (config, mut conn) = existing(&args.store)?;
    let account = find(&mut conn, &args.username)?;
    confirm(&format!("delete the account {} and its keys", account.username), args.yes)?;
    account_deletion::delete(&mut conn, &account, log_retention(&config.accounts), &author())?;
    login_sessions::delete_account(&mut store::open_ledger(&config)?, account.n)?;
    let value = json!({"removed": account.username});
    args.output.print(&format!("Deleted {} and its keys.", account.username), &value)
}

fn invite(args: &InviteArgs) -> Result<(), Failure> {
    let config = load(&args.store.flags())?;
    let (mut conn, _) = store::open(&config)?;
    let public_url = if config.public_url.is_empty() { format!("http://{}", config.listen) } else { config.public_url };
    conn.transaction(|conn| {
        let link = invitations::create(conn, &public_url, args.days, &author())?;
        args.output.print_secret(&link, "invitation", &json!({"url": link}))
    })
}

fn list(args: &ListArgs) -> Result<(), Failure> {
    let (mut conn, _) = store::open_for_reading(&load(&args.store.flags())?)?;
    let accounts = accounts::all(&mut conn)?;
    if args.output.json {
        let json = accounts.iter().map(|(account, keys)| {
            json!({
                "id": account.id,
                "username": account.username,
                "admin": account.operator,
                "role": account.role().as_str(),
                "trusted": account.trusted,
                "disabled": account.disabled,
                "secondFactor": account.second_factor.is_some(),
                "keys": keys,
                "createdAt": time::iso(account.created_at),
            })
        });
        return print_line(&Value::Array(json.collect()).to_string());
    }
    if accounts.is_empty() {
        return print_line("No accounts yet; `rollcall account create NAME --admin` creates the first one.");
    }
    let mut table = comfy_table::Table::new();
    table.load_style(comfy_table::presets::NOTHING);
    table.set_header(["NAME", "ROLE", "STATUS", "SECOND FACTOR", "KEYS", "CREATED"]);
    let yes = |yes: bool| if yes { "yes" } else { "no" };
    for (account, keys) in &accounts {
        table.add_row([
            account.username.clone(),
            account.role().as_str().to_lowercase(),
            if account.disabled { "disabled" } else { "active" }.to_owned(),
            yes(account.second_factor.is_some()).to_owned(),
            keys.to_string(),
            time::iso(account.created_at),
        ]);
    }
    print_line(&table.trim_fmt())
}
