// What the live map's page reads of a real server, against what the zone has.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { library, nodeSocket } from "./library.mjs";
import { startServer, webSocketIsHere } from "./server.mjs";

const { Client } = library;
const pages = process.env.MARCHLAND_PAGES;
const { PictureAge, RecentWork, decode } = await import("data:text/javascript," + encodeURIComponent(readFileSync(join(pages, "map", "stream.js"), "utf8")));

let server;
const players = [];
const url = (path, scheme = "http") => `${scheme}://127.0.0.1:${server.admin}${path}`;
before(async () => {
    server = await startServer();
    for (const spawn of [{ x: -10_000, y: 5_000, z: 0 }, { x: 10_000, y: 0, z: 0 }, { x: 300_000, y: 0, z: 0 }]) {
        const client = new Client(nodeSocket("127.0.0.1", server.tcp), { spawn });
        await client.connect();
        players.push(client);
    }
});
after(async () => {
    await Promise.all(players.map((client) => client.leave()));
    assert.equal(await server.stop(), 0);
});

test("a shard's work is the mean of its ticks of the last second", () => {
    const work = new RecentWork();
    const shown = (...shards) => ({ shards });
    const at = (nowMs, ...shards) => {
        const one = shown(...shards);
        work.note(one, nowMs);
        return one.shards.map(({ meanUs, longestUs }) => [meanUs, longestUs]);
    };
    const shard = (id, tickUs, ...ticksUs) => ({ id, tickUs, ticksUs });
    assert.deepEqual(at(0, shard(7, 10, 30, 10)), [[20, 30]]);
    assert.deepEqual(at(500, shard(7, 50, 50), shard(8, 5)), [[30, 50], [5, 5]], "none of a second: the newest");
    assert.deepEqual(at(1000, shard(7, 20, 20)), [[35, 50]], "what is a second old is gone");
    assert.deepEqual(at(5000, shard(7, 9, 9)), [[9, 9]]);
});

test("the page says since when it has no picture, until there is one", () => {
    const began = new Date(2026, 0, 31, 12, 0, 7).getTime();
    const age = new PictureAge(began - 300);
    age.note(began);
    assert.deepEqual(age.stateAt(began + 4999), ["live", "live"]);
    assert.deepEqual(age.stateAt(began + 5000), ["stale", "no picture since 12:00:07"]);
    age.note(began + 9000);
    assert.deepEqual(age.stateAt(began + 9100), ["live", "live"]);
});

/** The first picture of the stream that is as wanted. */
function picture(isWanted) {
    return new Promise((resolve, reject) => {
        const socket = new WebSocket(url("/map/stream", "ws"));
        socket.binaryType = "arraybuffer";
        socket.onerror = ({ error }) => reject(error ?? new Error("no stream"));
        socket.onmessage = ({ data }) => {
            const shown = decode(data);
            if (isWanted(shown)) {
                socket.close();
                resolve(shown);
            }
        };
    });
}

async function positions() {
    const rows = (await (await fetch(url("/positions"))).text()).trim().split("\n").slice(1);
    return rows.map((row) => row.split(",").map(Number)).map(([, id, x, y]) => ({ id, x: x * 1000, y: y * 1000 }));
}

const skip = webSocketIsHere ? false : "no WebSocket: neither Node 22 nor Debian's node-undici is here";

test("the map's stream has the shards, and who is in them", { skip }, async () => {
    const shown = await picture(({ entities }) => entities.length === 3);
    assert.deepEqual(shown.shards.map(({ name, area, owned, hasRegion }) => ({ name, area, owned, hasRegion })), [
        { name: "c0r0", area: { minX: -400_000, minY: -400_000, maxX: -1, maxY: 400_000 }, owned: 1, hasRegion: true },
        { name: "c1r0", area: { minX: 0, minY: -400_000, maxX: 400_000, maxY: 400_000 }, owned: 2, hasRegion: true },
    ]);
    assert.deepEqual(shown.entities.map(({ id, x, y }) => ({ id, x, y })).sort((a, b) => a.id - b.id), await positions());
    assert.deepEqual(shown.entities.map(({ shard }) => shard).sort(), [0, 1, 1]);
    assert.deepEqual(shown.world, { minX: -400_000, minY: -400_000, maxX: 400_000, maxY: 400_000 });
    assert.deepEqual([shown.players, shown.entityCount, shown.stride, shown.rateHz, shown.reachMm], [3, 3, 1, 20, 102_000]);
});

test("the map's stream has a layout as soon as it is in force, and where entities were handed over", { skip }, async () => {
    const body = "[grid]\ncolumns = 1\nrows = 2\n";
    assert.equal((await fetch(url("/layout"), { method: "POST", body })).status, 200);
    const shown = await picture(({ shards, entities }) => shards.length === 2 && shards[1].name === "c0r1" && entities.length === 3);
    assert.deepEqual(shown.shards.map(({ area }) => area.maxX), [400_000, 400_000]);
});

test("an entity's page says where it is and who is in its view", async () => {
    const [{ id }, other] = await positions();
    const entity = await (await fetch(url(`/entity/${id}`))).json();
    assert.equal(entity.id, id);
    assert.deepEqual(entity.position_m, { x: -10, y: 5, z: 0 });
    assert.deepEqual(entity.in_view, [other.id]);
    assert.equal(entity.view.radius_m, 50);
    assert.equal(entity.takes_frames, true);
    assert.equal((await fetch(url("/entity/99999"))).status, 404);
    assert.equal((await fetch(url("/entity/x"))).status, 404);
});

test("the pages are served as what they are", async () => {
    for (const [path, file, type] of [["/", "map/index.html", "html"], ["/map.css", "map/map.css", "css"],
        ["/draw.js", "map/draw.js", "javascript"], ["/sign-in", "map/sign_in.html", "html"],
        ["/play", "play/index.html", "html"], ["/play.js", "play/play.js", "javascript"]]) {
        const answer = await fetch(url(path));
        assert.equal(answer.headers.get("content-type"), `text/${type}; charset=utf-8`);
        assert.equal(await answer.text(), readFileSync(join(pages, file), "utf8"));
    }
    assert.equal(await (await fetch(url("/readyz"))).text(), "ready\n");
});

test("the play page is sent the WebSocket listener and the shards in force", async () => {
    const { off, websocket, shards } = await (await fetch(url("/play/zone"))).json();
    assert.equal(off, "");
    assert.deepEqual(websocket, { address: "127.0.0.1", port: server.webSocket, tls: false });
    assert.deepEqual(shards.map(({ name, min_y_m: from, max_y_m: to }) => ({ name, from, to })), [
        { name: "c0r0", from: -400, to: -0.001 }, { name: "c0r1", from: 0, to: 400 },
    ]);
});
