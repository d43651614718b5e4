//! `monban scorers`: the list of scorers, or one's manual.

use monban_scorers::{Registry, ScorerDef};
use serde_json::{Value, json};

use super::{DataFormat, Io};
use crate::diagnostic::did_you_mean;
use crate::exit;

/// The arguments of `monban scorers`.
#[derive(Debug, clap::Args)]
pub struct ScorersArgs {
    /// Print this scorer's manual
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub format: DataFormat,
}

pub(super) fn run(args: ScorersArgs, io: &mut Io) -> anyhow::Result<u8> {
    let registry = Registry::builtin();
    let json = args.format == DataFormat::Json;
    match args.name {
        Some(name) => {
            let Some(def) = registry.get(&name) else {
                let hint = did_you_mean(&name, registry.iter().map(|def| def.name))
                    .unwrap_or_else(|| "see `monban scorers`".to_owned());
                anyhow::bail!("no scorer is called `{name}`; {hint}");
            };
            if json { writeln!(io.out, "{}", described(def))? } else { manual(def, io)? }
        }
        None if json => writeln!(io.out, "{}", json!(registry.iter().map(described).collect::<Vec<_>>()))?,
        None => {
            let width = registry.iter().map(|def| def.name.len()).max().unwrap_or(0);
            for def in registry.iter() {
                writeln!(io.out, "{:width$}  {}", def.name, def.summary)?;
            }
        }
    }
    Ok(exit::PASS)
}

/// A scorer's manual, as `monban explain` prints it too.
pub(super) fn manual(def: &ScorerDef, io: &mut Io) -> std::io::Result<()> {
    writeln!(io.out, "# {}\n\n{}\n\n{}", def.name, def.summary, def.manual.trim())
}

fn described(def: &ScorerDef) -> Value {
    let arguments = def.arguments.iter().map(|argument| {
        let schema: Value = serde_json::from_str(argument.schema).unwrap_or_default();
        json!({"name": argument.name, "schema": schema, "help": argument.help})
    });
    json!({"name": def.name, "summary": def.summary, "manual": def.manual, "arguments": arguments.collect::<Vec<_>>()})
}
