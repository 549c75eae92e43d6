# SPDX-License-Identifier: Apache-2.0
"""What hygiene.py must know of AArch64."""

import re

import hygiene_timing

PREFIXES = set()
COMMENT = "//"
CORE_MAY = {"getauxval", "__stack_chk_guard"}
LOADERS = {"ld-linux-aarch64.so.1"}  # where the stack protector's guard is

# ---- isa ---------------------------------------------------------------------------------------------------------

CRYPTO = re.compile(r"(aes(e|d|mc|imc)|sha(1|256)\w+)$")
SHA3 = re.compile(r"(eor3|bcax|rax1|xar|sha512\w+|sm[34]\w+)$")
BEYOND_BASELINE = re.compile(  # of ARMv8.1 and later, as far as compilers make them on their own
    r"(cas(p?)(a|l|al)?[bh]?|swp(a|l|al)?[bh]?|(ld|st)(add|clr|eor|set|[us]max|[us]min)(a|l|al)?[bh]?|crc32\w+|"
    r"sqrdml[as]h|[us]dot|usdot|sudot|ldapu?r\w*|fjcvtzs|fcmla|fcadd|[us]?mmla|bfdot|reta[ab]|bra[ab]z?|blra[ab]z?|ldra[ab]|"
    r"cfinv|rmif|setf\d+|whilel\w|ptrue|ld1[bhwd]|st1[bhwd]|ctz|cnt[bhwd])$")
GENERATOR = re.compile(r"rndrr?s?$|s3_3_c2_c4_[01]$")


def wrong_instruction(level, mnemonic, operands):
    if re.search(r"\b[zp]\d+[./]", operands):
        return "SVE"
    if BEYOND_BASELINE.match(mnemonic):
        return "beyond ARMv8.0"
    if re.match(r"m[rs]s$", mnemonic) and not operands.endswith("tpidr_el0"):  # where thread-local variables are
        return "a system register"
    if level == "armv8_sha3":
        return None
    if SHA3.match(mnemonic):
        return "SHA3"
    if level == "armv8":
        return None
    if CRYPTO.match(mnemonic) or mnemonic.startswith("pmull") and ".1q" in operands:
        return "AES or carry-less multiply"
    return None


def asks_the_cpu(mnemonic, operands):
    return mnemonic == "mrs" and not GENERATOR.search(operands) and not operands.endswith("tpidr_el0")


def generates(mnemonic, operands):
    return mnemonic == "mrs" and bool(GENERATOR.search(operands))


MUST_USE = {"armv8": ("aese", "aesmc", "pmull", "pmull2"), "armv8_sha3": ("aese", "aesmc", "pmull", "pmull2", "eor3")}
MUST_USE_AS = {"armv8": ("aese v0.16b, v1.16b", "aesmc v0.16b, v0.16b", "pmull v0.1q, v1.1d, v2.1d",
                         "pmull2 v0.1q, v1.2d, v2.2d")}
MUST_USE_AS["armv8_sha3"] = (*MUST_USE_AS["armv8"], "eor3 v0.16b, v1.16b, v2.16b, v3.16b")
ALL_ISA = ("-march=armv8.5-a+crypto+sha3+rng",)
WRONG_FLAGS = ("int f(int *a) { return __atomic_fetch_add(a, 1, __ATOMIC_SEQ_CST); }", "-march=armv8.1-a")

GOOD_ISA = [("plain", "eor v0.16b, v1.16b, v2.16b"), ("plain", "pmull v0.8h, v1.8b, v2.8b"), ("plain", "paciasp; autiasp"),
            ("plain", "1: ldaxr w1, [x0]; stlxr w2, w1, [x0]; cbnz w2, 1b"), ("tier_armv8", "aese v0.16b, v1.16b"),
            ("tier_armv8_sha3", "eor3 v0.16b, v1.16b, v2.16b, v3.16b"), ("entropy_arm", "mrs x0, rndr"), ("plain", "mrs x0, tpidr_el0"),
            ("entropy_arm", "mrs x0, s3_3_c2_c4_1")]
BAD_ISA = [("plain", text) for text in (
    "aese v0.16b, v1.16b", "aesmc v0.16b, v1.16b", "pmull v0.1q, v1.1d, v2.1d", "pmull2 v0.1q, v1.2d, v2.2d",
    "eor3 v0.16b, v1.16b, v2.16b, v3.16b", "bcax v0.16b, v1.16b, v2.16b, v3.16b", "sha256h q0, q1, v2.4s",
    "ldadd w0, w1, [x2]", "casal w0, w1, [x2]", "crc32x w0, w1, x2", "retaa", "mrs x0, rndr", "mrs x0, rndrrs",
    "mrs x0, s3_3_c2_c4_0", "mrs x0, id_aa64isar0_el1", "mrs x0, midr_el1", "ldaprb w0, [x1]")]
BAD_ISA += [("tier_armv8", text) for text in (
    "eor3 v0.16b, v1.16b, v2.16b, v3.16b", "rax1 v0.2d, v1.2d, v2.2d", "ldadd w0, w1, [x2]", "mrs x0, id_aa64isar0_el1")]
