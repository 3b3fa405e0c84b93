//! Groups of resolvers -> what each of them answers, and where they differ.
//!
//! Pure parts: [`GroupConfig`] and `compare`. `ask` is the I/O, [`ask_all`] puts them together.

mod ask;
mod compare;
mod config;
mod round;

pub use config::{Compare, GroupConfig, GroupQuestion, QuestionConfig, ServerConfig, check_resolvers};
pub use round::{Asked, ask_all};
