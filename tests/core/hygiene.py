#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the compiled objects must be like, whatever the sources say (docs/design.md).

    hygiene.py CHECK INPUTS.json

INPUTS.json is written by CMake: tools, objects, libraries. Each check has a control: it is run on objects made to
break its rule, one for each way to break it, and fails when one of them gets through.

Checks: exports isa weak state imports tables module library secret_time
"""

import importlib
import json
import os
import re
import subprocess
import sys
import tempfile

SKIP = 77


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


class Tools:
    def __init__(self, inputs):
        self.cc, self.nm, self.objdump, self.readelf = (inputs[k] for k in ("cc", "nm", "objdump", "readelf"))
        self.arch = importlib.import_module("hygiene_" + inputs["arch"])
        self.cc_flags = [flag for flag in inputs["cc_flags"] if flag]
        self.folder = tempfile.TemporaryDirectory()

    def compile(self, name, source, *flags):
        """An object from C text; name is its file name without the end."""
        path = os.path.join(self.folder.name, name)
        with open(path + ".c", "w") as f:
            f.write(source)
        run(self.cc, *self.cc_flags, "-std=gnu11", "-O2", "-fPIC", "-fvisibility=hidden", "-fno-stack-protector", *flags,
            "-c", path + ".c", "-o", path + ".c.o")
        return path + ".c.o"

    def link(self, name, source, *flags):
        """A shared object from C text, hardened as ours but for what flags undo."""
        path = os.path.join(self.folder.name, name)
        with open(path + ".c", "w") as f:
            f.write(source)
        run(self.cc, *self.cc_flags, "-O2", "-fPIC", "-shared", "-fvisibility=hidden", path + ".c", "-o", path + ".so",
            "-Wl,-z,relro", "-Wl,-z,now", "-Wl,-z,noexecstack", "-Wl,-z,nodelete", *flags)
        return path + ".so"

    def deletable(self, name):
        """The shared object of what `link` was given last under that name, but one that dlclose unloads."""
        path = os.path.join(self.folder.name, name + "_deletable.so")
        run(self.cc, "-shared", "-fPIC", "-fvisibility=hidden", os.path.join(self.folder.name, name + ".c"), "-o", path,
            "-Wl,-z,relro", "-Wl,-z,now", "-Wl,-z,noexecstack")
        return path

    def symbols(self, path, *flags):
        """(type, name) of each."""
        rows = [line.split() for line in run(self.nm, "-P", *flags, path).splitlines()]
        return [(row[1], row[0].split("@")[0]) for row in rows if len(row) >= 2 and len(row[1]) == 1]

    def instructions(self, path, *options):
        """(function, address, mnemonic, operands), prefixes dropped."""
        function = ""
        for line in run(self.objdump, "-d", "--no-show-raw-insn", *options, path).splitlines():
            head = re.match(r"[0-9a-f]+ <(.*)>:$", line)
            if head:
                function = head.group(1)
                continue
            m = re.match(r"\s*([0-9a-f]+):\s+(.*)", line)
            if not m:
                continue
            words = m.group(2).split(self.arch.COMMENT)[0].split(None, 1)
            while len(words) == 2 and words[0] in self.arch.PREFIXES:
                words = words[1].split(None, 1)
            if words:
                yield function, int(m.group(1), 16), words[0], words[1].strip() if len(words) > 1 else ""

    def sections(self, path):
        """name: size."""
        return {m.group(1): int(m.group(2), 16)
                for m in re.finditer(r"^\s*\d+ (\S+)\s+([0-9a-f]+) ", run(self.objdump, "-h", "-w", path), re.M)}


def tier_of(path):
    m = re.match(r"tier_(\w+)\.c\.o", os.path.basename(path))
    return m.group(1) if m else None


def is_cpu(path):
    return os.path.basename(path) in ("cpu_x86.c.o", "cpu_arm.c.o")


def is_generator(path):
    return os.path.basename(path) in ("entropy_x86.c.o", "entropy_arm.c.o")


# ---- exports: a tier object exports its table and nothing else -------------------------------------------------

def exports(tools, objects):
    for path in objects:
        if tier_of(path):
            names = [n for t, n in tools.symbols(path, "--defined-only", "--extern-only")]
            if names != ["kernel_" + tier_of(path)]:
                yield f"{path}: exports {names}, not kernel_{tier_of(path)} alone"


def exports_control(tools):
    table = "const int kernel_x[2] = {1, 2};"
    yield [], [tools.compile("tier_x", table)]
    yield [tools.compile("tier_x", table + "int helper(int a) { return a; }")], []
    yield [tools.compile("tier_x", table + "inline int helper(int a) { return a; } extern inline int helper(int a);")], []
    yield [tools.compile("tier_x", table + "__attribute__((weak)) int helper(int a) { return a; }")], []
    yield [tools.compile("tier_x", "int kernel_y[2];")], []


# ---- isa: no instruction where the CPU may not have it -----------------------------------------------------------

def isa(tools, objects):
    for path in objects:
        level, found, seen = tier_of(path), set(), set()
        for function, _, mnemonic, operands in tools.instructions(path):
            seen.add(mnemonic)
            wrong = tools.arch.wrong_instruction(level, mnemonic, operands)
            if tools.arch.asks_the_cpu(mnemonic, operands) and not is_cpu(path):
                wrong = "a question to the CPU outside the file for it"
            if is_generator(path) and tools.arch.generates(mnemonic, operands):
                wrong = None
            if wrong:
                found.add(f"{path}: {function}: {mnemonic} {operands}: {wrong}")
        for mnemonic in tools.arch.MUST_USE.get(level, ()):
            if not any(re.fullmatch(mnemonic, name) for name in seen):
                found.add(f"{path}: no {mnemonic} in it")
        yield from sorted(found)


def isa_control(tools):
    def one(name, text):
        must = "; ".join(tools.arch.MUST_USE_AS.get(tier_of(name + ".c.o"), ()))
        return tools.compile(name, f'void f(void) {{ __asm__ volatile("{must}; {text}"); }}', *tools.arch.ALL_ISA)
    yield [], [one(name, text) for name, text in tools.arch.GOOD_ISA]
    for name, text in tools.arch.BAD_ISA:
        yield [one(name, text)], []
    for level, needed in tools.arch.MUST_USE_AS.items():
        for left_out in needed:
            rest = "; ".join(text for text in needed if text != left_out)
            yield [tools.compile(f"tier_{level}", f'void f(void) {{ __asm__ volatile("{rest}"); }}', *tools.arch.ALL_ISA)], []
    # What really happens: a file that got the wrong flags.
    yield [tools.compile("loop", *tools.arch.WRONG_FLAGS)], []


# ---- weak: nothing that a linker may choose between ----------------------------------------------------------------

def weak(tools, objects):
    for path in objects:
        for kind, name in tools.symbols(path):
            if kind in "WVwviuC":
                yield f"{path}: {name} is weak, common, unique or an ifunc ({kind})"


def weak_control(tools):
    yield [], [tools.compile("strong", "int f(int a) { return a; }")]
    yield [tools.compile("weak", "__attribute__((weak)) int f(int a) { return a; }")], []
    yield [tools.compile("wobj", "__attribute__((weak)) int v = 3;")], []
    yield [tools.compile("undef", "__attribute__((weak)) int g(void); int f(void) { return g ? g() : 0; }")], []
    yield [tools.compile("ifunc", "static int a(void) { return 1; } static void *pick(void) { return a; }"
                                  "int f(void) __attribute__((ifunc(\"pick\")));")], []
    yield [tools.compile("common", "int v;", "-fcommon")], []


# ---- state: no mutable globals, no constructors, one destructor --------------------------------------------------

# What cpu.c remembers of CPUID: one word that is the same whoever writes it. That the CPU's generator was found broken.
# The random source: its rules with the page that tells of forks, the key for thread exits, and two pointers a thread.
ALLOWED_STATE = {("cpu.c.o", ".bss"): 4, ("entropy.c.o", ".bss"): 4, ("api_random.c.o", ".data.rel"): 64,
                 ("api_random.c.o", ".data"): 64, ("api_random.c.o", ".bss"): 4, ("api_random.c.o", ".tbss"): 16}
# Takes that key back.
ALLOWED_DESTRUCTOR = ("api_random.c.o", ".fini_array", 8)
LOAD_CODE = re.compile(r"\.(init_array|fini_array|ctors|dtors|preinit_array)")


def state(tools, objects):
    for path in objects:
        for name, size in tools.sections(path).items():
            writable = re.match(r"\.(data|bss|tdata|tbss|ldata|lbss)(\.|$)", name) and not name.startswith(".data.rel.ro")
            if writable and size > ALLOWED_STATE.get((os.path.basename(path), name), 0):
                yield f"{path}: {size} bytes of mutable state in {name}"
        yield from load_code(tools, path)


def load_code(tools, path):
    for name, size in tools.sections(path).items():
        if LOAD_CODE.match(name) and size > 0 and (os.path.basename(path), name, size) != ALLOWED_DESTRUCTOR:
            yield f"{path}: runs code at load or unload ({name})"


def state_control(tools):
    yield [], [tools.compile("fine", "static const char *const t[] = {\"a\", \"b\"}; const char *f(int i) { return t[i]; }")]
    yield [tools.compile("data", "int f(void) { static int n = 1; return n++; }")], []
    yield [tools.compile("bss", "int f(void) { static int n; return n++; }")], []
    yield [tools.compile("tls", "int f(void) { static __thread int n; return n++; }")], []
    yield [tools.compile("table", "static const char *t[] = {\"a\", \"b\"}; const char *f(int i, int j, const char *s) { t[i] = s; return t[j]; }")], []
    yield [tools.compile("ctor", "int g(void); __attribute__((constructor)) void f(void) { g(); }")], []
    yield [tools.compile("dtor", "int g(void); __attribute__((destructor)) void f(void) { g(); }")], []


# ---- imports: what the core asks of libc, and what the module must not ask of anyone ------------------------------

CORE_MAY = {"memcpy", "memset", "memmove", "__memcpy_chk", "__memset_chk", "__memmove_chk", "strcmp", "getrandom",
            "__errno_location", "__stack_chk_fail", "_GLOBAL_OFFSET_TABLE_",
            "mmap", "munmap", "madvise", "sysconf", "getpid", "syscall",  # fork.c: one page, and a futex
            "clock_gettime", "time",
            "pthread_key_create", "pthread_key_delete", "pthread_setspecific", "pthread_setcancelstate"}
MUSL_MAY = {"__tls_get_addr"}  # a module's thread-local variables: api_random.c
NOBODY_MAY = re.compile(
    r"_*(secure_)?getenv$|putenv$|setenv$|_*v?[fd]?printf(_chk)?$|_*(v?w?printf|v?fwprintf)(_chk)?$|"
    r"_*f?put(c|char|s)(_unlocked)?$|perror$|"
    r"fwrite$|write$|writev$|v?syslog$|_*v?syslog_chk$|v?warnx?$|v?errx?$|pthread_create$|thrd_create$|"
    r"v?fork$|clone$|system$|popen$|"
    r"exec\w+$|posix_spawnp?$|dlopen$|dlsym$|signal$|sigaction$|setlocale$|atexit$|at_quick_exit$|"
    r"exit$|_exit$|socket$|connect$|"
    r"(EVP|AES|CRYPTO_gcm128|GCM)_")


def imports(tools, objects, module=None, libc_may=frozenset()):
    may = CORE_MAY | tools.arch.CORE_MAY | libc_may
    defined = {n for path in objects for t, n in tools.symbols(path, "--defined-only", "--extern-only")}
    for path in objects:
        for _, name in tools.symbols(path, "--undefined-only"):
            if name not in defined and name not in may:
                yield f"{path}: the core asks for {name}"
    if module:
        for _, name in tools.symbols(module, "-D", "--undefined-only"):
            if NOBODY_MAY.match(name):
                yield f"{module}: asks for {name}"


def imports_control(tools):
    yield [], [tools.compile("fine", "#include <string.h>\nvoid f(void *a, const void *b, size_t n) { memcpy(a, b, n); }")]
    for call in ("(long)malloc(n)", "(free((void *)a), 1)", "(long)getenv(a)", "printf(a)", "memcmp(a, a + 1, n)", "(abort(), 1)"):
        yield [tools.compile("bad", f"#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
                                    f"long f(const char *a, unsigned long n) {{ (void)a; (void)n; return {call}; }}",
                             "-fno-builtin", "-w")], []


def imports_module_control(tools):
    head = "#define _GNU_SOURCE 1\n#include <stdio.h>\n#include <stdlib.h>\n#include <syslog.h>\n#include <unistd.h>\n#include <pthread.h>\n" \
           "__attribute__((visibility(\"default\"))) int OSSL_provider_init(void) "
    for call in ("getenv(\"A\") != 0", "secure_getenv(\"A\") != 0", "printf(\"%d\", 3)", "fprintf(stderr, \"%d\", 3)", "puts(\"a\")",
                 "(int)write(2, \"a\", 1)", "(syslog(1, \"a\"), 1)", "(perror(\"a\"), 1)", "(int)fork()",
                 "pthread_create(0, 0, 0, 0)", "system(\"a\")"):
        yield tools.link("module", f"{head} {{ return {call}; }}", "-w"), call
    yield tools.link("module", f"{head} {{ return printf(\"%d\", 3); }}", "-w", "-D_FORTIFY_SOURCE=2"), "checked printf"


# ---- tables: nothing of a software cipher -----------------------------------------------------------------------

def cipher_tables():
    """{what: [byte strings]}, each a stretch of a table that a software AES or GHASH would have."""
    def mul(a, b):
        p = 0
        for i in range(8):
            if b >> i & 1:
                p ^= a
            a = (a << 1) ^ (0x11b if a & 0x80 else 0)
        return p

    def rotl(x, n):
        return (x << n | x >> (8 - n)) & 0xff

    inverse = [0] + [next(b for b in range(256) if mul(a, b) == 1) for a in range(1, 256)]
    sbox = [i ^ rotl(i, 1) ^ rotl(i, 2) ^ rotl(i, 3) ^ rotl(i, 4) ^ 0x63 for i in inverse]
    inv_sbox = [sbox.index(i) for i in range(256)]
    rcon = [1]
    while len(rcon) < 10:
        rcon.append(mul(rcon[-1], 2))

    def words(values, size, shift=0):
        """The values as numbers of that many bytes, in both byte orders."""
        for order in ("little", "big"):
            yield b"".join((v << shift).to_bytes(size, order) for v in values)

    tables = {}
    for name, box in (("AES S-box", sbox), ("inverse AES S-box", inv_sbox)):
        tables[name] = [bytes(box[i:i + 16]) for i in range(0, 256, 16)]
        for i in range(0, 256, 64):
            tables[name] += words(box[i:i + 8], 4)
            tables[name] += words([v * 0x01010101 for v in box[i:i + 8]], 4)
    for name, box, row in (("AES T-table", sbox, (2, 1, 1, 3)), ("inverse AES T-table", inv_sbox, (14, 9, 13, 11)),
                           ("InvMixColumns table", list(range(256)), (14, 9, 13, 11)),
                           ("MixColumns table", list(range(256)), (2, 1, 1, 3))):
        tables[name] = []
        for turn in range(4):
            r = row[turn:] + row[:turn]
            for start in (0, 64, 128, 192):
                entries = [sum(mul(v, c) << (24 - 8 * k) for k, c in enumerate(r)) for v in box[start:start + 8]]
                tables[name] += words(entries, 4)
                tables[name] += words([e << 32 | e for e in entries[:4]], 8)  # doubled words for unaligned loads
    tables["Rcon"] = [bytes(rcon)] + list(words(rcon, 4)) + list(words(rcon, 4, 24))[:1] + list(words(rcon[:8], 4))
    tables["multiples in GF(2^8)"] = [bytes(mul(v, c) for v in range(16, 160, 9)) for c in (2, 3, 9, 11, 13, 14)] + \
        [bytes(mul(v, c) for v in range(128, 144)) for c in (2, 3, 9, 11, 13, 14)]

    def ghash_rest(value, bits):
        for _ in range(bits):
            value = value >> 1 ^ (0xe1 << 120 if value & 1 else 0)
        return value >> 112

    for bits in (4, 8):
        rest = [ghash_rest(v, bits) for v in range(1 << bits)][:16]
        name = f"GHASH reduction table of {bits} bits"
        tables[name] = []
        for size in (2, 4, 8):
            tables[name] += words(rest[:16 if size == 2 else 8], size)
            tables[name] += words(rest[:16 if size == 2 else 8], size, 8 * size - 16)
    return {name: sorted(set(parts)) for name, parts in tables.items()}


SOFTWARE_NAMES = re.compile(
    r"(s_?box|isbox|inv_?sub|sub_?bytes|shift_?rows|mix_?col|xtime|rcon|bit_?slic|bsaes|vpaes|"
    r"(aes|ghash|gcm|gf|polyval|siv)\w*(nohw|soft|generic|portable|fallback|_ct(32|64)?|[48]bit|bitwise)|"
    r"(nohw|soft|generic|portable)\w*(aes|ghash|gcm|gf|polyval|siv)|rem_[48]bit|"
    r"htable|^[TF]?[TtFf]?[dest][0-4]$|^ref_(aes|gf|ghash|gcm|siv|polyval|dot))", re.I)


def tables_in(content, known=[]):
    if not known:
        known.append(cipher_tables())
    for name, parts in known[0].items():
        hits = [content.find(part) for part in parts if part in content]
        if hits:
            yield f"{name} ({len(hits)} stretches, one at offset {hits[0]})"


def tables(tools, files):
    for path in files:
        with open(path, "rb") as f:
            for found in tables_in(f.read()):
                yield f"{path}: {found}"
        for _, name in tools.symbols(path):
            if SOFTWARE_NAMES.search(name):
                yield f"{path}: the symbol {name}"


def tables_control(tools):
    yield [], [tools.compile("fine", "static const unsigned char t[] = {1, 2, 4, 8, 16, 32, 64, 128}; int f(int i) { return t[i]; }")]
    for parts in cipher_tables().values():
        values = ",".join(map(str, parts[0]))
        yield [tools.compile("bad", f"const unsigned char t[] = {{9, {values}, 9}};")], []
    for symbol in ("aes_sbox", "Te0", "Td4", "gcm_gmult_4bit", "aes_nohw_encrypt", "ghash_soft", "rcon", "xtime", "bsaes_encrypt",
                   "ref_gf_mul", "aes_ct64_bitslice", "rem_4bit", "portable_ghash"):
        yield [tools.compile("bad", f"int {symbol}(int a) {{ return a; }}")], []


# ---- module and library ------------------------------------------------------------------------------------------

LIBC = re.compile(r"libc\.(so\.6|so|musl-\w+\.so\.1)")  # glibc's; musl's two names
MUSL_RUNTIME = {"_init", "_fini"}  # in its crti.o, and visible


def needed_by(tools, path):
    return re.findall(r"\(NEEDED\).*\[(.*)\]", run(tools.readelf, "-dW", path))


def shared_object(tools, path):
    dynamic = run(tools.readelf, "-dW", path)
    segments = run(tools.readelf, "-lW", path)
    needed = needed_by(tools, path)
    libraries = set(needed) - tools.arch.LOADERS
    if len(libraries) != 1 or not all(map(LIBC.fullmatch, libraries)):
        yield f"{path}: needs {needed}, not libc alone"
    if not re.search(r"\(FLAGS\).*BIND_NOW|\(BIND_NOW\)|\(FLAGS_1\).*\bNOW\b", dynamic):
        yield f"{path}: not BIND_NOW"
    if "(TEXTREL)" in dynamic or re.search(r"\(FLAGS\).*TEXTREL", dynamic):
        yield f"{path}: relocations in the text"
    if re.search(r"\((RPATH|RUNPATH)\)", dynamic):
        yield f"{path}: a search path for libraries is built in"
    if "GNU_RELRO" not in segments:
        yield f"{path}: no RELRO"
    stack = re.search(r"GNU_STACK(?:\s+0x\w+){5}\s+(\w+)", segments)
    if not stack or "E" in stack.group(1):
        yield f"{path}: executable stack"
    if re.search(r"LOAD(?:\s+0x\w+){5}\s+RWE", segments):
        yield f"{path}: memory that is writable and executable"
    for name, allowed in ((".init_array", 8), (".fini_array", 16)):  # one entry is the C runtime's own
        if tools.sections(path).get(name, 0) > allowed:
            yield f"{path}: more in {name} than the C runtime puts there"


def module(tools, path):
    names = [n for t, n in tools.symbols(path, "-D", "--defined-only") if t != "A"]
    if names != ["OSSL_provider_init"]:
        yield f"{path}: exports {names}, not OSSL_provider_init alone"
    if not re.search(r"\(FLAGS_1\).*NODELETE", run(tools.readelf, "-dW", path)):
        yield f"{path}: not NODELETE"
    yield from shared_object(tools, path)


def module_control(tools):
    good = "#include <stdlib.h>\n__attribute__((visibility(\"default\"))) void *OSSL_provider_init(void) { return malloc(1); }\n"
    yield True, tools.link("m", good), "a module as it should be"
    yield False, tools.link("m", good + "__attribute__((visibility(\"default\"))) int other(void) { return 1; }"), "a second export"
    yield False, tools.link("m", "int f(void) { return 1; }"), "no export"
    yield False, tools.link("m", good, "-Wl,--no-as-needed", "-lm"), "libm"
    yield False, tools.link("m", good, "-Wl,-z,lazy"), "lazy binding"
    yield False, tools.link("m", good, "-Wl,-z,norelro"), "no RELRO"
    yield False, tools.link("m", good, "-Wl,-z,execstack"), "executable stack"
    yield False, tools.link("m", good, "-Wl,-rpath,/opt"), "run path"
    yield False, tools.link("m", good + "__attribute__((constructor)) static void c(void) { abort(); }"), "a constructor"
    yield False, tools.link("m", good + "__attribute__((destructor)) static void c(void) { abort(); }"
                                        "__attribute__((destructor)) static void d(void) { abort(); }"), "two destructors"
    yield False, tools.deletable("m"), "no NODELETE"


def library(tools, path, headers):
    declared = set()
    for header in headers:
        with open(header) as f:
            declared |= set(re.findall(r"^HWAEAD_API\b[^;(]*?\b(hwaead_\w+)\(", f.read(), re.M))
    names = {n for t, n in tools.symbols(path, "-D", "--defined-only") if t != "A"}
    if "libc.so.6" not in needed_by(tools, path):
        names -= MUSL_RUNTIME
    if not re.search(r"\(FLAGS_1\).*NODELETE", run(tools.readelf, "-dW", path)):
        yield f"{path}: not NODELETE"
    if not declared or names != declared:
        yield f"{path}: exports {sorted(names - declared)} that the headers lack, lacks {sorted(declared - names)}"
    yield from shared_object(tools, path)


# ---- secret_time: no jump and no address depends on secret bytes -------------------------------------------------

def secret_time(tools, path, function):
    timing = tools.arch.Timing(tools, path, function)
    if not timing.code:
        yield f"{path}: no function {function} out of line"
    for found in sorted(timing.found):
        yield f"{path}: {function}{found}"


COMPARE_HEAD = "int f(const unsigned char *a, const unsigned char *b, size_t n) { "
MULX_HEAD = "void f(uint64_t *h) { "
GOOD_TIMES = (
    COMPARE_HEAD + "unsigned d = 0; for (size_t i = 0; i < n; i++) { d |= (unsigned)(a[i] ^ b[i]); "
    "__asm__ volatile(\"\" : \"+r\"(d)); } return (int)((d - 1) >> 31); }",
    COMPARE_HEAD + "unsigned char d = 0; for (size_t i = 0; i < n; i++) d |= a[i] ^ b[i]; return d == 0; }",
    MULX_HEAD + "uint64_t m = 0 - (h[1] >> 63); h[1] = (h[1] << 1 | h[0] >> 63) ^ (m & 0xc200000000000000); "
    "h[0] = h[0] << 1 ^ (m & 1); }",
)
BAD_TIMES = (
    COMPARE_HEAD + "for (size_t i = 0; i < n; i++) if (a[i] != b[i]) return 0; return 1; }",
    COMPARE_HEAD + "unsigned d = 0; for (size_t i = 0; i < n && d == 0; i++) d |= (unsigned)(a[i] ^ b[i]); "
    "return d == 0; }",
    COMPARE_HEAD + "unsigned d = 0; for (size_t i = 0; i < n; i++) { d |= (unsigned)(a[i] ^ b[i]); "
    "__asm__ volatile(\"\" : \"+r\"(d)); } if (d) { __asm__ volatile(\"nop; nop\"); return 0; } return 1; }",
    COMPARE_HEAD + "return memcmp(a, b, n) == 0; }",
    MULX_HEAD + "uint64_t t = h[1] >> 63; h[1] = h[1] << 1 | h[0] >> 63; h[0] <<= 1; "
    "if (t) { __asm__ volatile(\"\"); h[1] ^= 0xc200000000000000; h[0] ^= 1; } }",
    "extern const unsigned char table[256]; void f(unsigned char *h) { h[0] = table[h[0]]; }",
    MULX_HEAD + "h[0] = h[0] % (h[1] | 1); }",
    "void f(uint64_t *h, void (*g[])(void)) { g[h[0] & 1](); }",
)


def secret_time_control(tools):
    head = "#include <stdint.h>\n#include <stddef.h>\n#include <string.h>\n"
    for good in GOOD_TIMES:
        yield True, tools.compile("good", head + good), good
    for bad in BAD_TIMES:
        yield False, tools.compile("bad", head + bad), bad


# ---- The frame ---------------------------------------------------------------------------------------------------

def report(found, what):
    for line in found:
        print("FAIL:", line)
    print(f"{what}: {'good' if not found else 'NOT good'}")
    return len(found)


def control(cases, check):
    """cases: (objects that must be found, objects that must not be)."""
    failures = controls = 0
    for bad, good in cases:
        for path in bad:
            controls += 1
            if not list(check([path])):
                failures += 1
                print(f"FAIL: control: {describe(path)} gets through")
        for path in good:
            controls += 1
            for line in check([path]):
                failures += 1
                print(f"FAIL: control: nothing is wrong with {describe(path)}, but: {line}")
    print(f"controls: {controls}, {failures} failed")
    return failures if controls else 1


def describe(path):
    with open(re.sub(r"(\.c)?\.(o|so)$", ".c", path)) as f:
        return f"{os.path.basename(path)} from: {f.read()}"


def not_here(why):
    in_ci = os.environ.get("CI") == "true"
    print(f"{'FAIL' if in_ci else 'SKIP'}: {why}")
    return 1 if in_ci else SKIP


def main():
    check, inputs_path = sys.argv[1:]
    with open(inputs_path) as f:
        inputs = json.load(f)
    if inputs["sanitize"]:
        return not_here(f"hygiene judges what is shipped, and this build is made with -fsanitize={inputs['sanitize']}")
    if check == "secret_time" and inputs["build_type"] == "Debug":
        return not_here("hygiene.secret_time judges optimised code, and this is a Debug build")
    tools = Tools(inputs)
    core, provider = inputs["core"], [path for path in inputs["provider"] if path]
    shared = [path for path in (inputs["module"], inputs["library"]) if path]
    objects = core + provider
    failures = 0
    if ({tier_of(path) for path in core} - {None} != set(inputs["kernels"]) or not any(is_cpu(path) for path in core)
            or bool(inputs["module"]) != bool(provider)):
        print("FAIL: the kernels, what asks the CPU, and the provider are not the objects here:", objects)
        return 1

    if check in ("exports", "isa", "weak", "state"):
        judge = globals()[check]
        # The provider may have state of its own: it is the core that must be free of it.
        failures += report(list(judge(tools, core if check == "state" else objects)), check)
        if check == "state":
            failures += report([line for path in provider for line in load_code(tools, path)], "the provider's loading")
        failures += control(globals()[check + "_control"](tools), lambda paths: judge(tools, paths))
    elif check == "imports":
        libc_may = frozenset() if "libc.so.6" in needed_by(tools, inputs["library"]) else MUSL_MAY
        failures += report(list(imports(tools, core, inputs["module"], libc_may)), "imports")
        failures += control(imports_control(tools), lambda paths: imports(tools, paths))
        for path, what in imports_module_control(tools):
            if not list(imports(tools, [], path)):
                failures += 1
                print(f"FAIL: control: a module that calls {what} gets through")
    elif check == "tables":
        failures += report(list(tables(tools, objects + shared)), "tables")
        failures += control(tables_control(tools), lambda paths: tables(tools, paths))
        for name, parts in cipher_tables().items():
            missed = [part.hex() for part in parts
                      if not any(line.startswith(name) for line in tables_in(b"\0\1" + part + b"\3"))]
            failures += report([f"control: {name}: {part} gets through" for part in missed],
                               f"control: {len(parts)} stretches of {name}")
    elif check == "module":
        failures += report(list(module(tools, inputs["module"])), "module")
        for is_good, path, what in module_control(tools):
            found = list(module(tools, path))
            if bool(found) == is_good:
                failures += 1
                print(f"FAIL: control: {what}: {found or 'gets through'}")
    elif check == "library":
        failures += report(list(library(tools, inputs["library"], inputs["headers"])), "library")
        extra = tools.link("lib", "__attribute__((visibility(\"default\"))) int hwaead_extra(void) { return 1; }")
        if not any("hwaead_extra" in line for line in library(tools, extra, inputs["headers"])):
            failures += 1
            print("FAIL: control: a library with an export of its own gets through")
        deletable = tools.deletable("lib")
        if not any("not NODELETE" in line for line in library(tools, deletable, inputs["headers"])):
            failures += 1
            print("FAIL: control: a library that can be unloaded gets through")
    elif check == "secret_time":
        for source, function in inputs["secret_functions"]:
            path = next(p for p in core if os.path.basename(p) == source + ".o")
            failures += report(list(secret_time(tools, path, function)), function)
        for is_good, path, text in secret_time_control(tools):
            found = list(secret_time(tools, path, "f"))
            if bool(found) == is_good:
                failures += 1
                print(f"FAIL: control: {text}: {found or 'gets through'}")
    else:
        print("no such check:", check)
        return 2
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
