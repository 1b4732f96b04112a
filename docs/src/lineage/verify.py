#!/usr/bin/env python3
"""A second verifier for hone's receipts, written from docs/src/lineage.md alone.

    verify.py receipts RECEIPTS KEY          a chain of receipts
    verify.py transcript STEPS RECEIPTS     a transcript against the receipt that names its root
    verify.py step PROOF KEY               one step, cut out
    verify.py state VECTOR                 a state hash, from files and SQL in a vector
    verify.py brain FOLDER [LAYOUT]        the state hash of a brain's folder; layout.json says what is in one

Standard library, and the package `cryptography` for Ed25519. Exit 0: it holds; 1: it does not, with the
receipt and the field; 2: could not look.
"""

import hashlib
import itertools
import json
import os
import re
import sqlite3
import stat
import struct
import sys
import tempfile

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

RECEIPT = "hone/receipt/1"
PROOF = "hone/step-proof/1"
LAYOUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "layout.json")


class Broken(Exception):
    """Something does not hold."""


# --- shapes: what every receipt and proof must look like, with no field missing or unknown -------------

def word(value):
    return isinstance(value, str)


def whole(value):
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**64


def flag(value):
    return isinstance(value, bool)


def anything(_):
    return True


def one_of(*words):
    return lambda value: isinstance(value, str) and value in words


def like(pattern):
    return lambda value: isinstance(value, str) and re.fullmatch(pattern, value) is not None


def perhaps(shape):
    return lambda value: value is None or fits(value, shape)


def many(shape):
    return lambda value: isinstance(value, list) and all(fits(item, shape) for item in value)


def fits(value, shape):
    if callable(shape):
        return shape(value)
    return (isinstance(value, dict) and set(value) == set(shape)
            and all(fits(value[name], shape[name]) for name in shape))


DIGEST = like("sha256:[0-9a-f]{64}")
KEY = like("[0-9a-f]{64}")
STATE = {"knowledge": DIGEST, "activity": DIGEST, "version": whole}
SKILL = {"name": word, "version": perhaps(word), "digest": perhaps(DIGEST)}
TASK = {
    "id": word, "subscriber": word, "input": DIGEST, "output": perhaps(DIGEST), "outcome": word,
    "model": {"backend": word, "name": word, "reported": perhaps(word), "proven": word},
    "skills": {"loaded": many(SKILL), "created": many(SKILL), "changed": many(SKILL), "removed": many(word)},
    "transcript": {"root": DIGEST, "steps": whole},
    "costs": {
        "turns": whole, "toolCalls": whole, "inputTokens": whole, "outputTokens": whole,
        "isEstimate": flag, "milliseconds": whole,
    },
}
KINDS = one_of("created", "task", "outside", "edited", "learned", "handover", "restored")
SHAPE = {
    "schema": one_of(RECEIPT), "kind": KINDS, "index": whole, "agent": word, "at": whole,
    "before": perhaps(STATE), "after": STATE, "changes": many(word), "task": perhaps(TASK),
    "handover": perhaps({"key": KEY, "consent": word}), "previous": perhaps(DIGEST), "key": KEY,
    "signature": word,
}
STEP = {"schema": one_of(PROOF), "receipt": SHAPE, "index": whole, "step": anything, "path": many(DIGEST)}


def parsed(data, where):
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        raise Broken(f"{where}: no JSON: {error}") from error


def sha256(data):
    return hashlib.sha256(data).digest()


def written(digest):
    return "sha256:" + digest.hex()


# --- canonical JSON (RFC 8785) ---------------------------------------------------------------------

ESCAPES = {8: "\\b", 9: "\\t", 10: "\\n", 12: "\\f", 13: "\\r", 34: '\\"', 92: "\\\\"}


def text(value):
    parts = []
    for character in value:
        code = ord(character)
        if code in ESCAPES:
            parts.append(ESCAPES[code])
        elif code < 0x20:
            parts.append("\\u%04x" % code)
        else:
            parts.append(character)
    return '"' + "".join(parts) + '"'


