// SPDX-License-Identifier: Apache-2.0
//! ring: LessSafeKey, which works in place only, so the text is copied first.

use hwaead_bench_abi::{Aead, NONCE_LEN, TAG_LEN};
use ring::aead::{Aad, Algorithm, LessSafeKey, Nonce, Tag, UnboundKey, AES_128_GCM, AES_256_GCM};

pub struct Gcm<const KEY_LEN: usize>(LessSafeKey);

impl<const KEY_LEN: usize> Gcm<KEY_LEN> {
    fn make(key: &[u8]) -> Option<Self> {
        let algorithm: &'static Algorithm = if KEY_LEN == 16 {
            &AES_128_GCM
        } else {
            &AES_256_GCM
        };

        UnboundKey::new(algorithm, key)
            .ok()
            .map(|k| Gcm(LessSafeKey::new(k)))
    }
}

impl<const KEY_LEN: usize> Aead for Gcm<KEY_LEN> {
    const KEY_LEN: usize = KEY_LEN;

    fn new(key: &[u8]) -> Option<Box<Self>> {
        Self::make(key).map(Box::new)
    }

    fn set(&mut self, key: &[u8]) -> bool {
        Self::make(key).map(|k| *self = k).is_some()
    }

    fn seal(
        &self,
        out: &mut [u8],
        tag: &mut [u8; TAG_LEN],
        nonce: &[u8; NONCE_LEN],
        aad: &[u8],
        text: &[u8],
    ) -> bool {
        out.copy_from_slice(text);
        match self.0.seal_in_place_separate_tag(
            Nonce::assume_unique_for_key(*nonce),
            Aad::from(aad),
            out,
        ) {
            Ok(t) => tag.copy_from_slice(t.as_ref()),
            Err(_) => return false,
        }
        true
    }

    fn open(
        &self,
        out: &mut [u8],
        tag: &[u8; TAG_LEN],
        nonce: &[u8; NONCE_LEN],
        aad: &[u8],
        text: &[u8],
    ) -> bool {
        let nonce = Nonce::assume_unique_for_key(*nonce);

        out.copy_from_slice(text);
        self.0
            .open_in_place_separate_tag(nonce, Aad::from(aad), Tag::from(*tag), out, 0..)
            .is_ok()
    }
}

fn version() -> String {
    format!("{}, text copied first", hwaead_bench_abi::locked("ring"))
}

hwaead_bench_abi::export!(version(), "AES-128-GCM" => Gcm<16>, "AES-256-GCM" => Gcm<32>);
