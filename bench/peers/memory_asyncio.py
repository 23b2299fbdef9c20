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


class Graph:
    """What is known before a run: the needs of each task, how many there are, and who waits for it."""

    def __init__(self, needs, workers):
        self.needs = needs
        self.workers = workers
        self.counts = [len(each) for each in needs]
        self.dependents = [[] for _ in needs]
        for index, each in enumerate(needs):
            for need in each:
                self.dependents[need].append(index)


async def queue(graph, work, tuned=False):
    """An asyncio.Queue of what is ready, and as many workers as may run at the same time."""
    missing = list(graph.counts)
    dependents = graph.dependents
    ready = asyncio.Queue()
    for index, count in enumerate(missing):
        if count == 0:
            ready.put_nowait(index)
    left = len(missing)

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
                for _ in range(graph.workers):
                    ready.put_nowait(None)

    await asyncio.gather(*[worker() for _ in range(graph.workers)])
    check(left)


async def nowait(graph, work):
    """The same, tuned."""
    await queue(graph, work, tuned=True)


async def deque(graph, work):
    """The same without asyncio.Queue: a deque, and a future for each worker that has nothing to do."""
    missing = list(graph.counts)
    dependents = graph.dependents
    ready = collections.deque(index for index, count in enumerate(missing) if count == 0)
    left = len(missing)
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

    await asyncio.gather(*[worker() for _ in range(graph.workers)])
    check(left)


async def tasks(graph, work):
    """A Task a node: it awaits its needs, then its turn."""
    gate = asyncio.Semaphore(graph.workers)

    async def node(before):
        for each in before:
            await each
        async with gate:
            return await work()

    nodes = []
    for each in graph.needs:
        nodes.append(asyncio.create_task(node([nodes[need] for need in each])))
    results = await asyncio.gather(*nodes)
    check(len(graph.needs) - results.count(True))


def check(left):
    """Each form counts what it has awaited, in every run."""
    if left != 0:
        raise RuntimeError(f"{left} tasks did not run")


async def verify(form, graph):
    """Runs a graph once, untimed, with tasks that count themselves: in the samples that would be a part of the time."""
    ran = 0

    async def counted():
        nonlocal ran
        ran += 1
        return True

    await form(graph, counted)
    check(len(graph.needs) - ran)


async def run_for(form, graph, seconds):
    """Again and again for some time, at least once."""
    until = time.perf_counter() + seconds
    await form(graph, work)
    while time.perf_counter() < until:
        await form(graph, work)


async def timed(form, graph, rounds):
    """Milliseconds of a run."""
    started = time.perf_counter()
    for _ in range(rounds):
        await form(graph, work)
    return (time.perf_counter() - started) * 1000 / rounds


def witness():
    """What `witness.ts` is to the others: milliseconds of a loop, the best of five tries."""
    best = float("inf")
    for _ in range(5):
        started = time.perf_counter()
        total = 0
        for step in range(20_000):
            total += step
        best = min(best, (time.perf_counter() - started) * 1000)
    return best


async def answer(form, graph, message):
    if "inner" in message:
        gc.collect()
        large = len(graph.needs) >= LARGE
        await run_for(form, graph, LARGE_AFTER_COLLECTION_S if large else AFTER_COLLECTION_S)
        before = witness()
        ms = await timed(form, graph, message["inner"])
        return {"ms": ms, "witnessMs": max(before, witness())}
    if message.get("first"):
        reply = {"ms": await timed(form, graph, 1)}
        await verify(form, graph)
        return reply
    await verify(form, graph)
    await run_for(form, graph, WARM_UP_S)
    return {}


async def serve(form):
    graph = None
    for line in sys.stdin:
        message = json.loads(line)
        try:
            if "needs" in message:
                graph = Graph(message["needs"], message["workers"])
            reply = await answer(form, graph, message)
        except Exception as error:  # It is told to whoever asks.
            reply = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(reply), flush=True)


FORMS = {"queue": queue, "nowait": nowait, "deque": deque, "tasks": tasks}
asyncio.run(serve(FORMS[sys.argv[1]]))