def number(value):
    """As ECMAScript writes a number."""
    value = float(value)
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    mantissa, _, exponent = repr(abs(value)).partition("e")
    whole, _, part = mantissa.partition(".")
    digits = (whole + ("" if part == "0" else part)).lstrip("0")
    point = len(whole) if whole != "0" else -(len(part) - len(part.lstrip("0")))
    point += int(exponent or 0)
    digits = digits.rstrip("0")
    count = len(digits)
    if 0 < point <= 21:
        body = digits + "0" * (point - count) if count <= point else digits[:point] + "." + digits[point:]
    elif -6 < point <= 0:
        body = "0." + "0" * -point + digits
    else:
        power = point - 1
        body = digits[0] + ("." + digits[1:] if count > 1 else "")
        body += "e" + ("+" if power > 0 else "-") + str(abs(power))
    return sign + body


def canonical(value):
    if value is None:
        return "null"
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, (int, float)):
        return number(value)
    if isinstance(value, str):
        return text(value)
    if isinstance(value, list):
        return "[" + ",".join(canonical(item) for item in value) + "]"
    keys = sorted(value, key=lambda key: key.encode("utf-16-be", "surrogatepass"))
    return "{" + ",".join(text(key) + ":" + canonical(value[key]) for key in keys) + "}"


def canonical_bytes(value):
    try:
        return canonical(value).encode("utf-8")
    except UnicodeEncodeError as error:
        raise Broken("text: half of a surrogate pair, which no JSON of hone has") from error


# --- keys and signatures ---------------------------------------------------------------------------

def read_key(path):
    with open(path, encoding="ascii") as file:
        return file.read().strip()


