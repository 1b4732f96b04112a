//! Which addresses are on the public internet, and which lead to this machine or its networks.
//!
//! The tables follow the IANA special-purpose registries. An IPv6 address that carries an IPv4 one
//! (mapped, compatible, translated, NAT64, 6to4) is judged by what it carries, because that is where a
//! packet ends up. For IPv6 only what is allocated for global unicast counts as public.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Networks of IPv4 that are not public: first address, bits of the prefix, what it is.
const NOT_PUBLIC_V4: [(Ipv4Addr, u32, &str); 15] = [
    (Ipv4Addr::UNSPECIFIED, 8, "this machine (unspecified)"),
    (Ipv4Addr::new(10, 0, 0, 0), 8, "a private network"),
    (Ipv4Addr::new(100, 64, 0, 0), 10, "a provider's shared network"),
    (Ipv4Addr::new(127, 0, 0, 0), 8, "this machine (loopback)"),
    (Ipv4Addr::new(169, 254, 0, 0), 16, "link-local"),
    (Ipv4Addr::new(172, 16, 0, 0), 12, "a private network"),
    (Ipv4Addr::new(192, 0, 0, 0), 24, "reserved for protocols"),
    (Ipv4Addr::new(192, 0, 2, 0), 24, "reserved for documentation"),
    (Ipv4Addr::new(192, 88, 99, 0), 24, "reserved for 6to4 relays"),
    (Ipv4Addr::new(192, 168, 0, 0), 16, "a private network"),
    (Ipv4Addr::new(198, 18, 0, 0), 15, "reserved for benchmarks"),
    (Ipv4Addr::new(198, 51, 100, 0), 24, "reserved for documentation"),
    (Ipv4Addr::new(203, 0, 113, 0), 24, "reserved for documentation"),
    (Ipv4Addr::new(224, 0, 0, 0), 4, "multicast"),
    (Ipv4Addr::new(240, 0, 0, 0), 4, "reserved or broadcast"),
];

/// Networks of IPv6 that are not public and do not carry an IPv4 address.
const NOT_PUBLIC_V6: [(Ipv6Addr, u32, &str); 9] = [
    (Ipv6Addr::UNSPECIFIED, 128, "this machine (unspecified)"),
    (Ipv6Addr::LOCALHOST, 128, "this machine (loopback)"),
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23, "reserved for protocols"),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32, "reserved for documentation"),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20, "reserved for documentation"),
    (Ipv6Addr::new(0xfc00, 0, 0, 0, 0, 0, 0, 0), 7, "a private network"),
    (Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 0), 10, "link-local"),
    (Ipv6Addr::new(0xfec0, 0, 0, 0, 0, 0, 0, 0), 10, "a private network"),
    (Ipv6Addr::new(0xff00, 0, 0, 0, 0, 0, 0, 0), 8, "multicast"),
];

/// Networks of IPv6 that carry an IPv4 address, and how many bits stand before it.
const CARRIES_V4: [(Ipv6Addr, u32); 5] = [
    (Ipv6Addr::UNSPECIFIED, 96),                         // IPv4-compatible
    (Ipv6Addr::new(0, 0, 0, 0, 0, 0xffff, 0, 0), 96),    // IPv4-mapped
    (Ipv6Addr::new(0, 0, 0, 0, 0xffff, 0, 0, 0), 96),    // IPv4-translated
    (Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0), 96), // NAT64
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16),    // 6to4
];

/// What is allocated for global unicast.
const GLOBAL_UNICAST: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// What an address is, when it is not one of the public internet.
///
/// ```
/// let metadata = "169.254.169.254".parse().unwrap();
/// assert_eq!(hone_net::why_not_public(metadata), Some("link-local"));
/// assert_eq!(hone_net::why_not_public("1.1.1.1".parse().unwrap()), None);
/// ```
pub fn why_not_public(address: IpAddr) -> Option<&'static str> {
    match address {
        IpAddr::V4(address) => why_not_public_v4(address),
        IpAddr::V6(address) => why_not_public_v6(address),
    }
}

fn why_not_public_v4(address: Ipv4Addr) -> Option<&'static str> {
    let is_in = |network: Ipv4Addr, bits: u32| {
        (address.to_bits() ^ network.to_bits()).leading_zeros() >= bits
    };
    NOT_PUBLIC_V4.iter().find(|(network, bits, _)| is_in(*network, *bits)).map(|(_, _, what)| *what)
}

