"use strict";
var __createBinding = (this && this.__createBinding) || (Object.create ? (function(o, m, k, k2) {
    if (k2 === undefined) k2 = k;
    var desc = Object.getOwnPropertyDescriptor(m, k);
    if (!desc || ("get" in desc ? !m.__esModule : desc.writable || desc.configurable)) {
      desc = { enumerable: true, get: function() { return m[k]; } };
    }
    Object.defineProperty(o, k2, desc);
}) : (function(o, m, k, k2) {
    if (k2 === undefined) k2 = k;
    o[k2] = m[k];
}));
var __exportStar = (this && this.__exportStar) || function(m, exports) {
    for (var p in m) if (p !== "default" && !Object.prototype.hasOwnProperty.call(exports, p)) __createBinding(exports, m, p);
};
// Before the modules that tsc puts behind it into play.js, each behind those that it needs.
const modules = {};
function define(name, needs, make) {
    const exports = (modules[name] = {});
    make(...needs.map((need) => (need === "exports" ? exports : modules[need])));
}
define("clients/js/src/messages", ["require", "exports"], function (require, exports) {
    "use strict";
    Object.defineProperty(exports, "__esModule", { value: true });
    exports.PlayerLeftReason = exports.LeaveReason = exports.SlotAudience = exports.SlotWriter = exports.SlotType = exports.Authority = exports.Shape = exports.protocolMinor = exports.protocolMajor = void 0;
    /**
     * The protocol's messages as plain objects. docs/wire_format.md says what each field means and when a
     * message is legal; names are the same, in camelCase.
     *
     * Units    Positions and lengths are millimetres, angles 65,536ths of a turn: integers all of them.
     * Ids      Entities, ticks and server times are numbers: a u64 is read exactly up to 2^53, and beyond
     *          it is an error, never another number. Nonces are bigints.
     */
    exports.protocolMajor = 3;
    exports.protocolMinor = 1;
    var Shape;
    (function (Shape) {
        Shape[Shape["none"] = 0] = "none";
        Shape[Shape["circle"] = 1] = "circle";
        Shape[Shape["rectangle"] = 2] = "rectangle";
        Shape[Shape["sector"] = 3] = "sector";
        Shape[Shape["cylinder"] = 4] = "cylinder";
    })(Shape = exports.Shape || (exports.Shape = {}));
    /** Who says where a player's entity is; zone: as its configuration says. */
    var Authority;
    (function (Authority) {
        Authority[Authority["unchanged"] = 0] = "unchanged";
        Authority[Authority["zone"] = 1] = "zone";
        Authority[Authority["client"] = 2] = "client";
        Authority[Authority["service"] = 3] = "service";
    })(Authority = exports.Authority || (exports.Authority = {}));
    var SlotType;
    (function (SlotType) {
        SlotType[SlotType["integer"] = 0] = "integer";
        SlotType[SlotType["float"] = 1] = "float";
        SlotType[SlotType["bytes"] = 2] = "bytes";
    })(SlotType = exports.SlotType || (exports.SlotType = {}));
    var SlotWriter;
    (function (SlotWriter) {
        SlotWriter[SlotWriter["service"] = 0] = "service";
        SlotWriter[SlotWriter["player"] = 1] = "player";
        SlotWriter[SlotWriter["facing"] = 2] = "facing";
    })(SlotWriter = exports.SlotWriter || (exports.SlotWriter = {}));
    var SlotAudience;
    (function (SlotAudience) {
        SlotAudience[SlotAudience["all"] = 0] = "all";
        SlotAudience[SlotAudience["own"] = 1] = "own";
        SlotAudience[SlotAudience["near"] = 2] = "near";
        SlotAudience[SlotAudience["layer"] = 3] = "layer";
    })(SlotAudience = exports.SlotAudience || (exports.SlotAudience = {}));
    var LeaveReason;
    (function (LeaveReason) {
        LeaveReason[LeaveReason["gone"] = 1] = "gone";
        LeaveReason[LeaveReason["outOfRange"] = 2] = "outOfRange";
        LeaveReason[LeaveReason["hidden"] = 3] = "hidden";
        LeaveReason[LeaveReason["capped"] = 4] = "capped";
    })(LeaveReason = exports.LeaveReason || (exports.LeaveReason = {}));
    /** `whileAway` is none of the server's: it was gone when the service resumed. */
    var PlayerLeftReason;
    (function (PlayerLeftReason) {
        PlayerLeftReason[PlayerLeftReason["left"] = 1] = "left";
        PlayerLeftReason[PlayerLeftReason["lost"] = 2] = "lost";
        PlayerLeftReason[PlayerLeftReason["removed"] = 3] = "removed";
        PlayerLeftReason[PlayerLeftReason["tooSlow"] = 4] = "tooSlow";
        PlayerLeftReason[PlayerLeftReason["closed"] = 5] = "closed";
        PlayerLeftReason[PlayerLeftReason["transferred"] = 6] = "transferred";
        PlayerLeftReason[PlayerLeftReason["whileAway"] = 255] = "whileAway";
    })(PlayerLeftReason = exports.PlayerLeftReason || (exports.PlayerLeftReason = {}));
});
define("clients/js/src/protocol_error", ["require", "exports"], function (require, exports) {
    "use strict";
    Object.defineProperty(exports, "__esModule", { value: true });
    exports.ProtocolError = void 0;
    /** What came is no stream of this protocol: nothing behind it can be read. */
    class ProtocolError extends Error {
        constructor() {
            super(...arguments);
            this.name = "ProtocolError";
        }
    }
    exports.ProtocolError = ProtocolError;
});
define("clients/js/src/packed_moves", ["require", "exports", "clients/js/src/protocol_error"], function (require, exports, protocol_error_js_1) {
    "use strict";
    Object.defineProperty(exports, "__esModule", { value: true });
    exports.positionAfter = exports.afterTicks = exports.packMoves = exports.unpackMoves = exports.stepMaxMm = void 0;
    const differenceMax = 2 ** 32 - 1;
    exports.stepMaxMm = 32767;
    /** Calls `take` for each entity, with an object that is used again for the next. Throws ProtocolError. */
    function unpackMoves(packed, take) {
        const move = { entity: 0, isRelative: false, x: 0, y: 0, z: 0, velocity: { x: 0, y: 0, z: 0 } };
        let at = 0;
        const varint = () => {
            let value = 0;
            for (let scale = 1;; scale *= 128) {
                const byte = packed[at++];
                if (byte === undefined || (byte === 0 && scale > 1)) {
                    throw new protocol_error_js_1.ProtocolError("packed moves: a number is cut off, or longer than needed");
                }
                value += (byte & 0x7f) * scale;
                if (value > Number.MAX_SAFE_INTEGER) {
                    throw new protocol_error_js_1.ProtocolError("packed moves: a number of 2^53 or more");
                }
                if (byte < 0x80) {
                    return value;
                }
            }
        };
        const zigzag = () => {
            const value = varint();
            const number = value % 2 === 0 ? value / 2 : -(value + 1) / 2;
            if (Math.abs(number) > differenceMax) {
                throw new protocol_error_js_1.ProtocolError("packed moves: a way that is longer than the world");
            }
            return number;
        };
        const velocity = (zFollows) => {
            const step = { x: zigzag(), y: zigzag(), z: zFollows ? zigzag() : 0 };
            const fastest = Math.max(Math.abs(step.x), Math.abs(step.y), Math.abs(step.z));
            if (fastest === 0 || fastest > exports.stepMaxMm) {
                throw new protocol_error_js_1.ProtocolError("packed moves: a velocity that is none, or too fast");
            }
            return step;
        };
        for (let isFirst = true; at < packed.length; isFirst = false) {
            const head = varint();
            const flags = head % 8;
            const zFollows = flags % 4 >= 2;
            if (head < 8 && !isFirst) {
                throw new protocol_error_js_1.ProtocolError("packed moves: ids that do not ascend");
            }
            if (flags % 4 === 1) {
                throw new protocol_error_js_1.ProtocolError("packed moves: a position without its z");
            }
            move.entity += (head - flags) / 8;
            move.isRelative = flags % 2 === 0;
            move.x = zigzag();
            move.y = zigzag();
            move.z = zFollows ? zigzag() : 0;
            move.velocity = flags < 4 ? { x: 0, y: 0, z: 0 } : velocity(zFollows);
            take(move);
        }
    }
    exports.unpackMoves = unpackMoves;
    /** For a service's MoveMany, without velocities. Ids must ascend; absolute ones are always written with their z. */
    function packMoves(moves) {
        const out = [];
        const varint = (value) => {
            let rest = value;
            for (; rest >= 128; rest = Math.floor(rest / 128)) {
                out.push((rest % 128) + 128);
            }
            out.push(rest);
        };
        const zigzag = (value) => varint(value < 0 ? -2 * value - 1 : 2 * value);
        let previous = -1;
        for (const { entity, isRelative, x, y, z, velocity = { x: 0, y: 0, z: 0 } } of moves) {
            if (entity <= previous || ![entity, x, y, z].every(Number.isSafeInteger)) {
                throw new RangeError(`entity ${entity}: ids must ascend, and all numbers be integers`);
            }
            const zFollows = !isRelative || z !== 0 || velocity.z !== 0;
            const hasVelocity = velocity.x !== 0 || velocity.y !== 0 || velocity.z !== 0;
            varint((entity - Math.max(previous, 0)) * 8 + (hasVelocity ? 4 : 0) + (zFollows ? 2 : 0) + (isRelative ? 0 : 1));
            for (const way of hasVelocity ? [{ x, y, z }, velocity] : [{ x, y, z }]) {
                zigzag(way.x);
                zigzag(way.y);
                if (zFollows) {
                    zigzag(way.z);
                }
            }
            previous = entity;
        }
        return Uint8Array.from(out);
    }
    exports.packMoves = packMoves;
    /** So many ticks later, in millimetres, at a velocity of that many each. */
    function afterTicks(position, velocity, ticks) {
        const along = (from, each) => Math.max(-(2 ** 31), Math.min(2 ** 31 - 1, from + each * ticks));
        return {
            x: along(position.x, velocity.x), y: along(position.y, velocity.y), z: along(position.z, velocity.z),
        };
    }
    exports.afterTicks = afterTicks;
    /**
     * Where an entity is after a move, in millimetres; throws ProtocolError when that is no position. `shown`: where it
     * was shown by now.
     */
    function positionAfter(move, shown, quantumMm) {
        const from = move.isRelative ? shown : { x: 0, y: 0, z: 0 };
        const position = {
            x: from.x + move.x * quantumMm,
            y: from.y + move.y * quantumMm,
            z: from.z + move.z * quantumMm,
        };
        const isInt32 = (value) => value === (value | 0);
        if (!isInt32(position.x) || !isInt32(position.y) || !isInt32(position.z)) {
            throw new protocol_error_js_1.ProtocolError(`entity ${move.entity}: a position outside of any world`);
        }
        return position;
    }
    exports.positionAfter = positionAfter;
});
define("clients/js/src/packed_state", ["require", "exports", "clients/js/src/messages", "clients/js/src/protocol_error"], function (require, exports, messages_js_1, protocol_error_js_2) {
    "use strict";
    Object.defineProperty(exports, "__esModule", { value: true });
    exports.Slots = void 0;
    const slotsMax = 16;
    const integerMax = 2 ** 52 - 1; // of either sign
    class Reader {
        constructor(packed) {
            this.packed = packed;
            this.at = 0;
        }
        get isAtEnd() {
            return this.at >= this.packed.length;
        }
        varint() {
            let value = 0;
            for (let scale = 1;; scale *= 128) {
                const byte = this.packed[this.at++];
                if (byte === undefined || (byte === 0 && scale > 1)) {
                    throw new protocol_error_js_2.ProtocolError("packed state: a number is cut off, or longer than needed");
                }
                value += (byte & 0x7f) * scale;
                if (value > Number.MAX_SAFE_INTEGER) {
                    throw new protocol_error_js_2.ProtocolError("packed state: a number of 2^53 or more");
                }
                if (byte < 0x80) {
                    return value;
                }
            }
        }
        /** A copy: the frame's memory is not kept. (slice() of Node's Buffer would be no copy.) */
        take(count) {
            const from = this.at;
            this.at += count;
            if (this.at > this.packed.length) {
                throw new protocol_error_js_2.ProtocolError("packed state: cut off");
            }
            return new Uint8Array(this.packed.subarray(from, this.at));
        }
    }
    /** The slots of a zone, as a Welcome declares them. */
    class Slots {
        constructor(declared = []) {
            this.declared = declared;
            this.numbers = new Map();
            const first = {};
            declared.forEach(({ name, type }, number) => {
                this.numbers.set(name, number);
                first[name] = type === messages_js_1.SlotType.bytes ? new Uint8Array() : 0;
            });
            this.first = first;
        }
        /** `before`, with what is packed. */
        unpack(packed, before = this.first) {
            return packed.length === 0 ? before : this.unpackOne(new Reader(packed), before);
        }
        /** Calls `take` for each entity of a frame, with how its new state is made from the one before. */
        unpackMany(packed, take) {
            const reader = new Reader(packed);
            let entity = 0;
            for (let isFirst = true; !reader.isAtEnd; isFirst = false) {
                const step = reader.varint();
                if (step === 0 && !isFirst) {
                    throw new protocol_error_js_2.ProtocolError("packed states: ids that do not ascend");
                }
                entity += step;
                take(entity, (before) => this.unpackOne(reader, before));
            }
        }
        /** For a SetState, a SpawnOne or a ChangeOne. Throws RangeError for a value that is none of its slot. */
        pack(state) {
            const slots = Object.entries(state).map(([name, value]) => {
                const number = this.numberOf(name);
                const { type } = this.declared[number];
                check(name, type, value);
                return { number, type, value };
            });
            slots.sort((a, b) => a.number - b.number);
            const out = [slots.length];
            const varint = (value) => {
                for (; value >= 128; value = Math.floor(value / 128)) {
                    out.push(value % 128 + 128);
                }
                out.push(value);
            };
            for (const { number, type, value } of slots) {
                out.push(number * 4 + type);
                if (typeof value !== "number") {
                    varint(value.length);
                    value.forEach((byte) => out.push(byte));
                }
                else if (type === messages_js_1.SlotType.integer) {
                    varint(value >= 0 ? 2 * value : -2 * value - 1);
                }
                else {
                    out.push(...new Uint8Array(new Float32Array([value]).buffer));
                }
            }
            return Uint8Array.from(out);
        }
        numberOf(name) {
            const number = this.numbers.get(name);
            if (number === undefined) {
                throw new RangeError(`the zone has no slot '${name}'`);
            }
            return number;
        }
        unpackOne(reader, before) {
            const state = { ...before };
            let last = -1;
            for (let left = reader.varint(); left > 0; --left) {
                const key = reader.take(1)[0];
                const number = key >> 2;
                const slot = this.declared[number];
                if (slot === undefined || number >= slotsMax || number <= last || key % 4 !== slot.type) {
                    throw new protocol_error_js_2.ProtocolError("packed state: a slot that the zone does not have, or out of order");
                }
                last = number;
                state[slot.name] = this.value(reader, slot.type);
            }
            return state;
        }
        value(reader, type) {
            if (type === messages_js_1.SlotType.integer) {
                const value = reader.varint();
                return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
            }
            if (type === messages_js_1.SlotType.bytes) {
                return reader.take(reader.varint());
            }
            const bytes = reader.take(4);
            return new DataView(bytes.buffer).getFloat32(0, true);
        }
    }
    exports.Slots = Slots;
    function check(name, type, value) {
        if (type === messages_js_1.SlotType.bytes ? !(value instanceof Uint8Array) : typeof value !== "number") {
            throw new RangeError(`slot '${name}': not ${type === messages_js_1.SlotType.bytes ? "a Uint8Array" : "a number"}`);
        }
        if (type === messages_js_1.SlotType.integer && !(Number.isInteger(value) && Math.abs(value) <= integerMax)) {
            throw new RangeError(`slot '${name}': ${String(value)} is no integer of less than 2^52`);
        }
    }
});
define("clients/js/src/world", ["require", "exports", "clients/js/src/packed_moves", "clients/js/src/packed_state", "clients/js/src/protocol_error"], function (require, exports, packed_moves_js_1, packed_state_js_1, protocol_error_js_3) {
    "use strict";
    Object.defineProperty(exports, "__esModule", { value: true });
    exports.World = void 0;
    /**
     * Who a client sees: frames in, a map out.
     *
     * Order    `seen` is in the order of entering. What apply() returns is in the order of the frame.
     * Errors   ProtocolError for a frame that does not fit what is known. The world is then of no use until
     *          the next keyframe.
     */
    class World {
        /** `own`: the client's entity. */
        constructor(quantumMm, slots = new packed_state_js_1.Slots(), own = 0) {
            this.quantumMm = quantumMm;
            this.slots = slots;
            this.own = own;
            this.known = new Map();
            this.newestTick = 0;
            /** Those that moved in the frame that is applied, as they were. */
            this.before = new Map();
            this.ownState = slots.first;
        }
        /** Is that still its zone's quantum, and its slots? A restart of the zone may change both. */
        fits({ quantumMm, slots }) {
            return quantumMm === this.quantumMm && JSON.stringify(slots) === JSON.stringify(this.slots.declared);
        }
        [Symbol.iterator]() {
            return this.known.values();
        }
        get(id) {
            return this.known.get(id);
        }
        get seen() {
            return this.known;
        }
        /** Tick of the newest frame that was wholly applied; 0 before the first. */
        get tick() {
            return this.newestTick;
        }
        apply(frame) {
            if (frame.tick <= this.newestTick) {
                throw new protocol_error_js_3.ProtocolError(`a frame of tick ${frame.tick} after that of ${this.newestTick}`);
            }
            const changes = {
                left: [], entered: [], moved: [], stateChanged: [], ownState: undefined,
            };
            const former = frame.isKeyframe ? new Map(this.known) : undefined;
            const formerOwn = this.ownState;
            if (former !== undefined) {
                this.known.clear();
                this.ownState = this.slots.first;
            }
            this.leave(frame, changes);
            this.goOn(frame);
            this.enter(frame, changes);
            if (former !== undefined) {
                this.compare(former, changes);
            }
            this.move(frame);
            this.noteMoved(changes);
            this.changeStates(frame, changes);
            if (former !== undefined) {
                changes.ownState = isSame(formerOwn, this.ownState) ? undefined : this.ownState;
            }
            this.newestTick = frame.tick;
            return changes;
        }
        leave(frame, changes) {
            for (const { entity, reason } of frame.leaves) {
                changes.left.push({ entity: this.find(entity, "leaves"), reason });
                this.known.delete(entity);
            }
        }
        goOn(frame) {
            this.before.clear();
            for (const seen of this.known.values()) {
                const { x, y, z } = seen.velocity;
                if (x !== 0 || y !== 0 || z !== 0) {
                    this.replace(seen, { position: (0, packed_moves_js_1.afterTicks)(seen.position, seen.velocity, frame.tick - this.newestTick) });
                }
            }
        }
        replace(seen, change) {
            if (!this.before.has(seen.id)) {
                this.before.set(seen.id, seen);
            }
            this.known.set(seen.id, { ...seen, ...change });
        }
        noteMoved(changes) {
            for (const id of this.before.keys()) {
                changes.moved.push(this.find(id, "moves"));
            }
        }
        enter(frame, changes) {
            for (const { entity, kind, position, state, velocity } of frame.enters) {
                if (this.known.has(entity)) {
                    throw new protocol_error_js_3.ProtocolError(`entity ${entity} enters, and is seen already`);
                }
                const seen = {
                    id: entity, kind, position, velocity: velocity ?? { x: 0, y: 0, z: 0 },
                    state: this.slots.unpack(state), movedTick: frame.tick,
                };
                this.known.set(entity, seen);
                changes.entered.push(seen);
            }
        }
        /** `former`: who was known before a keyframe. */
        compare(former, changes) {
            changes.entered = changes.entered.filter((seen) => {
                const was = former.get(seen.id);
                if (was !== undefined && !(isSame(was.position, seen.position) && isSame(was.velocity, seen.velocity))) {
                    this.before.set(seen.id, was);
                }
                if (was !== undefined && !isSame(was.state, seen.state)) {
                    changes.stateChanged.push(seen);
                }
                return !former.delete(seen.id);
            });
            former.forEach((entity) => changes.left.push({ entity, reason: undefined }));
        }
        move(frame) {
            (0, packed_moves_js_1.unpackMoves)(frame.moves, (move) => {
                const before = this.find(move.entity, "moves");
                const velocity = {
                    x: move.velocity.x * this.quantumMm, y: move.velocity.y * this.quantumMm,
                    z: move.velocity.z * this.quantumMm,
                };
                const position = (0, packed_moves_js_1.positionAfter)(move, before.position, this.quantumMm);
                this.replace(before, { position, velocity, movedTick: frame.tick });
            });
        }
        changeStates(frame, changes) {
            this.slots.unpackMany(frame.states, (entity, make) => {
                if (entity === this.own) {
                    changes.ownState = this.ownState = make(this.ownState);
                    return;
                }
                const before = this.find(entity, "changes its state");
                const seen = { ...before, state: make(before.state) };
                this.known.set(entity, seen);
                changes.stateChanged.push(seen);
            });
        }
        find(entity, what) {
            const seen = this.known.get(entity);
            if (seen === undefined) {
                throw new protocol_error_js_3.ProtocolError(`entity ${entity} ${what}, and is not seen`);
            }
            return seen;
        }
    }
    exports.World = World;
    /** Of two with the same members. */
    function isSame(one, other) {
        const values = Object.values(other);
        return Object.values(one).every((value, i) => value.toString() === values[i].toString());
    }
});
define("clients/js/src/drawing", ["require", "exports"], function (require, exports) {
    "use strict";
    Object.defineProperty(exports, "__esModule", { value: true });
    exports.Drawing = void 0;
    /** A gap in the estimate of the server's time that is no jitter: the clock is set anew. */
    const clockJumpMs = 1000;
    /** By how much the estimate gives way in a second, so that a line that got slower is believed. */
    const clockDriftMsPerS = 5;
    /** How fast what is drawn follows what is estimated: a tenth faster or slower than real time is not seen. */
    const slewMsPerMs = 0.1;
    /** Who is silent for so long may be held back by an update ring or a budget, and is drawn on its way all that time; who is silent for longer stood. */
    const heldBackMsMax = 250;
    const samplesMax = 4;
    /**
     * Where to draw others at any moment, say 60 times a second, out of 10 or 20 frames a second.
     *
     * Time     What is drawn is a little old: `delayMs`, by default as long as two frames take to come, on the average, and half a second at most; so there is a newer place
     *          to go to. In server time, which goes slower than real time while the zone is overloaded.
     * Errors   None: without news an entity goes on with its velocity, and stands where it has none. Further than `jumpMm` in one step is a teleport, and drawn as one.
     */
    class Drawing {
        constructor(tickRateHz, options = {}) {
            this.options = options;
            this.tracks = new Map();
            /** What is in use, and since when: it goes towards what is estimated. */
            this.shown = { offsetMs: 0, delayMs: 0, nowMs: 0 };
            this.newestFrameMs = 0;
            this.frameMs = 0;
            this.tickMs = 1000 / Math.max(tickRateHz, 1);
            this.gapMs = this.tickMs;
            this.shown.delayMs = this.wantedDelayMs;
        }
        /** For each frame, once the world has it: Client does that. `nowMs` is of performance.now()'s clock, as everywhere here. */
        apply(changes, frame, nowMs = performance.now()) {
            const timeMs = frame.serverTimeUs / 1000;
            this.setClock(timeMs, nowMs);
            changes.left.forEach(({ entity }) => this.tracks.delete(entity.id));
            changes.entered.forEach(({ id, position, velocity }) => this.tracks.set(id, [{ timeMs, position, velocity }]));
            changes.moved.forEach((entity) => this.move(entity, timeMs));
            this.frameMs = timeMs;
        }
        /** The server's time in milliseconds, as near as frames let it be known; it goes on smoothly. */
        serverMs(nowMs = performance.now()) {
            this.slew(nowMs);
            return nowMs + this.shown.offsetMs;
        }
        get delayMs() {
            return this.shown.delayMs;
        }
        get wantedDelayMs() {
            return this.options.delayMs ?? 2 * this.gapMs;
        }
        slew(nowMs) {
            const most = Math.max(0, nowMs - this.shown.nowMs) * slewMsPerMs;
            const towards = (from, to) => from + Math.max(-most, Math.min(most, to - from));
            this.shown = {
                offsetMs: towards(this.shown.offsetMs, this.offsetMs ?? 0), delayMs: towards(this.shown.delayMs, this.wantedDelayMs),
                nowMs: Math.max(nowMs, this.shown.nowMs),
            };
        }
        /** Nothing: it is not seen. */
        position(id, nowMs = performance.now()) {
            const track = this.tracks.get(id);
            const newest = track?.[track.length - 1];
            if (track === undefined || newest === undefined) {
                return undefined;
            }
            const atMs = this.serverMs(nowMs) - this.delayMs;
            const next = track.findIndex(({ timeMs }) => timeMs > atMs);
            const after = track[next];
            const before = track[next - 1];
            if (after === undefined) {
                return this.gone(newest, atMs);
            }
            return before === undefined ? after.position : between(before, after, atMs, this.options.jumpMm ?? 20000);
        }
        setClock(timeMs, nowMs) {
            const offset = timeMs - nowMs;
            if (this.offsetMs === undefined || Math.abs(offset - this.offsetMs) > clockJumpMs) {
                this.offsetMs = offset;
                this.shown = { offsetMs: offset, delayMs: this.shown.delayMs, nowMs };
            }
            else {
                this.slew(nowMs);
                // A frame that came sooner than the estimate is right; one that came later was held up on its way.
                const drift = clockDriftMsPerS * (nowMs - this.newestFrameMs) / 1000;
                this.offsetMs = Math.max(offset, this.offsetMs - drift);
                const gap = Math.max(0, Math.min(timeMs - this.frameMs, 250));
                this.gapMs += (gap - this.gapMs) / 16;
            }
            this.newestFrameMs = nowMs;
        }
        gone({ timeMs, position, velocity }, atMs) {
            const ticks = (atMs - timeMs) / this.tickMs;
            return {
                x: position.x + velocity.x * ticks, y: position.y + velocity.y * ticks, z: position.z + velocity.z * ticks,
            };
        }
        /** Where its way since its last place began. */
        move({ id, position, velocity }, timeMs) {
            const track = this.tracks.get(id) ?? [];
            const newest = track[track.length - 1];
            if (newest !== undefined) {
                const { x, y, z } = newest.velocity;
                const goesOn = x !== 0 || y !== 0 || z !== 0;
                const isHeldBack = timeMs - newest.timeMs <= heldBackMsMax;
                const beforeMs = goesOn ? timeMs - this.tickMs : isHeldBack ? newest.timeMs : Math.max(this.frameMs, timeMs - this.tickMs);
                if (newest.timeMs < beforeMs) {
                    track.push({ ...newest, timeMs: beforeMs, position: this.gone(newest, beforeMs) });
                }
            }
            track.push({ timeMs, position, velocity });
            track.splice(0, track.length - samplesMax);
            this.tracks.set(id, track);
        }
    }
    exports.Drawing = Drawing;
    function between(before, after, atMs, jumpMm) {
        const [from, to] = [before.position, after.position];
        const part = (atMs - before.timeMs) / (after.timeMs - before.timeMs);
        const isJump = Math.hypot(to.x - from.x, to.y - from.y, to.z - from.z) > jumpMm;
        if (isJump) {
            return part < 1 ? from : to;
        }
        const along = (a, b) => a + (b - a) * part;
        return { x: along(from.x, to.x), y: along(from.y, to.y), z: along(from.z, to.z) };
    }
});
define("clients/js/src/own_way", ["require", "exports", "clients/js/src/packed_moves"], function (require, exports, packed_moves_js_2) {
    "use strict";
    Object.defineProperty(exports, "__esModule", { value: true });
    exports.OwnWay = void 0;
    const still = { x: 0, y: 0, z: 0 };
    /**
     * Where the server expects the client's own entity by now: on with the velocity of its last Move, for a while. A Move is
     * needed when that is wrong by more than the zone's bound, and before the while is over. Others then see the entity
     * within the sum of that bound and the server's own.
     */
    class OwnWay {
        /** As the Welcome says. With a bound of 0 every Move is needed, and has no velocity. */
        constructor(of) {
            this.of = of;
            this.ticksMax = Math.floor(of.predictionMsMax * of.tickRateHz / 1000);
        }
        /** A tick later it is there. The velocity of the Move that is to say so; undefined: none is needed. */
        step(position) {
            const at = this.onGrid(position);
            const velocity = this.of.predictionErrorMm === 0 || this.before === undefined ? still : wayBetween(this.before, at);
            this.before = at;
            if (this.said !== undefined) {
                ++this.said.ticks;
            }
            if (this.of.predictionErrorMm > 0 && this.isExpected(at)) {
                return undefined;
            }
            this.said = { at, velocity, ticks: 0 };
            return velocity;
        }
        /** The next step needs a Move: the last one was not sent, or something else than the place changes with it. */
        sayAgain() {
            this.said = undefined;
        }
        /** The server put the entity elsewhere, or a Move of the caller's own put it to `at`: the way there is no velocity. */
        forget(at) {
            this.sayAgain();
            this.before = at && this.onGrid(at);
        }
        /** One that stands needs no other Move; one that goes on needs it a tick before the server ends that. */
        isExpected(at) {
            if (this.said === undefined) {
                return false;
            }
            const { at: from, velocity, ticks } = this.said;
            const shown = (0, packed_moves_js_2.afterTicks)(from, velocity, ticks);
            const isOver = !isStill(velocity) && ticks >= Math.max(this.ticksMax, 2) - 1;
            return !isOver && Math.hypot(shown.x - at.x, shown.y - at.y, shown.z - at.z) <= this.of.predictionErrorMm;
        }
        /** Where the server puts it. */
        onGrid({ x, y, z }) {
            const quantum = this.of.quantumMm;
            const nearest = (mm) => Math.floor((mm + Math.floor(quantum / 2)) / quantum) * quantum;
            return { x: nearest(x), y: nearest(y), z: nearest(z) };
        }
    }
    exports.OwnWay = OwnWay;
    function isStill({ x, y, z }) {
        return x === 0 && y === 0 && z === 0;
    }
    /** None where it is too far for a velocity. */
    function wayBetween(from, to) {
        const way = { x: to.x - from.x, y: to.y - from.y, z: to.z - from.z };
        return Math.max(Math.abs(way.x), Math.abs(way.y), Math.abs(way.z)) > packed_moves_js_2.stepMaxMm ? still : way;
    }
});
/**
 * How shapes of a FlatBuffers schema are written down for flat_reader.ts and flat_writer.ts: as much
 * of FlatBuffers as our schema needs.
 *
 * A table's fields stand in the order of the schema, since their numbers are their places in it.
 */
