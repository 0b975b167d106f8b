// The game's client: a token from the login server, a session with the zone, and a canvas.
import { Client, webSocket } from "/marchland/index.js";

const [SHEPHERD, SHEEP, WOLF, DOOR, KEY] = [1, 2, 3, 4, 5];
const [SAY, OPEN, HEARD, BAG] = [1, 2, 10, 11];
const speed = 7000;  // mm a second; the zone allows 9000
const fold = 10000;  // half of it
const halfWorld = 79000;

const $ = (id) => document.getElementById(id);
const canvas = $("meadow");
const paint = canvas.getContext("2d");
const said = (what) => new TextEncoder().encode(what);
const read = (bytes) => bytes.length === 0 ? {} : JSON.parse(new TextDecoder().decode(bytes));

let client;
let own = { x: 0, y: 0 };  // where I am, as I walk; the zone is sent it ten times a second
let score = 0;
const held = new Set();
let finger;

$("join").addEventListener("submit", () => join($("name").value).catch((why) => {
    addLine(`You cannot come in: ${why.message}`);
    $("begin").show();
}));

/**
 * Who this tab is, also after a lost line and when it is loaded again: a second tab is a second shepherd. But a tab that is duplicated
 * has a copy of sessionStorage: it is the same shepherd, and takes it over. Not by crypto.randomUUID(), which pages have only with https or on
 * this machine.
 */
function ownId() {
    return sessionStorage.id ??= Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function join(name) {
    let port;
    const token = async () => {
        const answer = await (await fetch("/login", { method: "POST", body: JSON.stringify({ name, id: ownId() }) })).json();
        port = answer.port;
        return answer.token;
    };
    await token();  // the port is needed before the first connection
    client = new Client(webSocket(`ws://${location.hostname}:${port}/`), { token });
    client.onService = onService;
    client.onCorrection = ({ position }) => { own = { ...position }; };
    client.onLost = () => addLine("The line is lost …");
    client.onResumed = () => addLine("… and back.");
    const welcome = await client.connect();
    client.onClosed = (why) => addLine(why === undefined ? "Goodbye." : `The game is over: ${why.message}`);
    own = { ...client.position };
    setInterval(say, 1000 / Math.min(welcome.tickRateHz, 10));
    requestAnimationFrame(draw);
    canvas.focus();
}

function say() {
    const { x, y } = client.position;
    if (Math.round(own.x) !== x || Math.round(own.y) !== y) {
        client.move({ x: Math.round(own.x), y: Math.round(own.y), z: 0 });
    }
}

function onService(kind, payload) {
    const { from, text, key, score: mine } = read(payload);
    if (kind === BAG) {
        score = mine;
        $("score").value = mine;
        $("bag").value = key ? "a key" : "no key";
        $("bag").classList.toggle("key", key);
    } else {
        addLine(kind === HEARD ? `${from}: ${text}` : text);
    }
}

function addLine(text) {
    const line = document.createElement("li");
    line.textContent = text;
    $("log").append(line);
    while ($("log").children.length > 6) {
        $("log").firstChild.remove();
    }
    setTimeout(() => line.remove(), 12000);
}

// ---- walking

const ways = {
    ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1], a: [-1, 0], d: [1, 0], w: [0, 1], s: [0, -1],
};
addEventListener("keydown", (event) => {
    if (event.target instanceof HTMLInputElement) {
        return;
    }
    if (event.key in ways) {
        held.add(event.key);
        event.preventDefault();
    } else if (event.key === "e") {
        open();
    } else if (event.key === "Enter") {
        $("text").focus();
        event.preventDefault();
    }
});
addEventListener("keyup", ({ key }) => held.delete(key));
addEventListener("blur", () => held.clear());
canvas.addEventListener("pointerdown", (event) => { finger = event; canvas.setPointerCapture(event.pointerId); });
canvas.addEventListener("pointermove", (event) => { finger = finger && event; });
canvas.addEventListener("pointerup", () => { finger = undefined; });
canvas.addEventListener("pointercancel", () => { finger = undefined; });
$("open").addEventListener("click", () => { open(); canvas.focus(); });
$("talk").addEventListener("submit", (event) => {
    event.preventDefault();
    if ($("text").value !== "") {
        client.sendMessage(SAY, said($("text").value));
    }
    $("text").value = "";
    canvas.focus();
});

const open = () => client.sendMessage(OPEN);

function walk(ms) {
    let [x, y] = [0, 0];
    for (const key of held) {
        x += ways[key][0];
        y += ways[key][1];
    }
    if (finger !== undefined) {
        x = finger.clientX - innerWidth / 2;
        y = innerHeight / 2 - finger.clientY;
    }
    const length = Math.hypot(x, y);
    if (length > 0) {
        const clamp = (value) => Math.max(-halfWorld, Math.min(halfWorld, value));
        own.x = clamp(own.x + x / length * speed * ms / 1000);
        own.y = clamp(own.y + y / length * speed * ms / 1000);
    }
}

// ---- drawing

let drawnMs;
let color;
let labelMm;  // 14 pixels

