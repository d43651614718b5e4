//! `monban doctor`: capability matrix and findings.

use std::io::Write as _;
use std::time::Duration;

use anyhow::Context as _;

use super::endpoint::{client_with, runtime};
use super::{DataFormat, Io};
use crate::diagnostic::{self, Source};
use crate::doctor::{Patient, examine, write_table};
use crate::endpoint::ClientOptions;
use crate::profile::{self, Profile};
use crate::report::json_text;

/// The longest an examination takes.
const LIMIT: Duration = Duration::from_secs(55);
/// The longest one probe takes.
const PATIENCE: f64 = 25.0;
/// The largest answer that is read, bytes: probes ask for a few hundred tokens, and a minute is all there is.
const ANSWER: usize = 4 << 20;
/// The largest profile that is read, bytes.
const PROFILE: u64 = 16 << 20;

/// The arguments of `monban doctor`.
#[derive(Debug, clap::Args)]
pub struct DoctorArgs {
    /// The endpoint.
    #[command(flatten)]
    pub endpoint: super::EndpointArgs,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub format: super::DataFormat,
}

pub(super) fn run(args: DoctorArgs, io: &mut Io) -> anyhow::Result<u8> {
    let Some(base) = &args.endpoint.base_url else {
        anyhow::bail!("no endpoint: pass --base-url http://HOST:PORT/v1 (or set MONBAN_BASE_URL)");
    };
    let base: crate::endpoint::BaseUrl = base.parse()?;
    let key = args.endpoint.api_key_env.as_deref();
    let profile = match &args.endpoint.profile {
        Some(path) => match read(path)? {
            Ok(profile) => Some(profile),
            Err(drawn) => return Ok(io.refuse(&drawn)?),
        },
        None => None,
    };
    let patience = Duration::try_from_secs_f64(args.endpoint.timeout.min(PATIENCE))
        .map_err(|_| anyhow::anyhow!("--timeout is a number of seconds above 0"))?;
    let client = |key| client_with(base.clone(), key, ClientOptions { max_body: ANSWER, ..ClientOptions::default() });
    let patient = Patient {
        anonymous: key.map(|_| client(None)).transpose()?,
        client: client(key)?,
        model: args.endpoint.model.clone(),
        profile,
        environment: args.endpoint.environment.clone(),
        route: args.endpoint.route.clone(),
        patience,
        limit: LIMIT,
    };
    writeln!(io.err, "about 60 small requests to {}, a minute at most", patient.client.base())?;
    let report = runtime()?.block_on(examine(&patient)).map_err(anyhow::Error::msg)?;
    match args.format {
        DataFormat::Table => write_table(&report, io.out_color, &mut io.out)?,
        DataFormat::Json => writeln!(io.out, "{}", json_text(serde_json::to_string_pretty(&report)?))?,
    }
    io.out.flush()?;
    Ok(report.exit_code)
}

/// The profile of a file, or what is wrong with it, drawn. Of several the first.
fn read(path: &std::path::Path) -> anyhow::Result<Result<Profile, String>> {
    use std::io::Read as _;
    let name = path.display().to_string();
    let mut text = String::new();
    let file = std::fs::File::open(path).with_context(|| format!("cannot read {name}"))?;
    file.take(PROFILE).read_to_string(&mut text).with_context(|| format!("cannot read {name}"))?;
    let source = Source::new(name, &text);
    Ok(match profile::read(&source) {
        Ok(profiles) => profiles.into_iter().next().ok_or_else(|| "the file holds no launch profile".to_owned()),
        Err(found) => Err(diagnostic::render(&[*found], &[&source], false)),
    })
}
