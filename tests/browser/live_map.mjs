// The live map in headless Chromium: what is drawn against what the API says,
// with the mouse and with the keyboard, at two sizes, light and dark. Leaves a screenshot of each in FOLDER.
//
//   tests/browser/run [FOLDER]                      # with a zone and players; or, where both are there:
//   node tests/browser/live_map.mjs http://127.0.0.1:7779/ FOLDER
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openBrowser, sleep } from "./browser.mjs";

const [url, folder] = process.argv.slice(2);
if (folder === undefined) {
    console.error("usage: node live_map.mjs URL FOLDER");
    process.exit(2);
}
const ask = async (path) => (await fetch(new URL(path, url))).json();

const { openTab, problems, close } = await openBrowser();
const { page, read, until, show, mouse, picture } = await openTab();
const drawn = async () => Number(await read("document.getElementById('map').dataset.drawn"));
const key = (name) => page("Input.dispatchKeyEvent", { type: "keyDown", key: name, text: name.length === 1 ? name : undefined });
const title = () => read("document.getElementById('entity').hidden ? '' : document.getElementById('entity-title').textContent");

async function tryAt(width, height, scheme) {
    await show(url, width, height, scheme);
    await until("document.getElementById('map')?.dataset.drawn > 0");
    const own = Object.values((await ask("status")).entities).reduce((sum, count) => sum + count, 0);
    await until(`document.getElementById('map').dataset.entities == ${own}`); // nobody comes or goes, and all are shown
    assert.equal(await drawn(), own);
    assert.ok(await read("document.documentElement.scrollWidth <= innerWidth"), "it is wider than the screen");

    const box = JSON.parse(await read("JSON.stringify(document.getElementById('map').getBoundingClientRect())"));
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    for (let i = 0; i < 4; ++i) {
        await mouse("mouseWheel", x, y, { deltaX: 0, deltaY: -240 });
    }
    await until(`document.getElementById('map').dataset.drawn < ${own / 2}`);
    await mouse("mousePressed", x, y);
    await mouse("mouseMoved", x + 40, y + 40);
    await mouse("mouseReleased", x + 40, y + 40);
    assert.equal(await title(), "", "a drag is no click");

    await key("e"); // on a page on which nobody has touched anything with a focus
    await until("document.getElementById('entity-facts').children.length > 0");
    const id = Number((await title()).split(" ")[1]);
    const shown = JSON.parse(await read("JSON.stringify([...document.querySelectorAll('#seen button')].map((it) => Number(it.textContent)))"));
    const { in_view: inView } = await ask(`entity/${id}`);
    const common = shown.filter((other) => inView.includes(other)); // some came and went in between
    assert.ok(common.length >= Math.min(inView.length, shown.length) / 2, `${shown} against ${inView}`);
    writeFileSync(join(folder, `map_${width}_${scheme}_entity.png`), await picture());

    await key("Escape");
    await until("document.getElementById('entity').hidden");
    for (let turn = 0; await title() === "" && turn < 600; ++turn) { // a click somewhere near the middle hits somebody
        const at = [x + 0.3 * turn * Math.cos(turn), y + 0.3 * turn * Math.sin(turn)];
        await mouse("mousePressed", ...at);
        await mouse("mouseReleased", ...at);
    }
    assert.notEqual(await title(), "");
    await key("Escape");
    await key("0");
    await until(`document.getElementById('map').dataset.drawn == ${own}`);
    await sleep(3000); // for the charts
    writeFileSync(join(folder, `map_${width}_${scheme}.png`), await picture());
    console.log(`${width}x${height} ${scheme}: ${own} entities drawn, entity ${id} sees ${inView.length}`);
}

for (const scheme of ["light", "dark"]) {
    await tryAt(1280, 800, scheme);
    await tryAt(390, 844, scheme);
}
assert.deepEqual(problems, []);
await close();
