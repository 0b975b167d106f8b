// A server that is silent, or ends things at an awkward moment: nobody waits for ever.
import assert from "node:assert/strict";
import * as net from "node:net";
import { test } from "node:test";
import { library, nodeSocket } from "./library.mjs";
import { decodeBody, encodeBody } from "./wire.mjs";

const { Client, MessageSplitter, webSocket } = library;

const position = { x: 0, y: 0, z: 0 };
const welcome = (resumeGraceMs, more = {}) => encodeBody("Welcome", {
    protocolMajor: 3, protocolMinor: 0, entity: 1, tick: 1, tickRateHz: 20, dimensions: 2,
    worldMin: position, worldMax: { x: 9, y: 9, z: 9 }, spawn: position, view: {}, leaveRadiusMmMax: 1,
    resumeToken: new Uint8Array(resumeGraceMs > 0 ? 16 : 0), resumeGraceMs, ...more,
});
const stopping = encodeBody("Error", { code: 11, text: "stopping" });
const full = encodeBody("Error", { code: 10, text: "full" });
const overloaded = encodeBody("Error", { code: 19, text: "overloaded" });

/** `onConnection(socket, number)`, counted from 1; `onPort(port)`. Ends with the test. */
async function serve(t, onConnection, onPort = () => {}) {
    const sockets = [];
    const server = net.createServer((socket) => {
        socket.on("error", () => {});
        sockets.push(socket);
        onConnection(socket, sockets.length);
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    t.after(() => {
        sockets.forEach((socket) => socket.destroy());
        server.close();
    });
    onPort(server.address().port);
    return nodeSocket("127.0.0.1", server.address().port);
}

const closed = (client) => new Promise((resolve) => { client.onClosed = resolve; });

test("connect() to a server that says nothing rejects in time", { timeout: 20000 }, async (t) => {
    const client = new Client(await serve(t, () => {}), { welcomeMsMax: 50 });
    await assert.rejects(client.connect(), { name: "ConnectionLost" });
});

test("connect() rejects in time where no connection comes about", { timeout: 20000 }, async () => {
    let aborted = false;
    let opened;
    const open = () => new Promise((resolve) => { opened = resolve; });
    await assert.rejects(new Client(open, { welcomeMsMax: 50 }).connect(), { name: "ConnectionLost" });
    opened({ send() {}, close() {}, abort() { aborted = true; } });
    await new Promise((resolve) => setImmediate(resolve));
    assert.ok(aborted, "a connection that comes too late is ended");
});

test("resuming at a server that says nothing ends with the grace", { timeout: 20000 }, async (t) => {
    const open = await serve(t, (socket, number) => {
        if (number === 1) {
            socket.end(welcome(300));
        }
    });
    const client = new Client(open, { welcomeMsMax: 100 });
    const end = closed(client);
    await client.connect();
    assert.equal((await end).name, "ConnectionLost");
});

/** Says one of these on each connection, and closes it; when it came. */
async function serveInOrder(t, ...says) {
    const cameMs = [];
    const open = await serve(t, (socket, number) => {
        cameMs.push(performance.now());
        number === says.length ? socket.write(says[number - 1]) : socket.end(says[number - 1]);
    });
    return { open, cameMs };
}

/** Resolves with undefined, or with why the session ended instead. */
async function resumed(client) {
    const end = Promise.race([closed(client), new Promise((resolve) => { client.onResumed = resolve; })]);
    await client.connect();
    const why = await end;
    client.leave();
    return why;
}

test("a zone that keeps its state is waited for longer than a lost connection is", { timeout: 20000 }, async (t) => {
    const first = Buffer.concat([welcome(1, { restartGraceMs: 60000 }), stopping]);
    const { open } = await serveInOrder(t, first, full, full, welcome(1));
    assert.equal(await resumed(new Client(open, { retryMs: 10, restartSpreadMs: 10 })), undefined);
});

for (const [what, end, failed] of [
    ["a stop all wait a random part of the spread", stopping, 0],
    ["a lost connection and a first attempt that fails it waits a random part of the spread", Buffer.of(), 1],
]) {
    test(`where the zone keeps its state, after ${what}`, { timeout: 20000 }, async (t) => {
        t.mock.method(Math, "random", () => 0.5);
        const first = Buffer.concat([welcome(30000, { restartGraceMs: 60000 }), end]);
        const { open, cameMs } = await serveInOrder(t, first, ...Array(failed).fill(full), welcome(30000));
        assert.equal(await resumed(new Client(open, { retryMs: 1, restartSpreadMs: 400 })), undefined);
        assert.ok(cameMs[failed + 1] - cameMs[failed] > 190);
    });
}

test("a session that is cut after each Welcome waits longer each time, until one has lasted", { timeout: 20000 }, async (t) => {
    t.mock.method(Math, "random", () => 0.5);
    const now = performance.now.bind(performance);
    let aheadMs = 0;
    t.mock.method(performance, "now", () => now() + aheadMs);
    const cameMs = [];
    let newest;
    const open = await serve(t, (socket, number) => {
        cameMs.push(now());
        number < 5 ? socket.end(welcome(30000)) : socket.write(welcome(30000));
        newest = socket;
    });
    const client = new Client(open, { retryMs: 50 });
    const resumes = (count) => new Promise((resolve) => { client.onResumed = () => { if (--count === 0) { resolve(); } }; });
    const four = resumes(4);
    await client.connect();
    await four;
    const waits = cameMs.slice(1).map((at, i) => at - cameMs[i]);
    assert.ok(waits[1] > 45 && waits[2] > 95 && waits[3] > 195, waits.join());
    aheadMs = 6000;
    const fifth = resumes(1);
    const cutMs = now();
    newest.destroy();
    await fifth;
    assert.ok(cameMs[5] - cutMs < 390, "at once, and not after 400 ms");
    client.leave();
});

test("a server that sent something while the game did something else for long is not silent", { timeout: 20000 }, async (t) => {
    const open = await serve(t, (socket) => {
        socket.write(welcome(30000));
        socket.on("data", () => socket.write(encodeBody("Pong", { nonce: 1n, tick: 1 })));
    });
    const client = new Client(open, { silenceMsMax: 200, pingEveryMs: 20 });
    let losses = 0;
    client.onLost = () => { ++losses; };
    await client.connect();
    // Timers are due then before the socket is read.
    await new Promise((resolve) => setImmediate(() => {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
        resolve();
    }));
    assert.ok(await client.ping() >= 0);
    assert.equal(losses, 0);
    client.leave();
});

test("a server that says nothing after its Welcome is lost", { timeout: 20000 }, async (t) => {
    const client = new Client(await serve(t, (socket) => socket.write(welcome(0))), { silenceMsMax: 50, pingEveryMs: 20 });
    const end = closed(client);
    await client.connect();
    assert.match((await end).message, /says nothing/);
});

test("the last attempt is when the grace is over", { timeout: 20000 }, async (t) => {
    const { open, cameMs } = await serveInOrder(t, welcome(1000), full, full, full);
    assert.equal((await resumed(new Client(open, { retryMs: 3600000 }))).code, 10);
    assert.ok(cameMs.length >= 3);
});

test("ping() settles at once while the connection is lost, and after the end", { timeout: 20000 }, async (t) => {
    const open = await serve(t, (socket, number) => {
        if (number === 1) {
            socket.end(welcome(300));
        }
    });
    const client = new Client(open, { welcomeMsMax: 100 });
    const lost = new Promise((resolve) => { client.onLost = resolve; });
    const end = closed(client);
    await client.connect();
    await lost;
    assert.equal(await client.ping(), undefined);
    await end;
    assert.equal(await client.ping(), undefined);
});

test("waitUntilSafe() gives up in time where the server says nothing more", { timeout: 20000 }, async (t) => {
    const client = new Client(await serve(t, (socket) => socket.write(welcome(0))));
    await client.connect();
    let isLost = false;
    client.onClosed = () => { isLost = true; };
    assert.equal(await client.waitUntilSafe(50), false);
    await new Promise((resolve) => setImmediate(resolve));
    assert.ok(!isLost, "it does not wait until the session is lost");
    client.cut();
});

test("a Welcome and an Error in one piece: connect() rejects and no timer stays", { timeout: 20000 }, async (t) => {
    const open = await serve(t, (socket) => socket.end(Buffer.concat([welcome(0), stopping])));
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const before = timers();
    const client = new Client(open);
    const end = closed(client);
    await assert.rejects(client.connect(), { name: "ServerError", code: 11 });
    assert.equal((await end).code, 11);
    assert.ok(timers() <= before);
});

/** Resolves with the first byte that comes there when a player is sent to these addresses, of which PORT is the port. */
async function sentTo(t, addresses) {
    let received;
    const firstByte = new Promise((resolve) => { received = resolve; });
    let port;
    await serve(t, (socket) => socket.once("data", ([byte]) => received(byte)), (found) => { port = found; });
    const address = addresses.replaceAll("PORT", String(port));
    const open = await serve(t, (socket) => socket.end(Buffer.concat([welcome(0), encodeBody("Transfer", { address })])));
    const client = new Client(open);
    await client.connect();
    return firstByte;
}

for (const [addresses, isTls] of [
    ["127.0.0.1:PORT", false],
    ["tcp://127.0.0.1:PORT tls://127.0.0.1:1", false],
    ["ws://127.0.0.1:1/ wss://a.example/b?c=d:1 nowhere tls://127.0.0.1:PORT", true],
]) {
    test(`of ${addresses} the first is taken that can be spoken`, { timeout: 20000 }, async (t) => {
        assert.equal(await sentTo(t, addresses) === 0x16, isTls);
    });
}

/** Resolves with undefined when a player is where it is sent to, after these answers; or with why its session ended instead. */
async function follows(t, resumeGraceMs, ...answers) {
    const transfer = encodeBody("Transfer", { address: "there" });
    const { open, cameMs } = await serveInOrder(t, Buffer.concat([
        welcome(resumeGraceMs, { restartGraceMs: resumeGraceMs }), transfer,
    ]), ...answers);
    open.elsewhere = { speaks: "anything", at: () => open };
    const client = new Client(open, { retryMs: 20, restartSpreadMs: 3600000 });
    client.onLost = () => assert.fail("a player that is sent elsewhere is not lost");
    const end = Promise.race([closed(client), new Promise((resolve) => { client.onTransferred = resolve; })]);
    await client.connect();
    const why = await end;
    client.leave();
    return { why, waitsMs: cameMs.slice(2).map((at, i) => at - cameMs[i + 1]) };
}

test("a zone that is busy or not there is tried again by whoever is sent to it", { timeout: 20000 }, async (t) => {
    t.mock.method(Math, "random", () => 0.5);
    const { why, waitsMs } = await follows(t, 30000, full, stopping, overloaded, Buffer.of(), welcome(30000));
    assert.equal(why, undefined);
    assert.ok(waitsMs.every((waitMs, i) => waitMs > 19 * 2 ** i), waitsMs.join());
});

test("another error there ends the session, and so does the end of the grace", { timeout: 20000 }, async (t) => {
    assert.equal((await follows(t, 30000, full, encodeBody("Error", { code: 12, text: "" }))).why.code, 12);
    assert.equal((await follows(t, 0, full)).why.code, 10);
});

test("WebSocket takes what WebSocket can speak", () => {
    const { at } = webSocket("ws://127.0.0.1:1/").elsewhere;
    const canSpeak = (address) => at(address) !== undefined;
    assert.deepEqual(["ws://a:1", "wss://a:1/b", "a:1", "tcp://a:1", "tls://a:1"].map(canSpeak), [true, true, false, false, false]);
});

for (const callback of ["onLost", "onResumed"]) {
    test(`what ${callback} throws ends the session`, { timeout: 20000 }, async (t) => {
        let connections = 0;
        const open = await serve(t, (socket, number) => {
            connections = number;
            if (number === 1) {
                socket.end(welcome(10000));
            } else {
                socket.write(welcome(10000));
            }
        });
        const client = new Client(open, { retryMs: 1 });
        const end = closed(client);
        client[callback] = () => { throw new TypeError("no idea"); };
        await client.connect();
        assert.equal((await end).name, "TypeError");
        assert.equal(connections, callback === "onLost" ? 1 : 2);
        assert.equal(await client.ping(), undefined);
    });
}

/** A server that takes messages; `numbers` of the Welcomes, one for each connection, and what came on each. */
async function listener(t, numbers) {
    const received = numbers.map(() => []);
    const sockets = [];
    const open = await serve(t, (socket, number) => {
        sockets.push(socket);
        const splitter = new MessageSplitter();
        socket.on("data", (data) => {
            splitter.push(data, (bytes) => {
                const { name, value } = decodeBody(bytes);
                if (name === "Hello") {
                    socket.write(welcome(30000, {
                        resumed: number > 1, messages: { perSecondMax: 3, bytesMax: 10 },
                        messageNumber: numbers[number - 1],
                    }));
                } else if (name === "SendMessage") {
                    received[number - 1].push([value.number, value.kind, ...value.payload]);
                } else if (name === "Ping" && number > 1) {
                    socket.write(encodeBody("Pong", { nonce: value.nonce, tick: 1 }));
                }
            });
        });
    });
    const until = async (condition) => {
        while (!condition()) {
            await new Promise((resolve) => setTimeout(resolve, 5));
        }
    };
    return { open, received, sockets, until };
}

for (const [what, taken, again] of [
    ["those that were not taken", 2, [[3, 7, 12]]],
    ["all of them, by new numbers, where the server was restarted", 0, [[1, 7, 10], [2, 7, 11], [3, 7, 12]]],
]) {
    test(`messages over a resume: it sends again ${what}`, { timeout: 20000 }, async (t) => {
        const { open, received, sockets, until } = await listener(t, [0, taken]);
        const client = new Client(open, { retryMs: 1 });
        await client.connect();
        const sent = [10, 11, 12, 13].map((byte) => client.sendMessage(7, Uint8Array.of(byte)));
        assert.deepEqual(sent, [true, true, true, false], "three a second are allowed");
        await until(() => received[0].length === 3);
        const resumed = new Promise((resolve) => { client.onResumed = resolve; });
        sockets[0].destroy();
        await resumed;
        await until(() => received[1].length === again.length);
        assert.deepEqual(received[1], again);
        await client.ping();  // confirms them all: there is room again, when a second is over
        const resentMs = performance.now();
        for (const byte of [13, 14, 15]) {
            await until(() => client.sendMessage(7, Uint8Array.of(byte)));
        }
        assert.ok(performance.now() - resentMs > 900, "three a second, however quickly they are confirmed");
        await until(() => received[1].length === again.length + 3);
        assert.deepEqual(received[1].at(-1), [again.at(-1)[0] + 3, 7, 15]);
    });
}
