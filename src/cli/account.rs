//! `rollcall account`: those who can sign in on the pages.

use std::io::BufRead;

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::output::say;
use super::{Failure, ListArgs, StoreArgs, load, store};
use crate::accounts::{passwords, policy};
use crate::config::Config;
use rollcall_model::clock::Clock;
use rollcall_model::time::DAY;
use rollcall_model::token;
use rollcall_model::{id, time};
use rollcall_store::Conn;
use rollcall_store::accounts::{self, Account, NewAccount};
use rollcall_store::audit::Author;
use rollcall_store::{invitations, login_sessions};

#[derive(Subcommand)]
pub enum AccountCommand {
    /// Create an account and print its password, alone, on standard output: it is shown this once
    Create(CreateArgs),
    /// List the accounts that can sign in
    List(ListArgs),
    /// Give an account a new password and print it; whoever is signed in is signed out
    Password(PasswordArgs),
    /// Keep an account from signing in, and refuse its keys
    Disable(OneArgs),
    /// Let a disabled account in again
    Enable(OneArgs),
    /// Delete an account with its keys
    Delete(OneArgs),
    /// Print a link that is good for one sign-up, where signing up is by invitation
    Invite(InviteArgs),
}

#[derive(Args)]
pub struct CreateArgs {
    /// 3 to 24 letters, digits, hyphens or underscores, the first a letter or digit
    username: String,
    /// An operator: sees all accounts and keys, and grants limits
    #[arg(long)]
    admin: bool,
    /// Read the password from the first line of standard input instead of making one
    #[arg(long)]
    password_stdin: bool,
    #[command(flatten)]
    store: StoreArgs,
}

#[derive(Args)]
pub struct PasswordArgs {
    /// The name of the account
    username: String,
    /// Switch the second factor off as well, for whoever has lost it with all recovery codes
    #[arg(long)]
    without_second_factor: bool,
    /// Read the password from the first line of standard input instead of making one
    #[arg(long)]
    password_stdin: bool,
    #[command(flatten)]
    store: StoreArgs,
}

#[derive(Args)]
pub struct OneArgs {
    /// The name of the account
    username: String,
    #[command(flatten)]
    store: StoreArgs,
}

#[derive(Args)]
pub struct InviteArgs {
    /// How many days the link is good
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = clap::value_parser!(u16).range(1..=365))]
    days: u16,
    #[command(flatten)]
    store: StoreArgs,
}

pub fn run(command: AccountCommand) -> Result<(), Failure> {
    match command {
        AccountCommand::Create(args) => create(&args),
        AccountCommand::List(args) => list(&args),
        AccountCommand::Password(args) => set_password(&args),
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
    policy::check_username(&args.username).map_err(Failure::Usage)?;
    let password = password(&args.username, args.password_stdin)?;
    let config = load(&args.store.flags())?;
    let (mut conn, media) = store::open(&config)?;
    let avatar = media.put_png_blocking("avatar", &rollcall_paint::avatar(rand::random()))?;
    let hash = passwords::hash(password.text());
    let new = NewAccount {
        id: &id::encode(rand::random()),
        username: &args.username,
        avatar: &avatar,
        password: &hash,
        operator: args.admin,
    };
    conn.transaction(|conn| {
        if accounts::create(conn, &new, &author())?.is_none() {
            return Err(Failure::Failed(format!("there is an account of the name {:?} already", args.username)));
        }
        password.show()
    })
}

/// A password that was given is not repeated; one that was made is shown, or nothing is changed.
enum Password {
    Given(String),
    Made(String),
}

impl Password {
    fn text(&self) -> &str {
        match self {
            Self::Given(text) | Self::Made(text) => text,
        }
    }

    fn show(&self) -> Result<(), Failure> {
        match self {
            Self::Given(_) => Ok(()),
            Self::Made(text) => super::output::reveal(text, "password"),
        }
    }
}

fn password(username: &str, from_input: bool) -> Result<Password, Failure> {
    if !from_input {
        // 100 bits, in a form that can be typed.
        return Ok(Password::Made(id::encode(rand::random())));
    }
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line)?;
    let text = line.trim_end_matches(['\n', '\r']).to_owned();
    policy::check_password(&text, username).map_err(Failure::Usage)?;
    Ok(Password::Given(text))
}

