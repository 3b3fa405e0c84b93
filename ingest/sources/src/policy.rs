//! What a listener asks of those who send to it; a reload puts another in its place while the sockets stay open.

use std::net::IpAddr;
use std::sync::Arc;

use ipnet::IpNet;
use tokio::sync::watch;

use crate::access::Access;
use crate::{BindError, Certificates, ListenerConfig};

/// The keys of a listener that need no socket of their own.
#[derive(Clone, Debug)]
pub struct Policy {
    access: Access,
    pub(crate) max_message_bytes: usize,
    pub(crate) connections_per_sender: usize,
    /// Whose connections begin with a PROXY header.
    proxies: Vec<IpNet>,
    /// `None`: nothing is encrypted.
    pub(crate) certificates: Option<Arc<Certificates>>,
}

/// The policy in effect. Each batch and each new connection looks.
pub type Policies = watch::Receiver<Policy>;

impl Policy {
    /// Reads the certificates, where there are any.
    ///
    /// # Errors
    ///
    /// Where they cannot be used.
    pub fn load(config: &ListenerConfig) -> Result<Self, BindError> {
        let certificates = config.tls.as_ref().map(|tls| Certificates::load(&config.name, tls)).transpose();
        Ok(Self {
            access: Access::new(config),
            max_message_bytes: config.max_message_bytes(),
            connections_per_sender: config.connections_per_sender,
            proxies: config.proxies.clone(),
            certificates: certificates.map_err(|error| BindError::without_certificate(config, &error))?.map(Arc::new),
        })
    }

    pub(crate) fn is_proxy(&self, peer: IpAddr) -> bool {
        self.proxies.iter().any(|network| network.contains(&peer))
    }

    pub(crate) fn admits(&self, sender: IpAddr) -> bool {
        self.access.admits(sender)
    }
}
