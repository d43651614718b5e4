//! The reasoning families as data, and the three kinds of grammar they need.

mod families;
mod gemma;
mod harmony;
mod seam;
mod tags;

pub(super) use families::*;