function draw(nowMs) {
    walk(Math.min(100, nowMs - (drawnMs ?? nowMs)));
    drawnMs = nowMs;
    const [width, height, ratio] = [innerWidth, innerHeight, devicePixelRatio];
    if (canvas.width !== width * ratio || canvas.height !== height * ratio) {
        [canvas.width, canvas.height] = [width * ratio, height * ratio];
    }
    const styles = getComputedStyle(document.documentElement);
    color = (name) => styles.getPropertyValue(`--${name}`);
    const scale = ratio * Math.max(width, height) / 62000;  // pixels a mm: the view of 30 m fills the longer side
    labelMm = 14 * ratio / scale;
    paint.setTransform(1, 0, 0, 1, 0, 0);
    paint.fillStyle = color("ground");
    paint.fillRect(0, 0, canvas.width, canvas.height);
    paint.setTransform(scale, 0, 0, -scale, canvas.width / 2 - own.x * scale, canvas.height / 2 + own.y * scale);
    drawGround();
    const shepherds = [];
    const sheep = [];
    for (const entity of client.world) {
        const at = client.drawing.position(entity.id, nowMs) ?? entity.position;
        const state = { ...entity.state, name: new TextDecoder().decode(entity.state.name) };
        drawOne(entity.kind, at, state);
        if (entity.kind === SHEEP) {
            sheep.push([Math.round(at.x), Math.round(at.y)]);
        }
        if (entity.kind === SHEPHERD && state.score > 0) {
            shepherds.push(state);
        }
    }
    drawOne(SHEPHERD, own, { name: "", score }, "me");
    showScores(shepherds);
    $("place").value = `${Math.round(own.x / 1000)}, ${Math.round(own.y / 1000)}`;
    Object.assign(canvas.dataset, {
        own: client.welcome.entity, score, seen: [...client.world.seen.keys()].join(), sheep: JSON.stringify(sheep), x: Math.round(own.x), y: Math.round(own.y),
    });
    requestAnimationFrame(draw);
}

function drawGround() {
    paint.strokeStyle = color("grid");
    paint.lineWidth = 120;
    paint.beginPath();
    for (let at = -80000; at <= 80000; at += 10000) {
        paint.moveTo(at, -80000);
        paint.lineTo(at, 80000);
        paint.moveTo(-80000, at);
        paint.lineTo(80000, at);
    }
    paint.stroke();
    paint.strokeStyle = color("fold");
    paint.lineWidth = 400;
    paint.strokeRect(-80000, -80000, 160000, 160000);
    paint.globalAlpha = 0.25;
    paint.fillStyle = color("fold");
    paint.fillRect(-fold, -fold, 2 * fold, 2 * fold);
    paint.globalAlpha = 1;
    paint.setLineDash([1500, 900]);
    paint.strokeRect(-fold, -fold, 2 * fold, 2 * fold);
    paint.setLineDash([]);
}

function circle({ x, y }, radius, fill, edge) {
    paint.beginPath();
    paint.arc(x, y, radius, 0, 2 * Math.PI);
    paint.fillStyle = fill;
    paint.fill();
    if (edge !== undefined) {
        paint.strokeStyle = edge;
        paint.lineWidth = 150;
        paint.stroke();
    }
}

function text({ x, y }, what) {
    paint.save();
    paint.translate(x, y);
    paint.scale(1, -1);
    paint.font = `${labelMm}px system-ui`;
    paint.textAlign = "center";
    paint.fillStyle = color("text");
    paint.fillText(what, 0, 0);
    paint.restore();
}

function drawOne(kind, at, state, style = "shepherd") {
    switch (kind) {
        case SHEEP:
            circle(at, 550, color("sheep"), color("sheep-edge"));
            circle({ x: at.x + 420, y: at.y + 200 }, 220, color("sheep-edge"));
            break;
        case WOLF:
            circle(at, 650, color("wolf"));
            circle({ x: at.x + 450, y: at.y + 350 }, 260, color("wolf"));
            text({ x: at.x, y: at.y + 1000 }, "wolf");
            break;
        case DOOR:
            paint.fillStyle = color("door");
            paint.fillRect(at.x - (state.open ? 1800 : 1500), at.y - 250, state.open ? 500 : 3000, 500);
            text({ x: at.x, y: at.y - 1500 }, state.open ? "open" : "door");
            break;
        case KEY:
            circle(at, 400, color("key"), color("text"));
            text({ x: at.x, y: at.y + 700 }, "key");
            break;
        default:
            circle(at, 700, color(style));
            text({ x: at.x, y: at.y + 1000 }, state.score > 0 ? `${state.name} ${state.score}` : state.name);
    }
}

function showScores(shepherds) {
    shepherds.sort((a, b) => b.score - a.score);
    const lines = shepherds.slice(0, 6).map(({ name, score: points }) => `${name} ${points}`);
    if ($("scores").dataset.lines !== lines.join()) {
        $("scores").dataset.lines = lines.join();
        $("scores").replaceChildren(...lines.map((line) => Object.assign(document.createElement("li"), { textContent: line })));
    }
}
