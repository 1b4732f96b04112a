//! What each language offers, as products of sources, shapes and sinks: see [`matrix`].

mod go_lua;
mod javascript;
mod matrix;
mod perl_php;
mod python;
mod ruby;
mod turned;
