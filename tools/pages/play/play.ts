// The demo client: a player over the real protocol, by keys or by touch. Whom it draws is whom the library says it sees.

import { Changes, Client, LeaveReason, Position, Shape, webSocket } from "../../clients/js/src/index.js";

/** Of those who play by this page, so that they know each other among bots. */
const pageKind = 4_077;
const walkMmPerS = 9_000;
const runMmPerS = 27_000;
const feedLinesMax = 40;
const ringMs = 700;
const trailMax = 11;
const askMs = 1_000;

/** GET /play/zone. */
interface Zone {
    off: string;
    websocket: { address: string; port: number; tls: boolean };
    shards: { id: number; name: string; min_x_m: number; min_y_m: number; max_x_m: number; max_y_m: number }[];
}

const element = (id: string): HTMLElement => document.getElementById(id) as HTMLElement;
const isOn = (id: string): boolean => (element(id) as HTMLInputElement).checked;
const number = (value: number, digits = 0): string =>
    value.toLocaleString("en", { maximumFractionDigits: digits, minimumFractionDigits: digits });

const canvas = element("map") as HTMLCanvasElement;
/** Of each who is seen, the newest places, and when they were received: by the clock of the page. */
const trails = new Map<number, { at: Position; receivedMs: number }[]>();
let rings: { position: Position; isEnter: boolean; atMs: number }[] = [];
const counted = { enters: 0, moves: 0, leaves: 0 };
const held = new Set<string>();
const heading = { x: 0, y: 1 };
let finger: { x: number; y: number } | undefined;
let zone: Zone | undefined;
let client: Client | undefined;
let own: Position = { x: 0, y: 0, z: 0 };
let tickMs = 50;
let zoom = 1;
let owner = "";
let ghosts = "";
let roundTrip = "";
let steppedMs = 0;

// Life

function say(state: "live" | "lost", text: string): void {
    element("state").dataset.state = state;
    element("state").textContent = text;
    element("again").hidden = state === "live" || client !== undefined;
}

function turnOff(why: string): void {
    element("game").hidden = true;
    element("off").hidden = false;
    element("off").textContent = why;
    say("lost", "off");
    element("again").hidden = true;
}

async function readZone(): Promise<Zone> {
    const answer = await fetch("/play/zone");
    if (answer.status === 401) {
        location.assign("/sign-in");
    }
    if (!answer.ok) {
        throw new Error((await answer.text()).trim());
    }
    return answer.json() as Promise<Zone>;
}

async function join(): Promise<void> {
    try {
        zone = await readZone();
    } catch (error) {
        return say("lost", `the server does not answer: ${(error as Error).message}`);
    }
    if (zone.off !== "") {
        return turnOff(zone.off);
    }
    const { address, port, tls } = zone.websocket;
    const host = ["0.0.0.0", "::"].includes(address) ? location.hostname : address.includes(":") ? `[${address}]` : address;
    const player = new Client(webSocket(`${tls ? "wss" : "ws"}://${host}:${port}/`), { kind: pageKind });
    player.onFrame = take;
    player.onCorrection = ({ position }) => {
        own = position;
    };
    player.onNotice = (text, stopsInMs) => {
        const deadline = stopsInMs > 0 ? ` (the server stops in ${Math.ceil(stopsInMs / 1_000)} s)` : "";
        addLine("notice", "", "notice", text + deadline);
    };
    player.onLost = () => say("lost", "connection lost, coming back");
    player.onResumed = () => say("live", "playing");
    player.onClosed = (why) => end(why);
    client = player;
    forget();
    try {
        const welcome = await player.connect();
        own = player.position;
        tickMs = 1_000 / welcome.tickRateHz;
        setTimeout(step, tickMs);
        say("live", "playing");
    } catch (error) {
        end(error as Error);
    }
}

function end(why: Error | undefined): void {
    client = undefined;
    say("lost", why === undefined ? "left" : `not playing: ${why.message}`);
}

function forget(): void {
    trails.clear();
    rings = [];
    element("feed").replaceChildren();
}

// Frames

