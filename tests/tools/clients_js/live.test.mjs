// Two clients and a real server, over each transport.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fromHex, library, nodeSocket } from "./library.mjs";
import { opensslIsHere, startServer, webSocketIsHere } from "./server.mjs";

const { Client, ServerError, webSocket } = library;
const at = (x, y = 0) => ({ x, y, z: 0 });

let server;
before(async () => { server = await startServer(); });
after(async () => assert.equal(await server.stop(), 0));

/** A client that joined, with until(): resolves after the first frame, or now, when `isTrue` is. */
async function joined(open, options) {
    const client = new Client(open, options);
    const waiting = new Set();
    const look = () => waiting.forEach((check) => check());
    client.onFrame = look;
    client.onClosed = (why) => waiting.forEach((check) => check(why ?? new Error("closed")));
    client.until = (isTrue) => new Promise((resolve, reject) => {
        const check = (why) => {
            if (why !== undefined || isTrue()) {
                waiting.delete(check);
                why === undefined ? resolve() : reject(why);
            }
        };
        waiting.add(check);
        check();
    });
    await client.connect();
    return client;
}

const transports = [
    { name: "TCP", open: () => nodeSocket("127.0.0.1", server.tcp), skip: false },
    {
        name: "WebSocket", open: () => webSocket(`ws://127.0.0.1:${server.webSocket}/`),
        skip: webSocketIsHere ? false : "no WebSocket: neither Node 22 nor Debian's node-undici is here",
    },
];

for (const { name, open, skip } of transports) {
    test(`${name}: two who are near see each other come, move, change and go`, { skip }, async () => {
        const view = { shape: 1, radiusMm: 50000, leaveRadiusMm: 55000 };
        const a = await joined(open(), { kind: 3, spawn: at(-1000), view, state: fromHex("0102020102") });
        const b = await joined(open(), { kind: 4, spawn: at(1000, 7), view });
        await Promise.all([a.until(() => a.world.seen.has(b.welcome.entity)),
            b.until(() => b.world.seen.has(a.welcome.entity))]);
        const [seenA, seenB] = [() => b.world.seen.get(a.welcome.entity),
            () => a.world.seen.get(b.welcome.entity)];
        assert.deepEqual([seenB().kind, seenB().position], [4, at(1000, 7)]);
        assert.deepEqual([seenA().kind, [...seenA().state.look]], [3, [1, 2]]);

        for (const x of [-1001, 39000, -2]) {
            a.move(at(x), 16384);
            await b.until(() => seenA().position.x === x);
        }
        a.setState({ look: Uint8Array.of(9) });
        await b.until(() => seenA().state.look[0] === 9);

        b.setView({ shape: 1, radiusMm: 10, leaveRadiusMm: 10 });
        await b.until(() => b.world.seen.size === 0);
        assert.ok(await a.ping() >= 0);
        await b.leave();
        await a.until(() => a.world.seen.size === 0);
        await a.leave();
    });

    test(`${name}: a keyframe tells the whole set again`, { skip }, async () => {
        const a = await joined(open(), { spawn: at(0, 200000) });
        const b = await joined(open(), { spawn: at(0, 200000) });
        await a.until(() => a.world.seen.size === 1);
        let keyframes = 0;
        const { onFrame } = a;
        a.onFrame = (changes, frame) => {
            keyframes += frame.isKeyframe ? 1 : 0;
            onFrame(changes, frame);
        };
        let corrections = 0;
        a.onCorrection = () => ++corrections;
        a.requestKeyframe();
        await a.until(() => keyframes === 1);
        assert.equal(corrections, 0, "a keyframe says where a is, and corrects nothing");
        assert.deepEqual([...a.world.seen.keys()], [b.welcome.entity]);
        await Promise.all([a.leave(), b.leave()]);
    });

    test(`${name}: a session that is cut goes on as the same entity, with the right set`, { skip }, async () => {
        let newest;
        const cuttable = async (listener) => newest = await open()(listener);
        const a = await joined(cuttable, { spawn: at(0, -200000), retryMs: 1 });
        const b = await joined(open(), { spawn: at(0, -200000) });
        const [idA, idB] = [a.welcome.entity, b.welcome.entity];
        await a.until(() => a.world.seen.has(idB));
        for (let round = 1; round <= 5; ++round) {
            let isBack = false;
            a.onResumed = () => { isBack = true; };
            newest.abort();
            b.move(at(100 * round, -200000));
            await a.until(() => isBack && a.world.seen.get(idB)?.position.x === 100 * round);
            assert.equal(a.welcome.entity, idA);
            assert.ok(a.welcome.resumed);
            // Its moves count again: those that do not know of the correction would not.
            a.move(at(-100 * round, -200000));
            await b.until(() => b.world.seen.get(idA)?.position.x === -100 * round);
        }
        assert.deepEqual([...a.world.seen.keys()], [idB]);
        await Promise.all([a.leave(), b.leave()]);
    });
}

test("TLS: the certificate is verified, and the session is as any other", {
    skip: opensslIsHere ? false : "no openssl to make a certificate with",
}, async () => {
    const secure = await startServer({ tls: true });
    try {
        const ca = readFileSync(join(secure.folder, "certificate.pem"), "utf8");
        const open = (options) => nodeSocket("127.0.0.1", secure.tcp, { servername: "localhost", ...options });
        const a = await joined(open({ ca }), { spawn: at(0) });
        await a.until(() => a.world.tick > 0);
        await a.leave();
        await assert.rejects(new Client(open({})).connect(), /self.signed/);
        await assert.rejects(new Client(open({ ca, servername: "other.example" })).connect(), /altnames|match/);
    } finally {
        assert.equal(await secure.stop(), 0);
    }
});

test("what the server refuses is reported with its code", async () => {
    const open = nodeSocket("127.0.0.1", server.tcp);
    await assert.rejects(new Client(open, { spawn: at(500000) }).connect(),
        (error) => error instanceof ServerError && error.code === 5);
    // Where it steps out of the world later, it is put back.
    const a = await joined(open, { spawn: at(0) });
    const corrected = new Promise((resolve) => { a.onCorrection = resolve; });
    a.move(at(500000));
    assert.equal((await corrected).position.x, 0);
    await a.leave();
});

test("where nobody listens, connect rejects", async () => {
    await assert.rejects(new Client(nodeSocket("127.0.0.1", 1)).connect(), /ECONNREFUSED/);
});
