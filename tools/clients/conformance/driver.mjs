// The TypeScript library's driver for the conformance suite: node driver.mjs PACKAGE/dist URL. `run --help` says what it reads
// and answers.
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const folder = pathToFileURL(`${process.argv[2]}/`);
const { Client, Service, webSocket } = await import(new URL("index.js", folder));
const { nodeSocket } = await import(new URL("node_socket.js", folder));

const url = new URL(process.argv[3]);
if (url.protocol === "ws:" && globalThis.WebSocket === undefined) {
    // Before Node 22 that of Debian's node-undici (NODE_PATH), whose 5.15 writes frames of 126 bytes and more wrongly: it is given
    // short ones.
    const { WebSocket } = createRequire(import.meta.url)("undici");
    globalThis.WebSocket = class extends WebSocket {
        send(bytes) {
            for (let at = 0; at < bytes.length; at += 125) {
                super.send(bytes.slice(at, at + 125));
            }
        }
    };
}
const open = (command) => {
    const { protocol, href, hostname, port } = command.url === undefined ? url : new URL(command.url);
    return protocol === "ws:" ? webSocket(href) : nodeSocket(hostname, Number(port));
};

const hex = (bytes) => Buffer.from(bytes).toString("hex");
const bytes = (text) => Uint8Array.from(Buffer.from(text, "hex"));
const place = ([x, y, z]) => ({ x, y, z });
const list = ({ x, y, z }) => [x, y, z];
const camel = (name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());

/** Slots by name; bytes are hex here. */
const stateOf = (values) => Object.fromEntries(Object.entries(values)
    .map(([name, value]) => [name, typeof value === "string" ? bytes(value) : value]));
const plainState = (state) => Object.fromEntries(Object.entries(state)
    .map(([name, value]) => [name, typeof value === "number" ? value : hex(value)]));

/** As JSON says them, as the library takes them. */
function fieldsOf({ state, ...fields }) {
    return { ...plainFields(fields), ...(state === undefined ? {} : { state: stateOf(state) }) };
}

function plainFields(value) {
    if (Array.isArray(value)) {
        return place(value);
    }
    if (typeof value === "object") {
        return Object.fromEntries(Object.entries(value).map(([key, item]) => [camel(key), plainFields(item)]));
    }
    return value;
}

const seenOf = (world) => Object.fromEntries([...world]
    .map(({ id, kind, position, state }) => [id, { kind, position: list(position), state: plainState(state) }]));

/** What a player's and a service's sessions have in common here: the log, and the end. */
class One {
    constructor(session) {
        this.session = session;
        this.log = [];
        session.onLost = () => this.log.push(["lost"]);
        session.onResumed = () => this.log.push(["resumed"]);
        session.onTransferred = () => this.log.push(["transferred"]);
        session.onClosed = (why) => {
            this.isOver = true;
            this.log.push(["closed", why?.code ?? 0]);
        };
    }

    cut() { this.session.cut(); }
    leave() { return this.session.leave(); }
    async safe({ seconds }) { return { is_safe: await this.session.waitUntilSafe(1000 * seconds) }; }
}

class Player extends One {
    constructor(command) {
        const { resumption: known } = command;
        const resumption = known && { ...known, resumeToken: bytes(known.resumeToken) };
        super(new Client(open(command), { ...fieldsOf(command.hello), resumption }));
        const { session, log } = this;
        session.onEnter = ({ id }) => log.push(["enter", id]);
        session.onMove = ({ id }) => log.push(["move", id]);
        session.onLeave = ({ id }, reason) => log.push(["leave", id, reason ?? 0]);
        session.onService = (kind, payload, source) => log.push(["message", kind, hex(payload), source]);
        session.onCorrection = ({ position }) => log.push(["correction", list(position)]);
        session.onFrame = (changes, { isKeyframe }) => { if (isKeyframe) { log.push(["keyframe"]); } };
    }

    async begin() {
        const { entity, spawn, tickRateHz, dimensions, resumed } = await this.session.connect();
        return { entity, spawn: list(spawn), tick_rate_hz: tickRateHz, dimensions, resumed };
    }

    move({ to, facing }) { this.session.move(place(to), facing); }
    set_state({ state }) { this.session.setState(stateOf(state)); }
    view({ view }) { this.session.setView(fieldsOf(view)); }
    say({ kind, payload }) { this.session.sendMessage(kind, bytes(payload)); }
    keyframe() { this.session.requestKeyframe(); }

