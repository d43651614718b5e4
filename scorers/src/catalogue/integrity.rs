//! The catalogue agrees with itself, and with what it was written from.

use std::collections::{BTreeMap, BTreeSet};

use regex::Regex;
use serde_json::Value;

use super::data::{Catalogue, ENGINES, FAMILIES, MODELS, PARSERS, catalogue};
use super::entries::FamilyKind;
use super::matrix::{MATRIX, MatrixFile};
use super::reasoning::{REASONING, ReasoningFile};
use super::recognise::{RECOGNISE, RecogniseFile};
use super::version::Version;
use super::*;

const KINDS: [FamilyKind; 2] = [FamilyKind::Tool, FamilyKind::Reasoning];
const ENGINES_WITH_PARSERS: [&str; 4] = ["vllm", "sglang", "tensorrt_llm", "atlas"];

fn fixture() -> Value {
    serde_json::from_str(include_str!("../../tests/fixtures/families.json")).unwrap()
}

#[test]
fn the_files_parse() {
    Catalogue::load().unwrap();
    toml::from_str::<MatrixFile>(MATRIX).unwrap();
    toml::from_str::<ReasoningFile>(REASONING).unwrap();
    toml::from_str::<RecogniseFile>(RECOGNISE).unwrap();
    let size: usize =
        [FAMILIES, MODELS, ENGINES, PARSERS, MATRIX, REASONING, RECOGNISE].iter().map(|file| file.len()).sum();
    assert!(size < 350_000, "{size} bytes");
    assert!(
        [FAMILIES, MODELS, ENGINES, PARSERS, MATRIX, REASONING, RECOGNISE]
            .iter()
            .all(|file| file.contains("ead 2026-11-30"))
    );
}

#[test]
fn names_are_unique_and_all_there() {
    for kind in KINDS {
        let names: Vec<_> =
            catalogue().families().filter(|family| family.kind == kind).map(|family| &family.name).collect();
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
    }
    assert_eq!((catalogue().tools.len(), catalogue().reasoning.len()), (63, 24));
    let rules: Vec<_> = catalogue().models.iter().map(|rule| &rule.pattern).collect();
    assert_eq!(rules.iter().collect::<BTreeSet<_>>().len(), rules.len());
    let aliases: Vec<_> = catalogue().engines.iter().flat_map(|def| &def.aliases).collect();
    assert_eq!(aliases.iter().collect::<BTreeSet<_>>().len(), aliases.len());
}

#[test]
fn every_fixture_is_a_family_and_back() {
    let fixture = fixture();
    for (key, kind) in [("tool", FamilyKind::Tool), ("reasoning", FamilyKind::Reasoning)] {
        let named: BTreeSet<_> =
            fixture[key].as_array().unwrap().iter().map(|entry| entry["family"].as_str().unwrap()).collect();
        let known =
            catalogue().families().filter(|family| family.kind == kind).map(|family| family.name.as_str()).collect();
        assert_eq!(named, known);
    }
}

#[test]
fn every_named_family_exists() {
    for engine in ENGINES_WITH_PARSERS {
        for kind in KINDS {
            for name in parser_names(engine, kind, None) {
                for family in parser_families(engine, kind, name) {
                    let known =
                        catalogue().family_of(kind, family).unwrap_or_else(|| panic!("{engine} {name}: {family}"));
                    assert!(
                        known.parsers(engine).iter().any(|own| own == name),
                        "{family} does not name {engine} {name}"
                    );
                }
            }
        }
    }
    for family in catalogue().families() {
        for other in family.variant_of.iter().chain(&family.same_bytes_as) {
            assert!(catalogue().family_of(family.kind, other).is_some(), "{}: {other}", family.name);
        }
        for engine in ENGINES_WITH_PARSERS {
            for name in family.parsers(engine) {
                let reads = parser_families(engine, family.kind, name);
                assert!(reads.contains(&family.name), "{engine} {name} does not read {}", family.name);
            }
        }
    }
}

