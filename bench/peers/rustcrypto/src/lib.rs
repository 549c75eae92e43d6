// SPDX-License-Identifier: Apache-2.0
//! RustCrypto: aes-gcm and aes-gcm-siv. Their hardware back ends are chosen at run time without any cfg flag.

use aes_gcm::aead::consts::U12;
use aes_gcm::aead::{inout::InOutBuf, AeadInOut, KeyInit};
use aes_gcm::{aes, Aes128Gcm, Aes256Gcm, AesGcm};
use aes_gcm_siv::{Aes128GcmSiv, Aes256GcmSiv};
use hwaead_bench_abi::{Aead, NONCE_LEN, TAG_LEN};

type Aes192Gcm = AesGcm<aes::Aes192, U12>;

pub struct Rust<C, const KEY_LEN: usize>(C);

impl<C: KeyInit, const KEY_LEN: usize> Rust<C, KEY_LEN> {
    fn make(key: &[u8]) -> Option<Self> {
        C::new_from_slice(key).ok().map(Rust)
    }
}

macro_rules! adapter {
    ($($cipher:ty, $key_len:literal;)+) => {
        $(impl Aead for Rust<$cipher, $key_len> {
            const KEY_LEN: usize = $key_len;

            fn new(key: &[u8]) -> Option<Box<Self>> {
                Self::make(key).map(Box::new)
            }

            fn set(&mut self, key: &[u8]) -> bool {
                Self::make(key).map(|k| *self = k).is_some()
            }

            fn seal(
                &self, out: &mut [u8], tag: &mut [u8; TAG_LEN], nonce: &[u8; NONCE_LEN], aad: &[u8], text: &[u8],
            ) -> bool {
                let Ok(text) = InOutBuf::new(text, out) else { return false };

                match self.0.encrypt_inout_detached(nonce.into(), aad, text) {
                    Ok(t) => tag.copy_from_slice(&t),
                    Err(_) => return false,
                }
                true
            }

            fn open(
                &self, out: &mut [u8], tag: &[u8; TAG_LEN], nonce: &[u8; NONCE_LEN], aad: &[u8], text: &[u8],
            ) -> bool {
                let Ok(text) = InOutBuf::new(text, out) else { return false };

                self.0.decrypt_inout_detached(nonce.into(), aad, text, tag.into()).is_ok()
            }
        })+
    };
}

adapter! {
    Aes128Gcm, 16;
    Aes192Gcm, 24;
    Aes256Gcm, 32;
    Aes128GcmSiv, 16;
    Aes256GcmSiv, 32;
}

fn version() -> String {
    ["aes-gcm", "aes-gcm-siv", "aes", "polyval"]
        .map(hwaead_bench_abi::locked)
        .join(", ")
}

hwaead_bench_abi::export!(version(),
    "AES-128-GCM" => Rust<Aes128Gcm, 16>,
    "AES-192-GCM" => Rust<Aes192Gcm, 24>,
    "AES-256-GCM" => Rust<Aes256Gcm, 32>,
    "AES-128-GCM-SIV" => Rust<Aes128GcmSiv, 16>,
    "AES-256-GCM-SIV" => Rust<Aes256GcmSiv, 32>,
);