BAD_ISA += [("tier_armv8_sha3", text) for text in ("ldadd w0, w1, [x2]", "mrs x0, rndr", "retaa")]
BAD_ISA += [("entropy", "mrs x0, rndr"), ("entropy_arm", "mrs x0, id_aa64isar0_el1"), ("entropy_arm", "aese v0.16b, v1.16b")]

# ---- secret_time -------------------------------------------------------------------------------------------------


def register(name):
    """The whole register of a register's name: w3 -> x3; d3, q3, v3.16b -> v3. None for what is no register."""
    m = re.match(r"[wx](\d+)$", name)
    if m:
        return "x" + m.group(1)
    m = re.match(r"[bhsdqv](\d+)(\.\w+(\[\d+\])?)?$", name)
    if m:
        return "v" + m.group(1)
    return "sp" if name in ("sp", "wsp") else None


class Timing(hygiene_timing.Timing):
    STACK, FRAME = "sp", "x29"
    ENDS, JUMPS, CALLS = ("ret", "brk", "udf"), ("b", "br"), ("bl", "blr")

    NOTHING = re.compile(r"(nop|bti|hint|paciasp|autiasp|ret|brk|udf|prfm)$")
    COMPARE = re.compile(r"(cmp|cmn|tst|ccmp|ccmn|fcmpe?)$")
    LOAD = re.compile(r"(ldu?r(s?[bhw])?|ldn?p(sw)?|ld1)$")
    STORE = re.compile(r"(stu?r[bhw]?|stn?p|st1)$")
    KEEPS_OLD = re.compile(r"(movk|bfi|bfxil|ins|bif|bit|bsl|[us]mlal2?|mla|orr|bic|sli|sri|fmla|[us]adalp)$")
    CHOOSES = re.compile(r"(csel|cset|csetm|cinc|csinc|csinv|csneg|cinv|cneg|adc|sbc|ngc)$")
    SETS_FLAGS = re.compile(r"(adds|subs|ands|bics|negs|adcs|sbcs)$")
    KNOWN = re.compile(
        r"(mov[nzi]?|mvni?|fmov|umov|smov|dup|adrp?|[us]xt[bhwl]\w*|add[pv]?|subs?|adds|neg|negs|mul|madd|msub|mneg|[us]mulh|"
        r"[us]mull2?|[us]maddl|and|ands|orr|orn|eor|eon|bics?|mvn|not|lsl|lsr|asr|ror|extr|rev\d*|rbit|cl[sz]|[us]bfx|[us]bfiz|"
        r"u?shl2?|[us]shr|ushll2?|sshll2?|shrn2?|xtn2?|ext|zip[12]|uzp[12]|trn[12]|tbl|cm\w+|u?addlv|u?max[pv]?|u?min[pv]?|sli|sri)$")

    def condition(self, mnemonic, operands):
        if mnemonic in ("cbz", "cbnz", "tbz", "tbnz"):
            return {register(operands[0])}
        return {"flags"} if mnemonic.startswith("b.") else None

    def effect(self, i, mnemonic, operands, secret):
        if self.NOTHING.match(mnemonic):
            return
        is_secret = [register(o) in secret for o in operands]
        if self.LOAD.match(mnemonic) or self.STORE.match(mnemonic):
            self.memory(i, mnemonic, operands, secret)
            return
        if mnemonic in ("udiv", "sdiv"):
            if any(is_secret[1:]):
                self.report(i, "a division takes time that depends on secret bytes")
            return
        if self.COMPARE.match(mnemonic):
            self.set(secret, "flags", any(is_secret) or mnemonic.startswith("cc") and "flags" in secret)
            return
        if not (self.KNOWN.match(mnemonic) or self.KEEPS_OLD.match(mnemonic) or self.CHOOSES.match(mnemonic)):
            self.report(i, "an instruction that cannot be judged")
            return
        result = any(is_secret[1:])
        if self.KEEPS_OLD.match(mnemonic) and len(operands) == 2 or "[" in operands[0]:
            result = result or is_secret[0]
        if self.CHOOSES.match(mnemonic):
            result = result or "flags" in secret
        if mnemonic in ("eor", "sub") and len(operands) == 3 and operands[1] == operands[2]:
            result = False
        self.set(secret, register(operands[0]), result)
        if self.SETS_FLAGS.match(mnemonic):
            self.set(secret, "flags", result)

    def memory(self, i, mnemonic, operands, secret):
        at = next(k for k, o in enumerate(operands) if o.startswith("["))
        parts = [register(w) for w in re.findall(r"[a-z]\w*", operands[at]) if register(w)]
        parts += [register(o) for o in operands[at + 1:] if register(o)]
        if any(p in secret for p in parts):
            self.report(i, "an address depends on secret bytes")
        data = [register(w) for o in operands[:at] for w in re.findall(r"[a-z]\w*", o) if register(w)]
        on_stack = bool(parts) and set(parts) <= self.frame
        place = operands[at]
        for k, name in enumerate(data):
            key = f"{place}+{k}"
            if self.LOAD.match(mnemonic):
                self.set(secret, name, key in secret if on_stack else True)
            elif on_stack:
                self.set(secret, key, name in secret)
