"""Starts a command once for each of some numbers, so many at the same time, and prints what each printed."""

import asyncio
import sys


async def main(count, workers, argv):
    gate = asyncio.Semaphore(workers)

    async def one(seed):
        async with gate:
            child = await asyncio.create_subprocess_exec(
                *argv, str(seed), stdout=asyncio.subprocess.PIPE
            )
            output, _ = await child.communicate()
            if child.returncode != 0:
                raise RuntimeError(f"Exit code {child.returncode}")
            return output.decode()

    for text in await asyncio.gather(*[one(seed) for seed in range(count)]):
        sys.stdout.write(text)


asyncio.run(main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]))
