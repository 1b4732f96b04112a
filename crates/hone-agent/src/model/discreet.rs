//! A model in a task that has answers of a person for its skills: what it says, is told and does with
//! tools goes nowhere with one of their values in it.

use std::borrow::Cow;

use hone_router::Answers;
use tokio_util::sync::CancellationToken;

use super::{Model, Pending, Request};

/// A model, and the answers that no text may show.
pub(crate) struct Discreet<'m> {
    /// The model.
    pub(crate) model: &'m dyn Model,
    /// The answers.
    pub(crate) answers: &'m Answers,
}

impl Model for Discreet<'_> {
    fn backend(&self) -> &str {
        self.model.backend()
    }

    fn name(&self) -> &str {
        self.model.name()
    }

    fn ask<'a>(&'a self, request: &'a Request, cancelled: &'a CancellationToken) -> Pending<'a> {
        self.model.ask(request, cancelled)
    }

    fn conceal<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let concealed = self.model.conceal(text);
        let redacted = self.answers.redact(&concealed);
        if redacted == *concealed { concealed } else { Cow::Owned(redacted) }
    }
}
