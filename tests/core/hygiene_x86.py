# SPDX-License-Identifier: Apache-2.0
"""What hygiene.py must know of x86-64."""

import re

import hygiene_timing

PREFIXES = {"rep", "repz", "repnz", "lock", "bnd", "notrack", "data16", "cs", "ds", "rex.W"}
COMMENT = "#"
CORE_MAY = set()
LOADERS = set()

# ---- isa ---------------------------------------------------------------------------------------------------------

BEYOND_BASELINE = re.compile(  # SSE3 to SSE4.2 and BMI, as far as compilers make them on their own
    r"(pshufb|palignr|pabs[bwd]|psign[bwd]|ph(add|sub)\w+|pmaddubsw|pmulhrsw|pinsr[bdq]|pextr[bdq]|insertps|extractps|"
    r"ptest|pblend\w+|blend\w+|pmov[sz]x\w+|pm(in|ax)(s[bd]|u[wd])|pmuldq|pmulld|pcmpeqq|pcmpgtq|pcmp[ei]str\w|round[sp][sd]|"
    r"dpp[sd]|mpsadbw|packusdw|movntdqa|lddqu|movddup|movs[hl]dup|h(add|sub)p[sd]|addsubp[sd]|crc32\w?|popcnt|lzcnt|"
    r"andn|bextr|bls(i|r|msk)|bzhi|mulx|pdep|pext|rorx|(sar|shl|shr)x|ad[co]x|movbe|rdrand|rdseed|sha(1|256)\w+|gf2p8\w+)[lq]?$")
VEX = re.compile(r"v(?!err|erw|mcall|mlaunch|mresume|mxoff|mread|mwrite|mptr|mclear|mfunc)")


def wrong_instruction(level, mnemonic, operands):
    if level in ("vaes512", "vaes512_short"):
        return None
    if "%zmm" in operands or re.search(r"%k[0-7]\b", operands) or re.search(r"%[xy]mm(1[6-9]|[23]\d)", operands):
        return "AVX-512"
    if level == "vaes256":
        return None
    if "%ymm" in operands or VEX.match(mnemonic):
        return "AVX"
    if level == "aesni":
        return None
    if mnemonic.startswith("aes") or mnemonic.startswith("pclmul"):
        return "AES or carry-less multiply"
    if BEYOND_BASELINE.match(mnemonic):
        return "beyond x86-64's baseline"
    return None


def asks_the_cpu(mnemonic, operands):
    return mnemonic in ("cpuid", "xgetbv")


def generates(mnemonic, operands):
    return re.fullmatch("rd(seed|rand)q?", mnemonic) is not None


MUST_USE = {"aesni": ("aesenc", "aesenclast", "pclmul\\w+"), "vaes256": ("vaesenc", "vaesenclast", "vpclmul\\w+"),
            "vaes512": ("vaesenc", "vaesenclast", "vpclmul\\w+"),
            "vaes512_short": ("vaesenc", "vaesenclast", "vpclmul\\w+")}
MUST_USE_AS = {"aesni": ("aesenc %xmm1, %xmm0", "aesenclast %xmm1, %xmm0", "pclmulqdq $0, %xmm1, %xmm0"),
               "vaes256": ("vaesenc %ymm1, %ymm0, %ymm0", "vaesenclast %ymm1, %ymm0, %ymm0", "vpclmulqdq $0, %ymm1, %ymm0, %ymm0"),
               "vaes512": ("vaesenc %zmm1, %zmm0, %zmm0", "vaesenclast %zmm1, %zmm0, %zmm0", "vpclmulqdq $0, %zmm1, %zmm0, %zmm0")}
MUST_USE_AS["vaes512_short"] = MUST_USE_AS["vaes256"]
ALL_ISA = ()
WRONG_FLAGS = ("void f(int *a, const int *b) { for (int i = 0; i < 64; i++) a[i] += b[i]; }", "-O3", "-mavx2")

GOOD_ISA = [("plain", "pxor %xmm1, %xmm0"), ("tier_aesni", "aesenc %xmm1, %xmm0"),
            ("tier_vaes256", "vaesenc %ymm1, %ymm0, %ymm0"), ("tier_vaes512", "vaesenc %zmm1, %zmm0, %zmm0"),
            ("cpu_x86", "cpuid"), ("entropy_x86", "rdseed %rax"), ("entropy_x86", "rdrand %rax")]
BAD_ISA = [("plain", text) for text in (
    "aesenc %xmm1, %xmm0", "aeskeygenassist $1, %xmm1, %xmm0", "pclmulqdq $0, %xmm1, %xmm0",
    "vaesenc %ymm1, %ymm0, %ymm0", "vpxor %xmm1, %xmm0, %xmm0", "vzeroupper", "vpxorq %zmm1, %zmm0, %zmm0",
    "vpxorq %xmm17, %xmm0, %xmm0", "kmovq %k1, %k2", "pshufb %xmm1, %xmm0", "pextrq $1, %xmm0, %rax",
    "mulx %rax, %rax, %rdx", "movbe (%rax), %rax", "cpuid", "xor %ecx, %ecx; xgetbv", "rdseed %rax", "rdrand %rax")]
BAD_ISA += [("tier_aesni", text) for text in (
    "vpxor %ymm1, %ymm0, %ymm0", "vpxor %xmm1, %xmm0, %xmm0", "vaesenc %zmm1, %zmm0, %zmm0", "xgetbv", "cpuid")]
