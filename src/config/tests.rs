use super::*;

fn load(flags: Flags, environment: &[(&str, &str)]) -> Result<Config, String> {
    let variables = environment.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect();
    Config::from_sources(&flags, Environment { variables, credentials: None })
}

#[test]
fn flags_override_the_environment_which_overrides_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.toml");
    std::fs::write(&file, "listen = \"127.0.0.1:1\"\n[limits]\nper_minute = 7\nper_day = 8\n").unwrap();
    let flags = Flags { config: Some(file), ..Flags::default() };
    let config = load(flags.clone(), &[]).unwrap();
    assert_eq!((config.listen.port(), config.limits.per_minute, config.limits.per_month), (1, 7, 30_000));
    let environment = [("ROLLCALL_LISTEN", "127.0.0.1:2"), ("ROLLCALL_LIMITS_PER_MINUTE", "9")];
    let config = load(flags.clone(), &environment).unwrap();
    assert_eq!((config.listen.port(), config.limits.per_minute, config.limits.per_day), (2, 9, 8));
    let config = load(Flags { listen: Some("127.0.0.1:3".into()), ..flags }, &environment).unwrap();
    assert_eq!(config.listen.port(), 3);
}

#[test]
fn unknown_and_invalid_settings_are_rejected_in_one_sentence() {
    let none = Flags::default;
    let error = load(none(), &[("ROLLCALL_LISTN", "x")]).unwrap_err();
    assert_eq!(error, "environment variable ROLLCALL_LISTN: no such setting");
    let error = load(none(), &[("ROLLCALL_LIMITS_PER_DAY", "many")]).unwrap_err();
    assert_eq!(error, "environment variable ROLLCALL_LIMITS_PER_DAY must be a whole number, not \"many\"");
    for (name, value) in [
        ("ROLLCALL_PUBLIC_URL", "ftp://x"),
        ("ROLLCALL_PUBLIC_URL", "https://x/"),
        ("ROLLCALL_LIMITS_PER_DAY", "0"),
        ("ROLLCALL_DATABASE", "mysql://x"),
        ("ROLLCALL_LISTEN", "nowhere"),
        ("ROLLCALL_TLS_KEY", "key.pem"),
        ("ROLLCALL_TLS_CERTIFICATE", "certificate.pem"),
        ("ROLLCALL_HTTP_MAX_CONNECTIONS", "9223372036854775807"),
        ("ROLLCALL_HTTP_MAX_CONNECTIONS_PER_ADDRESS", "0"),
        ("ROLLCALL_HTTP_MAX_REQUESTS", "0"),
        ("ROLLCALL_HTTP_MAX_UPLOADS", "0"),
        ("ROLLCALL_HTTP_CLIENT_TIMEOUT", "0"),
        ("ROLLCALL_HTTP_REQUEST_TIMEOUT", "9223372036854775807"),
        ("ROLLCALL_HTTP_TRUSTED_PROXIES", "10.0.0.0/8, everyone"),
        ("ROLLCALL_HTTP_TRUSTED_PROXIES", "10.0.0.0/33"),
        ("ROLLCALL_HTTP_ALLOWED_HOSTS", "stats.internal, https://x"),
        ("ROLLCALL_HTTP_ALLOWED_HOSTS", "x:80"),
        ("ROLLCALL_HTTP_CLIENT_ADDRESS_HEADER", "X Real IP"),
        ("ROLLCALL_HTTP_CLIENT_ADDRESS_HEADER", ""),
        ("ROLLCALL_PLAYGROUND_CHECK", "captcha"),
        ("ROLLCALL_PLAYGROUND_CHECK", "turnstile"),
        ("ROLLCALL_PLAYGROUND_VERIFY_URL", "ftp://x"),
        ("ROLLCALL_PLAYGROUND_VERIFY_URL", "/verify"),
        ("ROLLCALL_PLAYGROUND_PER_DAY", "0"),
        ("ROLLCALL_LINKING_LISTEN", "25566"),
        ("ROLLCALL_LINKING_AUTH_URL", "sessionserver.mojang.com"),
        ("ROLLCALL_LINKING_ADDRESS", "play example"),
        ("ROLLCALL_TIERS_BASE_URL", "ftp://x"),
        ("ROLLCALL_TIERS_BASE_URL", "https://x/?a=b"),
        ("ROLLCALL_TIERS_REQUESTS_PER_MINUTE", "0"),
        ("ROLLCALL_MEDIA_URL", "https://s3.example.org/pictures"),
        ("ROLLCALL_MEDIA_URL", "s3://pictures"),
        ("ROLLCALL_MEDIA_ENDPOINT", "http://s3.example.org"),
        ("ROLLCALL_MEDIA_PUBLIC_URL", "https://pictures.example.org"),
        ("ROLLCALL_PLAYGROUND_RUNS_PER_CHECK", "0"),
        ("ROLLCALL_PLAYGROUND_PASS_MINUTES", "100000"),
    ] {
        let error = load(none(), &[(name, value)]).unwrap_err();
        assert!(!error.is_empty() && !error.contains('\n'), "{error}");
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.toml");
    std::fs::write(&file, "[limits]\nper_hour = 7\n").unwrap();
    let error = load(Flags { config: Some(file), ..none() }, &[]).unwrap_err();
    assert!(error.ends_with("unknown setting \"limits.per_hour\""), "{error}");
}

#[test]
fn credentials_of_pictures_come_from_the_usual_variables_if_none_are_set() {
    let url = ("ROLLCALL_MEDIA_URL", "s3://pictures");
    let [key, secret] = [("AWS_ACCESS_KEY_ID", "usual"), ("AWS_SECRET_ACCESS_KEY", "hunter2")];
    let place = |environment: &[(&str, &str)]| match load(Flags::default(), environment)?.media_place()? {
        MediaPlace::S3 { settings, .. } => Ok((settings.access_key_id, settings.region)),
        MediaPlace::Folder(folder) => Err(folder.display().to_string()),
    };
    assert_eq!(place(&[url, key, secret, ("AWS_REGION", "eu-west-1")]), Ok(("usual".into(), "eu-west-1".into())));
    let own = [("ROLLCALL_MEDIA_ACCESS_KEY_ID", "own"), ("ROLLCALL_MEDIA_SECRET_ACCESS_KEY", "x")];
    assert_eq!(place(&[url, key, secret, own[0], own[1]]), Ok(("own".into(), "us-east-1".into())));
    // Half of each would be a pair that was never issued.
    assert!(place(&[url, key, secret, own[0]]).is_err_and(|error| error.contains("media.secret_access_key")));
    assert_eq!(place(&[key, secret]), Err("./data/media".into()));
}

#[test]
fn proxies_are_a_list_in_a_file_and_joined_by_commas_in_the_environment() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.toml");
    std::fs::write(&file, "[http]\ntrusted_proxies = [\"10.0.0.7\", \"fd00::/8\"]\n").unwrap();
    let flags = Flags { config: Some(file), ..Flags::default() };
    let shown = |config: &Config| config.http.trusted_proxies.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(shown(&load(flags.clone(), &[]).unwrap()), ["10.0.0.7/32", "fd00::/8"]);
    let environment = [("ROLLCALL_HTTP_TRUSTED_PROXIES", " 192.168.0.0/16,::ffff:10.0.0.8, ")];
    assert_eq!(shown(&load(flags.clone(), &environment).unwrap()), ["192.168.0.0/16", "10.0.0.8/32"]);
    assert!(shown(&load(flags, &[("ROLLCALL_HTTP_TRUSTED_PROXIES", "")]).unwrap()).is_empty());
}

#[test]
fn a_password_in_a_database_url_is_never_shown() {
    let database: Database = "postgres://u:secret@db.example:5432/roll".parse().unwrap();
    assert_eq!(database.to_string(), "postgres://db.example:5432/roll");
    let error = "postgres://u:secret@[".parse::<Database>().unwrap_err();
    assert!(!error.contains("secret"), "{error}");
}

/// The debug form of the settings shows every text that is not a secret.
#[test]
fn every_secret_is_hidden_among_the_settings_in_force() {
    const MARK: &str = "mark0123456789";
    let defaults: toml::Table = DEFAULTS.parse().unwrap();
    let mut secrets = Vec::new();
    for (section, value) in &defaults {
        for (key, _) in value.as_table().into_iter().flatten().filter(|(_, value)| value.is_str()) {
            let mut settings = defaults.clone();
            settings[section.as_str()][key.as_str()] = MARK.into();
            // Texts that must be an address or a choice are no secrets.
            if settings.try_into::<Config>().is_ok_and(|config| !format!("{config:?}").contains(MARK)) {
                secrets.push(format!("{section}.{key}"));
            }
        }
    }
    assert_eq!(secrets, effective::SECRETS);
}
