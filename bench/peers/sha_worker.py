"""A real worker: the SHA-256 of some blocks of 64 KiB, printed with the seed that they were made of."""

import hashlib
import sys

BLOCK = 65536

blocks, seed = int(sys.argv[1]), int(sys.argv[2])
digest = hashlib.sha256()
block = bytes([seed % 256]) * BLOCK
for _ in range(blocks):
    digest.update(block)
# One write: what several workers print into the same pipe does not mix.
sys.stdout.write(f"{seed} {digest.hexdigest()}\n")