BAD_ISA += [("tier_vaes256", text) for text in (
    "vpxorq %zmm1, %zmm0, %zmm0", "vmovdqu8 (%rax), %ymm0{%k1}", "vpxorq %ymm16, %ymm0, %ymm0", "cpuid")]
BAD_ISA += [("tier_vaes512", "cpuid"), ("entropy", "rdrand %rax")]
BAD_ISA += [("entropy_x86", text) for text in ("cpuid", "mulx %rax, %rax, %rdx", "aesenc %xmm1, %xmm0")]

# ---- secret_time -------------------------------------------------------------------------------------------------

def register(name):
    """The whole register of a register's name: eax, ax, al -> rax; ymm3 -> xmm3. None for what is no register."""
    m = re.fullmatch(r"[xyz]mm(\d+)", name)
    if m:
        return "xmm" + m.group(1)
    m = re.fullmatch(r"(r\d+)[dwb]?", name)
    if m:
        return m.group(1)
    m = re.fullmatch(r"[re]?([abcd])x|([abcd])[lh]", name)
    if m:
        return "r" + (m.group(1) or m.group(2)) + "x"
    m = re.fullmatch(r"[re]?(si|di|sp|bp)l?", name)
    if m:
        return "r" + m.group(1)
    return None


class Timing(hygiene_timing.Timing):
    OBJDUMP = ("-M", "intel")
    STACK, FRAME = "rsp", "rbp"
    ENDS, JUMPS, CALLS = ("ret", "retq", "ud2", "hlt"), ("jmp", "jmpq"), ("call", "callq")

    PLAIN = re.compile(r"(mov|lea|vmov|pshuf|vpshuf|pmov|vpmov|bswap|pbroadcast|vpbroadcast|cvt)")
    COMPARE = re.compile(r"(cmp|test|ptest|vptest|u?comis[sd]|bt)$")
    NOTHING = re.compile(r"(nop\w*|endbr64|ret|leave|vzeroupper|ud2|hlt|int3)$")
    FLAGS_KEPT = re.compile(r"(mov|lea|not|xchg|bswap|push|pop|set|cmov|p[a-z]+|v[a-z]+|xorp|andp|orp|unpck)")

    def condition(self, mnemonic, operands):
        if mnemonic in ("jrcxz", "jecxz") or mnemonic.startswith("loop"):
            return {"flags", "rcx"}
        return {"flags"} if mnemonic.startswith("j") else None

    def place(self, i, operand, secret):
        """(key of the place, is what is there secret)."""
        m = re.search(r"\[(.*)\]", operand)
        if not m:
            name = register(operand)
            return name, name in secret
        parts = [register(w) for w in re.findall(r"[a-z]\w*", m.group(1)) if register(w)]
        if "fs:" in operand:
            return None, False  # the stack protector's canary
        if any(p in secret for p in parts):
            self.report(i, "an address depends on secret bytes")
        if parts and set(parts) <= self.frame or "rip" in m.group(1):
            return "[" + m.group(1) + "]", "[" + m.group(1) + "]" in secret
        return None, True

    def effect(self, i, mnemonic, operands, secret):
        if self.NOTHING.match(mnemonic) or not operands:
            if not self.NOTHING.match(mnemonic) and mnemonic not in ("cdq", "cqo", "cdqe", "cwde"):
                self.report(i, "an instruction that cannot be judged")
            if mnemonic in ("cdq", "cqo") and "rax" in secret:
                secret.add("rdx")
            return
        places = [self.place(i, o, secret) for o in operands]
        if mnemonic == "lea":
            inner = re.findall(r"[a-z]\w*", operands[1])
            places[1] = (None, any(register(w) in secret for w in inner if register(w)))
            self.found = {f for f in self.found if not f.startswith(f"+{self.code[i][0] - self.code[0][0]:#x} lea ")}
        sources = any(s for _, s in places[1:])
        first, old = places[0]
        if mnemonic in ("div", "idiv"):
            if old or "rax" in secret or "rdx" in secret:
                self.report(i, "a division takes time that depends on secret bytes")
            return
        if mnemonic in ("mul", "imul") and len(operands) == 1:
            self.set(secret, "rax", old or "rax" in secret)
            self.set(secret, "rdx", old or "rax" in secret)
            self.set(secret, "flags", old or "rax" in secret)
            return
        if self.COMPARE.match(mnemonic):
            self.set(secret, "flags", old or sources)
            return
        if mnemonic == "push":
            if old:
                secret.add("pushed")
            return
        if mnemonic == "pop":
            self.set(secret, first, "pushed" in secret)
            return
        same = len(operands) >= 2 and len(set(operands)) == 1
        if same and re.match(r"v?p?(xor|sub[bwdq]?$)", mnemonic):
            result = False
        elif mnemonic.startswith("cmov"):
            result = old or sources or "flags" in secret
        elif mnemonic.startswith("set"):
            result = old or "flags" in secret  # the rest of the register stays
        elif mnemonic in ("sbb", "adc"):
            result = "flags" in secret or (not (same and mnemonic == "sbb") and (old or sources))
        elif self.PLAIN.match(mnemonic) and len(operands) >= 2:
            narrow = re.fullmatch(r"[abcd][lhx]|[sd]il?|r\d+[wb]", operands[0])
            result = sources or (bool(narrow) and old)
        else:
            result = old or sources
        if mnemonic == "xchg":
            self.set(secret, places[1][0], old or sources)
        self.set(secret, first, result)
        if not self.FLAGS_KEPT.match(mnemonic):
            self.set(secret, "flags", result)