fn why_not_public_v6(address: Ipv6Addr) -> Option<&'static str> {
    let is_in = |network: Ipv6Addr, bits: u32| {
        (address.to_bits() ^ network.to_bits()).leading_zeros() >= bits
    };
    if let Some((_, _, what)) =
        NOT_PUBLIC_V6.iter().find(|(network, bits, _)| is_in(*network, *bits))
    {
        return Some(what);
    }
    if let Some((_, bits)) = CARRIES_V4.iter().find(|(network, bits)| is_in(*network, *bits)) {
        let carried = (address.to_bits() << bits) >> 96;
        return why_not_public_v4(Ipv4Addr::from_bits(u32::try_from(carried).unwrap_or_default()));
    }
    let (network, bits) = GLOBAL_UNICAST;
    (!is_in(network, bits)).then_some("not allocated to the public internet")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn what(address: &str) -> Option<&'static str> {
        why_not_public(address.parse().unwrap())
    }

    #[test]
    fn public_addresses_are_public_up_to_the_edges_of_the_networks_that_are_not() {
        for address in [
            "1.0.0.0",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.0",
            "169.253.255.255",
            "169.255.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.0",
            "192.0.3.0",
            "192.88.98.255",
            "192.88.100.0",
            "192.167.255.255",
            "192.169.0.0",
            "198.17.255.255",
            "198.20.0.0",
            "198.51.99.255",
            "198.51.101.0",
            "203.0.112.255",
            "203.0.114.0",
            "223.255.255.255",
            "2606:4700:4700::1111",
            "2000::",
            "2001:200::",
            "2001:db7:ffff::1",
            "2001:db9::",
            "2003::",
            "3ffe:ffff::1",
            "3fff:1000::",
        ] {
            assert_eq!(what(address), None, "{address}");
        }
    }

    #[test]
    fn addresses_of_this_machine_and_its_networks_are_named() {
        let table = [
            ("0.0.0.0", "this machine (unspecified)"),
            ("0.255.255.255", "this machine (unspecified)"),
            ("10.0.0.0", "a private network"),
            ("10.255.255.255", "a private network"),
            ("100.64.0.0", "a provider's shared network"),
            ("100.127.255.255", "a provider's shared network"),
            ("127.0.0.1", "this machine (loopback)"),
            ("127.255.255.255", "this machine (loopback)"),
            ("169.254.169.254", "link-local"),
            ("172.16.0.0", "a private network"),
            ("172.31.255.255", "a private network"),
            ("192.0.0.8", "reserved for protocols"),
            ("192.0.2.255", "reserved for documentation"),
            ("192.88.99.1", "reserved for 6to4 relays"),
            ("192.168.255.255", "a private network"),
            ("198.18.0.0", "reserved for benchmarks"),
            ("198.19.255.255", "reserved for benchmarks"),
            ("198.51.100.1", "reserved for documentation"),
            ("203.0.113.1", "reserved for documentation"),
            ("224.0.0.1", "multicast"),
            ("239.255.255.255", "multicast"),
            ("240.0.0.0", "reserved or broadcast"),
            ("255.255.255.255", "reserved or broadcast"),
            ("::", "this machine (unspecified)"),
            ("::1", "this machine (loopback)"),
            ("100::1", "not allocated to the public internet"),
            ("2001::1", "reserved for protocols"),
            ("2001:1ff:ffff::", "reserved for protocols"),
            ("2001:db8:ffff::", "reserved for documentation"),
            ("3fff:fff::", "reserved for documentation"),
            ("4000::", "not allocated to the public internet"),
            ("5f00::1", "not allocated to the public internet"),
            ("fc00::1", "a private network"),
            ("fdff::1", "a private network"),
            ("fe80::1", "link-local"),
            ("febf::1", "link-local"),
            ("fec0::1", "a private network"),
            ("ff02::1", "multicast"),
            ("64:ff9b:1::1", "not allocated to the public internet"),
        ];
        for (address, expected) in table {
            assert_eq!(what(address), Some(expected), "{address}");
        }
    }

    #[test]
    fn an_ipv4_address_inside_an_ipv6_one_is_what_counts() {
        for (bad, good) in [
            ("::127.0.0.1", "::1.1.1.1"),
            ("::ffff:10.0.0.1", "::ffff:1.1.1.1"),
            ("::ffff:0:192.168.0.1", "::ffff:0:1.1.1.1"),
            ("64:ff9b::169.254.169.254", "64:ff9b::1.1.1.1"),
            ("2002:7f00:1::", "2002:101:101::"),
            ("2002:a00:1::ffff", "2002:101:101::ffff"),
        ] {
            assert!(what(bad).is_some(), "{bad}");
            assert_eq!(what(good), None, "{good}");
        }
    }
}
