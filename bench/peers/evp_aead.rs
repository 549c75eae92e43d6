// SPDX-License-Identifier: Apache-2.0
// EVP_AEAD, for AWS-LC and BoringSSL, whose bindings the including file imports as `ffi`. The context is
// initialised in place for each key, since that of GCM-SIV depends on its address; messages use the calls that keep text and tag apart.

use hwaead_bench_abi::{Aead, NONCE_LEN, TAG_LEN};

pub trait Which {
    const KEY_LEN: usize;

    fn aead() -> *const ffi::EVP_AEAD;
}

macro_rules! which {
    ($($name:ident, $key_len:literal, $function:ident;)+) => {
        $(pub struct $name;

        impl Which for $name {
            const KEY_LEN: usize = $key_len;

            fn aead() -> *const ffi::EVP_AEAD {
                unsafe { ffi::$function() }
            }
        })+
    };
}

which! {
    Gcm128, 16, EVP_aead_aes_128_gcm;
    Gcm192, 24, EVP_aead_aes_192_gcm;
    Gcm256, 32, EVP_aead_aes_256_gcm;
    Siv128, 16, EVP_aead_aes_128_gcm_siv;
    Siv256, 32, EVP_aead_aes_256_gcm_siv;
}

pub struct Ctx<W> {
    ctx: ffi::EVP_AEAD_CTX,
    which: std::marker::PhantomData<W>,
}

impl<W> Drop for Ctx<W> {
    fn drop(&mut self) {
        unsafe { ffi::EVP_AEAD_CTX_cleanup(&mut self.ctx) }
    }
}

impl<W: Which> Aead for Ctx<W> {
    const KEY_LEN: usize = W::KEY_LEN;

    fn new(key: &[u8]) -> Option<Box<Self>> {
        let mut c = Box::new(Ctx {
            ctx: unsafe { std::mem::zeroed() },
            which: std::marker::PhantomData,
        });

        c.set(key).then_some(c)
    }

    fn set(&mut self, key: &[u8]) -> bool {
        unsafe {
            ffi::EVP_AEAD_CTX_cleanup(&mut self.ctx);
            ffi::EVP_AEAD_CTX_init(
                &mut self.ctx,
                W::aead(),
                key.as_ptr(),
                key.len(),
                TAG_LEN,
                std::ptr::null_mut(),
            ) == 1
        }
    }

    fn seal(
        &self,
        out: &mut [u8],
        tag: &mut [u8; TAG_LEN],
        nonce: &[u8; NONCE_LEN],
        aad: &[u8],
        text: &[u8],
    ) -> bool {
        let mut tag_len = 0;

        unsafe {
            ffi::EVP_AEAD_CTX_seal_scatter(
                &self.ctx,
                out.as_mut_ptr(),
                tag.as_mut_ptr(),
                &mut tag_len,
                TAG_LEN,
                nonce.as_ptr(),
                NONCE_LEN,
                text.as_ptr(),
                text.len(),
                std::ptr::null(),
                0,
                aad.as_ptr(),
                aad.len(),
            ) == 1
        }
    }

    fn open(
        &self,
        out: &mut [u8],
        tag: &[u8; TAG_LEN],
        nonce: &[u8; NONCE_LEN],
        aad: &[u8],
        text: &[u8],
    ) -> bool {
        unsafe {
            ffi::EVP_AEAD_CTX_open_gather(
                &self.ctx,
                out.as_mut_ptr(),
                nonce.as_ptr(),
                NONCE_LEN,
                text.as_ptr(),
                text.len(),
                tag.as_ptr(),
                TAG_LEN,
                aad.as_ptr(),
                aad.len(),
            ) == 1
        }
    }
}