function take(changes: Changes): void {
    const nowMs = performance.now();
    for (const { entity, reason } of changes.left) {
        trails.delete(entity.id);
        rings.push({ position: entity.position, isEnter: false, atMs: nowMs });
        addLine("leave", entity.id, "leave", reason === undefined ? "" : reasons[reason]);
    }
    for (const seen of changes.entered) {
        trails.set(seen.id, [{ at: seen.position, receivedMs: nowMs }]);
        rings.push({ position: seen.position, isEnter: true, atMs: nowMs });
        addLine("enter", seen.id, "enter", seen.kind === pageKind ? "a player, too" : "");
    }
    for (const seen of changes.moved) {
        trails.set(seen.id, [...(trails.get(seen.id) ?? []), { at: seen.position, receivedMs: nowMs }].slice(-trailMax));
    }
    counted.enters += changes.entered.length;
    counted.moves += changes.moved.length;
    counted.leaves += changes.left.length;
    if (changes.entered.length + changes.left.length > 0) {
        canvas.dataset.seen = [...trails.keys()].sort((a, b) => a - b).join();
    }
    canvas.dataset.tick = String(client?.world.tick);
    element("newest").textContent = `tick ${number(client?.world.tick ?? 0)}: ${number(changes.moved.length)} moves`;
}

const reasons: Record<LeaveReason, string> = {
    [LeaveReason.outOfRange]: "out of range", [LeaveReason.gone]: "gone", [LeaveReason.hidden]: "hidden",
    [LeaveReason.capped]: "others are nearer",
};

function addLine(kind: string, id: number | "", what: string, why: string): void {
    const line = document.createElement("li");
    line.className = kind;
    const tick = document.createElement("span");
    const word = document.createElement("b");
    const who = document.createElement("span");
    const rest = document.createElement("span");
    tick.textContent = number(client?.world.tick ?? 0);
    word.textContent = what;
    who.textContent = String(id);
    rest.textContent = why;
    line.append(tick, word, who, rest);
    const feed = element("feed");
    feed.prepend(line);
    while (feed.childElementCount > feedLinesMax) {
        feed.lastElementChild?.remove();
    }
}

// Steering

const directions: Record<string, [number, number]> = {
    arrowleft: [-1, 0], arrowright: [1, 0], arrowup: [0, 1], arrowdown: [0, -1], a: [-1, 0], d: [1, 0], w: [0, 1], s: [0, -1],
};

/** Where to, in parts of the walking speed. */
function wish(): { x: number; y: number } {
    if (finger !== undefined) {
        const [dx, dy] = [finger.x - canvas.clientWidth / 2, canvas.clientHeight / 2 - finger.y];
        const far = Math.hypot(dx, dy);
        const speed = far < 12 ? 0 : far < 140 ? 1 : runMmPerS / walkMmPerS;
        return far === 0 ? { x: 0, y: 0 } : { x: (dx / far) * speed, y: (dy / far) * speed };
    }
    let [x, y] = [0, 0];
    for (const key of held) {
        x += directions[key]?.[0] ?? 0;
        y += directions[key]?.[1] ?? 0;
    }
    const length = Math.hypot(x, y) || 1;
    const speed = held.has("shift") ? runMmPerS / walkMmPerS : 1;
    return { x: (x / length) * speed, y: (y / length) * speed };
}

function advance(nowMs: number): void {
    const seconds = Math.min((nowMs - steppedMs) / 1_000, 0.2);
    steppedMs = nowMs;
    const to = wish();
    if (client === undefined || (to.x === 0 && to.y === 0)) {
        return;
    }
    const { worldMin, worldMax } = client.welcome;
    const inside = (value: number, min: number, max: number): number => Math.min(Math.max(value, min), max);
    Object.assign(heading, to);
    own = {
        x: inside(own.x + to.x * walkMmPerS * seconds, worldMin.x, worldMax.x),
        y: inside(own.y + to.y * walkMmPerS * seconds, worldMin.y, worldMax.y),
        z: own.z,
    };
}

/** Once a tick: where the entity is now, if that is elsewhere. */
function step(): void {
    if (client === undefined) {
        return;
    }
    setTimeout(step, tickMs);
    advance(performance.now());
    const at = { x: Math.round(own.x), y: Math.round(own.y), z: own.z };
    if (at.x !== client.position.x || at.y !== client.position.y) {
        client.move(at);
    }
}

