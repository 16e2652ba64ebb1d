#
# Copyright (c) 2026 The Holdfast authors
# Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
#
# redis-py's asyncio Lock, by the protocol of bench/peers/README.md.
#
#     peer.py HOST:PORT mutex

import asyncio
import json
import sys
import time

import redis
import redis.asyncio

LACKS = "no order, polls every 100 ms, no renewal, no notification of a loss"


def report(**answer):
    print(json.dumps(answer), flush=True)


class Turn:
    """The work of the contenders for one request `pairs`."""

    def __init__(self, client, words):
        self.client = client
        self.contenders, self.names, hold, self.begin, self.end = map(int, words)
        self.hold = hold / 1000
        self.pairs = 0
        self.waits = []

    async def contend(self, number):
        lock = self.client.lock(f"bench:{number % self.names}", timeout=30)
        while (requested := time.monotonic_ns()) < self.end:
            await lock.acquire()
            at = time.monotonic_ns()
            self.note(requested, at)
            if self.hold and at < self.end:
                await asyncio.sleep(self.hold)
            await lock.release()

    def note(self, requested, at):
        if at >= self.begin:
            self.pairs += at < self.end
            self.waits.append((at - requested) // 1000)

    async def run(self):
        await asyncio.gather(*(self.contend(i) for i in range(self.contenders)))
        report(pairs=self.pairs, waits=self.waits)


class Peer:
    def __init__(self, client):
        self.client = client
        self.held = {}

    async def acquire(self, name, contender):
        lock = self.client.lock(name, timeout=30)
        requested = time.monotonic_ns()
        await lock.acquire()
        at = time.monotonic_ns()
        self.held[name, contender] = lock
        report(acquired=int(contender), requested=requested, at=at)

    async def release(self, name, contender):
        begun = time.monotonic_ns()
        await self.held.pop((name, contender)).release()
        report(released_at=begun)

    async def answer(self, verb, *words):
        try:
            await (Turn(self.client, words).run() if verb == "pairs" else getattr(self, verb)(*words))
        except Exception as error:
            report(failed=f"{type(error).__name__}: {error}")


async def main():
    host, port = sys.argv[1].split(":")
    # The default pool raises an error when more than 100 want a connection.
    pool = redis.asyncio.BlockingConnectionPool(host=host, port=int(port), max_connections=100, timeout=None)
    client = redis.asyncio.Redis(connection_pool=pool)
    await client.ping()
    peer = Peer(client)
    report(version=redis.__version__, lacks=LACKS)
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    tasks = set()
    while line := await reader.readline():
        task = asyncio.create_task(peer.answer(*line.decode().split()))
        tasks.add(task)
        task.add_done_callback(tasks.discard)


asyncio.run(main())
