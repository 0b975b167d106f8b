// The game of examples/wolves in headless Chromium: two tabs herd sheep for a minute, by mouse; what they show is compared with what
// the service says. Light and dark, and at the size of a phone; leaves screenshots in FOLDER, where one is named.
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
const scoresMax = 200;  // of lines kept

const game = spawn(join(new URL(".", import.meta.url).pathname, "../../examples/wolves/run"), ["--build", build, "--port", "0", "--bots", "60"],
    { stdio: ["ignore", "pipe", "inherit"] });
const ended = new Promise((resolve) => game.on("exit", resolve));
let scores = {};
let rest = "";
const url = await new Promise((resolve) => game.stdout.on("data", (bytes) => {
    const lines = (rest + bytes).split("\n");
    rest = lines.pop();
    for (const line of lines.slice(-scoresMax)) {
        scores = line.startsWith("scores ") ? JSON.parse(line.slice(7)) : scores;
        const found = /open (http:\S+) in a browser/.exec(line);
        if (found !== null) {
            resolve(found[1]);
        }
    }
}));

const { openTab, problems, close } = await openBrowser();

async function join_(name, width, height, scheme) {
    const tab = await openTab();
    await tab.show(url, width, height, scheme);
    await tab.until("document.getElementById('name') !== null && document.readyState === 'complete'");
    await tab.read(`document.getElementById("name").value = "${name}"`);
    await tab.read("document.querySelector('#join button').click()");
    await tab.until("document.getElementById('meadow').dataset.own > 0");
    const shown = async (what) => tab.read(`document.getElementById("meadow").dataset.${what}`);
    return { ...tab, name, width, height, shown, own: Number(await shown("own")) };
}

/** Walks to behind the sheep that is nearest to the fold, seen from there; towards the fold where no sheep is in sight. */
async function herd(tab) {
    const [x, y] = [Number(await tab.shown("x")), Number(await tab.shown("y"))];
    const sheep = JSON.parse(await tab.shown("sheep")).filter(([a, b]) => Math.max(Math.abs(a), Math.abs(b)) > 10000);
    const target = sheep.sort(([a, b], [c, d]) => Math.hypot(a, b) - Math.hypot(c, d))[0];
    const far = target && 1 + 5000 / Math.hypot(...target);
    const [toX, toY] = target ? [target[0] * far - x, target[1] * far - y] : [20000 - x, 30000 - y];
    const length = Math.hypot(toX, toY) || 1;
    const reach = Math.min(tab.width, tab.height) / 3;
    await tab.mouse("mouseMoved", tab.width / 2 + toX / length * reach, tab.height / 2 - toY / length * reach, { buttons: 1 });
}

try {
    const ann = await join_("Ann", 1280, 800, "light");
    const ben = await join_("Ben", 390, 844, "dark");
    await ann.until(`document.getElementById("meadow").dataset.seen.split(",").includes("${ben.own}")`);

    await ben.read("document.getElementById('text').value = 'hello'; document.getElementById('talk').requestSubmit()");
    await ann.until("document.getElementById('log').textContent.includes('Ben: hello')");
    await ann.read("document.getElementById('open').click()");
    await ann.until("/too far|locked/.test(document.getElementById('log').textContent)");
    assert.ok(!(await ben.read("/too far|locked/.test(document.getElementById('log').textContent)")), "told to Ann alone");

    for (const tab of [ann, ben]) {
        await tab.mouse("mousePressed", tab.width / 2, tab.height / 2, { buttons: 1 });
    }
    const until = performance.now() + playSeconds * 1000;
    while (performance.now() < until) {
        await herd(ann);
        await herd(ben);
        await sleep(50);
    }
    for (const tab of [ann, ben]) {
        if (folder !== undefined) {
            writeFileSync(join(folder, `wolves_${tab.name}.png`), await tab.picture());
        }
        await tab.mouse("mouseReleased", tab.width / 2, tab.height / 2);
        let shown;
        for (let tries = 0; tries < 100; ++tries) {
            shown = Number(await tab.shown("score"));
            if (shown === (scores[tab.own] ?? 0)) {
                break;
            }
            await sleep(50);
        }
        assert.equal(shown, scores[tab.own] ?? 0, `${tab.name}'s page and the service`);
        console.log(`${tab.name}: ${shown}`);
    }
    assert.ok((scores[ann.own] ?? 0) + (scores[ben.own] ?? 0) > 0, "nobody has driven a sheep into the fold");
    assert.deepEqual(problems, []);
} finally {
    await close();
    game.kill("SIGTERM");
    await ended;
}