const switches: Record<string, string> = { b: "show-borders", i: "show-ids", t: "show-trails" };

addEventListener("keydown", (event) => {
    const key = event.key.toLowerCase();
    if (event.ctrlKey || event.metaKey || event.altKey) {
        return;
    }
    if (key in directions) {
        event.preventDefault();
    }
    if (key in directions || key === "shift") {
        held.add(key);
    } else if (key === "+" || key === "=") {
        zoomBy(1.25);
    } else if (key === "-") {
        zoomBy(0.8);
    } else if (switches[key] !== undefined && !event.repeat) {
        element(switches[key] as string).click();
    }
});
addEventListener("keyup", (event) => held.delete(event.key.toLowerCase()));
addEventListener("blur", () => held.clear());

const point = (event: PointerEvent): void => {
    const box = canvas.getBoundingClientRect();
    finger = { x: event.clientX - box.left, y: event.clientY - box.top };
};
canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    point(event);
});
canvas.addEventListener("pointermove", (event) => finger && point(event));
for (const name of ["pointerup", "pointercancel"]) {
    canvas.addEventListener(name, () => {
        finger = undefined;
    });
}
canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoomBy(Math.exp(-event.deltaY * 0.0016));
}, { passive: false });

function zoomBy(factor: number): void {
    zoom = Math.min(Math.max(zoom * factor, 0.25), 8);
}
element("zoom-in").addEventListener("click", () => zoomBy(1.25));
element("zoom-out").addEventListener("click", () => zoomBy(0.8));
element("again").addEventListener("click", () => void join());

// Drawing

function frame(nowMs: number): void {
    requestAnimationFrame(frame); // first: a fault in one frame ends no other
    const ratio = devicePixelRatio || 1;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
        canvas.width = Math.round(width * ratio);
        canvas.height = Math.round(height * ratio);
    }
    const context = canvas.getContext("2d") as CanvasRenderingContext2D;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    if (client !== undefined && element("state").dataset.state === "live") {
        advance(performance.now());
        drawWorld(context, width, height, nowMs);
    }
}

function drawWorld(context: CanvasRenderingContext2D, width: number, height: number, nowMs: number): void {
    const style = getComputedStyle(document.documentElement);
    const color = (name: string): string => style.getPropertyValue(name).trim();
    const { welcome, world, drawing } = client as Client;
    const { view } = welcome;
    const reachMm = Math.max(view.leaveRadiusMm, view.leaveHalfYMm, 5_000);
    const pxPerMm = (Math.min(width, height) / 2 / (reachMm * 1.12)) * zoom;
    // Others as they were two frames ago, so that each is on its way to a newer place.
    const drawn = [...world].map((seen) => ({ seen, at: drawing.position(seen.id, nowMs) ?? seen.position }));
    const place = ({ x, y }: { x: number; y: number }): [number, number] =>
        [width / 2 + (x - own.x) * pxPerMm, height / 2 - (y - own.y) * pxPerMm];
    const box = (minX: number, minY: number, maxX: number, maxY: number): [number, number, number, number] => {
        const [left, top] = place({ x: minX, y: maxY });
        return [left, top, (maxX - minX) * pxPerMm, (maxY - minY) * pxPerMm];
    };
    const land = box(welcome.worldMin.x, welcome.worldMin.y, welcome.worldMax.x, welcome.worldMax.y);
    context.fillStyle = color("--land");
    context.fillRect(...land);
    drawGrid(context, land, color("--line"), pxPerMm, width, height);
    if (isOn("show-borders")) {
        drawShards(context, box, color);
    }
    drawView(context, view, pxPerMm, width, height, color);
    if (isOn("show-borders")) {
        nameShards(context, box, color, width, height);
    }
    if (isOn("show-trails")) {
        context.strokeStyle = color("--sight");
        context.globalAlpha = 0.55;
        context.lineWidth = 2;
        context.beginPath();
        for (const { seen, at: newest } of drawn) {
            context.moveTo(...place(newest));
            // What is drawn is a little old: where it has not come yet is no part of its trail.
            const passed = trails.get(seen.id)?.filter(({ receivedMs }) => receivedMs <= nowMs - drawing.delayMs) ?? [];
            passed.reverse().forEach(({ at }) => context.lineTo(...place(at)));
        }
        context.stroke();
        context.globalAlpha = 1;
    }
    rings = rings.filter(({ atMs }) => nowMs - atMs < ringMs);
    for (const { position, isEnter, atMs } of rings) {
        const age = Math.max(nowMs - atMs, 0) / ringMs;
        context.globalAlpha = 1 - age;
        context.strokeStyle = color(isEnter ? "--good" : "--bad");
        context.lineWidth = 2.5;
        circle(context, place(position), isEnter ? 18 - 10 * age : 5 + 13 * age);
        context.stroke();
    }
    context.globalAlpha = 1;
    context.font = "12px system-ui, sans-serif";
    context.textBaseline = "middle";
    for (const { seen, at: newest } of drawn) {
        const at = place(newest);
        const isOfPage = seen.kind === pageKind;
        context.fillStyle = color(isOfPage ? "--second" : "--accent");
        circle(context, at, isOfPage ? 8 : 5.5);
        context.fill();
        if (isOfPage || isOn("show-ids")) {
            context.fillStyle = color("--ink");
            context.fillText(isOfPage ? `player ${seen.id}` : String(seen.id), at[0] + 11, at[1]);
        }
    }
    drawSelf(context, width / 2, height / 2, color);
    canvas.dataset.drawn = String(drawn.length);
    canvas.dataset.own = String(welcome.entity);
}

