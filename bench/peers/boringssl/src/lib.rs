// SPDX-License-Identifier: Apache-2.0
//! BoringSSL by boring-sys.

use boring_sys as ffi;

include!("../../evp_aead.rs");

fn version() -> String {
    let api = ffi::BORINGSSL_API_VERSION;

    format!(
        "BoringSSL, API {api} ({}), EVP_AEAD",
        hwaead_bench_abi::locked("boring-sys")
    )
}

hwaead_bench_abi::export!(version(),
    "AES-128-GCM" => Ctx<Gcm128>,
    "AES-192-GCM" => Ctx<Gcm192>,
    "AES-256-GCM" => Ctx<Gcm256>,
    "AES-128-GCM-SIV" => Ctx<Siv128>,
    "AES-256-GCM-SIV" => Ctx<Siv256>,
);
