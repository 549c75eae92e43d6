# SPDX-License-Identifier: Apache-2.0
"""What hygiene.secret_time needs of every architecture: it follows secret bytes through the code of one function."""

import re


def operands_of(text):
    """Split at the commas outside brackets and braces."""
    return [part.strip() for part in re.split(r",(?![^\[{]*[\]}])", text)] if text else []


class Timing:
    """Follows, through all paths of one function, what comes from memory that is not its stack: those bytes are
    secret, as is all that is computed from them. The arguments themselves, pointers and lengths, are public.

    An architecture names its instructions and says what each does to the set of places that hold a secret: registers,
    "flags", places in the frame."""

    OBJDUMP = ()  # flags for it
    STACK, FRAME = "", ""  # the two registers
    ENDS, JUMPS, CALLS = (), (), ()

    def condition(self, mnemonic, operands):
        """The places that a conditional jump looks at; None for what is none."""
        raise NotImplementedError

    def effect(self, i, mnemonic, operands, secret):
        """Changes `secret` as instruction i, which is no jump and no call, does."""
        raise NotImplementedError

    def __init__(self, tools, path, function):
        self.code = [(a, m, operands_of(o)) for f, a, m, o in tools.instructions(path, *self.OBJDUMP) if f == function]
        self.index = {a: i for i, (a, _, _) in enumerate(self.code)}
        has_frame = any(m == "mov" and o == [self.FRAME, self.STACK] for _, m, o in self.code)
        self.frame = {self.STACK, self.FRAME} if has_frame else {self.STACK}
        self.found = set()
        states, todo = {0: frozenset()}, [0] if self.code else []
        while todo:
            i = todo.pop()
            for successor, state in self.step(i, set(states[i])):
                old = states.get(successor)
                new = frozenset(state) | (old or frozenset())
                if old is None or new != old:
                    states[successor] = new
                    todo.append(successor)

    def report(self, i, what):
        address, mnemonic, operands = self.code[i]
        self.found.add(f"+{address - self.code[0][0]:#x} {mnemonic} {','.join(operands)}: {what}")

    def target(self, i):
        """Where in this function the jump i goes to: one index, or none."""
        m = re.match(r"(?:0x)?([0-9a-f]+)\b", self.code[i][2][-1])
        return [self.index[int(m.group(1), 16)]] if m and int(m.group(1), 16) in self.index else []

    def step(self, i, secret):
        """What may come after instruction i, each with what is secret then."""
        _, mnemonic, operands = self.code[i]
        after = [i + 1] if i + 1 < len(self.code) else []
        if mnemonic in self.ENDS:
            return []
        if mnemonic in self.JUMPS:
            if not self.target(i):
                self.report(i, "a jump to somewhere else, which cannot be judged")
            return [(t, secret) for t in self.target(i)]
        if mnemonic in self.CALLS:
            if "__stack_chk_fail" not in " ".join(operands):
                self.report(i, "a call, which cannot be judged")
            return []
        condition = self.condition(mnemonic, operands)
        if condition is not None:
            if condition & secret:
                self.report(i, "the jump depends on secret bytes")
            return [(t, secret) for t in self.target(i) + after]
        self.effect(i, mnemonic, operands, secret)
        return [(t, secret) for t in after]

    @staticmethod
    def set(secret, key, is_secret):
        if key is None:
            return
        if is_secret:
            secret.add(key)
        else:
            secret.discard(key)
