//! Any bytes as an answer, plain and streamed, cut anywhere: reading must neither panic nor change the wire.
#![no_main]

use libfuzzer_sys::fuzz_target;
use monban_scorers::{Body, Exchange, Mode, Piece, Raw, RawJson, completion};

fuzz_target!(|data: &[u8]| {
    let Some((&[cut, status], body)) = data.split_first_chunk::<2>() else { return };
    let request = RawJson::of(&serde_json::Value::Null);
    let mut exchange = Exchange::plain(request, if status < 200 { 200 } else { 500 }, body);
    check(&exchange);
    exchange.mode = Mode::Stream;
    check(&exchange);
    let at = usize::from(cut).min(body.len());
    let pieces = [&body[..at], &body[at..]].map(|raw| Piece { at_us: 1, raw: Raw(raw.to_vec()) });
    exchange.body = Body::Pieces(pieces.to_vec());
    check(&exchange);
    if let Ok(stored) = serde_json::from_slice(body)
        && let Ok(exchanges) = Exchange::from_stored_line(&stored)
    {
        exchanges.iter().for_each(check);
    }
});

fn check(exchange: &Exchange) {
    let before = exchange.body.bytes();
    let _ = completion::read(exchange);
    let _ = completion::strict_client(exchange);
    assert_eq!(exchange.body.bytes(), before);
}
