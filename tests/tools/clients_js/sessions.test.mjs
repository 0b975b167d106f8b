// What sessions say and keep, beside a server that is this test: no socket, and each byte when the test says so.
import assert from "node:assert/strict";
import { test } from "node:test";
import { library, nodeSocket } from "./library.mjs";
import { decodeBody, encodeBody } from "./wire.mjs";

const { Client, PlayerLeftReason, Service } = library;

const at = (x) => ({ x, y: 0, z: 0 });
const [worldMin, worldMax] = [at(-1e6), at(1e6)];
const any = {
    protocolMajor: 3, protocolMinor: 0, tick: 1, tickRateHz: 20, dimensions: 2, worldMin, worldMax, leaveRadiusMmMax: 1,
    resumeToken: new Uint8Array(16), resumeGraceMs: 30000,
};
const welcome = (more = {}) => encodeBody("Welcome", { ...any, entity: 1, spawn: at(0), view: {}, ...more });
const serviceWelcome = (more = {}) => encodeBody("ServiceWelcome", { ...any, messageBytesMax: 262144, ...more });

/** Answers the Hello of the nth connection by `welcomes[n]`; `lines[n]` has what was said on it, and says something or breaks. */
function server(...welcomes) {
    const lines = [];
    const open = async (listener) => {
        const line = {
            said: [],
            of: (type) => line.said.filter(({ name }) => name === type).map(({ value }) => value),
            say: (type, value) => listener.received(encodeBody(type, value)),
            cut: () => listener.closed("cut"),
        };
        const answer = welcomes[lines.push(line) - 1];
        const send = (bytes) => {
            line.said.push({ ...decodeBody(bytes), length: bytes.length - 4 });
            if (line.said.length === 1 && answer !== undefined) {
                queueMicrotask(() => listener.received(answer));
            }
        };
        const end = () => setImmediate(line.cut);
        return { send, close: end, abort: end };
    };
    open.elsewhere = { speaks: "anything", at: () => open };
    return { open, lines };
}

/** Resolves when `session` calls that back. */
const called = (session, callback) => new Promise((resolve) => { session[callback] = resolve; });

async function transferred(client, line, address = "elsewhere") {
    const there = called(client, "onTransferred");
    line.say("Transfer", { address });
    line.cut();
    await there;
}

test("a zone where another login had the entity is a new world, too", async () => {
    const { open, lines } = server(welcome(), welcome({ entity: 5, tick: 3, quantumMm: 10, spawn: at(70), resumed: true }));
    const client = new Client(open);
    await client.connect();
    lines[0].say("Frame", { tick: 100, enters: [{ entity: 2, position: at(1) }] });
    assert.equal(client.world.seen.size, 1);
    await transferred(client, lines[0]);
    assert.deepEqual([client.world.own, client.world.quantumMm, client.world.seen.size, client.position], [5, 10, 0, at(70)]);
    lines[1].say("Frame", { tick: 4 });
    assert.equal(client.world.tick, 4);
    client.leave();
});

test("a session is back before what comes in one piece with the Welcome", async () => {
    const frame = (tick) => encodeBody("Frame", { tick });
    const withFrame = (tick, more) => Buffer.concat([welcome(more), frame(tick)]);
    const { open, lines } = server(welcome(), withFrame(2, { resumed: true }), withFrame(3));
    const client = new Client(open);
    const log = [];
    const framed = () => new Promise((resolve) => { client.onFrame = (_, { tick }) => resolve(log.push(tick)); });
    client.onResumed = () => log.push("resumed");
    client.onTransferred = () => log.push("transferred");
    await client.connect();
    let next = framed();
    lines[0].cut();
    await next;
    next = framed();
    lines[1].say("Transfer", { address: "elsewhere" });
    lines[1].cut();
    await next;
    assert.deepEqual(log, ["resumed", 2, "transferred", 3]);
    client.leave();
});

