// The play page in headless Chromium: whom it sees against what the API says, steered by keys, mouse and touch, with a
// second tab as a second player; at two sizes, light and dark. Leaves a screenshot of each in FOLDER.
//
//   tests/browser/run [FOLDER]                      # with a zone and players; or, where both are there:
//   node tests/browser/play.mjs http://127.0.0.1:7779/play FOLDER
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openBrowser, sleep } from "./browser.mjs";

const [url, folder] = process.argv.slice(2);
if (folder === undefined) {
    console.error("usage: node play.mjs URL FOLDER");
    process.exit(2);
}
const ask = async (path) => (await fetch(new URL(path, url))).json();
const { openTab, problems, close } = await openBrowser();

async function begin(tab, width, height, scheme) {
    await tab.show(url, width, height, scheme);
    await tab.until("document.getElementById('map')?.dataset.drawn > 0");
    return Number(await tab.read("document.getElementById('map').dataset.own"));
}
const seenBy = async (tab) => (await tab.read("document.getElementById('map').dataset.seen")).split(",").map(Number);
const keys = (tab, type, key) => tab.page("Input.dispatchKeyEvent", { type, key });

/** Who is in its view in ticks before and after the one that the page shows is on the page. */
async function compare(tab, id) {
    const { tick, in_view: before } = await ask(`entity/${id}`);
    await tab.until(`document.getElementById('map').dataset.tick >= ${tick}`);
    const seen = await seenBy(tab);
    const { in_view: after } = await ask(`entity/${id}`);
    const stayed = before.filter((other) => after.includes(other));
    assert.ok(stayed.length > 0, "it sees nobody");
    assert.deepEqual(stayed.filter((other) => !seen.includes(other)), [], `${seen} on the page`);
    return stayed.length;
}

/** How far the entity is moved, as the API says, while something is held for a second. */
async function way(tab, id, hold, release) {
    const from = await stillPosition(tab, id);
    await hold();
    await sleep(1000);
    await release();
    const to = await stillPosition(tab, id);
    return { x: to.x - from.x, y: to.y - from.y };
}

/** Once what was steered before has arrived. */
async function stillPosition(tab, id) {
    const { tick } = await ask(`entity/${id}`);
    await tab.until(`document.getElementById('map').dataset.tick >= ${tick + 20}`);
    return (await ask(`entity/${id}`)).position_m;
}

async function tryAt(width, height, scheme) {
    const tab = await openTab();
    const id = await begin(tab, width, height, scheme);
    assert.ok(await tab.read("document.documentElement.scrollWidth <= innerWidth"), "it is wider than the screen");
    const compared = await compare(tab, id);

    const right = await way(tab, id, () => keys(tab, "keyDown", "d"), () => keys(tab, "keyUp", "d"));
    assert.ok(right.x > 4 && right.x < 15 && Math.abs(right.y) < 0.1, `d moved it by ${JSON.stringify(right)}`);
    const box = JSON.parse(await tab.read("JSON.stringify(document.getElementById('map').getBoundingClientRect())"));
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    const down = await way(tab, id, () => tab.mouse("mousePressed", x, y + 90), () => tab.mouse("mouseReleased", x, y + 90));
    assert.ok(down.y < -4 && Math.abs(down.x) < 0.5, `the mouse moved it by ${JSON.stringify(down)}`);
    const touch = (type, touchPoints) => tab.page("Input.dispatchTouchEvent", { type, touchPoints });
    const left = await way(tab, id, () => touch("touchStart", [{ x: x - 90, y }]), () => touch("touchEnd", []));
    assert.ok(left.x < -4 && Math.abs(left.y) < 0.5, `the finger moved it by ${JSON.stringify(left)}`);
    await compare(tab, id);

    const second = await openTab();
    const other = await begin(second, width, height, scheme);
    assert.notEqual(other, id);
    await tab.until(`document.getElementById('map').dataset.seen.split(',').includes('${other}')`);
    assert.ok((await seenBy(second)).includes(id));

    await tab.page("Page.bringToFront");
    assert.ok(!(await tab.read("document.getElementById('facts').textContent")).includes("Owned by"));
    await keys(tab, "keyDown", "b");
    await tab.until("/Owned by shard[a-z]/.test(document.getElementById('facts').textContent)");
    const { shard } = await ask(`entity/${id}`);
    assert.ok((await tab.read("document.getElementById('facts').textContent")).includes(`Owned by shard${shard}`));
    await keys(tab, "keyDown", "w");
    await sleep(3000); // for the trails and the lists
    writeFileSync(join(folder, `play_${width}_${scheme}.png`), await tab.picture());
    await keys(tab, "keyUp", "w");

    await second.close();
    await tab.until(`!document.getElementById('map').dataset.seen.split(',').includes('${other}')`);
    await tab.close();
    console.log(`${width}x${height} ${scheme}: player ${id} sees ${compared}, as the API says; player ${other} came and went`);
}

for (const scheme of ["light", "dark"]) {
    await tryAt(1280, 800, scheme);
    await tryAt(390, 844, scheme);
}
assert.deepEqual(problems, []);
await close();