function circle(context: CanvasRenderingContext2D, [x, y]: [number, number], radius: number): void {
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
}

/** Lines every 10 m, or further apart where they would be too close: so one sees that one moves. */
function drawGrid(context: CanvasRenderingContext2D, land: number[], line: string, pxPerMm: number, width: number,
                  height: number): void {
    const [left, top, wide, high] = land as [number, number, number, number];
    let stepMm = 10_000;
    while (stepMm * pxPerMm < 24) {
        stepMm *= 5;
    }
    const stepPx = stepMm * pxPerMm;
    context.strokeStyle = line;
    context.lineWidth = 1;
    context.beginPath();
    for (let x = left + Math.ceil(Math.max(-left, 0) / stepPx) * stepPx; x <= Math.min(left + wide, width); x += stepPx) {
        context.moveTo(x, Math.max(top, 0));
        context.lineTo(x, Math.min(top + high, height));
    }
    for (let y = top + Math.ceil(Math.max(-top, 0) / stepPx) * stepPx; y <= Math.min(top + high, height); y += stepPx) {
        context.moveTo(Math.max(left, 0), y);
        context.lineTo(Math.min(left + wide, width), y);
    }
    context.stroke();
    context.strokeRect(left, top, wide, high);
}

function drawShards(context: CanvasRenderingContext2D, box: (...area: [number, number, number, number]) => [number, number, number, number],
                    color: (name: string) => string): void {
    const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
    (zone?.shards ?? []).forEach((shard) => {
        const hue = (232 + shard.id * 137.508) % 360; // as on the map
        const area = box(shard.min_x_m * 1_000, shard.min_y_m * 1_000, shard.max_x_m * 1_000, shard.max_y_m * 1_000);
        context.fillStyle = `oklch(${isDark ? 0.76 : 0.56} ${isDark ? 0.115 : 0.145} ${hue} / 0.16)`;
        context.fillRect(...area);
        context.strokeStyle = color("--border");
        context.lineWidth = 1.5;
        context.strokeRect(...area);
    });
}

/** Above the veil over what is not known: half of a name would be lost in it. */
function nameShards(context: CanvasRenderingContext2D, box: (...area: [number, number, number, number]) => [number, number, number, number],
                    color: (name: string) => string, width: number, height: number): void {
    context.font = "600 12px system-ui, sans-serif";
    context.textBaseline = "middle";
    context.fillStyle = color("--ink");
    for (const shard of zone?.shards ?? []) {
        const [left, top, wide, high] = box(shard.min_x_m * 1_000, shard.min_y_m * 1_000, shard.max_x_m * 1_000, shard.max_y_m * 1_000);
        const [x, y] = [Math.max(left, 0) + 12, Math.max(top, 0) + 16];
        if (x < Math.min(left + wide, width) - 40 && y < Math.min(top + high, height) - 10) {
            context.fillText(shard.name, x, y);
        }
    }
}