#[test]
fn every_rule_names_what_exists_and_fits() {
    // SGLang's trinity parser reads JSON, the model's template asks for XML: the recipe gives way to the measurement.
    let known_misfit = ("sglang", "trinity");
    for rule in &catalogue().models {
        for family in &rule.tool_families {
            assert!(catalogue().family_of(FamilyKind::Tool, family).is_some(), "{}: {family}", rule.pattern);
        }
        if let Some(family) = &rule.reasoning_family {
            assert!(catalogue().family_of(FamilyKind::Reasoning, family).is_some(), "{}: {family}", rule.pattern);
        }
        for (engine, kind) in ENGINES_WITH_PARSERS.into_iter().flat_map(|engine| KINDS.map(|kind| (engine, kind))) {
            let also = rule.on(engine).map_or(&[][..], |parsers| &parsers.also);
            assert!(
                also.iter().all(|name| parser_def(engine, FamilyKind::Tool, name).is_some()),
                "{}: {also:?}",
                rule.pattern
            );
            let Some(name) = rule.parser(engine, kind) else { continue };
            let reads = parser_def(engine, kind, name).unwrap_or_else(|| panic!("{}: {engine} {name}", rule.pattern));
            let fits = rule.tool_families.iter().any(|family| reads.reads.contains(family));
            let fits =
                fits || kind == FamilyKind::Reasoning || reads.reads.is_empty() || (engine, name) == known_misfit;
            assert!(fits, "{}: {engine} {name} reads {:?}", rule.pattern, reads.reads);
        }
    }
}

#[test]
fn each_rule_can_be_reached() {
    let reached: BTreeSet<_> = SAMPLE_IDS.iter().filter_map(|id| model_rule(id)).map(|rule| &rule.pattern).collect();
    let missing: Vec<_> =
        catalogue().models.iter().map(|rule| &rule.pattern).filter(|pattern| !reached.contains(pattern)).collect();
    assert!(missing.is_empty(), "no sample id reaches {missing:?}");
}

#[test]
fn patterns_compile() {
    let file: RecogniseFile = toml::from_str(RECOGNISE).unwrap();
    let recognise = file.content.iter().chain(&file.template);
    let patterns = recognise.map(|rule| &rule.pattern).chain(catalogue().models.iter().map(|rule| &rule.pattern));
    for pattern in patterns.chain(catalogue().families().flat_map(|family| &family.models)) {
        Regex::new(pattern).unwrap();
    }
    for rule in file.content.iter().chain(&file.template) {
        for family in rule.families.iter().chain(&rule.stripped) {
            assert!(catalogue().family_of(FamilyKind::Tool, family).is_some(), "{family}");
        }
    }
}

#[test]
fn the_classifier_names_every_example() {
    for entry in fixture()["tool"].as_array().unwrap() {
        let family = catalogue().family_of(FamilyKind::Tool, entry["family"].as_str().unwrap()).unwrap();
        for key in ["single", "parallel", "stripped"] {
            let Some(text) = entry[key].as_str() else { continue };
            let rule = family_of_content(text).unwrap_or_else(|| panic!("{} {key}", family.name));
            let same = [Some(&family.name), family.same_bytes_as.as_ref(), family.variant_of.as_ref()];
            let mut names = same.into_iter().flatten();
            // Bytes that several families write decide nothing more than that.
            let fits =
                names.any(|name| rule.families.contains(name)) || LOOKALIKES.contains(&(family.name.as_str(), key));
            assert!(fits, "{} {key}: {:?}", family.name, rule.families);
        }
    }
}

/// Examples whose bytes another family's rule rightly claims.
const LOOKALIKES: &[(&str, &str)] = &[];

