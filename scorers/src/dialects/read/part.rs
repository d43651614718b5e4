//! The words that a family's pattern is written in: [`Part`].

use super::params::Params;
use super::python_write::Quote;
use super::shape::Shape;

/// One part of a pattern. Each says what is read there and what is written.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part {
    /// These bytes.
    Lit(&'static str),
    /// These bytes or nothing; written.
    Soft(&'static str),
    /// These bytes; where they are missing it is booked, and the reading goes on. Written.
    Close(&'static str),
    /// Any number of these, white space between; never written.
    Skip(&'static [&'static str]),
    /// Any white space; this is written.
    Space(&'static str),
    /// White space with a line break in it; a line break is written.
    Line,
    /// The function's name.
    Name,
    /// `:0` after the name, which together with it is the call's id. Written; when read it is required.
    Index,
    /// Anything up to this. The call's number, counted from 1, is written before it.
    Attributes(&'static str),
    /// An id of letters and digits.
    Id,
    /// The arguments as a JSON object.
    Json,
    /// One or more whole calls as JSON.
    Calls(&'static Shape),
    /// The arguments as elements; the second closes the call.
    Params(&'static Params, &'static str),
    /// Python calls, in brackets or one a line.
    Python {
        /// `[a(), b()]`
        brackets: bool,
        /// Which quote is written.
        quote: Quote,
    },
    /// `{key:<mark>text<mark>}`.
    Marked(&'static str),
    /// `{key:text}`.
    Stripped,
}

impl Part {
    /// Whether the part can begin with this byte; `true` where that is not told.
    pub(super) fn may_begin(&self, byte: u8) -> bool {
        match self {
            Self::Calls(shape) => byte == shape.opener(),
            Self::Python { brackets: true, .. } => byte == b'[',
            Self::Name | Self::Python { brackets: false, .. } => {
                byte.is_ascii_alphanumeric() || !byte.is_ascii() || b"_.-/".contains(&byte)
            }
            _ => true,
        }
    }
}
