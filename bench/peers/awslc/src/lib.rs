// SPDX-License-Identifier: Apache-2.0
//! AWS-LC by aws-lc-sys.

use aws_lc_sys as ffi;

include!("../../evp_aead.rs");

fn version() -> String {
    let own = String::from_utf8_lossy(ffi::AWSLC_VERSION_NUMBER_STRING);

    format!(
        "AWS-LC {} ({}), EVP_AEAD",
        own.trim_end_matches('\0'),
        hwaead_bench_abi::locked("aws-lc-sys")
    )
}

hwaead_bench_abi::export!(version(),
    "AES-128-GCM" => Ctx<Gcm128>,
    "AES-192-GCM" => Ctx<Gcm192>,
    "AES-256-GCM" => Ctx<Gcm256>,
    "AES-128-GCM-SIV" => Ctx<Siv128>,
    "AES-256-GCM-SIV" => Ctx<Siv256>,
);