#[test]
fn versions_are_sane() {
    for versions in catalogue().versions.values() {
        let parsed: Vec<_> = versions.iter().map(|version| Version::parse(version).unwrap()).collect();
        assert!(parsed.is_sorted_by(|a, b| a < b), "{versions:?}");
    }
    for (engine, versions) in &catalogue().versions {
        for (name, def) in KINDS
            .iter()
            .flat_map(|kind| parser_names(engine, *kind, None).into_iter().map(move |name| (*kind, name)))
            .map(|(kind, name)| (name, parser_def(engine, kind, name).unwrap()))
        {
            let dates = [def.since.as_ref(), def.last.as_ref(), def.removed.as_ref()];
            let places: Vec<_> = dates
                .into_iter()
                .flatten()
                .map(|date| versions.iter().position(|version| version == date).unwrap())
                .collect();
            assert!(places.is_sorted(), "{engine} {name}");
            assert_eq!(def.last.is_some(), def.removed.is_some(), "{engine} {name}");
        }
    }
}

#[test]
fn the_matrices_know_their_names() {
    let tools: MatrixFile = toml::from_str(MATRIX).unwrap();
    let reasoning: ReasoningFile = toml::from_str(REASONING).unwrap();
    let measured: BTreeSet<_> = catalogue().tools.iter().map(|family| family.measured_name()).collect();
    let sides = [("vllm", &tools.vllm, &reasoning.vllm), ("sglang", &tools.sglang, &reasoning.sglang)];
    for (engine, tools_of, reasoning_of) in sides {
        for family in tools_of.keys() {
            let listed = measured.contains(family.as_str()) || family.starts_with("gptoss_harmony");
            assert!(listed, "{family}");
        }
        assert!(reasoning_of.keys().all(|shape| reasoning.shapes.contains_key(shape)));
        cells_are_sane(engine, FamilyKind::Tool, tools_of, &tools.runs[engine]);
        cells_are_sane(engine, FamilyKind::Reasoning, reasoning_of, &reasoning.runs[engine]);
    }
    for family in &measured {
        assert!(tools.vllm.contains_key(*family), "{family} was not measured");
    }
    for family in &catalogue().reasoning {
        assert!(family.shape.iter().all(|shape| reasoning.shapes.contains_key(shape)), "{}", family.name);
    }
}

/// Every parser of a row is known, every range is one of runs, and no parser has two outcomes in one run.
#[track_caller]
fn cells_are_sane(engine: &str, kind: FamilyKind, rows: &BTreeMap<String, BTreeMap<String, String>>, runs: &[String]) {
    for (row, cells) in rows {
        let mut seen = BTreeSet::new();
        for (key, parsers) in cells {
            assert!(
                !key.is_empty()
                    && key
                        .split(['/', '~', '+', ' '])
                        .all(|word| word.chars().all(|c| c.is_ascii_lowercase() || c == '_' || c == '-')),
                "{key}"
            );
            for extent in parsers.split(' ') {
                let (name, range) = extent.split_once('@').unwrap_or((extent, ""));
                assert!(parser_def(engine, kind, name).is_some(), "{engine} {row}: {name}");
                let (from, to) = if range.is_empty() {
                    (0, runs.len() - 1)
                } else {
                    let (from, to) = range.split_once("..").unwrap_or((range, range));
                    let place = |version: &str| runs.iter().position(|run| run == version).unwrap();
                    (place(from), place(to))
                };
                assert!(
                    from <= to && (from..=to).all(|run| seen.insert((name, run))),
                    "{engine} {row}: {extent} twice"
                );
            }
        }
    }
}

#[test]
fn spot_checks_of_the_recipes() {
    // vLLM 0.33.0 recipes/models, the flags of one model each.
    for (id, tool, reasoning) in [
        ("Qwen/Qwen3-Coder-480B-A35B-Instruct", Some("qwen3_coder"), None),
        ("Qwen/Qwen3.5-397B-A17B", Some("qwen3_coder"), Some("qwen3")),
        ("MiniMaxAI/MiniMax-M2.5", Some("minimax_m2"), Some("minimax_m2")),
        ("zai-org/GLM-5", Some("glm47"), Some("glm47")),
        ("deepseek-ai/DeepSeek-V3.2", Some("deepseek_v32"), Some("deepseek_v3")),
        ("moonshotai/Kimi-K2-Thinking", Some("kimi_k2"), Some("kimi_k2")),
        ("nvidia/NVIDIA-Nemotron-3-Super-120B", Some("qwen3_coder"), Some("nemotron_v3")),
        ("stepfun-ai/Step-3.5-Flash", Some("step3p5"), Some("step3p5")),
        ("mistralai/Magistral-Small-2509", Some("mistral"), Some("mistral")),
    ] {
        assert_eq!(model_rule(id).unwrap().parsers("vllm"), (tool, reasoning), "{id}");
    }
}