/** Whoever comes within the line is entered, whoever goes beyond the dashes is left; what lies beyond is not known. */
function drawView(context: CanvasRenderingContext2D, view: Client["welcome"]["view"], pxPerMm: number, width: number,
                  height: number, color: (name: string) => string): void {
    const shape = (halfX: number, halfY: number): Path2D => {
        const path = new Path2D();
        if (view.shape === Shape.rectangle) {
            path.rect(width / 2 - halfX * pxPerMm, height / 2 - halfY * pxPerMm, 2 * halfX * pxPerMm, 2 * halfY * pxPerMm);
        } else {
            path.arc(width / 2, height / 2, halfX * pxPerMm, 0, 2 * Math.PI);
        }
        return path;
    };
    const left = shape(view.leaveRadiusMm, view.leaveHalfYMm);
    const beyond = new Path2D(left);
    beyond.rect(0, 0, width, height);
    context.fillStyle = color("--ground");
    context.globalAlpha = 0.62;
    context.fill(beyond, "evenodd");
    context.globalAlpha = 1;
    context.strokeStyle = color("--accent");
    context.lineWidth = 1.5;
    context.stroke(shape(view.radiusMm, view.halfYMm));
    context.setLineDash([5, 6]);
    context.stroke(left);
    context.setLineDash([]);
}

function drawSelf(context: CanvasRenderingContext2D, x: number, y: number, color: (name: string) => string): void {
    const angle = Math.atan2(-heading.y, heading.x);
    context.save();
    context.translate(x, y);
    context.rotate(angle);
    context.beginPath();
    context.moveTo(13, 0);
    context.lineTo(-9, 8.5);
    context.lineTo(-4.5, 0);
    context.lineTo(-9, -8.5);
    context.closePath();
    context.fillStyle = color("--second");
    context.strokeStyle = color("--land");
    context.lineWidth = 2.5;
    context.stroke();
    context.fill();
    context.restore();
}

// Numbers

function showFacts(): void {
    if (client === undefined || canvas.dataset.own === undefined) {
        return;
    }
    const { welcome } = client;
    const metres = (mm: number): string => number(Math.round(mm / 100) / 10 + 0, 1); // and no -0
    const facts: [string, string][] = [
        ["Entity", String(welcome.entity)],
        ["Position", `${metres(own.x)}, ${metres(own.y)} m`],
        ["Enter at, leave beyond", `${metres(welcome.view.radiusMm)} m, ${metres(welcome.view.leaveRadiusMm)} m`],
        ["Round trip", roundTrip],
        ...(isOn("show-borders") ? [["Owned by shard", owner], ["Ghosts in", ghosts]] as [string, string][] : []),
    ];
    element("facts").replaceChildren(...facts.flatMap(([name, value]) => {
        const [dt, dd] = [document.createElement("dt"), document.createElement("dd")];
        dt.textContent = name;
        dd.textContent = value;
        return [dt, dd];
    }));
}

/** Where the shards are, and which has the entity: of no use to a player, so the admin port says it, not the protocol. */
async function askAboutShards(): Promise<void> {
    zone = await readZone();
    const answer = await fetch(`/entity/${client?.welcome.entity}`);
    if (answer.ok) {
        const { shard, ghost_in: ghostIn } = await answer.json() as { shard: string; ghost_in: string[] };
        owner = shard;
        ghosts = ghostIn.join(", ") || "no other shard";
    }
}

setInterval(() => {
    element("seen").textContent = number(trails.size);
    for (const name of ["enters", "moves", "leaves"] as const) {
        element(name).textContent = `${number(counted[name])}/s`;
        counted[name] = 0;
    }
    void client?.ping().then((ms) => {
        roundTrip = ms === undefined ? "–" : `${number(ms, 1)} ms`;
    });
    if (isOn("show-borders") && client !== undefined && canvas.dataset.own !== undefined) {
        askAboutShards().catch(() => {
            owner = "the server does not answer";
        });
    }
}, askMs);
setInterval(showFacts, 200);
addEventListener("pagehide", () => void client?.leave());
requestAnimationFrame(frame);
void join();
