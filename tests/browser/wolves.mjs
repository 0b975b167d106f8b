// The game of examples/wolves in headless Chromium, by mouse: two tabs talk, one opens the door with the key, both herd sheep for a minute,
// and one is cut off and loaded again; what they show is compared with what the service says. Light and dark, and at the size of a phone;
// leaves screenshots in FOLDER, where one is named.
//
//   node tests/browser/wolves.mjs BUILD [FOLDER]           exit 77: skipped, and why
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openBrowser, sleep } from "./browser.mjs";

const [build, folder] = process.argv.slice(2);
for (const program of ["chromium", "tsc"]) {
    if (spawnSync(program, ["--version"]).status !== 0) {
        console.log(`skipped: ${program} is not installed`);
        process.exit(77);
    }
}
const playSeconds = 60;
const linesMax = 200;  // of what comes at once

const game = spawn(join(new URL(".", import.meta.url).pathname, "../../examples/wolves/run"), ["--build", build, "--port", "0"],
    { stdio: ["ignore", "pipe", "inherit"] });
const ended = new Promise((resolve) => game.on("exit", resolve));
let scores = {};
let key;  // where it lies, in metres
let rest = "";
const url = await new Promise((resolve) => game.stdout.on("data", (bytes) => {
    const lines = (rest + bytes).split("\n");
    rest = lines.pop();
    for (const line of lines.slice(-linesMax)) {
        scores = line.startsWith("scores ") ? JSON.parse(line.slice(7)) : scores;
        key = line.startsWith("key ") ? JSON.parse(line.slice(4)) : key;
        const found = /open (http:\S+) in a browser/.exec(line);
        if (found !== null) {
            resolve(found[1]);
        }
    }
}));

const { openTab, problems, close } = await openBrowser();

async function join_(tab, name, width, height, scheme) {
    await tab.show(url, width, height, scheme);
    await tab.until("document.getElementById('name') !== null && meadow.dataset.own === undefined && document.readyState === 'complete'");
    await tab.read(`document.getElementById("name").value = "${name}"`);
    await tab.read("document.querySelector('#join button').click()");
    await tab.until("document.getElementById('meadow').dataset.own > 0");
    const shown = async (what) => tab.read(`document.getElementById("meadow").dataset.${what}`);
    return {
        ...tab, name, width, height, shown, own: Number(await shown("own")),
        say: (text) => tab.read(`document.getElementById("text").value = "${text}"; document.getElementById("talk").requestSubmit()`),
        open: () => tab.read("document.getElementById('open').click()"),
        untilShown: (pattern) => tab.until(`${pattern}.test(document.getElementById("log").textContent)`),
        isShown: (pattern) => tab.read(`${pattern}.test(document.getElementById("log").textContent)`),
    };
}

/** In millimetres, as the crow flies. */
async function walkTo(tab, [toX, toY]) {
    const left = async () => [toX - Number(await tab.shown("x")), toY - Number(await tab.shown("y"))];
    await tab.mouse("mousePressed", tab.width / 2, tab.height / 2, { buttons: 1 });
    for (let way = await left(); Math.hypot(...way) > 1000; way = await left()) {
        await point(tab, way);
        await sleep(20);
    }
    await tab.mouse("mouseReleased", tab.width / 2, tab.height / 2);
}

async function point(tab, [x, y]) {
    const length = Math.hypot(x, y) || 1;
    const reach = Math.min(tab.width, tab.height) / 3;
    await tab.mouse("mouseMoved", tab.width / 2 + x / length * reach, tab.height / 2 - y / length * reach, { buttons: 1 });
}

/** Until the page shows the score that the service has. */
async function agreesWithTheService(tab) {
    for (let tries = 0; tries < 100 && Number(await tab.shown("score")) !== (scores[tab.own] ?? 0); ++tries) {
        await sleep(50);
    }
    assert.equal(Number(await tab.shown("score")), scores[tab.own] ?? 0, `${tab.name}'s page and the service`);
}