/// Number and id of an account, be it one that cannot sign in.
pub fn named(conn: &mut Conn, username: &str) -> Result<(i64, String), Failure> {
    let unknown = || Failure::Failed(format!("there is no account of the name {username:?}"));
    accounts::named(conn, username)?.ok_or_else(unknown)
}

fn find(conn: &mut Conn, username: &str) -> Result<Account, Failure> {
    let unknown = || format!("no account of the name {username:?} can sign in; `rollcall account list` shows them all");
    accounts::find(conn, username)?.ok_or_else(|| Failure::Failed(unknown()))
}

fn existing(args: &StoreArgs) -> Result<(Config, Conn), Failure> {
    let config = load(&args.flags())?;
    let (conn, _) = store::open_existing(&config)?;
    Ok((config, conn))
}

fn set_password(args: &PasswordArgs) -> Result<(), Failure> {
    let (_, mut conn) = existing(&args.store)?;
    let account = find(&mut conn, &args.username)?;
    let password = password(&account.username, args.password_stdin)?;
    let hash = passwords::hash(password.text());
    conn.transaction(|conn| {
        accounts::set_password(conn, account.n, &hash, &author())?;
        if args.without_second_factor && account.second_factor.is_some() {
            accounts::set_second_factor(conn, account.n, None, &author())?;
        }
        password.show()
    })
}

fn set_disabled(args: &OneArgs, disabled: bool) -> Result<(), Failure> {
    let (_, mut conn) = existing(&args.store)?;
    let account = find(&mut conn, &args.username)?;
    accounts::set_disabled(&mut conn, account.n, disabled, &author())?;
    let word = if disabled { "disabled" } else { "enabled" };
    say(&format!("{} is {word}.", account.username))
}

fn delete(args: &OneArgs) -> Result<(), Failure> {
    let (config, mut conn) = existing(&args.store)?;
    let account = find(&mut conn, &args.username)?;
    accounts::delete(&mut conn, &account, &author())?;
    login_sessions::forget_account(&mut store::open_ledger(&config)?, account.n)?;
    say(&format!("{} is deleted, with its keys.", account.username))
}

fn invite(args: &InviteArgs) -> Result<(), Failure> {
    let config = load(&args.store.flags())?;
    let (mut conn, _) = store::open(&config)?;
    let (code, author) = (token::generate(), author());
    let public_url = if config.public_url.is_empty() { format!("http://{}", config.listen) } else { config.public_url };
    let link = crate::web::invitation_link(&public_url, &code);
    conn.transaction(|conn| {
        invitations::add(conn, &token::hash(&code), author.at + i64::from(args.days) * DAY, &author)?;
        super::output::reveal(&link, "invitation")
    })
}

fn list(args: &ListArgs) -> Result<(), Failure> {
    let (_, mut conn) = existing(&args.store)?;
    let accounts = accounts::all(&mut conn)?;
    if args.json {
        let json = accounts.iter().map(|(account, keys)| {
            json!({
                "id": account.id,
                "username": account.username,
                "admin": account.operator,
                "disabled": account.disabled,
                "secondFactor": account.second_factor.is_some(),
                "keys": keys,
                "createdAt": time::iso(account.created_at),
            })
        });
        return say(&Value::Array(json.collect()).to_string());
    }
    if accounts.is_empty() {
        return say("Nobody can sign in yet; `rollcall account create NAME --admin` makes the first account.");
    }
    let mut table = comfy_table::Table::new();
    table.load_style(comfy_table::presets::NOTHING);
    table.set_header(["NAME", "ADMIN", "STATUS", "SECOND FACTOR", "KEYS", "CREATED"]);
    let yes = |yes: bool| if yes { "yes" } else { "no" };
    for (account, keys) in &accounts {
        table.add_row([
            account.username.clone(),
            yes(account.operator).to_owned(),
            if account.disabled { "disabled" } else { "active" }.to_owned(),
            yes(account.second_factor.is_some()).to_owned(),
            keys.to_string(),
            time::iso(account.created_at),
        ]);
    }
    say(&table.trim_fmt())
}
