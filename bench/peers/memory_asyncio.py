"""asyncio as a process that is asked for samples: `queue` is its best bounded form as it
is meant to be used, `nowait` and `deque` are two of the same tuned by hand, `tasks` its
usual form."""

import asyncio
import collections
import gc
import json
import sys
import time

WARM_UP_S = 0.5
AFTER_COLLECTION_S = 0.1
LARGE_AFTER_COLLECTION_S = 0.5
LARGE = 100_000


async def work():
    return True


def count_needs(needs):
    """How many needs of each task are missing, and who waits for it."""
    missing = [len(each) for each in needs]
    dependents = [[] for _ in needs]
    for index, each in enumerate(needs):
        for need in each:
            dependents[need].append(index)
    return missing, dependents


async def queue(needs, workers, tuned=False):
    """An asyncio.Queue of what is ready, and as many workers as may run at the same time."""
    missing, dependents = count_needs(needs)
    ready = asyncio.Queue()
    for index, count in enumerate(missing):
        if count == 0:
            ready.put_nowait(index)
    left = len(needs)

    async def worker():
        nonlocal left
        while True:
            if tuned and not ready.empty():
                # Not awaiting what is there already saves a coroutine a task.
                index = ready.get_nowait()
            else:
                index = await ready.get()
            if index is None:
                return
            await work()
            for dependent in dependents[index]:
                missing[dependent] -= 1
                if missing[dependent] == 0:
                    ready.put_nowait(dependent)
            left -= 1
            if left == 0:
                for _ in range(workers):
                    ready.put_nowait(None)

    await asyncio.gather(*[worker() for _ in range(workers)])


async def nowait(needs, workers):
    """The same, tuned."""
    await queue(needs, workers, tuned=True)


async def deque(needs, workers):
    """The same without asyncio.Queue: a deque, and a future for each worker that has nothing to do."""
    missing, dependents = count_needs(needs)
    ready = collections.deque(index for index, count in enumerate(missing) if count == 0)
    left = len(needs)
    idle = []
    loop = asyncio.get_running_loop()

    async def worker():
        nonlocal left
        while left:
            if not ready:
                waiting = loop.create_future()
                idle.append(waiting)
                await waiting
                continue
            index = ready.popleft()
            await work()
            left -= 1
            for dependent in dependents[index]:
                missing[dependent] -= 1
                if missing[dependent] == 0:
                    ready.append(dependent)
            # The worker itself takes one of what is ready.
            for _ in range(len(idle) if left == 0 else min(len(idle), len(ready) - 1)):
                idle.pop().set_result(None)

    await asyncio.gather(*[worker() for _ in range(workers)])


async def tasks(needs, workers):
    """A Task a node: it awaits its needs, then its turn."""
    gate = asyncio.Semaphore(workers)

    async def node(before):
        for each in before:
            await each
        async with gate:
            return await work()

    nodes = []
    for each in needs:
        nodes.append(asyncio.create_task(node([nodes[need] for need in each])))
    if not all(await asyncio.gather(*nodes)):
        raise RuntimeError("Not every task ran")


FORMS = {"queue": queue, "nowait": nowait, "deque": deque, "tasks": tasks}


async def serve(form):
    needs = []
    workers = 0
    for line in sys.stdin:
        message = json.loads(line)
        reply = {}
        try:
            if "inner" in message:
                gc.collect()
                large = len(needs) >= LARGE
                untimed = LARGE_AFTER_COLLECTION_S if large else AFTER_COLLECTION_S
                until = time.perf_counter() + untimed
                await form(needs, workers)
                while time.perf_counter() < until:
                    await form(needs, workers)
                started = time.perf_counter()
                for _ in range(message["inner"]):
                    await form(needs, workers)
                seconds = time.perf_counter() - started
                reply = {"ms": seconds * 1000 / message["inner"]}
            else:
                needs = message["needs"]
                workers = message["workers"]
                until = time.perf_counter() + WARM_UP_S
                await form(needs, workers)
                while time.perf_counter() < until:
                    await form(needs, workers)
        except Exception as error:  # It is told to whoever asks.
            reply = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(reply), flush=True)


asyncio.run(serve(FORMS[sys.argv[1]]))
