// SPDX-License-Identifier: Apache-2.0
//! aegis (libaegis), for orientation: another algorithm, in the place of the AES-GCM of the same key length. It works
//! in place, so the text is copied first; its longer nonces get zeros behind the 12 bytes.

use aegis::{aegis128l::Aegis128L, aegis256::Aegis256};
use hwaead_bench_abi::{Aead, NONCE_LEN, TAG_LEN};

const TEXT: [u8; 16] = [0; 16];

macro_rules! adapter {
    ($name:ident, $cipher:ty, $len:literal, $sealed:literal, $tag:literal) => {
        pub struct $name([u8; $len]);

        impl $name {
            /// The first message of the test vectors in draft-irtf-cfrg-aegis-aead.
            fn knows_the_answer() -> bool {
                let (mut key, mut nonce, mut text) = ([0; $len], [0; $len], TEXT);

                key[..2].copy_from_slice(&[0x10, 0x01]);
                nonce[..3].copy_from_slice(&[0x10, 0x00, 0x02]);
                let tag = <$cipher>::new(&key, &nonce).encrypt_in_place(&mut text, &[]);

                u128::from_be_bytes(text) == $sealed && u128::from_be_bytes(tag) == $tag
            }

            fn message(&self, nonce: &[u8; NONCE_LEN]) -> $cipher {
                let mut long = [0; $len];

                long[..NONCE_LEN].copy_from_slice(nonce);
                <$cipher>::new(&self.0, &long)
            }
        }

        impl Aead for $name {
            const KEY_LEN: usize = $len;

            fn new(key: &[u8]) -> Option<Box<Self>> {
                if !Self::knows_the_answer() {
                    return None;
                }
                key.try_into().ok().map(|k| Box::new($name(k)))
            }

            fn set(&mut self, key: &[u8]) -> bool {
                key.try_into().map(|k| self.0 = k).is_ok()
            }

            fn seal(
                &self, out: &mut [u8], tag: &mut [u8; TAG_LEN], nonce: &[u8; NONCE_LEN], aad: &[u8], text: &[u8],
            ) -> bool {
                out.copy_from_slice(text);
                *tag = self.message(nonce).encrypt_in_place(out, aad);
                true
            }

            fn open(
                &self, out: &mut [u8], tag: &[u8; TAG_LEN], nonce: &[u8; NONCE_LEN], aad: &[u8], text: &[u8],
            ) -> bool {
                out.copy_from_slice(text);
                self.message(nonce).decrypt_in_place(out, tag, aad).is_ok()
            }
        }
    };
}

adapter!(Aegis128, Aegis128L<TAG_LEN>, 16, 0xc1c0e58bd913006feba00f4b3cc3594e, 0xabe0ece80c24868a226a35d16bdae37a);
adapter!(Aegis, Aegis256<TAG_LEN>, 32, 0x754fc3d8c973246dcc6d741412a4b236, 0x3fe91994768b332ed7f570a19ec5896e);

fn version() -> String {
    let name = hwaead_bench_abi::locked("aegis");

    format!("{name}: AEGIS-256, or AEGIS-128L for 128 bits, text copied first")
}

hwaead_bench_abi::export!(version(), "AES-128-GCM" => Aegis128, "AES-256-GCM" => Aegis);
