// SPDX-License-Identifier: Apache-2.0
//! plugin.h in Rust: an adapter implements `Aead` for a type per cipher and names them in `export!`.

use std::ffi::{c_char, c_void, CStr, CString};
use std::slice::{from_raw_parts, from_raw_parts_mut};

pub const NONCE_LEN: usize = 12;
pub const TAG_LEN: usize = 16;

/// A cipher with a key. `out` and `text` have the same length; false or None on any failure.
pub trait Aead: Sized {
    const KEY_LEN: usize;

    /// In the place where it stays: some of them may not move.
    fn new(key: &[u8]) -> Option<Box<Self>>;
    /// A new key into the same place.
    fn set(&mut self, key: &[u8]) -> bool;
    fn seal(
        &self,
        out: &mut [u8],
        tag: &mut [u8; TAG_LEN],
        nonce: &[u8; NONCE_LEN],
        aad: &[u8],
        text: &[u8],
    ) -> bool;
    fn open(
        &self,
        out: &mut [u8],
        tag: &[u8; TAG_LEN],
        nonce: &[u8; NONCE_LEN],
        aad: &[u8],
        text: &[u8],
    ) -> bool;
}

/// `struct plugin_cipher`.
#[repr(C)]
pub struct Cipher {
    version: *const c_char,
    key_new: unsafe extern "C" fn(*const u8) -> *mut c_void,
    key_free: unsafe extern "C" fn(*mut c_void),
    key_set: unsafe extern "C" fn(*mut c_void, *const u8) -> bool,
    seal: unsafe extern "C" fn(
        *const c_void,
        *mut u8,
        *mut u8,
        *const u8,
        *const u8,
        usize,
        *const u8,
        usize,
    ) -> bool,
    open: unsafe extern "C" fn(
        *const c_void,
        *mut u8,
        *const u8,
        *const u8,
        *const u8,
        usize,
        *const u8,
        usize,
    ) -> bool,
}

unsafe extern "C" fn key_new<A: Aead>(key: *const u8) -> *mut c_void {
    A::new(from_raw_parts(key, A::KEY_LEN))
        .map_or(std::ptr::null_mut(), |a| Box::into_raw(a).cast())
}

unsafe extern "C" fn key_free<A: Aead>(state: *mut c_void) {
    drop(Box::from_raw(state.cast::<A>()));
}

unsafe extern "C" fn key_set<A: Aead>(state: *mut c_void, key: *const u8) -> bool {
    (*state.cast::<A>()).set(from_raw_parts(key, A::KEY_LEN))
}

unsafe extern "C" fn seal<A: Aead>(
    state: *const c_void,
    out: *mut u8,
    tag: *mut u8,
    nonce: *const u8,
    aad: *const u8,
    aad_len: usize,
    text: *const u8,
    len: usize,
) -> bool {
    (*state.cast::<A>()).seal(
        from_raw_parts_mut(out, len),
        &mut *tag.cast(),
        &*nonce.cast(),
        from_raw_parts(aad, aad_len),
        from_raw_parts(text, len),
    )
}

unsafe extern "C" fn open<A: Aead>(
    state: *const c_void,
    out: *mut u8,
    tag: *const u8,
    nonce: *const u8,
    aad: *const u8,
    aad_len: usize,
    text: *const u8,
    len: usize,
) -> bool {
    (*state.cast::<A>()).open(
        from_raw_parts_mut(out, len),
        &*tag.cast(),
        &*nonce.cast(),
        from_raw_parts(aad, aad_len),
        from_raw_parts(text, len),
    )
}

/// The version that Cargo.lock holds a crate to, with the crate's name.
pub fn locked(name: &str) -> String {
    let head = format!("name = \"{name}\"\nversion = \"");
    let version = include_str!("../../Cargo.lock")
        .split_once(&head)
        .and_then(|(_, rest)| rest.split('"').next());

    format!("{name} {}", version.unwrap_or("of unknown version"))
}

// SAFETY: it is never written after it was made.
unsafe impl Send for Cipher {}
unsafe impl Sync for Cipher {}

pub fn cipher<A: Aead>(version: String) -> Cipher {
    Cipher {
        version: CString::new(version).unwrap_or_default().into_raw(),
        key_new: key_new::<A>,
        key_free: key_free::<A>,
        key_set: key_set::<A>,
        seal: seal::<A>,
        open: open::<A>,
    }
}

/// # Safety
/// `name` points to a string.
pub unsafe fn name_of<'a>(name: *const c_char) -> &'a [u8] {
    CStr::from_ptr(name).to_bytes()
}

/// export!(version, "AES-256-GCM" => Type, ...): the one function that the library exports.
#[macro_export]
macro_rules! export {
    ($version:expr, $($name:literal => $cipher:ty),+ $(,)?) => {
        /// # Safety
        /// `name` points to a string.
        #[no_mangle]
        pub unsafe extern "C" fn hwaead_bench_cipher_1(name: *const std::ffi::c_char) -> *const $crate::Cipher {
            let name = $crate::name_of(name);

            $(if name == $name.as_bytes() {
                static CIPHER: std::sync::OnceLock<$crate::Cipher> = std::sync::OnceLock::new();

                return CIPHER.get_or_init(|| $crate::cipher::<$cipher>($version));
            })+
            std::ptr::null()
        }
    };
}