# The points of small order, without the bit of the sign: with one of them as a key, anybody can sign.
P25519 = 2**255 - 19
SMALL = {
    0, 1, P25519 - 1, P25519, P25519 + 1,
    int.from_bytes(bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"), "little"),
    int.from_bytes(bytes.fromhex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"), "little"),
}


def is_small(point):
    return int.from_bytes(point, "little") & (2**255 - 1) in SMALL


def signed(key, message, signature):
    if not KEY(key) or not like("[0-9a-f]{128}")(signature):
        return False
    if is_small(bytes.fromhex(key)) or is_small(bytes.fromhex(signature)[:32]):
        return False
    try:
        public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(key))
        public.verify(bytes.fromhex(signature), message)
        return True
    except (InvalidSignature, ValueError):
        return False


def is_signed(receipt):
    rest = {name: value for name, value in receipt.items() if name != "signature"}
    return signed(receipt["key"], canonical_bytes(rest), receipt["signature"])


# --- receipts ---------------------------------------------------------------------------------------

def receipts(path):
    """The whole receipts of a file; a last line that does not end was never written."""
    with open(path, "rb") as file:
        for index, line in enumerate(file):
            if not line.endswith(b"\n"):
                return
            yield index, line[:-1]


def check_receipt(index, line, so_far):
    receipt = parsed(line, f"receipt {index}, receipt")
    schema = receipt.get("schema") if isinstance(receipt, dict) else None
    if schema != RECEIPT:
        raise Broken(f"receipt {index}, schema: {schema!r}")
    if not fits(receipt, SHAPE) or canonical_bytes(receipt) != line:
        raise Broken(f"receipt {index}, receipt: not the canonical form of a known receipt")
    before, after = receipt["before"], receipt["after"]
    moved = before is not None and before["knowledge"] != after["knowledge"]
    version = 1 if before is None else before["version"] + moved
    rules = [
        ("index", receipt["index"] == index),
        ("key", receipt["key"] == so_far["key"]),
        ("signature", is_signed(receipt)),
        ("previous", receipt["previous"] == so_far["head"]),
        ("before", before == so_far["state"]),
        ("agent", so_far["agent"] in (None, receipt["agent"])),
        ("after.version", after["version"] == version),
        ("kind", (receipt["kind"] == "created") == (index == 0)),
        ("task", (receipt["kind"] == "task") == (receipt["task"] is not None)),
        ("handover", (receipt["kind"] == "handover") == (receipt["handover"] is not None)),
    ]
    for field, holds in rules:
        if not holds:
            raise Broken(f"receipt {index}, {field}: does not hold")
    if receipt["handover"]:
        new = receipt["handover"]
        words = b"\0".join([b"hone/handover/1", receipt["agent"].encode(), receipt["key"].encode()])
        if not signed(new["key"], words, new["consent"]):
            raise Broken(f"receipt {index}, handover.consent: the new key did not agree")
        so_far["key"] = new["key"]
    so_far.update(head=written(sha256(line)), state=after, agent=receipt["agent"])
    return receipt


def check_receipts(path, key):
    so_far = {"key": key, "head": None, "state": None, "agent": None}
    found = [check_receipt(index, line, so_far) for index, line in receipts(path)]
    if not found:
        raise Broken("receipts: there are none, so nothing is proven")
    tasks = sum(receipt["kind"] == "task" for receipt in found)
    return f"{len(found)} receipts of {so_far['agent']} hold, {tasks} of them tasks"


# --- transcripts -----------------------------------------------------------------------------------

def leaf(step):
    return sha256(b"\0" + canonical_bytes(step))


def node(left, right):
    return sha256(b"\1" + left + right)


def merkle_root(leaves):
    if not leaves:
        return sha256(b"")
    if len(leaves) == 1:
        return leaves[0]
    split = 1
    while split * 2 < len(leaves):
        split *= 2
    return node(merkle_root(leaves[:split]), merkle_root(leaves[split:]))


def lead(hash_, index, count, path):
    """The root that a leaf and its neighbours lead to (RFC 9162, 2.1.3.2)."""
    last = count - 1
    for neighbour in path:
        if last == 0:
            return None
        if index % 2 == 1 or index == last:
            hash_ = node(neighbour, hash_)
            while index % 2 == 0 and index != 0:
                index //= 2
                last //= 2
        else:
            hash_ = node(hash_, neighbour)
        index //= 2
        last //= 2
    return hash_ if last == 0 else None


def check_transcript(path, receipts_path):
    with open(path, "rb") as file:
        leaves = [leaf(json.loads(line)) for line in file]
    root = written(merkle_root(leaves))
    for index, line in receipts(receipts_path):
        receipt = parsed(line, f"receipt {index}")
        if not fits(receipt, SHAPE):
            raise Broken(f"receipt {index}, receipt: not a known receipt")
        task = receipt["task"]
        if task and task["transcript"] == {"root": root, "steps": len(leaves)}:
            return f"{len(leaves)} steps are the transcript of receipt {index}"
    raise Broken(f"no receipt names the root {root} of {len(leaves)} steps")


def check_step(path, key):
    with open(path, "rb") as file:
        proof = parsed(file.read(), "proof")
    if not fits(proof, STEP):
        raise Broken("proof: not the form of a known proof")
    receipt = proof["receipt"]
    if receipt["task"] is None:
        raise Broken("receipt: not about a task")
    if receipt["key"] != key or not is_signed(receipt):
        raise Broken("signature: not this key's")
    transcript = receipt["task"]["transcript"]
    neighbours = [bytes.fromhex(digest.removeprefix("sha256:")) for digest in proof["path"]]
    if not 0 <= proof["index"] < transcript["steps"]:
        raise Broken("index: no such step")
    root = lead(leaf(proof["step"]), proof["index"], transcript["steps"], neighbours)
    if root is None or written(root) != transcript["root"]:
        raise Broken("step: does not lead to the transcript's root")
    return f"step {proof['index']} of task {receipt['task']['id']} is as it was signed"


# --- states ----------------------------------------------------------------------------------------

def length(data):
    return struct.pack(">Q", len(data)) + data


def table_digest(database, table):
    columns, key = ", ".join(table["columns"]), ", ".join(table["key"])
    rows = database.execute(f"SELECT {columns} FROM {table['name']} ORDER BY {key}")
    if table["rows"] == "keyed":
        return rows_digest(rows)
    number = table["columns"].index(table["key"][0])
    digest, count = hashlib.sha256(), 0
    for group, rows in itertools.groupby(rows, lambda row: row[number] >> 8):
        count += 1
        digest.update(b"G" + struct.pack(">q", group) + rows_digest(rows))
    digest.update(b"E" + struct.pack(">Q", count))
    return digest.digest()


def rows_digest(rows):
    digest, count = hashlib.sha256(), 0
    for row in rows:
        count += 1
        digest.update(b"R")
        for value in row:
            if value is None:
                digest.update(b"n")
            elif isinstance(value, int):
                digest.update(b"i" + struct.pack(">q", value))
            elif isinstance(value, float):
                digest.update(b"r" + struct.pack(">d", value))
            elif isinstance(value, str):
                digest.update(b"t" + length(value.encode("utf-8")))
            else:
                digest.update(b"b" + length(value))
    digest.update(b"E" + struct.pack(">Q", count))
    return digest.digest()


def is_stray(name):
    return (
        name in (".DS_Store", "Thumbs.db", "desktop.ini", ".directory")
        or name.endswith("~")
        or name.startswith((".#", ".hone-"))
        or (name.startswith("#") and name.endswith("#"))
        or (name.startswith(".") and name.endswith((".swp", ".swo", ".swx")))
    )


def check_members(folder, layout):
    """A link, and whatever is not on the list, is an error."""
    listed = [*layout["files"], layout["database"], *layout["apart"], *layout["locks"]]
    listed += [layout["database"] + end for end in ("-wal", "-shm", "-journal")]
    folders = [*layout["folders"], *layout["records"]]
    for entry in os.scandir(folder):
        if entry.is_symlink():
            raise Broken(f"{entry.name}: a link")
        if entry.name in folders:
            fits = entry.is_dir()
        else:
            fits = is_stray(entry.name) or (entry.name in listed and entry.is_file())
        if not fits:
            raise Broken(f"{entry.name}: does not belong to a brain")
    for top in layout["folders"]:
        for around, below, names in os.walk(os.path.join(folder, top)):
            for name in below + names:
                if os.path.islink(os.path.join(around, name)):
                    raise Broken(f"{os.path.relpath(os.path.join(around, name), folder)}: a link")


def file_leaves(folder, layout):
    """Name, root and digest of every file that counts."""
    for name, root in layout["files"].items():
        path = os.path.join(folder, name)
        if os.path.lexists(path):
            yield name, root, path
    for top, root in layout["folders"].items():
        for around, below, names in os.walk(os.path.join(folder, top)):
            below[:] = [name for name in below if not name.startswith(".hone-")]
            for name in names:
                if not is_stray(name):
                    path = os.path.join(around, name)
                    yield os.path.relpath(path, folder).replace(os.sep, "/"), root, path


def state(folder, layout):
    check_members(folder, layout)
    leaves = {}
    for name, root, path in file_leaves(folder, layout):
        if not stat.S_ISREG(os.lstat(path).st_mode):
            raise Broken(f"{name}: not a file")
        with open(path, "rb") as file:
            leaves[name] = (root, b"f", hashlib.file_digest(file, "sha256").digest())
    path = os.path.join(folder, layout["database"])
    if os.path.exists(path):
        database = sqlite3.connect(path)
        for table in layout["tables"]:
            name = f"{layout['database']}/{table['name']}"
            leaves[name] = (table["root"], b"t", table_digest(database, table))
        database.close()
    roots = {}
    for root in ("knowledge", "activity"):
        mine = sorted((name.encode("utf-8"), kind, digest)
                      for name, (whose, kind, digest) in leaves.items() if whose == root)
        data = b"hone/state/1\0" + root.encode() + b"\0" + struct.pack(">Q", len(mine))
        for name, kind, digest in mine:
            data += length(name) + kind + digest
        roots[root] = sha256(data)
    members = {name: written(digest) for name, (_, _, digest) in leaves.items()}
    bundle = sha256(b"hone/bundle/1\0" + roots["knowledge"] + roots["activity"])
    return {"members": members, "bundle": written(bundle),
            **{root: written(digest) for root, digest in roots.items()}}


def check_state(path):
    with open(path, encoding="utf-8") as file:
        vector = json.load(file)
    with tempfile.TemporaryDirectory() as folder:
        for name, content in vector["files"].items():
            target = os.path.join(folder, name)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with open(target, "w", encoding="utf-8", newline="") as file:
                file.write(content)
        database = sqlite3.connect(os.path.join(folder, vector["layout"]["database"]))
        database.executescript(vector["sql"])
        database.close()
        found = state(folder, vector["layout"])
    for field, value in found.items():
        if value != vector[field]:
            raise Broken(f"{field}: {value}, expected {vector[field]}")
    return f"the state is {found['bundle']}"


def show_brain(folder, layout=LAYOUT):
    with open(layout, encoding="utf-8") as file:
        found = state(folder, json.load(file))
    return json.dumps(found, indent=2, sort_keys=True)


def main(arguments):
    checks = {
        "receipts": ((3,), lambda path, key: check_receipts(path, read_key(key))),
        "transcript": ((3,), check_transcript),
        "step": ((3,), lambda path, key: check_step(path, read_key(key))),
        "state": ((2,), check_state),
        "brain": ((2, 3), show_brain),
    }
    counts, check = checks.get(arguments[0] if arguments else None, ((), None))
    if check is None or len(arguments) not in counts:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        print(check(*arguments[1:]))
        return 0
    except Broken as broken:
        print(broken)
        return 1
    except (OSError, ValueError, KeyError, TypeError, RecursionError, sqlite3.Error) as error:
        print(f"could not look: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
