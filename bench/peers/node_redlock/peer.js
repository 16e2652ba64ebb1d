//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// node-redlock on ioredis, by the protocol of bench/peers/README.md.
//
//     node peer.js HOST:PORT mutex

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import Redis from "ioredis";
import redlockModule from "redlock";

const Redlock = redlockModule.default ?? redlockModule;
const lease = 30_000;
const version = JSON.parse(readFileSync(new URL("node_modules/redlock/package.json", import.meta.url))).version;
const lacks = "no order, polls every 100 to 300 ms, no notification of a loss unless it is used by a callback";

const now = () => Number(process.hrtime.bigint());
const report = (answer) => process.stdout.write(JSON.stringify(answer) + "\n");

const [host, port] = process.argv[2].split(":");
const client = new Redis({ host, port: Number(port) });
const redlock = new Redlock([client], { retryCount: -1 });
redlock.on("error", () => {}); // a busy lock is an error here; what ends an acquire is thrown, too

async function contend(turn, number) {
    const name = `bench:${number % turn.names}`;
    for (let requested = now(); requested < turn.end; requested = now()) {
        const lock = await redlock.acquire([name], lease);
        const at = now();
        if (at >= turn.begin) {
            turn.pairs += at < turn.end ? 1 : 0;
            turn.waits.push(Math.floor((at - requested) / 1000));
        }
        if (turn.hold > 0 && at < turn.end) await sleep(turn.hold);
        await lock.release();
    }
}

const held = new Map();

const verbs = {
    async pairs(contenders, names, hold, begin, end) {
        const turn = { names: +names, hold: +hold, begin: +begin, end: +end, pairs: 0, waits: [] };
        await Promise.all(Array.from({ length: +contenders }, (_, i) => contend(turn, i)));
        report({ pairs: turn.pairs, waits: turn.waits });
    },
    async acquire(name, contender) {
        const requested = now();
        const lock = await redlock.acquire([name], lease);
        const at = now();
        held.set(`${name} ${contender}`, lock);
        report({ acquired: +contender, requested, at });
    },
    async release(name, contender) {
        const begun = now();
        await held.get(`${name} ${contender}`).release();
        report({ released_at: begun });
    },
};

await client.ping();
report({ version, lacks });
createInterface({ input: process.stdin })
    .on("line", (line) => {
        const [verb, ...words] = line.split(" ");
        verbs[verb](...words).catch((error) => report({ failed: String(error).replaceAll('"', "'") }));
    })
    .on("close", () => process.exit(0)); // the locks expire