    look() {
        const { welcome, world, position } = this.session;
        return {
            entity: welcome.entity, tick: world.tick, position: list(position), seen: seenOf(world),
            own_state: plainState(world.ownState), log: this.log,
        };
    }
}

class Game extends One {
    constructor(command) {
        super(new Service(open(command), command.name, { admits: command.admits !== undefined }));
        this.owned = {};
        this.placed = {};
        const { session, log } = this;
        session.onAsk = ({ request, kind, spawn }) => {
            log.push(["asks", kind, list(spawn), request]);
            const { refusal, ...given } = command.admits;
            if (refusal === undefined) {
                session.admit(request, fieldsOf(given));
            } else {
                session.refuse(request, refusal);
            }
        };
        this.asked = {};
        session.onMove = ({ entity }, { seq, position }) => {
            this.asked[entity] = seq;
            log.push(["wish", entity, list(position)]);
        };
        session.onPositions = ({ players }) => {
            this.placed = Object.fromEntries([...players].map(([id, position]) => [id, list(position)]));
        };
        session.onJoin = ({ entity, carried, request }) => {
            log.push(["join", entity, request]);
            if (carried.length > 0) {
                log.push(["carries", entity, hex(carried)]);
            }
        };
        session.onAway = ({ entity }) => log.push(["away", entity]);
        session.onBack = ({ entity }) => log.push(["back", entity]);
        session.onLeave = ({ entity }, reason) => log.push(["left", entity, reason]);
        session.onPlayer = ({ entity }, { kind, payload, position }) =>
            log.push(["message", entity, kind, hex(payload), list(position)]);
        session.onRefused = ({ command, reason }) => log.push(["refused", command, reason]);
    }

    async begin() { return { resumed: (await this.session.connect()).resumed }; }

    look() {
        const owned = Object.entries(this.owned);
        return {
            log: this.log,
            placed: this.placed,
            players: Object.fromEntries([...this.session.players].map(([id, { kind }]) => [id, { kind }])),
            owned: Object.fromEntries(owned.map(([name, { id }]) => [name, id ?? null])),
            watching: Object.fromEntries(owned.filter(([, { world }]) => world !== undefined)
                .map(([name, { world }]) => [name, seenOf(world)])),
        };
    }

    spawn({ name, position, fields }) { this.owned[name] = this.session.spawn({ position: place(position), ...fieldsOf(fields) }); }
    steer({ name, to }) { this.owned[name].move(place(to)); }
    despawn({ name }) { this.owned[name].despawn(); }
    subscribe({ kinds }) { this.session.subscribe(...kinds); }
    positions({ within }) { this.session.subscribePositions(within && fieldsOf(within)); }
    tell({ kind, payload, to, viewers_of: toViewersOf, within, layers }) {
        const audience = Object.fromEntries(Object.entries({ toViewersOf, within: within && fieldsOf(within), layers })
            .filter(([, value]) => value !== undefined));
        this.session.say(kind, bytes(payload), to ?? (Object.keys(audience).length > 0 ? audience : undefined));
    }
    send_to_zone({ entity, address, carried }) { this.session.sendToZone(entity, address, "", bytes(carried)); }
    moves() { this.session.subscribeMoves(); }
    answer({ entity, to }) { this.session.change({ entity, position: place(to), moveAck: this.asked[entity] }); }
    change_player({ entity, fields }) { this.session.change({ entity, ...fieldsOf(fields) }); }
    remove_player({ entity }) { this.session.removePlayer(entity); }
}

const sessions = new Map();

async function answer(command) {
    if (command.do === "reset") {
        await Promise.all([...sessions.values()].filter(({ isOver }) => !isOver).map((one) => one.leave()));
        sessions.clear();
        return {};
    }
    if (command.do === "player" || command.do === "service") {
        const one = command.do === "player" ? new Player(command) : new Game(command);
        const answered = await one.begin();
        sessions.set(command.as, one);
        return answered;
    }
    const one = sessions.get(command.as);
    if (command.do === "forget") {
        sessions.delete(command.as);
        const { resumption } = one.session;
        return { resumption: { ...resumption, resumeToken: hex(resumption.resumeToken) } };
    }
    const answered = await one[command.do](command);
    one.session.flush?.();
    return answered ?? {};
}

for await (const line of createInterface({ input: process.stdin })) {
    let said;
    try {
        said = { ok: await answer(JSON.parse(line)) };
    } catch (error) {
        if (error.name !== "ServerError") {
            console.error(error);
        }
        said = { error: error.code ?? 0 };
    }
    console.log(JSON.stringify(said));
}
process.exit(0);
