//! The folders of a target's roots, for one action: each is checked, resolved and opened once, however
//! many skills it holds.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use hone_library::OpenRoot;

use crate::error::Error;
use crate::target::Target;

/// The roots of a target.
pub(crate) struct Roots<'t> {
    pub(crate) target: &'t Target,
    known: RefCell<BTreeMap<String, Arc<OpenRoot>>>,
}

impl<'t> Roots<'t> {
    pub(crate) fn new(target: &'t Target) -> Self {
        Self { target, known: RefCell::default() }
    }

    /// A root by what the lock calls it.
    pub(crate) fn get(&self, root: &str) -> Result<Arc<OpenRoot>, Error> {
        if let Some(known) = self.known.borrow().get(root) {
            return Ok(Arc::clone(known));
        }
        let opened = Arc::new(OpenRoot::at(&self.target.folder(root)?)?);
        self.known.borrow_mut().insert(root.to_owned(), Arc::clone(&opened));
        Ok(opened)
    }

    /// A skill's folder as the state knows it.
    pub(crate) fn key(&self, root: &str, name: &str) -> Result<PathBuf, Error> {
        Ok(self.get(root)?.path().join(name))
    }
}