define("clients/js/src/flat_shapes", ["require", "exports"], function (require, exports) {
    "use strict";
    Object.defineProperty(exports, "__esModule", { value: true });
    exports.table = exports.struct = exports.alignUp = exports.bytesOf = void 0;
    exports.bytesOf = {
        bool: 1, ubyte: 1, short: 2, ushort: 2, uint: 4, int: 4, long: 8, nonce: 8,
    };
    function alignUp(at, align) {
        return Math.ceil(at / align) * align;
    }
    exports.alignUp = alignUp;
    /** Members aligned to their size, one behind the other, as in C. */
    function struct(members) {
        let end = 0;
        let align = 1;
        const fields = Object.entries(members).map(([name, of]) => {
            const [bytes, own] = typeof of === "string" ? [exports.bytesOf[of], exports.bytesOf[of]] : [of.bytes, of.align];
            const at = alignUp(end, own);
            end = at + bytes;
            align = Math.max(align, own);
            return { name, of, at };
        });
        return { fields, bytes: alignUp(end, align), align };
    }
    exports.struct = struct;
    function table(members, required = []) {
        return {
            fields: Object.entries(members).map(([name, type]) => ({ name, type, required: required.includes(name) })),
        };
    }
    exports.table = table;
});
define("clients/js/src/flat_reader", ["require", "exports", "clients/js/src/flat_shapes", "clients/js/src/protocol_error"], function (require, exports, flat_shapes_js_1, protocol_error_js_4) {
    "use strict";
    Object.defineProperty(exports, "__esModule", { value: true });
    exports.FlatReader = void 0;
    const text = new TextDecoder("utf-8", { fatal: true });
    class FlatReader {
        constructor(message) {
            this.message = message;
            this.left = message.length;
            this.view = new DataView(message.buffer, message.byteOffset, message.byteLength);
        }
        /** Where what the offset at `at` points to begins. */
        follow(at) {
            return at + this.number(at, "uint");
        }
        /** Where the field of that number is, or 0: absent. */
        fieldAt(table, number) {
            const vtable = table - this.number(table, "int");
            const entry = 4 + 2 * number;
            if (entry >= this.number(vtable, "ushort")) {
                return 0;
            }
            const offset = this.number(vtable + entry, "ushort");
            return offset === 0 ? 0 : table + offset;
        }
        table(of, at) {
            const value = {};
            of.fields.forEach((field, number) => {
                const place = this.fieldAt(at, number);
                if (place === 0 && field.required) {
                    throw new protocol_error_js_4.ProtocolError(`${field.name} is missing`);
                }
                const read = place === 0 ? absent(field.type) : this.field(field.type, place);
                if (read !== undefined) {
                    value[field.name] = read;
                }
            });
            return value;
        }
        scalar(of, at) {
            switch (of) {
                case "bool":
                    return this.number(at, "ubyte") !== 0;
                case "long":
                    return this.long(at);
                case "nonce":
                    return this.inside(at, 8).getBigUint64(at, true);
                default:
                    return this.number(at, of);
            }
        }
        number(at, of) {
            const view = this.inside(at, flat_shapes_js_1.bytesOf[of]);
            switch (of) {
                case "ubyte":
                    return view.getUint8(at);
                case "short":
                    return view.getInt16(at, true);
                case "ushort":
                    return view.getUint16(at, true);
                case "uint":
                    return view.getUint32(at, true);
                case "int":
                    return view.getInt32(at, true);
            }
        }
        long(at) {
            const value = this.number(at, "uint") + this.number(at + 4, "uint") * 2 ** 32;
            if (!Number.isSafeInteger(value)) {
                throw new protocol_error_js_4.ProtocolError("a number of 2^53 or more");
            }
            return value;
        }
        field(type, at) {
            switch (type.kind) {
                case "scalar":
                    return this.scalar(type.scalar, at);
                case "struct":
                    return this.struct(type.of, at);
                case "table":
                    return this.table(type.of, this.follow(at));
                case "string":
                    return this.string(at);
                case "bytes":
                    return this.bytes(at);
                case "longs":
                    return this.list(at, 8, (place) => this.long(place));
                case "ushorts":
                    return this.list(at, 2, (place) => this.scalar("ushort", place));
                case "structs":
                    return this.list(at, type.of.bytes, (place) => this.struct(type.of, place));
                case "tables":
                    return this.list(at, 4, (place) => this.table(type.of, this.follow(place)));
            }
        }
        struct(of, at) {
            const value = {};
            for (const field of of.fields) {
                value[field.name] = typeof field.of === "string" ? this.scalar(field.of, at + field.at)
                    : this.struct(field.of, at + field.at);
            }
            return value;
        }
        string(at) {
            const bytes = this.bytes(at);
            try {
                return text.decode(bytes);
            }
            catch {
                throw new protocol_error_js_4.ProtocolError("a text that is not UTF-8");
            }
        }
        bytes(at) {
            const { first, count } = this.vector(at, 1);
            return this.message.subarray(first, first + count);
        }
        list(at, bytes, read) {
            const { first, count } = this.vector(at, bytes);
            const items = [];
            for (let i = 0; i < count; ++i) {
                items.push(read(first + i * bytes));
            }
            return items;
        }
        vector(at, bytes) {
            const first = this.follow(at) + 4;
            const count = this.number(first - 4, "uint");
            this.inside(first, count * bytes);
            this.left -= count * bytes;
            if (this.left < 0) {
                throw new protocol_error_js_4.ProtocolError("a message that says the same bytes again and again");
            }
            return { first, count };
        }
        inside(at, bytes) {
            if (at < 0 || at + bytes > this.view.byteLength) {
                throw new protocol_error_js_4.ProtocolError("an offset that leads out of the message");
            }
            return this.view;
        }
    }
    exports.FlatReader = FlatReader;
    /** Lists that are absent are empty; whatever else is absent is undefined, but for numbers. */
    function absent(type) {
        switch (type.kind) {
            case "scalar":
                return type.default;
            case "string":
                return "";
            case "bytes":
                return type.ifSaid ? undefined : new Uint8Array(0);
            case "longs":
            case "ushorts":
            case "structs":
            case "tables":
                return [];
            case "struct":
            case "table":
                return undefined;
        }
    }
});
define("clients/js/src/flat_writer", ["require", "exports", "clients/js/src/flat_shapes"], function (require, exports, flat_shapes_js_2) {
    "use strict";
    Object.defineProperty(exports, "__esModule", { value: true });
    exports.FlatWriter = void 0;
    const text = new TextEncoder();
    const range = {
        ubyte: [0, 0xff],
        short: [-0x8000, 0x7fff],
        ushort: [0, 0xffff],
        uint: [0, 0xffffffff],
        int: [-0x80000000, 0x7fffffff],
        long: [0, Number.MAX_SAFE_INTEGER],
    };
    class FlatWriter {
        constructor() {
            this.bytes = new Uint8Array(256);
            this.view = new DataView(this.bytes.buffer);
            this.end = 0;
        }
        /** So many zeros, the first at a multiple of `align`; returns where. */
        reserve(bytes, align) {
            const at = (0, flat_shapes_js_2.alignUp)(this.end, align);
            this.end = at + bytes;
            if (this.end > this.bytes.length) {
                const larger = new Uint8Array((0, flat_shapes_js_2.alignUp)(2 * this.end, 8));
                larger.set(this.bytes);
                this.bytes = larger;
                this.view = new DataView(larger.buffer);
            }
            return at;
        }
        /** What was written, its length first. */
        finished() {
            const whole = (0, flat_shapes_js_2.alignUp)(this.end, 8);
            this.reserve(whole - this.end, 1);
            this.scalar("uint", 0, whole - 4);
            return this.bytes.slice(0, whole);
        }
        /** The offset at `from` points to `to` from now on. */
        point(from, to) {
            this.scalar("uint", from, to - from);
        }
        table(of, value) {
            const { fields, bytes } = place(of, value);
            const vtableBytes = 4 + 2 * (fields.length === 0 ? 0 : Math.max(...fields.map((f) => f.number)) + 1);
            // The table begins 4 before a multiple of 8: its largest fields come right behind its first offset.
            const vtable = this.reserve(vtableBytes, 2);
            const at = this.reserve(0, 8) + 4;
            this.reserve(4 + bytes, 1);
            this.scalar("ushort", vtable, vtableBytes);
            this.scalar("ushort", vtable + 2, bytes);
            this.scalar("int", at, at - vtable);
            for (const field of fields) {
                this.scalar("ushort", vtable + 4 + 2 * field.number, field.at);
                this.field(field.type, at + field.at, field.value);
            }
            return at;
        }
        scalar(of, at, value) {
            if (of === "bool") {
                this.view.setUint8(at, value ? 1 : 0);
                return;
            }
            if (of === "nonce") {
                this.view.setBigUint64(at, value, true);
                return;
            }
            const [least, most] = range[of];
            const number = value;
            if (!Number.isInteger(number) || number < least || number > most) {
                throw new RangeError(`${String(value)} is not an integer from ${least} to ${most}`);
            }
            switch (of) {
                case "ubyte":
                    return this.view.setUint8(at, number);
                case "short":
                    return this.view.setInt16(at, number, true);
                case "ushort":
                    return this.view.setUint16(at, number, true);
                case "uint":
                    return this.view.setUint32(at, number, true);
                case "int":
                    return this.view.setInt32(at, number, true);
                case "long":
                    return this.view.setBigUint64(at, BigInt(number), true);
            }
        }
        field(type, at, value) {
            switch (type.kind) {
                case "scalar":
                    return this.scalar(type.scalar, at, value);
                case "struct":
                    return this.struct(type.of, at, value);
                case "table":
                    return this.point(at, this.table(type.of, value));
                case "string":
                    return this.blob(at, text.encode(value), 1);
                case "bytes":
                    return this.blob(at, value, 0);
                case "longs":
                    return this.list(at, value, 8, 8, (to, item) => this.scalar("long", to, item));
                case "ushorts":
                    return this.list(at, value, 2, 2, (to, item) => this.scalar("ushort", to, item));
                case "structs":
                    return this.list(at, value, type.of.bytes, type.of.align, (to, item) => this.struct(type.of, to, item));
                case "tables":
                    return this.list(at, value, 4, 4, (to, item) => this.point(to, this.table(type.of, item)));
            }
        }
        struct(of, at, value) {
            for (const field of of.fields) {
                if (typeof field.of === "string") {
                    this.scalar(field.of, at + field.at, value[field.name]);
                }
                else {
                    this.struct(field.of, at + field.at, value[field.name]);
                }
            }
        }
        /** A list of bytes, with zeros behind it where it is a text. */
        blob(from, bytes, zeros) {
            const at = this.reserve(4 + bytes.length + zeros, 4);
            this.point(from, at);
            this.scalar("uint", at, bytes.length);
            this.bytes.set(bytes, at + 4);
        }
        list(from, items, bytes, align, write) {
            // The items are aligned; their number stands before them.
            const first = (0, flat_shapes_js_2.alignUp)((0, flat_shapes_js_2.alignUp)(this.end, 4) + 4, Math.max(align, 4));
            this.reserve(first + items.length * bytes - this.end, 1);
            this.point(from, first - 4);
            this.scalar("uint", first - 4, items.length);
            items.forEach((item, i) => write(first + i * bytes, item));
        }
    }
    exports.FlatWriter = FlatWriter;
    /** The fields that are there, the largest first, and how long a table with them is. */
    function place(of, value) {
        const present = of.fields
            .map(({ name, type }, number) => ({ number, type, value: value[name], ...sizeOf(type) }))
            .filter((field) => !isDefault(field.type, field.value))
            .sort((a, b) => b.align - a.align);
        let end = 4;
        const fields = present.map((field) => {
            // Aligned as from 4 before a multiple of 8.
            const at = (0, flat_shapes_js_2.alignUp)(end - 4, field.align) + 4;
            end = at + field.bytes;
            return { ...field, at };
        });
        return { fields, bytes: end };
    }
    function sizeOf(type) {
        switch (type.kind) {
            case "scalar":
                return { bytes: flat_shapes_js_2.bytesOf[type.scalar], align: flat_shapes_js_2.bytesOf[type.scalar] };
            case "struct":
                return { bytes: type.of.bytes, align: type.of.align };
            default:
                return { bytes: 4, align: 4 };
        }
    }
    function isDefault(type, value) {
        return value === undefined || value === "" || (type.kind === "scalar" && value === type.default);
    }
});
define("clients/js/src/frame_reader", ["require", "exports", "clients/js/src/protocol_error"], function (require, exports, protocol_error_js_5) {
    "use strict";
    Object.defineProperty(exports, "__esModule", { value: true });
    exports.readFrame = void 0;
    const none = new Uint8Array(0);
    function readFrame(reader, at) {
        try {
            return read(reader, at);
        }
        catch (error) {
            throw error instanceof RangeError ? new protocol_error_js_5.ProtocolError("an offset that leads out of the message") : error;
        }
    }
    exports.readFrame = readFrame;
    function read(reader, at) {
        const fields = new Fields(reader, at);
        const frame = {
            type: "Frame",
            tick: fields.long(0),
            moveAck: fields.uint(1),
            borderStale: fields.ubyte(2, 0) !== 0,
            leaves: fields.list(3, 16, left),
            enters: fields.list(4, 4, entered),
            moves: fields.bytes(5),
            timeScale: fields.ubyte(6, 100),
            isCapped: fields.ubyte(7, 0) !== 0,
            isSlowed: fields.ubyte(8, 0) !== 0,
            isOverBudget: fields.ubyte(9, 0) !== 0,
            serverTimeUs: fields.long(10),
            states: fields.bytes(11),
            isKeyframe: fields.ubyte(12, 0) !== 0,
            watcher: fields.long(14),
            isFilling: fields.ubyte(15, 0) !== 0,
            messages: fields.list(16, 4, delivered),
            messagesLost: fields.ubyte(17, 0) !== 0,
        };
        const correction = fields.at(13);
        if (correction !== 0) {
            frame.correction = { number: reader.view.getUint32(correction, true), position: position(reader.view, correction + 4) };
        }
        return frame;
    }
    function left(reader, at) {
        return { entity: reader.long(at), reason: reader.view.getUint8(at + 8) };
    }
    function entered(reader, offset) {
        const { view } = reader;
        const fields = new Fields(reader, reader.follow(offset));
        const place = fields.at(2);
        if (place === 0) {
            throw new protocol_error_js_5.ProtocolError("position is missing");
        }
        const entered = {
            entity: fields.long(0), kind: fields.ushort(1), position: position(view, place), state: fields.bytes(3),
        };
        const velocity = fields.at(4);
        if (velocity !== 0) {
            entered.velocity = {
                x: view.getInt16(velocity, true), y: view.getInt16(velocity + 2, true), z: view.getInt16(velocity + 4, true),
            };
        }
        return entered;
    }
    function delivered(reader, offset) {
        const fields = new Fields(reader, reader.follow(offset));
        return { kind: fields.ushort(0), payload: fields.bytes(1), source: fields.long(2) };
    }
    function position(view, at) {
        return { x: view.getInt32(at, true), y: view.getInt32(at + 4, true), z: view.getInt32(at + 8, true) };
    }
    /** Of one table, by number. */
    class Fields {
        constructor(reader, table) {
            this.reader = reader;
            this.table = table;
            this.view = reader.view;
            const vtable = table - this.view.getInt32(table, true);
            this.first = vtable + 4;
            this.end = vtable + this.view.getUint16(vtable, true);
        }
        /** Where it is; 0: absent. */
        at(number) {
            const entry = this.first + 2 * number;
            const offset = entry < this.end ? this.view.getUint16(entry, true) : 0;
            return offset === 0 ? 0 : this.table + offset;
        }
        ubyte(number, otherwise) {
            const at = this.at(number);
            return at === 0 ? otherwise : this.view.getUint8(at);
        }
        ushort(number) {
            const at = this.at(number);
            return at === 0 ? 0 : this.view.getUint16(at, true);
        }
        uint(number) {
            const at = this.at(number);
            return at === 0 ? 0 : this.view.getUint32(at, true);
        }
        long(number) {
            const at = this.at(number);
            return at === 0 ? 0 : this.reader.long(at);
        }
        bytes(number) {
            const at = this.at(number);
            return at === 0 ? none : this.reader.bytes(at);
        }
        list(number, size, read) {
            const at = this.at(number);
            return at === 0 ? [] : this.reader.list(at, size, (place) => read(this.reader, place));
        }
    }
});
define("clients/js/src/schema", ["require", "exports", "clients/js/src/flat_shapes"], function (require, exports, flat_shapes_js_3) {
    "use strict";
    Object.defineProperty(exports, "__esModule", { value: true });
    exports.bodies = void 0;
    const scalar = (of, value) => ({ kind: "scalar", scalar: of, default: value });
    const bool = scalar("bool", false);
    const ubyte = scalar("ubyte", 0);
    const ushort = scalar("ushort", 0);
    const uint = scalar("uint", 0);
    const int = scalar("int", 0);
    const long = scalar("long", 0);
    const nonce = scalar("nonce", 0n);
    const ushortIfSaid = scalar("ushort", undefined);
    const string = { kind: "string" };
    const bytes = { kind: "bytes", ifSaid: false };
    const longs = { kind: "longs" };
    const ushorts = { kind: "ushorts" };
    const one = (of) => ({ kind: "struct", of });
    const within = (of) => ({ kind: "table", of });
    const several = (of) => ({ kind: "structs", of });
    const list = (of) => ({ kind: "tables", of });
    const Position = (0, flat_shapes_js_3.struct)({ x: "int", y: "int", z: "int" });
    const Layers = (0, flat_shapes_js_3.struct)({ layers: "uint", layersSeen: "uint" });
    const Notify = (0, flat_shapes_js_3.struct)({ radiusMm: "int", leaveRadiusMm: "int" });
    const Ring = (0, flat_shapes_js_3.struct)({ beyondMm: "int", everyTicks: "uint" });
    const SendLimit = (0, flat_shapes_js_3.struct)({ perSecondMax: "uint", bytesMax: "uint" });
    const Left = (0, flat_shapes_js_3.struct)({ entity: "long", reason: "ubyte" });
    const SpawnedOne = (0, flat_shapes_js_3.struct)({ entity: "long", ref: "uint" });
    const position = one(Position);
    const velocity = one((0, flat_shapes_js_3.struct)({ x: "short", y: "short", z: "short" }));
    const Placed = (0, flat_shapes_js_3.struct)({ step: "uint", position: Position });
    const Correction = (0, flat_shapes_js_3.struct)({ number: "uint", position: Position });
    const View = (0, flat_shapes_js_3.table)({
        shape: scalar("ubyte", 1), radiusMm: int, leaveRadiusMm: int, halfYMm: int, leaveHalfYMm: int,
        halfZMm: int, leaveHalfZMm: int, halfOpening: ushort, leaveHalfOpening: ushort,
    });
    const SpawnOne = (0, flat_shapes_js_3.table)({
        ref: uint, kind: ushort, position, facing: ushort, layers: one(Layers), view: within(View),
        notify: one(Notify), state: bytes, importance: scalar("ubyte", 1), watches: bool,
    }, ["position"]);
    const ChangeOne = (0, flat_shapes_js_3.table)({
        entity: long, position, facing: ushortIfSaid, layers: one(Layers), view: within(View),
        notify: one(Notify), state: bytes, framesHz: ushortIfSaid, speedPercent: ushortIfSaid, authority: ubyte,
        moveAck: scalar("uint", undefined),
    });
    const Crowd = (0, flat_shapes_js_3.table)({
        visibleMax: uint, stickyPercent: uint, rings: several(Ring), frameBytesMax: uint, staleTicksMax: uint,
    });
    const Entered = (0, flat_shapes_js_3.table)({ entity: long, kind: ushort, position, state: bytes, velocity }, ["position"]);
    const Circle = (0, flat_shapes_js_3.struct)({ centre: Position, radiusMm: "int" });
    const MessageTo = (0, flat_shapes_js_3.table)({
        to: longs, toEverybody: bool, kind: ushort, payload: bytes, toViewersOf: long, within: one(Circle), layers: uint,
    });
    const MessageDelivered = (0, flat_shapes_js_3.table)({ kind: ushort, payload: bytes, source: long });
    const StateSlot = (0, flat_shapes_js_3.table)({
        name: string, type: ubyte, writer: ubyte, audience: ubyte, radiusMm: int, layers: uint, bytesMax: uint,
    }, ["name"]);
    /** By name, in the order of their type numbers, the first being 1. */
    exports.bodies = {
        Hello: (0, flat_shapes_js_3.table)({
            protocolMajor: ushort, protocolMinor: ushort, kind: ushort, spawn: position, view: within(View),
            state: bytes, facing: ushort, token: string, resumeToken: bytes, lastTick: long,
            carried: bytes,
        }),
        Move: (0, flat_shapes_js_3.table)({ seq: uint, position, facing: ushortIfSaid, correctionSeen: uint, velocity }, ["position"]),
        SetView: (0, flat_shapes_js_3.table)({ view: within(View) }, ["view"]),
        Ping: (0, flat_shapes_js_3.table)({ nonce }),
        Leave: (0, flat_shapes_js_3.table)({}),
        Welcome: (0, flat_shapes_js_3.table)({
            protocolMajor: ushort, protocolMinor: ushort, entity: long, tick: long, tickRateHz: ushort,
            dimensions: ubyte, worldMin: position, worldMax: position, spawn: position, view: within(View),
            leaveRadiusMmMax: int, crowd: within(Crowd), serverTimeUs: long, quantumMm: scalar("uint", 1),
            resumeToken: bytes, resumeGraceMs: uint, resumed: bool,
            statesPerSecondMax: uint, messages: one(SendLimit), messageNumber: uint,
            slots: list(StateSlot), framesHz: ushort, predictionErrorMm: uint, predictionMsMax: uint,
            restartGraceMs: uint,
        }, ["worldMin", "worldMax", "spawn", "view"]),
        Pong: (0, flat_shapes_js_3.table)({ nonce, tick: long, safeTick: long }),
        Frame: (0, flat_shapes_js_3.table)({
            tick: long, moveAck: uint, borderStale: bool, leaves: several(Left), enters: list(Entered),
            moves: bytes, timeScale: scalar("ubyte", 100), isCapped: bool, isSlowed: bool,
            isOverBudget: bool, serverTimeUs: long, states: bytes,
            isKeyframe: bool, correction: one(Correction), watcher: long,
            isFilling: bool, messages: list(MessageDelivered), messagesLost: bool,
        }),
        Error: (0, flat_shapes_js_3.table)({ code: ushort, text: string }),
        KeyframeRequest: (0, flat_shapes_js_3.table)({}),
        SetState: (0, flat_shapes_js_3.table)({ state: bytes }),
        Transfer: (0, flat_shapes_js_3.table)({ address: string, token: string, carried: bytes }, ["address"]),
        ServiceHello: (0, flat_shapes_js_3.table)({
            protocolMajor: ushort, protocolMinor: ushort, name: string, token: string, resumeToken: bytes,
            admits: bool,
        }, ["name"]),
        Spawn: (0, flat_shapes_js_3.table)({ entities: list(SpawnOne) }, ["entities"]),
        Despawn: (0, flat_shapes_js_3.table)({ entities: longs }, ["entities"]),
        MoveMany: (0, flat_shapes_js_3.table)({ moves: bytes }, ["moves"]),
        Change: (0, flat_shapes_js_3.table)({ entities: list(ChangeOne) }, ["entities"]),
        TransferPlayer: (0, flat_shapes_js_3.table)({ entity: long, address: string, token: string, carried: bytes }, ["address"]),
        ServiceWelcome: (0, flat_shapes_js_3.table)({
            protocolMajor: ushort, protocolMinor: ushort, tick: long, serverTimeUs: long, tickRateHz: ushort,
            dimensions: ubyte, worldMin: position, worldMax: position, leaveRadiusMmMax: int,
            notifyLeaveRadiusMmMax: int, quantumMm: scalar("uint", 1), resumeToken: bytes,
            resumeGraceMs: uint, resumed: bool, messageBytesMax: uint, entitiesMax: uint,
            watchersMax: uint, entities: several(SpawnedOne), slots: list(StateSlot),
            restartGraceMs: uint,
        }, ["worldMin", "worldMax"]),
        Spawned: (0, flat_shapes_js_3.table)({ entities: several(SpawnedOne) }, ["entities"]),
        PlayerJoined: (0, flat_shapes_js_3.table)({
            entity: long, kind: ushort, position, state: bytes, subject: string, claims: string, carried: bytes, request: long,
        }, ["position"]),
        PlayerLeft: (0, flat_shapes_js_3.table)({ entity: long, reason: ubyte }),
        CommandRefused: (0, flat_shapes_js_3.table)({ command: ubyte, entity: long, ref: uint, reason: ubyte }),
        Notice: (0, flat_shapes_js_3.table)({ text: string, stopsInMs: uint }),
        PlayerAway: (0, flat_shapes_js_3.table)({ entity: long, graceMs: uint }),
        PlayerBack: (0, flat_shapes_js_3.table)({ entity: long, claims: string }),
        SendMessage: (0, flat_shapes_js_3.table)({ number: uint, kind: ushort, payload: bytes }),
        Subscribe: (0, flat_shapes_js_3.table)({ kinds: ushorts, positions: bool, within: one(Circle), moves: bool }),
        SendMessages: (0, flat_shapes_js_3.table)({ messages: list(MessageTo) }, ["messages"]),
        PlayerMessage: (0, flat_shapes_js_3.table)({ entity: long, kind: ushort, tick: long, position, payload: bytes }, ["position"]),
        MessagesLost: (0, flat_shapes_js_3.table)({ count: long }),
        SetFrameRate: (0, flat_shapes_js_3.table)({ framesHz: ushort }),
        PlayerAsks: (0, flat_shapes_js_3.table)({
            request: long, kind: ushort, spawn: position, subject: string, claims: string, carried: bytes, waitMs: uint,
        }),
        AdmitPlayer: (0, flat_shapes_js_3.table)({ request: long, given: within(ChangeOne), refusal: string }),
        Positions: (0, flat_shapes_js_3.table)({
            tick: long, first: long, players: several(Placed), hasMore: bool, borderStale: bool, ticksLost: long,
        }),
        PlayerMove: (0, flat_shapes_js_3.table)({ entity: long, seq: uint, tick: long, position, facing: ushortIfSaid, velocity }, ["position"]),
        PlayersListed: (0, flat_shapes_js_3.table)({}),
    };
});
define("clients/js/src/codec", ["require", "exports", "clients/js/src/flat_reader", "clients/js/src/flat_writer", "clients/js/src/frame_reader", "clients/js/src/protocol_error", "clients/js/src/schema"], function (require, exports, flat_reader_js_1, flat_writer_js_1, frame_reader_js_1, protocol_error_js_6, schema_js_1) {
    "use strict";
    Object.defineProperty(exports, "__esModule", { value: true });
    exports.decode = exports.encode = exports.decodeBody = exports.encodeBody = void 0;
    const names = Object.keys(schema_js_1.bodies);
    const ofServer = new Set([
        "Welcome", "Pong", "Frame", "Error",
        "ServiceWelcome", "Spawned", "PlayerJoined", "PlayerLeft", "CommandRefused", "Notice",
        "PlayerAway", "PlayerBack", "PlayerMessage", "MessagesLost", "Transfer", "PlayerAsks", "Positions", "PlayerMove",
        "PlayersListed",
    ]);
    /** Where the fields of the table Message are. */
    const bodyType = 0;
    const body = 1;
    const optional = 2;
    /** `value` has the body's fields; its other members are not looked at. */
    function encodeBody(name, value) {
        const writer = new flat_writer_js_1.FlatWriter();
        writer.reserve(8, 8);
        // Message: body's type, then its offset, behind a vtable of its own.
        const vtable = writer.reserve(8, 2);
        const message = writer.reserve(12, 4);
        writer.scalar("ushort", vtable, 8);
        writer.scalar("ushort", vtable + 2, 12);
        writer.scalar("ushort", vtable + 4, 8);
        writer.scalar("ushort", vtable + 6, 4);
        writer.scalar("int", message, message - vtable);
        writer.scalar("ubyte", message + 8, names.indexOf(name) + 1);
        writer.point(4, message);
        writer.point(message + 4, writer.table(schema_js_1.bodies[name], value));
        return writer.finished();
    }
    exports.encodeBody = encodeBody;
    /** Any message, whoever sends such. */
    function decodeBody(message) {
        const { name, reader, at } = opened(message);
        return name === undefined ? undefined : { name, value: reader.table(schema_js_1.bodies[name], at) };
    }
    exports.decodeBody = decodeBody;
    /** Throws RangeError for what the protocol has no room for: fractions, numbers too large. */
    function encode(message) {
        return encodeBody(message.type, message);
    }
    exports.encode = encode;
    /** One whole message of a server. Throws ProtocolError. Bytes in it are views into `message`. */
    function decode(message) {
        const { name, reader, at } = opened(message);
        if (name === undefined) {
            return { type: "Skipped" };
        }
        if (!ofServer.has(name)) {
            throw new protocol_error_js_6.ProtocolError(`a ${name}, which only a client sends`);
        }
        return name === "Frame" ? (0, frame_reader_js_1.readFrame)(reader, at)
            : { type: name, ...reader.table(schema_js_1.bodies[name], at) };
    }
    exports.decode = decode;
    function opened(message) {
        const reader = new flat_reader_js_1.FlatReader(message);
        const root = reader.follow(4);
        const typeAt = reader.fieldAt(root, bodyType);
        const type = typeAt === 0 ? 0 : Number(reader.scalar("ubyte", typeAt));
        const name = names[type - 1];
        if (name === undefined) {
            const optionalAt = reader.fieldAt(root, optional);
            if (optionalAt === 0 || reader.scalar("bool", optionalAt) === false) {
                throw new protocol_error_js_6.ProtocolError(`a message of the unknown type ${type}`);
            }
        }
        const at = reader.fieldAt(root, body);
        if (at === 0) {
            throw new protocol_error_js_6.ProtocolError("a message without a body");
        }
        return { name, reader, at: name === undefined ? 0 : reader.follow(at) };
    }
});
define("clients/js/src/message_splitter", ["require", "exports", "clients/js/src/protocol_error"], function (require, exports, protocol_error_js_7) {
    "use strict";
    Object.defineProperty(exports, "__esModule", { value: true });
    exports.MessageSplitter = void 0;
    const prefixBytes = 4;
    /**
     * Cuts a stream into messages, length prefix included, wherever it was cut on its way.
     *
     * Bounds   A message of more than `messageBytesMax` breaks the stream; memory is made for what came, not
     *          for what a prefix promises.
     * Cost     Messages are views into what was taken, but for those that came in pieces.
     */
    class MessageSplitter {
        constructor(messageBytesMax = 16 * 2 ** 20) {
            this.messageBytesMax = messageBytesMax;
            this.pieces = [];
            this.held = 0;
        }
        /** Calls `take` for each message that is whole. Throws ProtocolError, as `take` may. */
        push(bytes, take) {
            this.pieces.push(bytes);
            this.held += bytes.length;
            const needed = this.needed();
            if (this.held < needed) {
                return;
            }
            let rest = this.joined();
            this.pieces = [];
            this.held = 0;
            for (;;) {
                const whole = this.wholeOf(rest);
                if (rest.length < whole) {
                    break;
                }
                take(rest.subarray(0, whole));
                rest = rest.subarray(whole);
            }
            if (rest.length > 0) {
                this.pieces = [rest];
                this.held = rest.length;
            }
        }
        /** How many bytes must be there before there is anything to do. */
        needed() {
            const first = this.pieces[0];
            if (first === undefined || (first.length < prefixBytes && this.held >= prefixBytes)) {
                return prefixBytes;
            }
            return this.wholeOf(first);
        }
        wholeOf(bytes) {
            if (bytes.length < prefixBytes) {
                return prefixBytes;
            }
            const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
            if (length === 0 || length > this.messageBytesMax) {
                throw new protocol_error_js_7.ProtocolError(`a message of ${length} bytes`);
            }
            return prefixBytes + length;
        }
        joined() {
            const [first, second] = this.pieces;
            if (first !== undefined && second === undefined) {
                return first;
            }
            const whole = new Uint8Array(this.held);
            let at = 0;
            for (const piece of this.pieces) {
                whole.set(piece, at);
                at += piece.length;
            }
            return whole;
        }
    }
    exports.MessageSplitter = MessageSplitter;
});
define("clients/js/src/transport", ["require", "exports"], function (require, exports) {
    "use strict";
    Object.defineProperty(exports, "__esModule", { value: true });
});
define("clients/js/src/link", ["require", "exports", "clients/js/src/codec", "clients/js/src/message_splitter"], function (require, exports, codec_js_1, message_splitter_js_1) {
    "use strict";
    Object.defineProperty(exports, "__esModule", { value: true });
    exports.Link = exports.ConnectionLost = exports.ServerError = void 0;
    /** The server said why it closes: `code` is of the table of errors in docs/wire_format.md. */
    class ServerError extends Error {
        constructor(code, text) {
            super(text);
            this.code = code;
            this.name = "ServerError";
        }
    }
    exports.ServerError = ServerError;
    /** The connection is gone, and nobody said why: the session may be resumed. */
    class ConnectionLost extends Error {
        constructor() {
            super(...arguments);
            this.name = "ConnectionLost";
        }
    }
    exports.ConnectionLost = ConnectionLost;
    /**
     * One connection, from Hello to its end: messages instead of bytes.
     *
     * Order    connect() resolves after welcomed(). Nothing is received after ended().
     * Bounds   Connecting, and the Welcome, take no longer than connect() is told; then it rejects.
     */
    class Link {
        constructor(listener, messageBytesMax) {
            this.listener = listener;
            this.isWelcome = false;
            this.isOver = false;
            this.lastHeardMs = performance.now();
            this.splitter = new message_splitter_js_1.MessageSplitter(messageBytesMax);
        }
        connect(open, hello, msMax) {
            return new Promise((resolve, reject) => {
                this.settle = { resolve, reject };
                this.timer = setTimeout(() => this.abort(new ConnectionLost(`no Welcome within ${Math.round(msMax)} ms`)), msMax);
                open({
                    received: (bytes) => this.take(bytes),
                    closed: (reason) => this.end(new ConnectionLost(reason)),
                }).then((transport) => this.begin(transport, hello), (why) => this.end(why));
            });
        }
        send(message) {
            this.sendBytes((0, codec_js_1.encode)(message));
        }
        /** A message that is written already. */
        sendBytes(message) {
            if (!this.isOver) {
                this.transport?.send(message);
            }
        }
        /** Ends it from our side, at once; tells the listener. */
        abort(why) {
            this.transport?.abort();
            this.end(why);
        }
        silentForMs() {
            return performance.now() - this.lastHeardMs;
        }
        begin(transport, hello) {
            if (this.isOver) {
                transport.abort(); // it came too late
                return;
            }
            this.transport = transport;
            this.send(hello);
        }
        take(bytes) {
            this.lastHeardMs = performance.now();
            try {
                this.splitter.push(bytes, (message) => {
                    if (!this.isOver) {
                        this.dispatch((0, codec_js_1.decode)(message));
                    }
                });
            }
            catch (error) {
                this.abort(error);
            }
        }
        dispatch(message) {
            if (message.type === "Error") {
                this.transport?.close();
                this.end(new ServerError(message.code, message.text));
            }
            else if ((message.type === "Welcome" || message.type === "ServiceWelcome") && !this.isWelcome) {
                this.isWelcome = true;
                clearTimeout(this.timer);
                this.listener.welcomed(message);
                this.settle?.resolve();
            }
            else if (message.type !== "Skipped") {
                this.listener.received(message);
            }
        }
        end(why) {
            if (this.isOver) {
                return;
            }
            this.isOver = true;
            clearTimeout(this.timer);
            if (this.isWelcome) {
                this.listener.ended(why);
            }
            // Where the Welcome could not be taken in nobody else says so; after connect() has resolved this does nothing.
            this.settle?.reject(why);
        }
    }
    exports.Link = Link;
});
define("clients/js/src/web_socket", ["require", "exports"], function (require, exports) {
    "use strict";
    Object.defineProperty(exports, "__esModule", { value: true });
    exports.webSockets = exports.webSocket = void 0;
    const normalClosure = 1000;
    /** Over WebSocket: in browsers, and where Node has one. `url` is like "wss://play.example.org:7778/". */
    function webSocket(url) {
        const open = (listener) => new Promise((resolve, reject) => {
            const socket = new WebSocket(url);
            let isOpen = false;
            socket.binaryType = "arraybuffer";
            socket.onopen = () => {
                isOpen = true;
                resolve({
                    send: (message) => {
                        if (socket.readyState === WebSocket.OPEN) { // while it closes a browser takes it for an error of the page
                            socket.send(message); // newer compilers know that it may be shared memory
                        }
                    },
                    close: () => socket.close(normalClosure),
                    // There is no harder way: what is still unsent may go out.
                    abort: () => socket.close(),
                });
            };
            socket.onmessage = ({ data }) => {
                // The server sends no text; one would end the stream as the broken message that it is.
                listener.received(data instanceof ArrayBuffer ? new Uint8Array(data) : new Uint8Array(4));
            };
            socket.onclose = ({ code, reason }) => {
                const why = `WebSocket closed, ${code} ${reason}`.trimEnd();
                isOpen ? listener.closed(why) : reject(new Error(why));
            };
        });
        return Object.assign(open, { elsewhere: exports.webSockets });
    }
    exports.webSocket = webSocket;
    exports.webSockets = {
        speaks: "ws:// and wss://",
        at: (address) => /^wss?:\/\//.test(address) ? webSocket(address) : undefined,
    };
});
define("clients/js/src/session", ["require", "exports", "clients/js/src/link", "clients/js/src/protocol_error", "clients/js/src/web_socket"], function (require, exports, link_js_1, protocol_error_js_8, web_socket_js_1) {
    "use strict";
    Object.defineProperty(exports, "__esModule", { value: true });
    exports.present = exports.Session = void 0;
    const stopping = 11;
    /** Codes of docs/wire_format.md after which the entity is still there, or may be again when the server is: connect again. */
    const lostCodes = new Set([8, 9, stopping]);
    /** Codes after which a zone to which a player is sent may let it in a little later: it is full, begins just now, or overloaded. */
    const busyCodes = new Set([10, stopping, 19]);
    const retryMsMax = 4000;
    const resumeRefused = 15;
    const farewellMsMax = 5000;
    const welcomeMsMax = 10000;
    const askAgainMs = 100;
    /** What lasts so long was resumed for good. */
    const steadyMs = 5000;
    /** In this time what has come is read, also by a program that did something else for long. */
    const readMs = 100;
    /**
     * What a player's and a service's sessions have in common: a connection that is kept, and resumed when it is lost.
     *
     *     idle -- connect() --> playing <-- resumed --+      closed: leave(), an Error of the server,
     *                              +---- lost --------+      a broken stream, or the grace is over
     *
     * Order    Callbacks come one at a time, in the order of the stream; what they throw ends the session.
     * Errors   connect() rejects, onClosed tells: with a ServerError if the server said why, a ProtocolError
     *          if its stream is broken. Both, where the end came along with the Welcome.
     */
    class Session {
        constructor(open, patience, resumedFrom) {
            this.open = open;
            this.patience = patience;
            this.resumedFrom = resumedFrom;
            this.onLost = () => { };
            this.onResumed = () => { };
            /** The player is in another zone: all that is known is that one's. */
            this.onTransferred = () => { };
            this.onClosed = () => { };
            /** Where the game sent the player. */
            this.elsewhere = {};
            this.isLeaving = false;
            this.isClosed = false;
            this.pingedMs = performance.now();
            this.welcomedMs = 0;
            /** Before the next attempt; 0: at once. */
            this.waitMs = 0;
            this.nextNonce = 1n;
            this.pings = new Map();
            this.farewells = [];
            this.token = patience.token;
        }
        /** Sends what was asked for since. */
        sendWaiting() { }
        /** Is there more of that, which cannot go out yet? */
        hasWaiting() {
            return false;
        }
        /** Resolves with the first Welcome. Once. */
        async connect() {
            await (this.resumedFrom === undefined ? this.begin() : this.resumeOrJoin(this.resumedFrom));
            if (this.isClosed) {
                this.link?.send({ type: "Leave" });
                throw this.closedBy ?? new Error("left before the Welcome came");
            }
            this.timer = setInterval(() => this.keepAlive(), this.pingEveryMs);
            return this.welcome;
        }
        /** The newest Welcome. Only after connect(). */
        get welcome() {
            return present(this.told);
        }
        requestKeyframe() {
            this.link?.send({ type: "KeyframeRequest" });
        }
        /** The round trip in milliseconds; nothing when the connection is lost, or gets lost meanwhile. */
        async ping() {
            const sentMs = performance.now();
            const pong = await this.pong();
            return pong && performance.now() - sentMs;
        }
        /**
         * Resolves when what was asked for before would survive a crash of the server: a game waits for that before it says
         * "traded". False: not in time, the connection was lost meanwhile, or the zone keeps no state.
         */
        async waitUntilSafe(msMax = 10000) {
            const { link } = this;
            let timer;
            const overdue = new Promise((resolve) => { timer = setTimeout(() => resolve(undefined), msMax); });
            const pongInTime = () => Promise.race([this.pong(), overdue]);
            this.sendWaiting();
            const deadlineMs = performance.now() + msMax;
            while (this.link !== undefined && this.link === link && this.hasWaiting() && performance.now() < deadlineMs) {
                await new Promise((resolve) => setTimeout(resolve, askAgainMs));
            }
            const first = await pongInTime();
            let newest = first;
            // What was taken in before the first Pong is in force two ticks later.
            while (first !== undefined && newest !== undefined && newest.safeTick < first.tick + 2) {
                await new Promise((resolve) => setTimeout(resolve, askAgainMs));
                newest = await pongInTime();
            }
            clearTimeout(timer);
            return newest !== undefined && this.link === link;
        }
        pong() {
            if (this.link === undefined) {
                return Promise.resolve(undefined);
            }
            const nonce = this.nextNonce++;
            this.pingedMs = performance.now();
            return new Promise((resolve) => {
                this.pings.set(nonce, resolve);
                this.link?.send({ type: "Ping", nonce });
            });
        }
        /** Leaves the zone; resolves when the connection is closed. */
        leave() {
            this.isLeaving = true;
            return new Promise((resolve) => {
                if (this.isClosed) {
                    resolve();
                    return;
                }
                this.farewells.push(resolve);
                if (this.link === undefined) {
                    this.close(undefined);
                    return;
                }
                const link = this.link;
                this.sendWaiting();
                link.send({ type: "Leave" });
                const timer = setTimeout(() => link.abort(new link_js_1.ConnectionLost("no end after Leave")), farewellMsMax);
                this.farewells.push(() => clearTimeout(timer));
            });
        }
        /** Drops the connection as a broken line does: the session is resumed. */
        cut() {
            this.link?.abort(new link_js_1.ConnectionLost("cut"));
        }
        send(message) {
            this.link?.send(message);
        }
        get pingEveryMs() {
            return this.patience.pingEveryMs ?? 5000;
        }
        async resumeOrJoin({ resumeToken, address, token }) {
            const { open, token: ownToken } = this;
            if (address !== undefined) {
                this.goTo(address, token ?? "");
                this.takeNext();
            }
            try {
                await this.begin(resumeToken);
            }
            catch (error) {
                if (this.isClosed || !isRefused(error)) {
                    throw error;
                }
                [this.open, this.token, this.elsewhere] = [open, ownToken, {}];
                await this.begin();
            }
        }
        /** `welcomed` is called before what comes behind the Welcome. */
        async begin(resumeToken, welcomed = () => { }) {
            const { token } = this;
            const asked = typeof token === "function" ? await token() : token;
            const first = {
                ...this.hello(), ...(asked === undefined ? {} : { token: asked }),
                ...(resumeToken === undefined ? {} : { resumeToken }),
            };
            const link = new link_js_1.Link({
                welcomed: (welcome) => {
                    const expected = first.type === "Hello" ? "Welcome" : "ServiceWelcome";
                    if (welcome.type !== expected) {
                        throw new protocol_error_js_8.ProtocolError(`a ${welcome.type} after a ${first.type}`);
                    }
                    this.link = link;
                    this.welcomedMs = performance.now();
                    this.told = welcome;
                    const { resumeToken: next } = welcome;
                    this.resumable = next.length === 0 ? undefined : { resumeToken: next, ...this.elsewhere };
                    this.onWelcome(this.told);
                    welcomed();
                },
                received: (message) => this.take(message),
                ended: (why) => this.onEnded(why),
            }, this.patience.messageBytesMax);
            await link.connect(this.open, first, this.patience.welcomeMsMax ?? welcomeMsMax);
        }
        take(message) {
            if (this.isClosed) {
                return;
            }
            if (message.type === "Pong") {
                this.pings.get(message.nonce)?.(message);
                this.pings.delete(message.nonce);
                return;
            }
            this.onMessage(message);
            // In a hidden tab timers come once a minute: pings ride on what the server says, which is something every second.
            if (performance.now() - this.pingedMs >= this.pingEveryMs) {
                void this.ping();
            }
        }
        onEnded(why) {
            this.link = undefined;
            for (const settle of this.pings.values()) {
                settle(undefined);
            }
            this.pings.clear();
            if (this.isLeaving || this.isClosed) {
                this.close(undefined);
            }
            else if (this.openNext !== undefined) {
                void this.follow(why);
            }
            else if (this.canResume(why)) {
                if (this.tell(() => this.onLost(why))) {
                    void this.connectAgain(why, this.welcome.resumeToken);
                }
            }
            else {
                this.close(why);
            }
        }
        /** Once the server has closed: its player is in another zone. `token`: empty, the one that it has. */
        goTo(address, token) {
            this.openNext = this.openOf(address);
            this.resumable = undefined;
            this.token = token === "" ? this.token : token;
            this.elsewhere = { ...this.elsewhere, address: this.openNext.address ?? address, ...(token === "" ? {} : { token }) };
        }
        /** Of several addresses, separated by blanks, the first that can be spoken. */
        openOf(addresses) {
            const { speaks, at } = this.open.elsewhere ?? web_socket_js_1.webSockets;
            for (const address of addresses.split(" ")) {
                const open = at(address);
                if (open !== undefined) {
                    return open;
                }
            }
            throw new protocol_error_js_8.ProtocolError(`sent to ${addresses}, but this connection can speak ${speaks} alone`);
        }
        takeNext() {
            this.open = this.openNext ?? this.open;
            this.openNext = undefined;
        }
        follow(why) {
            this.takeNext();
            this.waitMs = 0;
            return this.connectAgain(why);
        }
        canResume(why) {
            const isLost = why instanceof link_js_1.ConnectionLost ||
                (why instanceof link_js_1.ServerError && lostCodes.has(why.code));
            return isLost && (this.patience.resume ?? true) && this.welcome.resumeToken.length > 0;
        }
        /**
         * Until it works, the server says that it is no use, or the grace is over. Without a resume token it goes on in another zone,
         * as one that begins: nothing of the zone before counts.
         */
        async connectAgain(why, resumeToken) {
            const { resumeGraceMs, restartGraceMs } = this.welcome;
            const graceMs = this.patience.resume ?? true ? Math.max(resumeGraceMs, restartGraceMs) : 0;
            const deadlineMs = performance.now() + graceMs;
            let isBack = false;
            const welcomed = () => {
                isBack = true;
                this.isClosed ? this.link?.send({ type: "Leave" })
                    : this.tell(() => resumeToken === undefined ? this.onTransferred() : this.onResumed());
            };
            let newest = why;
            for (const waitMs of this.waitsAfter(why, resumeToken !== undefined)) {
                if (waitMs > 0) {
                    const leftMs = Math.max(0, deadlineMs - performance.now());
                    await new Promise((resolve) => setTimeout(resolve, Math.min(waitMs, leftMs)));
                }
                if (this.isClosed) {
                    return;
                }
                try {
                    await this.begin(resumeToken, welcomed);
                    return;
                }
                catch (error) {
                    if (isBack) {
                        return; // lost again before begin() was at its end: onEnded() goes on
                    }
                    newest = error;
                    const isNoUse = newest instanceof protocol_error_js_8.ProtocolError || (resumeToken === undefined
                        ? newest instanceof link_js_1.ServerError && !busyCodes.has(newest.code) : isRefused(newest));
                    if (this.isClosed || performance.now() >= deadlineMs || isNoUse) {
                        break;
                    }
                }
            }
            this.close(newest);
        }
        *waitsAfter(why, isResume) {
            if (performance.now() - this.welcomedMs >= steadyMs) {
                this.waitMs = 0;
            }
            const mayRestart = isResume && this.welcome.restartGraceMs > 0; // who is sent elsewhere comes alone
            const spreadMs = mayRestart ? (this.patience.restartSpreadMs ?? 3000) * Math.random() : 0;
            const isStopping = mayRestart && why instanceof link_js_1.ServerError && why.code === stopping;
            yield this.nextWaitMs() + (isStopping ? spreadMs : 0);
            if (mayRestart && !isStopping) {
                yield spreadMs;
            }
            for (;;) {
                yield this.nextWaitMs();
            }
        }
        nextWaitMs() {
            const { waitMs } = this;
            this.waitMs = waitMs === 0 ? this.patience.retryMs ?? 500 : Math.min(2 * waitMs, Math.max(waitMs, retryMsMax));
            return waitMs * (0.5 + Math.random());
        }
        /** Calls a callback that the stream does not call: false when it threw, which ends the session. */
        tell(callback) {
            try {
                callback();
                return true;
            }
            catch (error) {
                this.close(error);
                this.link?.abort(error);
                return false;
            }
        }
        keepAlive() {
            if (this.link === undefined) {
                return;
            }
            const { link } = this;
            const isSilent = () => link.silentForMs() > (this.patience.silenceMsMax ?? 10000);
            if (!isSilent()) {
                void this.ping();
                return;
            }
            // This timer may come before what is there to be read.
            setTimeout(() => {
                if (isSilent()) {
                    link.abort(new link_js_1.ConnectionLost("the server says nothing any more"));
                }
            }, readMs);
        }
        close(why) {
            if (this.isClosed) {
                return;
            }
            this.isClosed = true;
            this.closedBy = why;
            clearInterval(this.timer);
            this.farewells.forEach((resolve) => resolve());
            this.onClosed(why);
        }
    }
    exports.Session = Session;
    function isRefused(why) {
        return why instanceof link_js_1.ServerError && why.code === resumeRefused;
    }
    function present(value) {
        if (value === undefined) {
            throw new Error("not connected yet");
        }
        return value;
    }
    exports.present = present;
});
define("clients/js/src/client", ["require", "exports", "clients/js/src/drawing", "clients/js/src/messages", "clients/js/src/own_way", "clients/js/src/protocol_error", "clients/js/src/packed_state", "clients/js/src/session", "clients/js/src/world"], function (require, exports, drawing_js_1, messages_js_2, own_way_js_1, protocol_error_js_9, packed_state_js_2, session_js_1, world_js_1) {
    "use strict";
    Object.defineProperty(exports, "__esModule", { value: true });
    exports.Client = void 0;
    /** As many messages as a second allows go in this time: what is held up on its way comes closer together. */
    const messagesInMs = 1250;
    /**
     * A player's session: says Hello, keeps who is seen in `world` and where to draw them in `drawing`, answers corrections, pings,
     * and resumes when the connection is lost.
     *
     * Order    A frame is applied to `world` before its callbacks: onLeave, onEnter, onMove and onState of each entity, onService, then
     *          onFrame.
     */
    class Client extends session_js_1.Session {
        constructor(open, options = {}) {
            super(open, options, options.resumption);
            this.options = options;
            this.onEnter = () => { };
            this.onMove = () => { };
            this.onState = () => { };
            /** Without a reason: a keyframe does not have it any more. */
            this.onLeave = () => { };
            /** What a service says to this player; `source`: to whoever sees that entity, else 0. */
            this.onService = () => { };
            this.onFrame = () => { };
            this.onCorrection = () => { };
            /** The server tells its players something; it stops in so many milliseconds at the latest, 0: it does not say. */
            this.onNotice = () => { };
            /** The game sent it from where it began. */
            this.isElsewhere = false;
            /** Until the zone that it was sent to has answered. */
            this.isArriving = false;
            this.newestSeq = 0;
            this.correctionSeen = 0;
            /** Messages that the server may not have, in order. */
            this.unconfirmed = [];
            this.newestMessage = 0;
            this.isConfirming = false;
            this.framesHz = 0;
            /** When messages went out on this connection, of the last messagesInMs. */
            this.sentAt = [];
        }
        /**
         * For the options of a later Client, also of this page when it is loaded again: to be kept after each Welcome (connect(),
         * onResumed, onTransferred), and to be kept secret. Nothing: the zone resumes none.
         */
        get resumption() {
            return this.resumable;
        }
        /** Who is seen: `for (const entity of client.world)`. Only after connect(). */
        get world() {
            return (0, session_js_1.present)(this.kept);
        }
        /** Where to draw them, smoothly, at any moment. Only after connect(). */
        get drawing() {
            return (0, session_js_1.present)(this.drawn);
        }
        /** Where the client's own entity is: what was sent last, or what the server put in its place. */
        get position() {
            return (0, session_js_1.present)(this.ownPosition);
        }
        /** Says where the entity is now; returns the move's seq. More than one a tick is pointless. */
        move(position, facing) {
            this.way?.forget(position);
            return this.sendMove(position, facing);
        }
        /**
         * The same where the server goes on by itself (`predictionErrorMm` of the Welcome), with fewer moves: to be called
         * once in every tick, also while the entity stands. A move is sent, with a velocity, when what the server expects is
         * wrong by more than that bound, or ends. Others see the entity within twice the bound. False: none was needed.
         */
        step(position, facing) {
            if (facing !== undefined && facing !== this.facing) {
                this.way?.sayAgain();
            }
            const velocity = (0, session_js_1.present)(this.way).step(position);
            if (velocity === undefined) {
                this.ownPosition = position;
                return false;
            }
            this.sendMove(position, facing, velocity);
            return true;
        }
        sendMove(position, facing, velocity) {
            this.newestSeq = (this.newestSeq + 1) >>> 0;
            this.ownPosition = position;
            this.facing = facing ?? this.facing;
            const goesOn = velocity !== undefined && (velocity.x !== 0 || velocity.y !== 0 || velocity.z !== 0);
            this.send({
                type: "Move", seq: this.newestSeq, position, correctionSeen: this.correctionSeen,
                ...(facing === undefined ? {} : { facing }), ...(goesOn ? { velocity } : {}),
            });
            return this.newestSeq;
        }
        /** No more frames a second than that, as for a hidden tab; 0: as many as the server gives. */
        setFrameRate(framesHz) {
            this.send({ type: "SetFrameRate", framesHz });
            this.framesHz = framesHz;
        }
        /** Also while the connection is lost: it is said when it is back. */
        setView(view) {
            this.send({ type: "SetView", view });
            this.newestView = { ...view };
        }
        /** Slots of the own entity, by name: those whose writer is the player. */
        setState(state) {
            this.send({ type: "SetState", state: this.world.slots.pack(state) });
        }
        /**
         * To the services of the game, where `welcome.messages` allows it: in order and each once, also over a
         * resume (a restart of the server may tell one twice). False, and nothing is sent: as many as a second allows went
         * just now, or are on their way; try again a little later. Services answer in `frame.messages`.
         */
        sendMessage(kind, payload = new Uint8Array()) {
            const max = this.welcome.messages?.perSecondMax ?? 0;
            const since = performance.now() - messagesInMs;
            this.sentAt = this.sentAt.filter((at) => at > since);
            const hasRoom = Math.max(this.unconfirmed.length, this.sentAt.length) < max;
            if (hasRoom) {
                const number = ++this.newestMessage;
                const message = { type: "SendMessage", number, kind, payload: new Uint8Array(payload) };
                this.unconfirmed.push(message);
                this.sendNumbered(message);
            }
            if (2 * this.unconfirmed.length > max && !this.isConfirming) {
                this.isConfirming = true;
                void this.ping().then(() => { this.isConfirming = false; });
            }
            return hasRoom;
        }
        sendNumbered(message) {
            this.sentAt.push(performance.now());
            this.send(message);
        }
        /** What was said before it is taken in when it is answered. */
        async ping() {
            const newest = this.newestMessage;
            const view = this.newestView;
            const rttMs = await super.ping();
            if (rttMs !== undefined) {
                this.newestView = this.newestView === view ? undefined : this.newestView;
                this.unconfirmed = this.unconfirmed.filter(({ number }) => number > newest);
            }
            return rttMs;
        }
        hello() {
            const { kind, spawn, view, state, facing } = this.options;
            const hello = { type: "Hello", protocolMajor: messages_js_2.protocolMajor, protocolMinor: messages_js_2.protocolMinor };
            if (this.kept !== undefined && !this.isArriving) {
                // It goes on: what else it could say does not count, but the view is checked.
                return { ...hello, lastTick: this.kept.tick };
            }
            return {
                ...hello, ...(this.carried === undefined ? {} : { carried: this.carried }),
                ...Object.fromEntries(Object.entries({ kind, spawn: this.isElsewhere ? undefined : spawn, view, state, facing })
                    .filter(([, value]) => value !== undefined)),
            };
        }
        onWelcome(welcome) {
            this.correctionSeen = 0;
            this.timed = undefined;
            this.way = new own_way_js_1.OwnWay(welcome);
            // `resumed` answers a Hello without a resume token, too, where another login had the entity.
            const isKept = welcome.resumed && this.kept !== undefined && !this.isArriving;
            if (!isKept || !this.world.fits(welcome)) {
                this.kept = new world_js_1.World(welcome.quantumMm, new packed_state_js_2.Slots(welcome.slots), welcome.entity);
                this.drawn = new drawing_js_1.Drawing(welcome.tickRateHz);
            }
            this.ownPosition = isKept ? this.ownPosition : welcome.spawn;
            this.isArriving = false;
            if (this.newestView !== undefined) {
                this.send({ type: "SetView", view: this.newestView });
            }
            if (this.framesHz !== 0) {
                this.send({ type: "SetFrameRate", framesHz: this.framesHz }); // it holds for a connection
            }
            // A server that crashed may know fewer.
            this.unconfirmed = this.unconfirmed.filter(({ number }) => number > welcome.messageNumber);
            this.newestMessage = welcome.messageNumber;
            this.sentAt = [];
            for (const message of this.unconfirmed) {
                message.number = ++this.newestMessage;
                this.sendNumbered(message);
            }
        }
        onMessage(message) {
            switch (message.type) {
                case "Frame":
                    this.onFrameMessage(message);
                    break;
                case "Transfer":
                    // Where it begins there, that zone decides. What was said and not confirmed is lost.
                    this.carried = new Uint8Array(message.carried);
                    this.isElsewhere = this.isArriving = true;
                    this.unconfirmed = [];
                    this.newestView = undefined;
                    this.goTo(message.address, message.token);
                    break;
                case "Notice":
                    this.onNotice(message.text, message.stopsInMs);
                    break;
                default:
                    throw new protocol_error_js_9.ProtocolError(`a ${message.type} while playing`);
            }
        }
        onFrameMessage(frame) {
            if (frame.serverTimeUs !== 0) {
                this.timed = { tick: frame.tick, serverTimeUs: frame.serverTimeUs };
            }
            else if (this.timed !== undefined) {
                const { tick, serverTimeUs } = this.timed;
                frame.serverTimeUs = serverTimeUs + Math.floor((frame.tick - tick) * 1e6 / Math.max(1, this.welcome.tickRateHz));
            }
            const changes = this.world.apply(frame);
            this.drawing.apply(changes, frame);
            // A keyframe tells the number that holds already: moves that were sent since are made after it.
            if (frame.correction !== undefined && frame.correction.number !== this.correctionSeen) {
                this.correctionSeen = frame.correction.number;
                this.ownPosition = frame.correction.position;
                this.way?.forget();
                this.onCorrection(frame.correction);
            }
            changes.left.forEach(({ entity, reason }) => this.onLeave(entity, reason));
            changes.entered.forEach((entity) => this.onEnter(entity));
            changes.moved.forEach((entity) => this.onMove(entity));
            changes.stateChanged.forEach((entity) => this.onState(entity));
            frame.messages.forEach(({ kind, payload, source }) => this.onService(kind, payload, source));
            this.onFrame(changes, frame);
        }
    }
    exports.Client = Client;
});
define("clients/js/src/service", ["require", "exports", "clients/js/src/codec", "clients/js/src/messages", "clients/js/src/packed_moves", "clients/js/src/protocol_error", "clients/js/src/session", "clients/js/src/packed_state", "clients/js/src/world"], function (require, exports, codec_js_2, messages_js_3, packed_moves_js_3, protocol_error_js_10, session_js_2, packed_state_js_3, world_js_2) {
    "use strict";
    Object.defineProperty(exports, "__esModule", { value: true });
    exports.Service = exports.Owned = void 0;
    const itemsMax = 1024; // of one message
    const waitingBytesMax = 2 ** 20; // of what is asked for while there is no connection
    const prefixBytes = 4; // that the server's message_bytes_max does not count
    const playersMax = 2 ** 20; // no zone takes so many connections
    const spawnCommand = 14;
    const nothing = { type: "Subscribe" };
    /** An entity of the service. The same object from spawn() to its end, over resumes too. */
    class Owned {
        /** @internal */
        constructor(ref, spawn) {
            this.ref = ref;
            this.spawn = spawn;
            this.isGone = false;
            this.onFrame = () => { };
            /** @internal */ this.hasMoved = false;
            /** @internal */ this.isAskedFor = false;
            /** @internal */ this.isToGo = false;
        }
        get position() {
            return this.spawn.position;
        }
        /** The newest of a tick counts, on the nearest quantum. Throws RangeError for what is no place in any world. */
        move(position) {
            if (!Object.values(inQuanta(position, 1)).every((mm) => mm === (mm | 0))) {
                throw new RangeError(`no place: ${position.x}, ${position.y}, ${position.z}`);
            }
            this.spawn.position = position;
            this.hasMoved = true;
        }
        despawn() {
            this.isToGo = true;
        }
    }
    exports.Owned = Owned;
    /**
     * A service's session: game logic beside the zone. docs/services.md is a tour.
     *
     * Order    What is asked for goes out with flush(), which is called once a tick, and by itself when something comes in: spawns, moves,
     *          changes, messages and who is sent elsewhere, removals; each of them in the order in which it was asked for. Subscriptions
     *          and answers to questions go at once, behind what waits.
     * Errors   What cannot be sent, a fraction of a millimetre, is a RangeError of the call that asks for it.
     * Resume   By itself, as players do: what was spawned stays, and moves are sent again. Players stay; who went meanwhile leaves. What was
     *          asked for meanwhile goes out then; of more than 1 MiB the newest.
     */
    class Service extends session_js_2.Session {
        /** `admits`: onAsk is called before a player comes in, where the server's `services.admission` says so. */
        constructor(open, name, options = {}) {
            super(open, options);
            this.name = name;
            this.options = options;
            this.onJoin = () => { };
            this.onAway = () => { };
            this.onBack = () => { };
            this.onLeave = () => { };
            /** Of a kind that was subscribed to. */
            this.onPlayer = () => { };
            this.onMessagesLost = () => { };
            /** Of an entity that services move, where subscribeMoves() asked for it: answer it by a change with `position` and `moveAck`. */
            this.onMove = () => { };
            /** In each tick, where subscribePositions() asked for it. */
            this.onPositions = () => { };
            /** A player waits for admit() or refuse(), then or later. */
            this.onAsk = ({ request }) => this.admit(request);
            this.onRefused = () => { };
            /** So many messages and changes, asked for while there was no connection, gave way to newer ones. */
            this.dropped = 0;
            this.there = new Map();
            /** Known since before the newest Welcome, and not announced again. */
            this.unlisted = new Set();
            /** They were away before it, were announced again, and may be back. */
            this.returning = new Set();
            this.owned = new Map();
            this.byId = new Map();
            this.sentQuanta = new Map();
            this.newestRef = 0;
            this.subscribed = nothing;
            this.removed = [];
            this.asked = [];
            this.askedBytes = 0;
        }
        /** Who is in the zone. */
        get players() {
            return this.there;
        }
        spawn(one) {
            const spawn = { ...this.packed(one), ref: this.newestRef + 1 };
            (0, codec_js_2.encode)({ type: "Spawn", entities: [spawn] });
            const owned = new Owned(++this.newestRef, spawn);
            this.owned.set(owned.ref, owned);
            return owned;
        }
        /**
         * Lets in who asks; with what is given, where that is to be other than it asked for. While the connection is lost nothing is sent:
         * the question is void.
         */
        admit(request, given = {}) {
            this.sendAtOnce({ type: "AdmitPlayer", request, given: this.packed(given) });
        }
        /** `why`: a text for the player. */
        refuse(request, why = "") {
            this.sendAtOnce({ type: "AdmitPlayer", request, refusal: why || "refused" }); // an empty string would not be sent, and let it in
        }
        /** Of own entities and players': what is absent stays. */
        change(one) {
            this.ask({ type: "Change", entities: [this.packed(one)] });
        }
        ask(message) {
            const bytes = (0, codec_js_2.encode)(message).length;
            this.asked.push({ message, bytes });
            this.askedBytes += bytes;
            while (this.link === undefined && this.askedBytes > waitingBytesMax) {
                this.askedBytes -= this.asked.shift()?.bytes ?? 0;
                ++this.dropped;
            }
        }
        packed({ state, ...others }) {
            const packed = state && { state: new packed_state_js_3.Slots(this.welcome.slots).pack(state) };
            return { ...others, ...packed };
        }
        removePlayer(id) {
            this.ask({ type: "Despawn", entities: [id] });
        }
        /** Of players' messages those of these kinds come, from here on. */
        subscribe(...kinds) {
            this.sendSubscribe({ ...this.subscribed, kinds });
        }
        /** Where players are comes in each tick, from here on: of all, or of those who are in a circle. */
        subscribePositions(within) {
            this.sendSubscribe({ ...this.withoutPositions(), positions: true, ...(within && { within }) });
        }
        unsubscribePositions() {
            this.sendSubscribe(this.withoutPositions());
        }
        /** What players ask for whose entities services move comes, from here on. */
        subscribeMoves(wanted = true) {
            this.sendSubscribe({ ...this.subscribed, moves: wanted });
        }
        withoutPositions() {
            const { positions, within, ...others } = this.subscribed;
            return others;
        }
        sendSubscribe(wanted) {
            (0, codec_js_2.encode)(wanted);
            this.subscribed = wanted;
            this.sendAtOnce(wanted);
        }
        /** Behind what waits: in the order in which it was asked for. */
        sendAtOnce(message) {
            this.flush();
            this.send(message);
        }
        /** To the players of `to`, to those whom an audience says, or to all who are in the zone. */
        say(kind, payload = new Uint8Array(), to) {
            const whom = to === undefined ? { toEverybody: true } : to instanceof Array ? { to: [...to] } : to;
            const message = { kind, payload: new Uint8Array(payload), ...whom };
            if (message.to?.length !== 0) {
                this.ask({ type: "SendMessages", messages: [message] });
            }
        }
        /** Its client goes on at `address`, with that token and what it is to carry there, up to 1 KiB. */
        sendToZone(player, address, token = "", carried = new Uint8Array()) {
            this.ask({ type: "TransferPlayer", entity: player, address, token, carried: new Uint8Array(carried) });
        }
        sendWaiting() {
            this.flush();
        }
        /** For an id: their spawn is not answered yet. */
        hasWaiting() {
            return [...this.owned.values()].some(({ hasMoved, isToGo }) => hasMoved || isToGo);
        }
        /** Sends what was asked for since. */
        flush() {
            if (this.link === undefined) {
                return;
            }
            const all = [...this.owned.values()];
            const wanted = all.filter(({ isAskedFor }) => !isAskedFor);
            wanted.forEach((one) => { one.isAskedFor = true; one.hasMoved = false; });
            const spawns = wanted.map(({ spawn }) => ({ ...spawn, position: inQuanta(spawn.position, 1) }));
            this.sendLots(spawns, (entities) => ({ type: "Spawn", entities }));
            this.sendMoves(all);
            const asked = this.asked.map(({ message }) => message);
            [this.asked, this.askedBytes] = [[], 0];
            this.sendLots(asked.flatMap((one) => one.type === "Change" ? one.entities : []), (entities) => ({ type: "Change", entities }));
            this.sendSaid(asked);
            this.removed.push(...asked.flatMap((one) => one.type === "Despawn" ? one.entities : []));
            for (const one of all) {
                if (one.isToGo && one.id !== undefined) {
                    this.removed.push(one.id);
                    this.forget(one);
                }
            }
            this.sendLots(this.removed, (entities) => ({ type: "Despawn", entities }));
            this.removed = [];
        }
        sendSaid(asked) {
            let said = [];
            const sendThem = () => {
                this.sendLots(said, (messages) => ({ type: "SendMessages", messages }));
                said = [];
            };
            for (const one of asked) {
                if (one.type === "SendMessages") {
                    said.push(...one.messages);
                }
                else if (one.type === "TransferPlayer") {
                    sendThem();
                    this.send(one);
                }
            }
            sendThem();
        }
        /** In messages of no more items than one may have, and no more bytes. */
        sendLots(items, messageOf) {
            const sendHalved = (some) => {
                const message = (0, codec_js_2.encode)(messageOf(some));
                if (some.length > 1 && message.length - prefixBytes > this.welcome.messageBytesMax) {
                    const half = Math.ceil(some.length / 2);
                    sendHalved(some.slice(0, half));
                    sendHalved(some.slice(half));
                }
                else {
                    this.link?.sendBytes(message);
                }
            };
            for (let at = 0; at < items.length; at += itemsMax) {
                sendHalved(items.slice(at, at + itemsMax));
            }
        }
        sendMoves(all) {
            const moves = [];
            const { quantumMm } = this.welcome;
            for (const one of all.filter(({ hasMoved, id }) => hasMoved && id !== undefined)) {
                const id = one.id;
                one.hasMoved = false;
                const to = inQuanta(one.position, quantumMm);
                const last = this.sentQuanta.get(id);
                this.sentQuanta.set(id, to);
                const from = last ?? { x: 0, y: 0, z: 0 };
                moves.push({ entity: id, isRelative: last !== undefined, x: to.x - from.x, y: to.y - from.y, z: to.z - from.z });
            }
            moves.sort((a, b) => a.entity - b.entity);
            this.sendLots(moves, (some) => ({ type: "MoveMany", moves: (0, packed_moves_js_3.packMoves)(some) }));
        }
        forget(one) {
            this.owned.delete(one.ref);
            this.byId.delete(one.id ?? 0);
            one.id = undefined;
            one.isGone = true;
        }
        spawned(one, id) {
            one.id = id;
            this.byId.set(id, one);
            const isKept = this.welcome.resumed && one.world?.own === id && one.world.fits(this.welcome); // a keyframe comes, which gives the difference
            if (one.spawn.watches === true && !isKept) {
                one.world = new world_js_2.World(this.welcome.quantumMm, new packed_state_js_3.Slots(this.welcome.slots), id);
            }
        }
        hello() {
            return { type: "ServiceHello", protocolMajor: messages_js_3.protocolMajor, protocolMinor: messages_js_3.protocolMinor, name: this.name, admits: this.options.admits ?? false };
        }
        onWelcome(welcome) {
            const ids = new Map(welcome.entities.map(({ ref, entity }) => [ref, entity]));
            // Those that are no more here were despawned by a message that the server did not read.
            const unknown = welcome.entities.filter(({ ref }) => !this.owned.has(ref));
            this.removed = this.removed.concat(unknown.map(({ entity }) => entity));
            this.unlisted = new Set(this.there.values());
            this.returning.clear();
            this.byId.clear();
            this.sentQuanta.clear();
            for (const one of [...this.owned.values()]) {
                const id = ids.get(one.ref);
                if (id !== undefined) {
                    this.spawned(one, id);
                    one.hasMoved = true;
                }
                else if (one.id !== undefined) {
                    this.forget(one);
                }
                else {
                    one.isAskedFor = false;
                }
            }
            this.placed = undefined;
            if (this.subscribed !== nothing) {
                this.send(this.subscribed);
            }
            this.flush();
        }
        onMessage(message) {
            switch (message.type) {
                case "Frame": {
                    const one = this.byId.get(message.watcher);
                    if (one?.world !== undefined) {
                        one.onFrame(one.world.apply(message), message);
                    }
                    break;
                }
                case "Spawned":
                    for (const { ref, entity } of message.entities) {
                        const one = this.owned.get(ref);
                        if (one !== undefined) {
                            this.spawned(one, entity);
                        }
                    }
                    break;
                case "PlayerJoined":
                    this.join(message);
                    break;
                case "PlayersListed":
                    this.endList();
                    break;
                case "PlayerAway": {
                    const player = this.player(message.entity);
                    if (!this.returning.delete(player)) {
                        player.isAway = true;
                        this.onAway(player, message.graceMs);
                    }
                    break;
                }
                case "PlayerBack": {
                    const player = Object.assign(this.player(message.entity), { isAway: false, claims: message.claims });
                    this.returning.delete(player);
                    this.onBack(player);
                    break;
                }
                case "PlayerLeft":
                    this.leaveOf(this.player(message.entity), message.reason);
                    break;
                case "PlayerMessage":
                    this.onPlayer(this.player(message.entity), message);
                    break;
                case "PlayerAsks":
                    this.onAsk(message);
                    break;
                case "MessagesLost":
                    this.onMessagesLost(message.count);
                    break;
                case "PlayerMove":
                    this.onMove(this.player(message.entity), message);
                    break;
                case "Positions":
                    this.place(message);
                    break;
                case "CommandRefused": {
                    const one = message.command === spawnCommand ? this.owned.get(message.ref) : undefined;
                    if (one !== undefined) {
                        this.forget(one);
                    }
                    this.onRefused(message);
                    break;
                }
                default:
                    throw new protocol_error_js_10.ProtocolError(`a ${message.type} to a service`);
            }
            this.flush();
        }
        join(joined) {
            const known = this.there.get(joined.entity);
            if (known === undefined) {
                const player = { ...joined, isAway: false };
                this.there.set(player.entity, player);
                this.onJoin(player);
                return;
            }
            Object.assign(known, joined);
            this.unlisted.delete(known);
            if (known.isAway) {
                this.returning.add(known);
            }
        }
        /** All who are there were announced. */
        endList() {
            this.unlisted.forEach((player) => this.leaveOf(player, messages_js_3.PlayerLeftReason.whileAway));
            for (const player of this.returning) {
                player.isAway = false;
                this.onBack(player);
            }
            this.returning.clear();
        }
        leaveOf(player, reason) {
            this.there.delete(player.entity);
            this.unlisted.delete(player);
            this.returning.delete(player);
            this.onLeave(player, reason);
        }
        place({ tick, first, players, hasMore, borderStale, ticksLost }) {
            if (this.placed?.tick !== tick) {
                this.placed = { tick, players: new Map(), borderStale, ticksLost };
            }
            let id = first;
            for (const { step, position } of players) {
                id += step;
                this.placed.players.set(id, position);
            }
            if (this.placed.players.size > playersMax) {
                throw new protocol_error_js_10.ProtocolError(`more than ${playersMax} players in one tick`);
            }
            if (!hasMore) {
                this.onPositions(this.placed);
                this.placed = undefined;
            }
        }
        player(id) {
            const player = this.there.get(id);
            if (player === undefined) {
                throw new protocol_error_js_10.ProtocolError(`player ${id} is spoken of, and is not there`);
            }
            return player;
        }
    }
    exports.Service = Service;
    function inQuanta({ x, y, z }, quantumMm) {
        const nearest = (mm) => Math.round(mm / quantumMm);
        return { x: nearest(x), y: nearest(y), z: nearest(z) };
    }
});
define("clients/js/src/index", ["require", "exports", "clients/js/src/client", "clients/js/src/codec", "clients/js/src/drawing", "clients/js/src/link", "clients/js/src/message_splitter", "clients/js/src/messages", "clients/js/src/own_way", "clients/js/src/packed_moves", "clients/js/src/packed_state", "clients/js/src/protocol_error", "clients/js/src/service", "clients/js/src/session", "clients/js/src/transport", "clients/js/src/web_socket", "clients/js/src/world"], function (require, exports, client_js_1, codec_js_3, drawing_js_2, link_js_2, message_splitter_js_2, messages_js_4, own_way_js_2, packed_moves_js_4, packed_state_js_4, protocol_error_js_11, service_js_1, session_js_3, transport_js_1, web_socket_js_2, world_js_3) {
    "use strict";
    Object.defineProperty(exports, "__esModule", { value: true });
    exports.Session = exports.ServerError = exports.ConnectionLost = void 0;
    /** What a page or a program uses; Node's sockets are in node_socket.ts. */
    __exportStar(client_js_1, exports);
    __exportStar(codec_js_3, exports);
    __exportStar(drawing_js_2, exports);
    Object.defineProperty(exports, "ConnectionLost", { enumerable: true, get: function () { return link_js_2.ConnectionLost; } });
    Object.defineProperty(exports, "ServerError", { enumerable: true, get: function () { return link_js_2.ServerError; } });
    __exportStar(message_splitter_js_2, exports);
    __exportStar(messages_js_4, exports);
    __exportStar(own_way_js_2, exports);
    __exportStar(packed_moves_js_4, exports);
    __exportStar(packed_state_js_4, exports);
    __exportStar(protocol_error_js_11, exports);
    __exportStar(service_js_1, exports);
    Object.defineProperty(exports, "Session", { enumerable: true, get: function () { return session_js_3.Session; } });
    __exportStar(transport_js_1, exports);
    __exportStar(web_socket_js_2, exports);
    __exportStar(world_js_3, exports);
});
// The demo client: a player over the real protocol, by keys or by touch. Whom it draws is whom the library says it sees.
define("pages/play/play", ["require", "exports", "clients/js/src/index"], function (require, exports, index_js_1) {
    "use strict";
    Object.defineProperty(exports, "__esModule", { value: true });
    /** Of those who play by this page, so that they know each other among bots. */
    const pageKind = 4077;
    const walkMmPerS = 9000;
    const runMmPerS = 27000;
    const feedLinesMax = 40;
    const ringMs = 700;
    const trailMax = 10;
    const askMs = 1000;
    const element = (id) => document.getElementById(id);
    const isOn = (id) => element(id).checked;
    const number = (value, digits = 0) => value.toLocaleString("en", { maximumFractionDigits: digits, minimumFractionDigits: digits });
    const canvas = element("map");
    const drawn = new Map();
    let rings = [];
    const counted = { enters: 0, moves: 0, leaves: 0 };
    const held = new Set();
    const heading = { x: 0, y: 1 };
    let finger;
    let zone;
    let client;
    let own = { x: 0, y: 0, z: 0 };
    let tickMs = 50;
    let zoom = 1;
    let owner = "";
    let ghosts = "";
    let roundTrip = "";
    let steppedMs = 0;
    // Life
    function say(state, text) {
        element("state").dataset.state = state;
        element("state").textContent = text;
        element("again").hidden = state === "live" || client !== undefined;
    }
    function turnOff(why) {
        element("game").hidden = true;
        element("off").hidden = false;
        element("off").textContent = why;
        say("lost", "off");
        element("again").hidden = true;
    }
    async function readZone() {
        const answer = await fetch("/play/zone");
        if (answer.status === 401) {
            location.assign("/sign-in");
        }
        if (!answer.ok) {
            throw new Error((await answer.text()).trim());
        }
        return answer.json();
    }
    async function join() {
        try {
            zone = await readZone();
        }
        catch (error) {
            return say("lost", `the server does not answer: ${error.message}`);
        }
        if (zone.off !== "") {
            return turnOff(zone.off);
        }
        const { address, port, tls } = zone.websocket;
        const host = ["0.0.0.0", "::"].includes(address) ? location.hostname : address.includes(":") ? `[${address}]` : address;
        const player = new index_js_1.Client((0, index_js_1.webSocket)(`${tls ? "wss" : "ws"}://${host}:${port}/`), { kind: pageKind });
        player.onFrame = take;
        player.onCorrection = ({ position }) => {
            own = position;
        };
        player.onNotice = (text) => addLine("notice", "", "notice", text);
        player.onLost = () => say("lost", "connection lost, coming back");
        player.onResumed = () => say("live", "playing");
        player.onClosed = (why) => end(why);
        client = player;
        forget();
        try {
            const welcome = await player.connect();
            own = player.position;
            tickMs = 1000 / welcome.tickRateHz;
            setTimeout(step, tickMs);
            say("live", "playing");
        }
        catch (error) {
            end(error);
        }
    }
    function end(why) {
        client = undefined;
        say("lost", why === undefined ? "left" : `not playing: ${why.message}`);
    }
    function forget() {
        drawn.clear();
        rings = [];
        element("feed").replaceChildren();
    }
    // Frames
    function take(changes) {
        const nowMs = performance.now();
        for (const { entity, reason } of changes.left) {
            drawn.delete(entity.id);
            rings.push({ position: entity.position, isEnter: false, atMs: nowMs });
            addLine("leave", entity.id, "leave", reason === undefined ? "" : reasons[reason]);
        }
        for (const seen of changes.entered) {
            drawn.set(seen.id, { seen, from: seen.position, atMs: nowMs, trail: [seen.position] });
            rings.push({ position: seen.position, isEnter: true, atMs: nowMs });
            addLine("enter", seen.id, "enter", seen.kind === pageKind ? "a player, too" : "");
        }
        for (const seen of changes.moved) {
            const before = drawn.get(seen.id);
            if (before !== undefined) {
                const trail = [...before.trail, seen.position].slice(-trailMax);
                drawn.set(seen.id, { seen, from: placeOf(before, nowMs), atMs: nowMs, trail });
            }
        }
        counted.enters += changes.entered.length;
        counted.moves += changes.moved.length;
        counted.leaves += changes.left.length;
        if (changes.entered.length + changes.left.length > 0) {
            canvas.dataset.seen = [...drawn.keys()].sort((a, b) => a - b).join();
        }
        canvas.dataset.tick = String(client?.world.tick);
        element("newest").textContent = `tick ${number(client?.world.tick ?? 0)}: ${number(changes.moved.length)} moves`;
    }
    const reasons = {
        [index_js_1.LeaveReason.outOfRange]: "out of range", [index_js_1.LeaveReason.gone]: "gone", [index_js_1.LeaveReason.hidden]: "hidden",
        [index_js_1.LeaveReason.capped]: "others are nearer",
    };
    function addLine(kind, id, what, why) {
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
    /** Between where it was drawn and where it is: the way of a tick takes a tick. Then it goes on. */
    function placeOf(entity, nowMs) {
        const ticks = (nowMs - entity.atMs) / tickMs;
        const part = Math.min(ticks, 1);
        const { position: to, velocity } = entity.seen;
        return {
            x: entity.from.x + (to.x - entity.from.x) * part + velocity.x * (ticks - part),
            y: entity.from.y + (to.y - entity.from.y) * part + velocity.y * (ticks - part), z: to.z,
        };
    }
    // Steering
    const directions = {
        arrowleft: [-1, 0], arrowright: [1, 0], arrowup: [0, 1], arrowdown: [0, -1], a: [-1, 0], d: [1, 0], w: [0, 1], s: [0, -1],
    };
    /** Where to, in parts of the walking speed. */
    function wish() {
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
    function advance(nowMs) {
        const seconds = Math.min((nowMs - steppedMs) / 1000, 0.2);
        steppedMs = nowMs;
        const to = wish();
        if (client === undefined || (to.x === 0 && to.y === 0)) {
            return;
        }
        const { worldMin, worldMax } = client.welcome;
        const inside = (value, min, max) => Math.min(Math.max(value, min), max);
        Object.assign(heading, to);
        own = {
            x: inside(own.x + to.x * walkMmPerS * seconds, worldMin.x, worldMax.x),
            y: inside(own.y + to.y * walkMmPerS * seconds, worldMin.y, worldMax.y),
            z: own.z,
        };
    }
    /** Once a tick: where the entity is now, if that is elsewhere. */
    function step() {
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
    const switches = { b: "show-borders", i: "show-ids", t: "show-trails" };
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
        }
        else if (key === "+" || key === "=") {
            zoomBy(1.25);
        }
        else if (key === "-") {
            zoomBy(0.8);
        }
        else if (switches[key] !== undefined && !event.repeat) {
            element(switches[key]).click();
        }
    });
    addEventListener("keyup", (event) => held.delete(event.key.toLowerCase()));
    addEventListener("blur", () => held.clear());
    const point = (event) => {
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
    function zoomBy(factor) {
        zoom = Math.min(Math.max(zoom * factor, 0.25), 8);
    }
    element("zoom-in").addEventListener("click", () => zoomBy(1.25));
    element("zoom-out").addEventListener("click", () => zoomBy(0.8));
    element("again").addEventListener("click", () => void join());
    // Drawing
    function frame(nowMs) {
        requestAnimationFrame(frame); // first: a fault in one frame ends no other
        const ratio = devicePixelRatio || 1;
        const [width, height] = [canvas.clientWidth, canvas.clientHeight];
        if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
            canvas.width = Math.round(width * ratio);
            canvas.height = Math.round(height * ratio);
        }
        const context = canvas.getContext("2d");
        context.setTransform(ratio, 0, 0, ratio, 0, 0);
        context.clearRect(0, 0, width, height);
        if (client !== undefined && element("state").dataset.state === "live") {
            advance(performance.now());
            drawWorld(context, width, height, nowMs);
        }
    }
    function drawWorld(context, width, height, nowMs) {
        const style = getComputedStyle(document.documentElement);
        const color = (name) => style.getPropertyValue(name).trim();
        const { welcome } = client;
        const { view } = welcome;
        const reachMm = Math.max(view.leaveRadiusMm, view.leaveHalfYMm, 5000);
        const pxPerMm = (Math.min(width, height) / 2 / (reachMm * 1.12)) * zoom;
        const place = ({ x, y }) => [width / 2 + (x - own.x) * pxPerMm, height / 2 - (y - own.y) * pxPerMm];
        const box = (minX, minY, maxX, maxY) => {
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
            for (const entity of drawn.values()) {
                context.moveTo(...place(placeOf(entity, nowMs)));
                entity.trail.slice(0, -1).reverse().forEach((at) => context.lineTo(...place(at)));
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
        for (const entity of drawn.values()) {
            const at = place(placeOf(entity, nowMs));
            const isOfPage = entity.seen.kind === pageKind;
            context.fillStyle = color(isOfPage ? "--second" : "--accent");
            circle(context, at, isOfPage ? 8 : 5.5);
            context.fill();
            if (isOfPage || isOn("show-ids")) {
                context.fillStyle = color("--ink");
                context.fillText(isOfPage ? `player ${entity.seen.id}` : String(entity.seen.id), at[0] + 11, at[1]);
            }
        }
        drawSelf(context, width / 2, height / 2, color);
        canvas.dataset.drawn = String(drawn.size);
        canvas.dataset.own = String(welcome.entity);
    }
    function circle(context, [x, y], radius) {
        context.beginPath();
        context.arc(x, y, radius, 0, 2 * Math.PI);
    }
    /** Lines every 10 m, or further apart where they would be too close: so one sees that one moves. */
    function drawGrid(context, land, line, pxPerMm, width, height) {
        const [left, top, wide, high] = land;
        let stepMm = 10000;
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
    function drawShards(context, box, color) {
        const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
        (zone?.shards ?? []).forEach((shard) => {
            const hue = (232 + shard.id * 137.508) % 360; // as on the map
            const area = box(shard.min_x_m * 1000, shard.min_y_m * 1000, shard.max_x_m * 1000, shard.max_y_m * 1000);
            context.fillStyle = `oklch(${isDark ? 0.76 : 0.56} ${isDark ? 0.115 : 0.145} ${hue} / 0.16)`;
            context.fillRect(...area);
            context.strokeStyle = color("--border");
            context.lineWidth = 1.5;
            context.strokeRect(...area);
        });
    }
    /** Above the veil over what is not known: half of a name would be lost in it. */
    function nameShards(context, box, color, width, height) {
        context.font = "600 12px system-ui, sans-serif";
        context.textBaseline = "middle";
        context.fillStyle = color("--ink");
        for (const shard of zone?.shards ?? []) {
            const [left, top, wide, high] = box(shard.min_x_m * 1000, shard.min_y_m * 1000, shard.max_x_m * 1000, shard.max_y_m * 1000);
            const [x, y] = [Math.max(left, 0) + 12, Math.max(top, 0) + 16];
            if (x < Math.min(left + wide, width) - 40 && y < Math.min(top + high, height) - 10) {
                context.fillText(shard.name, x, y);
            }
        }
    }
    /** Whoever comes within the line is entered, whoever goes beyond the dashes is left; what lies beyond is not known. */
    function drawView(context, view, pxPerMm, width, height, color) {
        const shape = (halfX, halfY) => {
            const path = new Path2D();
            if (view.shape === index_js_1.Shape.rectangle) {
                path.rect(width / 2 - halfX * pxPerMm, height / 2 - halfY * pxPerMm, 2 * halfX * pxPerMm, 2 * halfY * pxPerMm);
            }
            else {
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
    function drawSelf(context, x, y, color) {
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
    function showFacts() {
        if (client === undefined || canvas.dataset.own === undefined) {
            return;
        }
        const { welcome } = client;
        const metres = (mm) => number(Math.round(mm / 100) / 10 + 0, 1); // and no -0
        const facts = [
            ["Entity", String(welcome.entity)],
            ["Position", `${metres(own.x)}, ${metres(own.y)} m`],
            ["Enter at, leave beyond", `${metres(welcome.view.radiusMm)} m, ${metres(welcome.view.leaveRadiusMm)} m`],
            ["Round trip", roundTrip],
            ...(isOn("show-borders") ? [["Owned by shard", owner], ["Ghosts in", ghosts]] : []),
        ];
        element("facts").replaceChildren(...facts.flatMap(([name, value]) => {
            const [dt, dd] = [document.createElement("dt"), document.createElement("dd")];
            dt.textContent = name;
            dd.textContent = value;
            return [dt, dd];
        }));
    }
    /** Where the shards are, and which has the entity: of no use to a player, so the admin port says it, not the protocol. */
    async function askAboutShards() {
        zone = await readZone();
        const answer = await fetch(`/entity/${client?.welcome.entity}`);
        if (answer.ok) {
            const { shard, ghost_in: ghostIn } = await answer.json();
            owner = shard;
            ghosts = ghostIn.join(", ") || "no other shard";
        }
    }
    setInterval(() => {
        element("seen").textContent = number(drawn.size);
        for (const name of ["enters", "moves", "leaves"]) {
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
});