/// One id for each rule.
const SAMPLE_IDS: &[&str] = &[
    "LGAI-EXAONE/EXAONE-4.0-32B",
    "Hermes-3-Llama-3.1-8B",
    "xLAM-2-8b-fc-r",
    "ToolACE-8B",
    "DeepSeek-R1",
    "functiongemma-270m-it",
    "gemma-4-31B-it",
    "gpt-oss-20b",
    "Qwen3-Coder-30B",
    "Qwen3.6-27B",
    "Qwen3-4B-Thinking-2507",
    "Qwen3-Next-80B-A3B-Instruct",
    "Qwen3-Embedding-8B",
    "Qwen3-32B",
    "QwQ-32B",
    "Qwen2.5-Coder-7B-Instruct",
    "Qwen2.5-7B-Instruct",
    "Mellum2-Thinking",
    "Mellum2",
    "DeepSeek-V4.1",
    "DeepSeek-V4-Flash",
    "DeepSeek-V3.2",
    "DeepSeek-V3.1",
    "DeepSeek-V3-0324",
    "Kimi-K3",
    "Kimi-K2-Thinking",
    "Kimi-K2-Instruct",
    "GLM-4.7",
    "Macaron-V1",
    "Glyph",
    "GLM-4.5-Air",
    "Laguna-S",
    "Ling-3",
    "Seed-OSS-36B-Instruct",
    "MiniMax-M3",
    "MiniMax-M2.5",
    "MiniMax-M1-80k",
    "MiMo-V2-Flash",
    "MiMo-V2",
    "MiMo-VL-7B",
    "Trinity-Large-Thinking",
    "Intern-S2",
    "Intern-S1",
    "internlm3-8b-instruct",
    "Nemotron-Nano-9B-v2",
    "Nemotron-3-Nano-30B-A3B",
    "Nemotron-3-Super-120B",
    "Step-5",
    "Step-3.5-Flash",
    "step3",
    "dots3",
    "Hy4",
    "Hy-3",
    "Hunyuan-A13B-Instruct",
    "Inkling",
    "Muse-Glimmer",
    "Muse-Spark",
    "K2-Horizon",
    "Beam-1",
    "MiniCPM5",
    "MiniCPM-V-4.6",
    "LFM2.5-8B",
    "LFM2-1.2B",
    "Magistral-Small-2509",
    "Mistral-Small-3.2-24B",
    "Devstral-Small-2",
    "Mistral-7B-Instruct-v0.3",
    "Llama-4-Scout",
    "Llama-3.1-8B-Instruct",
    "granite-4.0-h-small",
    "granite-20b-functioncalling",
    "granite-3.3-8b-instruct",
    "granite-3.0-8b-instruct",
    "granite-3.1-8b-instruct",
    "Jamba-1.5",
    "LongCat-Flash",
    "Olmo-3-7B-Think",
    "Olmo-3-7B-Instruct",
    "Phi-4-mini-instruct",
    "ERNIE-4.5-21B-A3B-Thinking",
    "GigaChat-3.5",
    "GigaChat-3.1",
    "GigaChat-3",
    "Apertus-8B",
    "Holo2-8B",
    "command-a-03-2025",
    "plamo-3",
    "Apriel-1.6",
    "functionary-small-v3.1",
    "functionary-small-v3.2",
    "Solar-Open-100B",
    "IQuest-Q1",
    "Spark-2.5",
    "Nanbeige4",
    "reka-edge",
    "param2-17b",
    "SmolLM3-3B",
    "gemma-3-27b-it",
    "Kimi-VL-A3B-Thinking",
];
