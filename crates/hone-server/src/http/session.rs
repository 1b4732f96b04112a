//! A person at the page: the link, and the cookie that it is exchanged for.
//!
//! The cookie holds the token's name, an end, and a signature by the token's hash. So it outlives a
//! restart, ends with the token, and is not the token: cookies go to every port of a host.

use std::collections::BTreeMap;

use axum::extract::{Form, Query, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use super::Site;
use super::limits::SESSION_TIME;
use super::problem::Problem;
use super::token::{Kept, hex};

/// Where the link of the first start leads.
pub const ENTER: &str = "/enter";
/// Bytes of a cookie at most.
const MAX_COOKIE_BYTES: usize = 256;

/// The cookie's name; the port is in it, because cookies do not tell ports apart.
pub(crate) fn cookie_name(port: u16) -> String {
    format!("hone-{port}")
}

fn seal(token: &Kept, expires: i64) -> Option<Hmac<Sha256>> {
    let mut mac = Hmac::<Sha256>::new_from_slice(token.sha256.as_bytes()).ok()?;
    mac.update(format!("hone page\n{}\n{expires}", token.name).as_bytes());
    Some(mac)
}

/// The value of the cookie.
fn sealed(token: &Kept, expires: i64) -> Option<String> {
    let mac = seal(token, expires)?.finalize().into_bytes();
    Some(format!("{}.{expires}.{}", token.name, hex(&mac)))
}

/// The token that a cookie stands for, if it is right and has not ended.
pub(crate) fn unsealed<'t>(value: &str, tokens: &'t [Kept], now: i64) -> Option<&'t Kept> {
    let mut parts = value.splitn(3, '.');
    let (name, expires, mac) = (parts.next()?, parts.next()?, parts.next()?);
    let expires: i64 = expires.parse().ok().filter(|expires| *expires > now)?;
    let token = tokens.iter().find(|token| token.name == name)?;
    let mac: Vec<u8> = unhex(mac)?;
    seal(token, expires)?.verify_slice(&mac).ok()?;
    Some(token)
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> =
        text.chars().map(|c| c.to_digit(16).and_then(|digit| u8::try_from(digit).ok())).collect();
    let digits = digits.filter(|digits| digits.len().is_multiple_of(2))?;
    Some(digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}

/// The value of our cookie in a request.
pub(crate) fn cookie<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let all = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut each =
        all.flat_map(|line| line.split(';')).filter_map(|one| one.trim().split_once('='));
    each.find(|(key, _)| *key == name)
        .map(|(_, value)| value)
        .filter(|v| v.len() <= MAX_COOKIE_BYTES)
}

/// The link: a right token becomes a cookie. Without one, a form asks for it.
pub(crate) async fn enter(
    State(site): State<Site>,
    Query(query): Query<BTreeMap<String, String>>,
) -> Response {
    match query.get("token") {
        Some(token) => signed_in(&site, token),
        None => asked(StatusCode::OK, ""),
    }
}

/// The form.
pub(crate) async fn submit(
    State(site): State<Site>,
    Form(form): Form<BTreeMap<String, String>>,
) -> Response {
    signed_in(&site, form.get("token").map_or("", |token| token.trim()))
}

fn signed_in(site: &Site, token: &str) -> Response {
    let tokens = site.tokens.current();
    let sha256 = hone_library::hash(token.as_bytes());
    let Some(token) = tokens.iter().find(|kept| kept.sha256 == sha256) else {
        return asked(StatusCode::UNAUTHORIZED, "This token is not one of ours.");
    };
    let time = i64::try_from(SESSION_TIME.as_millis()).unwrap_or(i64::MAX);
    let Some(value) = sealed(token, (site.now)().saturating_add(time)) else {
        return Problem::internal("the session could not be signed").into_response();
    };
    let mut headers = vec![
        format!("{}={value}", cookie_name(site.address.port)),
        "Path=/".to_owned(),
        format!("Max-Age={}", SESSION_TIME.as_secs()),
        "HttpOnly".to_owned(),
        "SameSite=Strict".to_owned(),
    ];
    if site.address.is_tls {
        headers.push("Secure".to_owned());
    }
    redirect_with(&headers.join("; "))
}

/// Signs out.
pub(crate) async fn leave(State(site): State<Site>) -> Response {
    let name = cookie_name(site.address.port);
    redirect_with(&format!("{name}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict"))
}

fn redirect_with(cookie: &str) -> Response {
    let Ok(cookie) = HeaderValue::from_str(cookie) else {
        return Problem::internal("the cookie could not be written").into_response();
    };
    let location = (header::LOCATION, HeaderValue::from_static("/"));
    (StatusCode::SEE_OTHER, [location, (header::SET_COOKIE, cookie)]).into_response()
}

/// The page that asks for a token.
pub(crate) fn asked(status: StatusCode, problem: &str) -> Response {
    (status, super::page::entrance(problem)).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::token::Role;

    fn kept(name: &str, sha256: &str) -> Kept {
        Kept { name: name.to_owned(), roles: vec![Role::Read], sha256: sha256.to_owned(), made: 0 }
    }

    #[test]
    fn a_cookie_counts_until_its_end_and_for_its_token_only() {
        let tokens = [kept("owner", "aa"), kept("phone", "bb")];
        let value = sealed(&tokens[0], 1000).unwrap();
        assert_eq!(unsealed(&value, &tokens, 999), Some(&tokens[0]));
        assert_eq!(unsealed(&value, &tokens, 1000), None);
        assert_eq!(unsealed(&value, &tokens[1..], 999), None);
        let later = value.replacen(".1000.", ".9000.", 1);
        let other = value.replacen("owner", "phone", 1);
        let anew = [kept("owner", "cc")];
        for (value, tokens) in [(later, &tokens[..]), (other, &tokens[..]), (value, &anew[..])] {
            assert_eq!(unsealed(&value, tokens, 999), None, "{value}");
        }
        for wrong in ["", "owner", "owner.1000", "owner.1000.", "owner.x.00", "owner.1000.zz"] {
            assert_eq!(unsealed(wrong, &tokens, 0), None, "{wrong}");
        }
    }

    #[test]
    fn a_cookie_is_found_among_others() {
        let mut headers = HeaderMap::new();
        headers.append(header::COOKIE, "a=1; hone-4663=x.1.y; b=2".parse().unwrap());
        assert_eq!(cookie(&headers, "hone-4663"), Some("x.1.y"));
        assert_eq!(cookie(&headers, "hone-466"), None);
    }
}
