//! Names to addresses: once, here, and checked before anything connects.

use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;

use reqwest::dns::{Name, Resolve as ReqwestResolve, Resolving as ReqwestResolving};

use crate::address::why_not_public;

/// Addresses that are on their way.
pub type Resolving<'a> = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send + 'a>>;

/// Who knows the addresses of a name.
pub trait Resolve: Send + Sync {
    /// The addresses of a name, in the order to try.
    fn resolve<'a>(&'a self, name: &'a str) -> Resolving<'a>;
}

/// The system's resolver: its hosts file and its name servers.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemResolver;

impl Resolve for SystemResolver {
    fn resolve<'a>(&'a self, name: &'a str) -> Resolving<'a> {
        Box::pin(async move {
            Ok(tokio::net::lookup_host((name, 0)).await?.map(|address| address.ip()).collect())
        })
    }
}

/// The resolver below a client that may only reach the public internet: what it gives is what is
/// connected to, so no second answer of a name server can change the address after the check.
pub(crate) struct PublicOnly {
    pub(crate) resolver: Arc<dyn Resolve>,
    pub(crate) exceptions: Arc<[IpAddr]>,
}

/// A name has no public address.
#[derive(Debug, thiserror::Error)]
#[error("`{name}` is {address}, {what}")]
pub(crate) struct NotPublic {
    pub(crate) name: String,
    pub(crate) address: IpAddr,
    pub(crate) what: &'static str,
}

/// A name could not be resolved.
#[derive(Debug, thiserror::Error)]
#[error("`{name}` has no address: {why}")]
pub(crate) struct Unresolved {
    pub(crate) name: String,
    pub(crate) why: String,
}

impl ReqwestResolve for PublicOnly {
    fn resolve(&self, name: Name) -> ReqwestResolving {
        let (resolver, exceptions) = (Arc::clone(&self.resolver), Arc::clone(&self.exceptions));
        Box::pin(async move {
            let all = addresses(&*resolver, name.as_str()).await?;
            let mut public = Vec::with_capacity(all.len());
            let mut refused = None;
            for address in all {
                match why_refused(address, &exceptions) {
                    None => public.push(SocketAddr::new(address, 0)),
                    Some(what) => {
                        refused = Some(NotPublic { name: name.as_str().to_owned(), address, what });
                    }
                }
            }
            match (public.is_empty(), refused) {
                (true, Some(refused)) => Err(refused.into()),
                _ => Ok(Box::new(public.into_iter()) as _),
            }
        })
    }
}

/// What an address is, when it may not be asked.
pub(crate) fn why_refused(address: IpAddr, exceptions: &[IpAddr]) -> Option<&'static str> {
    why_not_public(address).filter(|_| !exceptions.contains(&address))
}

/// The resolver below a client that may reach everything.
pub(crate) struct Anywhere(pub(crate) Arc<dyn Resolve>);

impl ReqwestResolve for Anywhere {
    fn resolve(&self, name: Name) -> ReqwestResolving {
        let resolver = Arc::clone(&self.0);
        Box::pin(async move {
            let all = addresses(&*resolver, name.as_str()).await?;
            Ok(Box::new(all.into_iter().map(|address| SocketAddr::new(address, 0))) as _)
        })
    }
}

async fn addresses(resolver: &dyn Resolve, name: &str) -> Result<Vec<IpAddr>, Unresolved> {
    let unresolved = |why: String| Unresolved { name: name.to_owned(), why };
    match resolver.resolve(name).await {
        Err(error) => Err(unresolved(error.to_string())),
        Ok(all) if all.is_empty() => Err(unresolved("the name server knows none".to_owned())),
        Ok(all) => Ok(all),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Gives(Vec<IpAddr>);

    impl Resolve for Gives {
        fn resolve<'a>(&'a self, _: &'a str) -> Resolving<'a> {
            Box::pin(async move { Ok(self.0.clone()) })
        }
    }

    #[tokio::test]
    async fn of_a_name_with_several_addresses_only_the_public_ones_are_connected_to() {
        let all = ["10.0.0.1", "1.1.1.1", "::1", "2606:4700::1"].map(|text| text.parse().unwrap());
        let resolver = Arc::new(Gives(all.to_vec()));
        let public = PublicOnly { resolver, exceptions: Arc::new([]) };
        let given = ReqwestResolve::resolve(&public, "mixed.example".parse().unwrap()).await;
        let given: Vec<_> = given.map(Iterator::collect).unwrap_or_default();
        assert_eq!(given, [SocketAddr::new(all[1], 0), SocketAddr::new(all[3], 0)]);
    }
}