test("who cuts the line in onResumed or onTransferred is resumed from there, and once", async () => {
    for (const callback of ["onResumed", "onTransferred"]) {
        const { open, lines } = server(...[1, 2, 3, 4, 5].map((i) => welcome({ resumed: i > 1, resumeToken: new Uint8Array(16).fill(i) })));
        const client = new Client(open, { retryMs: 1 });
        await client.connect();
        const back = new Promise((resolve) => {
            client[callback] = () => {
                client.onResumed = resolve;
                client.cut();
            };
        });
        if (callback === "onTransferred") {
            lines[0].say("Transfer", { address: "elsewhere" });
        }
        lines[0].cut();
        await back;
        await new Promise((resolve) => setTimeout(resolve, 50));
        const tokens = lines.map((line) => line.of("Hello")[0].resumeToken[0] ?? 0);
        assert.deepEqual(tokens, callback === "onResumed" ? [0, 1, 2] : [0, 0, 2]);
        client.leave();
    }
});

test("where no address of a Transfer can be spoken the error says so", async () => {
    const { open, lines } = server(welcome());
    open.elsewhere = library.webSocket("ws://127.0.0.1:1/").elsewhere;
    const client = new Client(open);
    const end = called(client, "onClosed");
    await client.connect();
    lines[0].say("Transfer", { address: "tcp://a.example:1 a.example:1" });
    const { name, message } = await end;
    assert.equal(name, "ProtocolError");
    assert.match(message, /tcp:\/\/a.example:1 a.example:1.*ws:\/\/ and wss:\/\//);
});

test("a resumption has the scheme by which a zone was spoken to that was named without one", async () => {
    const { open, lines } = server(welcome(), welcome());
    const { at } = nodeSocket("here", 1, {}).elsewhere;
    open.elsewhere = { speaks: "anything", at: (address) => Object.assign((listener) => open(listener), { address: at(address).address }) };
    const client = new Client(open);
    await client.connect();
    await transferred(client, lines[0], "[::1]:7");
    assert.equal(client.resumption.address, "tls://[::1]:7");
    assert.equal(at("tcp://there:7").elsewhere.at("on:8").address, "tcp://on:8");
    client.leave();
});

test("neither a correction nor move() is the velocity of the next step", async () => {
    const { open, lines } = server(welcome({ predictionErrorMm: 50, predictionMsMax: 500 }));
    const client = new Client(open);
    await client.connect();
    client.step(at(0));
    client.step(at(70));
    lines[0].say("Frame", { tick: 2, correction: { number: 1, position: at(5000) } });
    client.step(at(5000));
    client.step(at(5070));
    client.move(at(9000));
    client.step(at(9070));
    client.step(at(9140), 7);
    assert.deepEqual(lines[0].of("Move").map(({ position, velocity }) => [position.x, velocity?.x ?? 0]),
        [[0, 0], [70, 70], [5000, 0], [5070, 70], [9000, 0], [9070, 70], [9140, 70]]);
    client.leave();
});

const view = (radiusMm) => ({ shape: 1, radiusMm, leaveRadiusMm: radiusMm });

/** After what was sent is taken in. */
async function confirmed(client, line) {
    const pong = client.ping();
    line.say("Pong", { nonce: line.of("Ping").at(-1).nonce, tick: 1 });
    await pong;
}

test("a resuming Hello says nothing that does not count; frame rate and an unsaid view are said after the Welcome", async () => {
    const { open, lines } = server(...Array(4).fill(welcome({ resumed: true })));
    const client = new Client(open, { kind: 3, spawn: at(1), view: view(10), state: Uint8Array.of(0), facing: 5, retryMs: 1 });
    const cut = async (meanwhile = () => {}) => {
        const back = called(client, "onResumed");
        lines.at(-1).cut();
        meanwhile();
        await back;
        return lines.at(-1);
    };
    const views = (line) => line.of("SetView").map((message) => message.view.radiusMm);
    const rates = (line) => line.of("SetFrameRate").map(({ framesHz }) => framesHz);
    await client.connect();
    assert.deepEqual(lines[0].of("Hello").map(({ kind, facing, view: { radiusMm } }) => [kind, facing, radiusMm]), [[3, 5, 10]]);
    lines[0].say("Frame", { tick: 7 });
    client.setFrameRate(2);
    client.setView(view(20));
    await confirmed(client, lines[0]);

    const second = await cut();
    const { kind, spawn, view: shown, state, facing, lastTick } = second.of("Hello")[0];
    assert.deepEqual([kind, spawn, shown, state.length, facing, lastTick], [0, undefined, undefined, 0, 0, 7]);
    assert.deepEqual([views(second), rates(second)], [[], [2]], "the view is known: it is not said twice");

    client.setView(view(30));
    const third = await cut();
    assert.deepEqual(views(third), [30], "it may not have been read");

    const fourth = await cut(() => {
        client.setView(view(40));
        client.setView(view(50));
        client.setFrameRate(0);
    });
    assert.deepEqual([views(fourth), rates(fourth)], [[50], []]);
    client.leave();
});

test("in another zone the frame rate holds, and the view is the Hello's", async () => {
    const { open, lines } = server(welcome(), welcome());
    const client = new Client(open, { view: view(10) });
    await client.connect();
    client.setFrameRate(2);
    client.setView(view(20));
    await transferred(client, lines[0]);
    assert.deepEqual(lines[1].said.map(({ name }) => name), ["Hello", "SetFrameRate"]);
    assert.equal(lines[1].of("Hello")[0].view.radiusMm, 10);
    client.leave();
});

test("a frame that says no time has that of its tick", async () => {
    const { open, lines } = server(welcome());
    const client = new Client(open);
    const times = [];
    client.onFrame = (_, { serverTimeUs }) => times.push(serverTimeUs);
    await client.connect();
    for (const [tick, serverTimeUs] of [[7, 1e6], [8, 0], [10, 0], [11, 2e6], [12, 0]]) {
        lines[0].say("Frame", { tick, serverTimeUs });
    }
    assert.deepEqual(times, [1000000, 1050000, 1150000, 2000000, 2050000]);
    client.leave();
});

const fraction = { position: { x: 1.5, y: 0, z: 0 } };

test("what cannot be sent is an error of the call that asks for it, before connect() too, and harms nothing else", async () => {
    const { open, lines } = server(serviceWelcome({ slots: [{ name: "look", type: 2, bytesMax: 4 }] }));
    const service = new Service(open, "wolves");
    const refuse = (call) => assert.throws(call, RangeError);
    const wolf = service.spawn({ position: at(1) });
    const circle = { centre: fraction.position, radiusMm: 1 };
    refuse(() => service.spawn(fraction));
    refuse(() => service.subscribePositions(circle));
    refuse(() => service.subscribe(70000));
    refuse(() => service.change({ entity: 1, ...fraction }));
    refuse(() => service.say(-1));
    refuse(() => service.say(1, undefined, { within: circle }));
    refuse(() => service.removePlayer(0.5));
    refuse(() => service.say(1, new Uint8Array(1025)));
    refuse(() => service.say(1, undefined, Array(1025).fill(5)));
    refuse(() => service.sendToZone(5, "there", "", new Uint8Array(1025)));
    refuse(() => service.sendToZone(5, "ж".repeat(129)));
    refuse(() => wolf.move(at(NaN)));
    refuse(() => wolf.move(at(2 ** 31)));
    wolf.move(at(1.6));
    service.say(1, new Uint8Array(1024), Array(1024).fill(5));
    await service.connect();
    refuse(() => service.refuse(1, "ж".repeat(129)));
    refuse(() => service.change({ entity: 1, state: { look: new Uint8Array(5) } }));
    assert.deepEqual(lines[0].said.map(({ name }) => name), ["ServiceHello", "SendMessages", "Spawn"]);
    assert.deepEqual(lines[0].of("Spawn")[0].entities.map(({ ref, position }) => [ref, position.x]), [[1, 2]]);
    service.leave();
});

test("a message that cannot be sent is an error of the call, and is not sent over a resume", async () => {
    const messages = { perSecondMax: 10, bytesMax: 100 };
    const { open, lines } = server(welcome({ messages }), welcome({ messages, resumed: true }));
    const client = new Client(open);
    await client.connect();
    assert.throws(() => client.sendMessage(1, new Uint8Array(1025)), RangeError);
    assert.throws(() => client.sendMessage(1, new Uint8Array(101)), RangeError);
    assert.throws(() => client.sendMessage(2 ** 16), RangeError);
    assert.ok(client.sendMessage(1, new Uint8Array(100)));
    const back = called(client, "onResumed");
    lines[0].cut();
    await back;
    for (const line of lines) {
        assert.deepEqual(line.of("SendMessage").map(({ number, payload }) => [number, payload.length]), [[1, 100]]);
    }
    client.leave();
});

test("who goes makes room for who is spawned, and its last words are said before", async () => {
    const { open, lines } = server(serviceWelcome());
    const service = new Service(open, "wolves");
    await service.connect();
    const [here, early] = [service.spawn({ position: at(1) }), service.spawn({ position: at(2) })];
    service.flush();
    lines[0].say("Spawned", { entities: [{ entity: 11, ref: here.ref }] });
    here.move(at(3));
    service.say(1, undefined, { toViewersOf: 11 });
    [here, early].forEach((one) => one.despawn());
    service.spawn({ position: at(3) });
    service.spawn({ position: at(4) }).despawn();
    service.flush();
    assert.deepEqual(lines[0].said.slice(2).map(({ name }) => name), ["SendMessages", "Despawn", "Spawn"]);
    assert.deepEqual(lines[0].of("Spawn").map(({ entities }) => entities.length), [2, 1]);
    lines[0].say("Spawned", { entities: [{ entity: 12, ref: early.ref }] });
    assert.deepEqual(lines[0].of("Despawn").map(({ entities }) => entities), [[11], [12]]);
    here.move(at(5));
    service.flush();
    assert.deepEqual([lines[0].said.length, here.isGone, early.isGone], [6, true, true]);
    service.leave();
});

for (const [what, Kind, answer] of [
    ["a player's Hello is answered as a service's", Client, serviceWelcome()],
    ["a service's Hello is answered as a player's", Service, welcome()],
]) {
    test(`connect() rejects where ${what}`, async () => {
        const session = new Kind(server(answer).open, "wolves");
        const end = called(session, "onClosed");
        await assert.rejects(session.connect(), { name: "ProtocolError" });
        assert.equal((await end).name, "ProtocolError");
        assert.equal(await session.ping(), undefined);
    });
}

test("connect() rejects with what is thrown while the Welcome is taken in, and so ends a resume", async () => {
    for (const welcomes of [[serviceWelcome()], [serviceWelcome(), serviceWelcome({ resumed: true })]]) {
        const { open, lines } = server(...welcomes);
        const service = new Service(open, "wolves", { retryMs: 3600000 });
        const end = called(service, "onClosed");
        const spoil = () => { service.flush = () => { throw new TypeError("no idea"); }; };
        if (welcomes.length === 1) {
            spoil();
            await assert.rejects(service.connect(), TypeError);
        } else {
            await service.connect();
            spoil();
            lines[0].cut();
        }
        assert.equal((await end).name, "TypeError");
    }
});

test("what is asked for at once goes out in messages that the server takes, in order", async () => {
    const messageBytesMax = 20000;
    const { open, lines } = server(serviceWelcome({ messageBytesMax, slots: [{ name: "look", type: 2, bytesMax: 1024 }] }));
    const service = new Service(open, "wolves");
    await service.connect();
    const kinds = [...Array(300).keys()];
    for (const kind of kinds) {
        service.say(kind, new Uint8Array(kind % 2 === 0 ? 1024 : 1));
        service.change({ entity: kind, state: { look: new Uint8Array(1000) } });
    }
    service.flush();
    const [changes, says] = ["Change", "SendMessages"].map((name) => lines[0].of(name));
    assert.ok(lines[0].said.every(({ length }) => length <= messageBytesMax));
    assert.deepEqual(says.flatMap(({ messages }) => messages.map(({ kind }) => kind)), kinds);
    assert.deepEqual(changes.flatMap(({ entities }) => entities.map(({ entity }) => entity)), kinds);
    assert.ok(says.length < 40 && changes.length < 40, "and in no more messages than that takes");
    for (let i = 0; i < 1500; ++i) {
        service.removePlayer(i);
    }
    service.flush();
    assert.deepEqual(lines[0].of("Despawn").map(({ entities }) => entities.length), [1024, 476]);
    service.leave();
});

/** What a service tells of its players, over a resume after which `listed(line, join)` says who is there: the log. */
async function overResume(listed) {
    const { open, lines } = server(serviceWelcome(), serviceWelcome({ resumed: true }));
    const service = new Service(open, "wolves");
    const log = [];
    service.onJoin = ({ entity }) => log.push(["join", entity]);
    service.onAway = ({ entity }) => log.push(["away", entity]);
    service.onBack = ({ entity }) => log.push(["back", entity]);
    service.onLeave = ({ entity }, reason) => log.push(["leave", entity, reason]);
    await service.connect();
    const join = (entity, claims = "") => lines.at(-1).say("PlayerJoined", { entity, position: at(0), claims });
    [1, 2, 3, 4].forEach((entity) => join(entity));
    [3, 4].forEach((entity) => lines[0].say("PlayerAway", { entity }));
    lines[0].say("PlayersListed", {});
    const before = [...service.players.values()];
    log.length = 0;
    const back = called(service, "onResumed");
    lines[0].cut();
    await back;
    listed(lines[1], join);
    const now = [...service.players.values()];
    service.leave();
    return { log, before, now };
}

test("over a resume players stay, and only what changed is reported", async () => {
    const { log, before, now } = await overResume((line, join) => {
        [1, 3, 4, 5].forEach((entity) => join(entity, "{}"));
        line.say("PlayerAway", { entity: 4 });
        line.say("PlayersListed", {});
    });
    assert.deepEqual(log, [["join", 5], ["leave", 2, PlayerLeftReason.whileAway], ["back", 3]]);
    assert.deepEqual(now.map(({ entity, isAway, claims }) => [entity, isAway, claims]),
        [[1, false, "{}"], [3, false, "{}"], [4, true, "{}"], [5, false, "{}"]]);
    assert.ok(now.slice(0, 3).every((player) => before.includes(player)), "they are the same objects");
});

test("who comes back or leaves while players are listed is reported once", async () => {
    const { log } = await overResume((line, join) => {
        line.say("PlayerLeft", { entity: 1, reason: 2 });
        [2, 3, 4].forEach((entity) => join(entity));
        line.say("PlayerBack", { entity: 3 });
        line.say("PlayerLeft", { entity: 4, reason: 1 });
        line.say("PlayersListed", {});
        line.say("PlayerAway", { entity: 3 });
    });
    assert.deepEqual(log, [["leave", 1, 2], ["back", 3], ["leave", 4, 1], ["away", 3]]);
});

/** What `line` was sent after its Hello: messages by their payload's length, and where players are sent. */
const saidOn = (line) => line.said.slice(1).map(({ name, value }) => name === "SendMessages"
    ? value.messages.map(({ payload }) => payload.length) : value.address ?? [name, ...value.entities?.map((one) => one.entity ?? one) ?? []]);

/** Over a resume, with what is asked for while the line is lost. */
async function askedWhileLost(t, ask) {
    const { open, lines } = server(serviceWelcome(), serviceWelcome({ resumed: true }));
    const service = new Service(open, "wolves");
    await service.connect();
    const back = called(service, "onResumed");
    service.onLost = () => ask(service);
    lines[0].cut();
    await back;
    service.leave();
    return { service, said: saidOn(lines[1]).slice(0, -1) };
}

test("what is asked for while the connection is lost goes out in its order when it is back; answers to questions do not", async (t) => {
    const { said, service } = await askedWhileLost(t, (service) => {
        service.admit(1);
        service.refuse(2);
        service.removePlayer(8);
        service.say(1, new Uint8Array(1));
        service.sendToZone(5, "there");
        service.say(1, new Uint8Array(2));
        service.say(1, new Uint8Array(3));
        service.change({ entity: 7, facing: 1 });
    });
    assert.deepEqual(said, [["Change", 7], [1], "there", [2, 3], ["Despawn", 8]]);
    assert.equal(service.dropped, 0);
});

test("what waits goes out before an answer to a question, and before a subscription", async () => {
    const { open, lines } = server(serviceWelcome());
    const service = new Service(open, "wolves");
    await service.connect();
    service.removePlayer(8);
    service.admit(1);
    service.say(1, new Uint8Array(1));
    service.refuse(2);
    service.say(1, new Uint8Array(2));
    service.subscribe(7);
    assert.deepEqual(saidOn(lines[0]), [["Despawn", 8], ["AdmitPlayer"], [1], ["AdmitPlayer"], [2], ["Subscribe"]]);
    service.leave();
});

test("waitUntilSafe() waits for what waits for an id, too", async () => {
    const { open, lines } = server(serviceWelcome());
    const service = new Service(open, "wolves");
    await service.connect();
    const wolf = service.spawn({ position: at(1) });
    service.flush();
    wolf.move(at(2));
    const isSafe = service.waitUntilSafe();
    lines[0].say("Spawned", { entities: [{ ref: 1, entity: 11 }] });
    for (const deadline = performance.now() + 5000; lines[0].of("Ping").length === 0 && performance.now() < deadline;) {
        await new Promise((resolve) => setTimeout(resolve, 10));
    }
    lines[0].say("Pong", { ...lines[0].of("Ping")[0], tick: 10, safeTick: 12 });
    assert.ok(await isSafe);
    assert.deepEqual(lines[0].said.map(({ name }) => name), ["ServiceHello", "Spawn", "MoveMany", "Ping"]);
    service.leave();
});

test("what waits goes out before a service leaves", async () => {
    const { open, lines } = server(serviceWelcome());
    const service = new Service(open, "wolves");
    await service.connect();
    service.sendToZone(5, "there");
    service.say(1, new Uint8Array(1));
    service.leave();
    assert.deepEqual(saidOn(lines[0]), ["there", [1], ["Leave"]]);
});

test("what waits is what it was when it was asked for", async () => {
    const { open, lines } = server(serviceWelcome());
    const service = new Service(open, "wolves");
    await service.connect();
    const bytes = Buffer.of(1, 2);
    service.say(1, bytes);
    service.sendToZone(5, "there", "", bytes);
    bytes.fill(9);
    service.flush();
    assert.deepEqual([lines[0].of("SendMessages")[0].messages[0].payload, lines[0].of("TransferPlayer")[0].carried],
        [Uint8Array.of(1, 2), Uint8Array.of(1, 2)]);
    service.leave();
});

test("of what is asked for while the connection is lost the oldest gives way beyond 1 MiB", async (t) => {
    const { said, service } = await askedWhileLost(t, (service) => {
        service.change({ entity: 7, facing: 1 });
        Array.from({ length: 1025 }, (_, i) => service.say(1, new Uint8Array(i)));
        Array.from({ length: 800 }, () => service.say(1, new Uint8Array(1024)));
    });
    const lengths = said.flat();
    assert.ok(service.dropped > 1 && lengths.length === 1826 - service.dropped);
    assert.deepEqual(lengths.slice(0, 2), [service.dropped - 1, service.dropped]);
    const bytes = lengths.reduce((sum, length) => sum + length, 0);
    assert.ok(bytes < 2 ** 20 && bytes > 2 ** 20 - 150 * lengths.length, `${bytes}`);
});

test("a token is asked for before each connection", async () => {
    const { open, lines } = server(welcome(), welcome({ resumed: true }));
    let asked = 0;
    const client = new Client(open, { token: async () => `token ${++asked}` });
    await client.connect();
    const back = called(client, "onResumed");
    lines[0].cut();
    await back;
    assert.deepEqual(lines.map((line) => line.of("Hello")[0].token), ["token 1", "token 2"]);
    client.leave();
});

test("a token that never comes is a failed attempt, which is tried again", { timeout: 20000 }, async () => {
    const { open, lines } = server(welcome(), welcome({ resumed: true }));
    let asked = 0;
    const client = new Client(open, { token: () => ++asked === 2 ? new Promise(() => {}) : "token", welcomeMsMax: 50, retryMs: 1 });
    await client.connect();
    const back = called(client, "onResumed");
    lines[0].cut();
    await back;
    assert.deepEqual([asked, lines.length], [3, 2]);
    client.leave();
    const never = new Client(open, { token: () => new Promise(() => {}), welcomeMsMax: 50 });
    await assert.rejects(never.connect(), { name: "ConnectionLost" });
});

test("pings ride on frames, as in a tab whose timers hardly come", async (t) => {
    const now = performance.now.bind(performance);
    let aheadMs = 0;
    t.mock.method(performance, "now", () => now() + aheadMs);
    const { open, lines } = server(welcome());
    const client = new Client(open, { pingEveryMs: 60000 });
    await client.connect();
    lines[0].say("Frame", { tick: 2 });
    assert.equal(lines[0].of("Ping").length, 0);
    for (const [tick, pings] of [[3, 1], [4, 1], [5, 2]]) {
        aheadMs += tick === 4 ? 0 : 61000;
        lines[0].say("Frame", { tick });
        assert.equal(lines[0].of("Ping").length, pings, `in tick ${tick}`);
    }
    client.leave();
});

test("an entity whose end the server did not read of is despawned after a resume", async () => {
    const { open, lines } = server(serviceWelcome(),
        serviceWelcome({ resumed: true, entities: [{ ref: 1, entity: 11 }, { ref: 2, entity: 12 }, { ref: 3, entity: 13 }] }));
    const service = new Service(open, "wolves");
    await service.connect();
    const [gone, stays, goes] = [1, 2, 3].map((x) => service.spawn({ position: at(x) }));
    service.flush();
    lines[0].say("Spawned", { entities: [{ ref: 1, entity: 11 }, { ref: 2, entity: 12 }, { ref: 3, entity: 13 }] });
    gone.despawn();
    service.flush();
    assert.deepEqual(lines[0].of("Despawn"), [{ entities: [11] }]);
    goes.despawn();
    const back = called(service, "onResumed");
    lines[0].cut();
    await back;
    assert.deepEqual(lines[1].of("Despawn").flatMap(({ entities }) => entities).sort(), [11, 13]);
    assert.deepEqual([gone.isGone, stays.isGone, stays.id, goes.isGone], [true, false, 12, true]);
    service.leave();
});

test("a watcher's keyframe after a resume is the difference", async () => {
    const entities = [{ ref: 1, entity: 11 }];
    const { open, lines } = server(serviceWelcome(), serviceWelcome({ resumed: true, entities }), serviceWelcome({ entities }));
    const service = new Service(open, "wolves", { retryMs: 1 });
    await service.connect();
    const owl = service.spawn({ position: at(0), watches: true });
    const shown = [];
    owl.onFrame = ({ entered, left }) => shown.push([entered.map(({ id }) => id), left.map(({ entity }) => entity.id)]);
    service.flush();
    lines[0].say("Spawned", { entities });
    const say = (tick, ...ids) => lines.at(-1).say("Frame",
        { tick, watcher: 11, isKeyframe: tick > 1, enters: ids.map((entity) => ({ entity, position: at(entity) })) });
    const cut = async () => {
        const back = called(service, "onResumed");
        lines.at(-1).cut();
        await back;
    };
    say(1, 2, 3);
    await cut();
    say(2, 3, 5);
    await cut();
    say(3, 3);
    assert.deepEqual(shown, [[[2, 3], []], [[5], [2]], [[3], []]], "and where the session is new, all of it");
    service.leave();
});

test("a world is kept over a resume where the zone has its quantum and slots still, else it is a new one", async () => {
    const entities = [{ ref: 1, entity: 11 }];
    const others = [{ quantumMm: 10 }, { quantumMm: 10, slots: [{ name: "health" }] }];
    const zones = [{}, {}, ...others].map((zone, i) => ({ ...zone, resumed: i > 0 }));
    const [there, here] = [server(...zones.map(welcome)), server(...zones.map((zone) => serviceWelcome({ ...zone, entities })))];
    const client = new Client(there.open, { retryMs: 1 });
    const service = new Service(here.open, "wolves", { retryMs: 1 });
    const owl = service.spawn({ position: at(0), watches: true });
    const sessions = [[client, there.lines, client], [service, here.lines, owl]];
    for (const [session, lines, whose] of sessions) {
        await session.connect();
        const first = whose.world;
        client.move(at(40));
        const seen = [];
        for (let i = 1; i < zones.length; ++i) {
            const back = called(session, "onResumed");
            lines.at(-1).cut();
            await back;
            seen.push([whose.world === first, whose.world.quantumMm, whose.world.slots.declared.length]);
        }
        assert.deepEqual(seen, [[true, 1, 0], [false, 10, 0], [false, 10, 1]]);
        assert.deepEqual(client.position, at(40));
    }
    sessions.forEach(([session]) => session.leave());
});

test("positions of one tick that never end, end the session", async () => {
    const { open, lines } = server(serviceWelcome());
    const service = new Service(open, "wolves", { resume: false });
    const end = called(service, "onClosed");
    await service.connect();
    let placed = 0;
    service.onPositions = ({ players }) => { placed = players.size; };
    const players = Array.from({ length: 2 ** 16 }, (_, i) => ({ step: i === 0 ? 0 : 1, position: at(i) }));
    const say = (part, hasMore) => lines[0].say("Positions", { tick: 5, first: 1 + part * 2 ** 16, players, hasMore });
    for (let part = 0; part < 16; ++part) {
        say(part, part < 15);
    }
    assert.equal(placed, 2 ** 20);
    for (let part = 0; part < 17; ++part) {
        say(part, true);
    }
    assert.match((await end).message, /players in one tick/);
});