/** The page's connection ends without a word of the library, and something is said while it closes. */
async function cutOff(tab) {
    const { result: { result: prototype } } = await tab.page("Runtime.evaluate", { expression: "WebSocket.prototype" });
    const { result: { objects } } = await tab.page("Runtime.queryObjects", { prototypeObjectId: prototype.objectId });
    await tab.page("Runtime.callFunctionOn", { objectId: objects.objectId, functionDeclaration: `function() {
        this.forEach((it) => it.close());
        document.getElementById("text").value = "to nobody";
        document.getElementById("talk").requestSubmit();
    }` });
}

/** Walks to behind the sheep that is nearest to the fold, seen from there; towards the fold where no sheep is in sight. */
async function herd(tab) {
    const [x, y] = [Number(await tab.shown("x")), Number(await tab.shown("y"))];
    const sheep = JSON.parse(await tab.shown("sheep")).filter(([a, b]) => Math.max(Math.abs(a), Math.abs(b)) > 10000);
    const target = sheep.sort(([a, b], [c, d]) => Math.hypot(a, b) - Math.hypot(c, d))[0];
    const far = target && 1 + 5000 / Math.hypot(...target);
    await point(tab, target ? [target[0] * far - x, target[1] * far - y] : [20000 - x, 30000 - y]);
}

try {
    const ann = await join_(await openTab(), "Ann", 1280, 800, "light");
    const ben = await join_(await openTab(), "Ben", 390, 844, "dark");
    await ann.until(`document.getElementById("meadow").dataset.seen.split(",").includes("${ben.own}")`);

    await ben.say("hello");
    await ann.untilShown("/Ben: hello/");
    await ann.open();
    await ann.untilShown("/too far|locked/");
    await ben.say("what came before is here");
    await ben.untilShown("/Ben: what came before is here/");
    assert.ok(!(await ben.isShown("/too far|locked/")), "shown to Ann alone");

    const [keyX, keyY] = key.map((metres) => metres * 1000);
    await walkTo(ben, [keyX > 0 ? -40000 : 40000, keyY]);
    await walkTo(ann, [keyX, keyY]);
    await ann.until("document.getElementById('bag').value === 'a key'");
    await ann.until(`!/too far/.test(document.getElementById("log").textContent)`);  // lines go after a while
    await ben.say("is anybody here");
    await ben.untilShown("/Ben: is anybody here/");
    await ann.open();
    await ann.untilShown("/too far/");
    assert.ok(!(await ann.isShown("/anybody/")), "it is shown within 25 m");

    await walkTo(ann, [0, -12000]);
    await ann.open();
    for (const tab of [ann, ben]) {
        await tab.untilShown("/Ann has opened the door/");
    }
    await ann.until("document.getElementById('bag').value === 'no key'");

    for (const tab of [ann, ben]) {
        await tab.mouse("mousePressed", tab.width / 2, tab.height / 2, { buttons: 1 });
    }
    const anyScore = () => (scores[ann.own] ?? 0) + (scores[ben.own] ?? 0) > 0;
    const until = performance.now() + playSeconds * 1000;
    const patience = until + 180000;  // on a busy machine tabs herd as slowly as they draw
    while (performance.now() < (anyScore() ? until : patience)) {
        await herd(ann);
        await herd(ben);
        await sleep(50);
    }
    for (const tab of [ann, ben]) {
        if (folder !== undefined) {
            writeFileSync(join(folder, `wolves_${tab.name}.png`), await tab.picture());
        }
        await tab.mouse("mouseReleased", tab.width / 2, tab.height / 2);
        await agreesWithTheService(tab);
        console.log(`${tab.name}: ${await tab.shown("score")}`);
    }
    assert.ok(anyScore(), "nobody has driven a sheep into the fold");

    const cut = Number(await ann.shown("score")) > 0 ? ann : ben;  // who has points
    await cutOff(cut);
    await cut.untilShown("/The line is lost.*and back/");
    assert.equal(Number(await cut.shown("own")), cut.own, "the same shepherd after a lost line");
    await agreesWithTheService(cut);
    const again = await join_(cut, cut.name, cut.width, cut.height, "light");
    assert.equal(again.own, cut.own, "the same shepherd in a page that is loaded again");
    await agreesWithTheService(again);
    assert.deepEqual(problems, []);
} finally {
    await close();
    game.kill("SIGTERM");
    await ended;
}
