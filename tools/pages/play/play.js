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
        bool: 1, ubyte: 1, ushort: 2, uint: 4, int: 4, long: 8, nonce: 8,
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
define("clients/js/src/flat_reader", ["require", "exports", "clients/js/src/flat_shapes", "clients/js/src/protocol_error"], function (require, exports, flat_shapes_js_1, protocol_error_js_1) {
    "use strict";
    Object.defineProperty(exports, "__esModule", { value: true });
    exports.FlatReader = void 0;
    const text = new TextDecoder("utf-8", { fatal: true });
    class FlatReader {
        constructor(message) {
            this.message = message;
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
                    throw new protocol_error_js_1.ProtocolError(`${field.name} is missing`);
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
                throw new protocol_error_js_1.ProtocolError("a number of 2^53 or more");
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
            try {
                return text.decode(this.bytes(at));
            }
            catch {
                throw new protocol_error_js_1.ProtocolError("a text that is not UTF-8");
            }
        }
        bytes(at) {
            const begin = this.follow(at);
            const count = this.number(begin, "uint");
            this.inside(begin + 4, count);
            return this.message.subarray(begin + 4, begin + 4 + count);
        }
        list(at, bytes, read) {
            const begin = this.follow(at);
            const count = this.number(begin, "uint");
            this.inside(begin + 4, count * bytes);
            return Array.from({ length: count }, (_, i) => read(begin + 4 + i * bytes));
        }
        inside(at, bytes) {
            if (at < 0 || at + bytes > this.view.byteLength) {
                throw new protocol_error_js_1.ProtocolError("an offset that leads out of the message");
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
define("clients/js/src/messages", ["require", "exports"], function (require, exports) {
    "use strict";
    Object.defineProperty(exports, "__esModule", { value: true });
    exports.PlayerLeftReason = exports.LeaveReason = exports.Shape = exports.protocolMinor = exports.protocolMajor = void 0;
    /**
     * The protocol's messages as plain objects. docs/wire_format.md says what each field means and when a
     * message is legal; names are the same, in camelCase.
     *
     * Units    Positions and lengths are millimetres, angles 65,536ths of a turn: integers all of them.
     * Ids      Entities, ticks and server times are numbers: a u64 is read exactly up to 2^53, and beyond
     *          it is an error, never another number. Nonces are bigints.
     */
    exports.protocolMajor = 1;
    exports.protocolMinor = 4;
    var Shape;
    (function (Shape) {
        Shape[Shape["none"] = 0] = "none";
        Shape[Shape["circle"] = 1] = "circle";
        Shape[Shape["rectangle"] = 2] = "rectangle";
        Shape[Shape["sector"] = 3] = "sector";
        Shape[Shape["cylinder"] = 4] = "cylinder";
    })(Shape = exports.Shape || (exports.Shape = {}));
    var LeaveReason;
    (function (LeaveReason) {
        LeaveReason[LeaveReason["gone"] = 1] = "gone";
        LeaveReason[LeaveReason["outOfRange"] = 2] = "outOfRange";
        LeaveReason[LeaveReason["hidden"] = 3] = "hidden";
        LeaveReason[LeaveReason["capped"] = 4] = "capped";
    })(LeaveReason = exports.LeaveReason || (exports.LeaveReason = {}));
    var PlayerLeftReason;
    (function (PlayerLeftReason) {
        PlayerLeftReason[PlayerLeftReason["left"] = 1] = "left";
        PlayerLeftReason[PlayerLeftReason["lost"] = 2] = "lost";
        PlayerLeftReason[PlayerLeftReason["removed"] = 3] = "removed";
        PlayerLeftReason[PlayerLeftReason["tooSlow"] = 4] = "tooSlow";
        PlayerLeftReason[PlayerLeftReason["closed"] = 5] = "closed";
    })(PlayerLeftReason = exports.PlayerLeftReason || (exports.PlayerLeftReason = {}));
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
    const angleIfSaid = scalar("ushort", undefined);
    const string = { kind: "string" };
    const bytes = { kind: "bytes", ifSaid: false };
    const bytesIfSaid = { kind: "bytes", ifSaid: true };
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
    const Correction = (0, flat_shapes_js_3.struct)({ number: "uint", position: Position });
    const View = (0, flat_shapes_js_3.table)({
        shape: scalar("ubyte", 1), radiusMm: int, leaveRadiusMm: int, halfYMm: int, leaveHalfYMm: int,
        halfZMm: int, leaveHalfZMm: int, halfOpening: ushort, leaveHalfOpening: ushort,
    });
    const SpawnOne = (0, flat_shapes_js_3.table)({
        ref: uint, kind: ushort, position, facing: ushort, layers: one(Layers), view: within(View),
        notify: one(Notify), blob: bytes, importance: scalar("ubyte", 1), watches: bool,
    }, ["position"]);
    const ChangeOne = (0, flat_shapes_js_3.table)({
        entity: long, position, facing: angleIfSaid, layers: one(Layers), view: within(View),
        notify: one(Notify), state: bytesIfSaid,
    });
    const EventOf = (0, flat_shapes_js_3.table)({ source: long, payload: bytes, to: longs });
    const Crowd = (0, flat_shapes_js_3.table)({
        visibleMax: uint, stickyPercent: uint, rings: several(Ring), frameBytesMax: uint, staleTicksMax: uint,
    });
    const Entered = (0, flat_shapes_js_3.table)({ entity: long, kind: ushort, position, blob: bytes }, ["position"]);
    const MessageTo = (0, flat_shapes_js_3.table)({ to: longs, toEverybody: bool, kind: ushort, payload: bytes });
    const MessageDelivered = (0, flat_shapes_js_3.table)({ kind: ushort, payload: bytes });
    const StateChanged = (0, flat_shapes_js_3.table)({ entity: long, blob: bytes });
    const EventDelivered = (0, flat_shapes_js_3.table)({ source: long, payload: bytes });
    /** By name, in the order of their type numbers, the first being 1. */
    exports.bodies = {
        Hello: (0, flat_shapes_js_3.table)({
            protocolMajor: ushort, protocolMinor: ushort, kind: ushort, spawn: position, view: within(View),
            blob: bytes, facing: ushort, token: string, resumeToken: bytes, lastTick: long,
        }),
        Move: (0, flat_shapes_js_3.table)({ seq: uint, position, facing: angleIfSaid, correctionSeen: uint }, ["position"]),
        SetView: (0, flat_shapes_js_3.table)({ view: within(View) }, ["view"]),
        Ping: (0, flat_shapes_js_3.table)({ nonce }),
        Leave: (0, flat_shapes_js_3.table)({}),
        Welcome: (0, flat_shapes_js_3.table)({
            protocolMajor: ushort, protocolMinor: ushort, entity: long, tick: long, tickRateHz: ushort,
            dimensions: ubyte, worldMin: position, worldMax: position, spawn: position, view: within(View),
            leaveRadiusMmMax: int, crowd: within(Crowd), serverTimeUs: long, quantumMm: scalar("uint", 1),
            resumeToken: bytes, resumeGraceMs: uint, resumed: bool, events: one(SendLimit),
            states: one(SendLimit), messages: one(SendLimit), messageNumber: uint,
        }, ["worldMin", "worldMax", "spawn", "view"]),
        Pong: (0, flat_shapes_js_3.table)({ nonce, tick: long }),
        Frame: (0, flat_shapes_js_3.table)({
            tick: long, moveAck: uint, borderStale: bool, leaves: several(Left), enters: list(Entered),
            moves: bytes, timeScale: scalar("ubyte", 100), isCapped: bool, isSlowed: bool,
            isOverBudget: bool, serverTimeUs: long, states: list(StateChanged), events: list(EventDelivered),
            isKeyframe: bool, eventsLost: bool, correction: one(Correction), watcher: long,
            isFilling: bool, messages: list(MessageDelivered), messagesLost: bool,
        }),
        Error: (0, flat_shapes_js_3.table)({ code: ushort, text: string }),
        KeyframeRequest: (0, flat_shapes_js_3.table)({}),
        SetState: (0, flat_shapes_js_3.table)({ blob: bytes }),
        SendEvent: (0, flat_shapes_js_3.table)({ payload: bytes, to: longs }),
        ServiceHello: (0, flat_shapes_js_3.table)({
            protocolMajor: ushort, protocolMinor: ushort, name: string, token: string, resumeToken: bytes,
        }, ["name"]),
        Spawn: (0, flat_shapes_js_3.table)({ entities: list(SpawnOne) }, ["entities"]),
        Despawn: (0, flat_shapes_js_3.table)({ entities: longs }, ["entities"]),
        MoveMany: (0, flat_shapes_js_3.table)({ moves: bytes }, ["moves"]),
        Change: (0, flat_shapes_js_3.table)({ entities: list(ChangeOne) }, ["entities"]),
        SendEvents: (0, flat_shapes_js_3.table)({ events: list(EventOf) }, ["events"]),
        ServiceWelcome: (0, flat_shapes_js_3.table)({
            protocolMajor: ushort, protocolMinor: ushort, tick: long, serverTimeUs: long, tickRateHz: ushort,
            dimensions: ubyte, worldMin: position, worldMax: position, leaveRadiusMmMax: int,
            notifyLeaveRadiusMmMax: int, quantumMm: scalar("uint", 1), resumeToken: bytes,
            resumeGraceMs: uint, resumed: bool, messageBytesMax: uint, entitiesMax: uint,
            watchersMax: uint, entities: several(SpawnedOne),
        }, ["worldMin", "worldMax"]),
        Spawned: (0, flat_shapes_js_3.table)({ entities: several(SpawnedOne) }, ["entities"]),
        PlayerJoined: (0, flat_shapes_js_3.table)({ entity: long, kind: ushort, position, blob: bytes, subject: string, claims: string }, ["position"]),
        PlayerLeft: (0, flat_shapes_js_3.table)({ entity: long, reason: ubyte }),
        CommandRefused: (0, flat_shapes_js_3.table)({ command: ubyte, entity: long, ref: uint, reason: ubyte }),
        Notice: (0, flat_shapes_js_3.table)({ text: string, stopsInMs: uint }),
        PlayerAway: (0, flat_shapes_js_3.table)({ entity: long, graceMs: uint }),
        PlayerBack: (0, flat_shapes_js_3.table)({ entity: long, claims: string }),
        SendMessage: (0, flat_shapes_js_3.table)({ number: uint, kind: ushort, payload: bytes }),
        Subscribe: (0, flat_shapes_js_3.table)({ kinds: ushorts }),
        SendMessages: (0, flat_shapes_js_3.table)({ messages: list(MessageTo) }, ["messages"]),
        PlayerMessage: (0, flat_shapes_js_3.table)({ entity: long, kind: ushort, tick: long, position, payload: bytes }, ["position"]),
        MessagesLost: (0, flat_shapes_js_3.table)({ count: long }),
    };
});
define("clients/js/src/codec", ["require", "exports", "clients/js/src/flat_reader", "clients/js/src/flat_writer", "clients/js/src/protocol_error", "clients/js/src/schema"], function (require, exports, flat_reader_js_1, flat_writer_js_1, protocol_error_js_2, schema_js_1) {
    "use strict";
    Object.defineProperty(exports, "__esModule", { value: true });
    exports.decode = exports.encode = exports.decodeBody = exports.encodeBody = void 0;
    const names = Object.keys(schema_js_1.bodies);
    const ofServer = new Set([
        "Welcome", "Pong", "Frame", "Error",
        "ServiceWelcome", "Spawned", "PlayerJoined", "PlayerLeft", "CommandRefused", "Notice",
        "PlayerAway", "PlayerBack", "PlayerMessage", "MessagesLost",
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
        const { name, read } = opened(message);
        return name === undefined ? undefined : { name, value: read(name) };
    }
    exports.decodeBody = decodeBody;
    /** Throws RangeError for what the protocol has no room for: fractions, numbers too large. */
    function encode(message) {
        return encodeBody(message.type, message);
    }
    exports.encode = encode;
    /** One whole message of a server. Throws ProtocolError. Bytes in it are views into `message`. */
    function decode(message) {
        const { name, read } = opened(message);
        if (name === undefined) {
            return { type: "Skipped" };
        }
        if (!ofServer.has(name)) {
            throw new protocol_error_js_2.ProtocolError(`a ${name}, which only a client sends`);
        }
        return { type: name, ...read(name) };
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
                throw new protocol_error_js_2.ProtocolError(`a message of the unknown type ${type}`);
            }
        }
        const at = reader.fieldAt(root, body);
        if (at === 0) {
            throw new protocol_error_js_2.ProtocolError("a message without a body");
        }
        return { name, read: (of) => reader.table(schema_js_1.bodies[of], reader.follow(at)) };
    }
});
define("clients/js/src/message_splitter", ["require", "exports", "clients/js/src/protocol_error"], function (require, exports, protocol_error_js_3) {
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
                throw new protocol_error_js_3.ProtocolError(`a message of ${length} bytes`);
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
            if (!this.isOver) {
                this.transport?.send((0, codec_js_1.encode)(message));
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
            else if (message.type === "Welcome" && !this.isWelcome) {
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
            else {
                this.settle?.reject(why);
            }
        }
    }
    exports.Link = Link;
});
define("clients/js/src/packed_moves", ["require", "exports", "clients/js/src/protocol_error"], function (require, exports, protocol_error_js_4) {
    "use strict";
    Object.defineProperty(exports, "__esModule", { value: true });
    exports.positionAfter = exports.packMoves = exports.unpackMoves = void 0;
    const differenceMax = 2 ** 32 - 1;
    /** Calls `take` for each entity, with an object that is used again for the next. Throws ProtocolError. */
    function unpackMoves(packed, take) {
        const move = { entity: 0, isRelative: false, x: 0, y: 0, z: 0 };
        let at = 0;
        const varint = () => {
            let value = 0;
            for (let scale = 1;; scale *= 128) {
                const byte = packed[at++];
                if (byte === undefined || (byte === 0 && scale > 1)) {
                    throw new protocol_error_js_4.ProtocolError("packed moves: a number is cut off, or longer than needed");
                }
                value += (byte & 0x7f) * scale;
                if (value > Number.MAX_SAFE_INTEGER) {
                    throw new protocol_error_js_4.ProtocolError("packed moves: a number of 2^53 or more");
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
                throw new protocol_error_js_4.ProtocolError("packed moves: a way that is longer than the world");
            }
            return number;
        };
        for (let isFirst = true; at < packed.length; isFirst = false) {
            const head = varint();
            const flags = head % 4;
            if (head < 4 && !isFirst) {
                throw new protocol_error_js_4.ProtocolError("packed moves: ids that do not ascend");
            }
            if (flags === 1) {
                throw new protocol_error_js_4.ProtocolError("packed moves: a position without its z");
            }
            move.entity += (head - flags) / 4;
            move.isRelative = flags % 2 === 0;
            move.x = zigzag();
            move.y = zigzag();
            move.z = flags >= 2 ? zigzag() : 0;
            take(move);
        }
    }
    exports.unpackMoves = unpackMoves;
    /** For a service's MoveMany. Ids must ascend; absolute ones are always written with their z. */
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
        for (const { entity, isRelative, x, y, z } of moves) {
            if (entity <= previous || ![entity, x, y, z].every(Number.isSafeInteger)) {
                throw new RangeError(`entity ${entity}: ids must ascend, and all numbers be integers`);
            }
            const zFollows = !isRelative || z !== 0;
            varint((entity - Math.max(previous, 0)) * 4 + (zFollows ? 2 : 0) + (isRelative ? 0 : 1));
            zigzag(x);
            zigzag(y);
            if (zFollows) {
                zigzag(z);
            }
            previous = entity;
        }
        return Uint8Array.from(out);
    }
    exports.packMoves = packMoves;
    /** Where an entity is after a move, in millimetres; throws ProtocolError when that is no position. */
    function positionAfter(move, toldLast, quantumMm) {
        const from = move.isRelative ? toldLast : { x: 0, y: 0, z: 0 };
        const position = {
            x: from.x + move.x * quantumMm,
            y: from.y + move.y * quantumMm,
            z: from.z + move.z * quantumMm,
        };
        const isInt32 = (value) => value === (value | 0);
        if (!isInt32(position.x) || !isInt32(position.y) || !isInt32(position.z)) {
            throw new protocol_error_js_4.ProtocolError(`entity ${move.entity}: a position outside of any world`);
        }
        return position;
    }
    exports.positionAfter = positionAfter;
});
define("clients/js/src/world", ["require", "exports", "clients/js/src/packed_moves", "clients/js/src/protocol_error"], function (require, exports, packed_moves_js_1, protocol_error_js_5) {
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
        constructor(quantumMm) {
            this.quantumMm = quantumMm;
            this.known = new Map();
            this.newestTick = 0;
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
                throw new protocol_error_js_5.ProtocolError(`a frame of tick ${frame.tick} after that of ${this.newestTick}`);
            }
            const changes = {
                isKeyframe: frame.isKeyframe, left: [], entered: [], moved: [], stateChanged: [],
                events: frame.events,
            };
            this.leave(frame, changes);
            this.enter(frame, changes);
            this.move(frame, changes);
            this.changeStates(frame, changes);
            this.newestTick = frame.tick;
            return changes;
        }
        leave(frame, changes) {
            if (frame.isKeyframe) {
                for (const entity of this.known.values()) {
                    changes.left.push({ entity, reason: undefined });
                }
                this.known.clear();
            }
            for (const { entity, reason } of frame.leaves) {
                changes.left.push({ entity: this.find(entity, "leaves"), reason });
                this.known.delete(entity);
            }
        }
        enter(frame, changes) {
            for (const { entity, kind, position, blob } of frame.enters) {
                if (this.known.has(entity)) {
                    throw new protocol_error_js_5.ProtocolError(`entity ${entity} enters, and is seen already`);
                }
                // Blobs outlive the frame, whose memory they would keep.
                const seen = { id: entity, kind, position, blob: blob.slice(), movedTick: frame.tick };
                this.known.set(entity, seen);
                changes.entered.push(seen);
            }
        }
        move(frame, changes) {
            (0, packed_moves_js_1.unpackMoves)(frame.moves, (move) => {
                const before = this.find(move.entity, "moves");
                const position = (0, packed_moves_js_1.positionAfter)(move, before.position, this.quantumMm);
                const seen = { ...before, position, movedTick: frame.tick };
                this.known.set(move.entity, seen);
                changes.moved.push(seen);
            });
        }
        changeStates(frame, changes) {
            for (const { entity, blob } of frame.states) {
                const seen = { ...this.find(entity, "changes its state"), blob: blob.slice() };
                this.known.set(entity, seen);
                changes.stateChanged.push(seen);
            }
        }
        find(entity, what) {
            const seen = this.known.get(entity);
            if (seen === undefined) {
                throw new protocol_error_js_5.ProtocolError(`entity ${entity} ${what}, and is not seen`);
            }
            return seen;
        }
    }
    exports.World = World;
});
define("clients/js/src/client", ["require", "exports", "clients/js/src/link", "clients/js/src/messages", "clients/js/src/protocol_error", "clients/js/src/world"], function (require, exports, link_js_1, messages_js_1, protocol_error_js_6, world_js_1) {
    "use strict";
    Object.defineProperty(exports, "__esModule", { value: true });
    exports.Client = void 0;
    /** Codes of docs/wire_format.md after which the entity is still there, or may be again when the server is: connect again. */
    const lostCodes = new Set([8, 9, 11]);
    const retryMsMax = 4000;
    const resumeRefused = 15;
    const farewellMsMax = 5000;
    const welcomeMsMax = 10000;
    /**
     * A player's session: says Hello, keeps who is seen in `world`, answers corrections, pings, and resumes
     * when the connection is lost.
     *
     *     idle -- connect() --> playing <-- resumed --+      closed: leave(), an Error of the server,
     *                              +---- lost --------+      a broken stream, or the grace is over
     *
     * Order    A frame is applied to `world` before onFrame. Callbacks come one at a time, in the order of
     *          the stream; what they throw ends the session.
     * Errors   connect() rejects, onClosed tells: with a ServerError if the server said why, a ProtocolError
     *          if its stream is broken. Both, where the end came along with the Welcome.
     */
    class Client {
        constructor(open, options = {}) {
            this.open = open;
            this.options = options;
            this.onFrame = () => { };
            this.onCorrection = () => { };
            /** The server tells its players something; it stops in so many milliseconds at the latest, 0: it does not say. */
            this.onNotice = () => { };
            this.onLost = () => { };
            this.onResumed = () => { };
            this.onClosed = () => { };
            this.newestSeq = 0;
            this.correctionSeen = 0;
            this.isLeaving = false;
            this.isClosed = false;
            this.nextNonce = 1n;
            this.pings = new Map();
            /** Messages that the server may not have, in order. */
            this.unconfirmed = [];
            this.newestMessage = 0;
            this.isConfirming = false;
            this.farewells = [];
        }
        /** Resolves with the first Welcome. Once. */
        async connect() {
            await this.begin(this.hello(), this.options.welcomeMsMax ?? welcomeMsMax);
            if (this.isClosed) {
                this.link?.send({ type: "Leave" });
                throw this.closedBy ?? new Error("left before the Welcome came");
            }
            this.timer = setInterval(() => this.keepAlive(), this.options.pingEveryMs ?? 5000);
            return this.welcome;
        }
        /** The newest Welcome. Only after connect(). */
        get welcome() {
            return present(this.told);
        }
        /** Who is seen. Only after connect(). */
        get world() {
            return present(this.kept);
        }
        /** Where the client's own entity is: what was sent last, or what the server put in its place. */
        get position() {
            return present(this.ownPosition);
        }
        /** Says where the entity is now; returns the move's seq. More than one a tick is pointless. */
        move(position, facing) {
            this.newestSeq = (this.newestSeq + 1) >>> 0;
            this.ownPosition = position;
            this.link?.send({
                type: "Move", seq: this.newestSeq, position, correctionSeen: this.correctionSeen,
                ...(facing === undefined ? {} : { facing }),
            });
            return this.newestSeq;
        }
        setView(view) {
            this.link?.send({ type: "SetView", view });
        }
        /** What others get of the entity, where `welcome.states` allows it. */
        setState(blob) {
            this.link?.send({ type: "SetState", blob });
        }
        /** To those named, or to whoever sees the entity; where `welcome.events` allows it. */
        sendEvent(payload, to = []) {
            this.link?.send({ type: "SendEvent", payload, to });
        }
        /**
         * To the services of the game, where `welcome.messages` allows it: in order and each once, also over a
         * resume (a restart of the server may tell one twice). False, and nothing is sent: as many as a second allows are
         * on their way; try again a little later. Services answer in `frame.messages`.
         */
        sendMessage(kind, payload = new Uint8Array()) {
            const max = this.welcome.messages?.perSecondMax ?? 0;
            const hasRoom = this.unconfirmed.length < max;
            if (hasRoom) {
                const number = ++this.newestMessage;
                const message = { type: "SendMessage", number, kind, payload: payload.slice() };
                this.unconfirmed.push(message);
                this.link?.send(message);
            }
            if (2 * this.unconfirmed.length > max && !this.isConfirming) {
                this.isConfirming = true;
                void this.ping().then(() => { this.isConfirming = false; });
            }
            return hasRoom;
        }
        requestKeyframe() {
            this.link?.send({ type: "KeyframeRequest" });
        }
        /** The round trip in milliseconds; nothing when the connection is lost, or gets lost meanwhile. */
        ping() {
            if (this.link === undefined) {
                return Promise.resolve(undefined);
            }
            const nonce = this.nextNonce++;
            const newest = this.newestMessage;
            const sentMs = performance.now();
            return new Promise((resolve) => {
                this.pings.set(nonce, (nowMs) => {
                    if (nowMs !== undefined) {
                        this.unconfirmed = this.unconfirmed.filter(({ number }) => number > newest);
                    }
                    resolve(nowMs === undefined ? undefined : nowMs - sentMs);
                });
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
                link.send({ type: "Leave" });
                const timer = setTimeout(() => link.abort(new link_js_1.ConnectionLost("no end after Leave")), farewellMsMax);
                this.farewells.push(() => clearTimeout(timer));
            });
        }
        hello() {
            const { kind, spawn, view, blob, facing, token } = this.options;
            return {
                type: "Hello", protocolMajor: messages_js_1.protocolMajor, protocolMinor: messages_js_1.protocolMinor,
                ...Object.fromEntries(Object.entries({ kind, spawn, view, blob, facing, token })
                    .filter(([, value]) => value !== undefined)),
            };
        }
        async begin(hello, msMax) {
            const link = new link_js_1.Link({
                welcomed: (welcome) => {
                    this.link = link;
                    this.onWelcome(welcome);
                },
                received: (message) => this.onMessage(message),
                ended: (why) => this.onEnded(why),
            }, this.options.messageBytesMax);
            await link.connect(this.open, hello, msMax);
        }
        onWelcome(welcome) {
            this.told = welcome;
            this.correctionSeen = 0;
            if (!welcome.resumed || this.kept === undefined) {
                this.kept = new world_js_1.World(welcome.quantumMm);
                this.ownPosition = welcome.spawn;
            }
            // A server that was restarted has none of them, and counts anew.
            this.unconfirmed = this.unconfirmed.filter(({ number }) => number > welcome.messageNumber);
            this.newestMessage = welcome.messageNumber;
            for (const message of this.unconfirmed) {
                message.number = ++this.newestMessage;
                this.link?.send(message);
            }
        }
        onMessage(message) {
            if (this.isClosed) {
                return;
            }
            switch (message.type) {
                case "Frame":
                    this.onFrameMessage(message);
                    break;
                case "Pong":
                    this.pings.get(message.nonce)?.(performance.now());
                    this.pings.delete(message.nonce);
                    break;
                case "Notice":
                    this.onNotice(message.text, message.stopsInMs);
                    break;
                default:
                    throw new protocol_error_js_6.ProtocolError(`a ${message.type} while playing`);
            }
        }
        onFrameMessage(frame) {
            const changes = this.world.apply(frame);
            // A keyframe tells the number that holds already: moves that were sent since are made after it.
            if (frame.correction !== undefined && frame.correction.number !== this.correctionSeen) {
                this.correctionSeen = frame.correction.number;
                this.ownPosition = frame.correction.position;
                this.onCorrection(frame.correction);
            }
            this.onFrame(changes, frame);
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
            else if (this.canResume(why)) {
                if (this.tell(() => this.onLost(why))) {
                    void this.resume(why);
                }
            }
            else {
                this.close(why);
            }
        }
        canResume(why) {
            const isLost = why instanceof link_js_1.ConnectionLost ||
                (why instanceof link_js_1.ServerError && lostCodes.has(why.code));
            return isLost && (this.options.resume ?? true) && this.welcome.resumeToken.length > 0;
        }
        /** Until it works, the server says that it is no use, or the grace is over. */
        async resume(why) {
            const deadlineMs = performance.now() + this.welcome.resumeGraceMs;
            let newest = why;
            let waitMs = this.options.retryMs ?? 500;
            while (!this.isClosed && performance.now() < deadlineMs) {
                const leftMs = deadlineMs - performance.now();
                try {
                    await this.begin({
                        ...this.hello(), resumeToken: this.welcome.resumeToken, lastTick: this.world.tick,
                    }, Math.min(leftMs, this.options.welcomeMsMax ?? welcomeMsMax));
                    this.isClosed ? this.link?.send({ type: "Leave" }) : this.tell(() => this.onResumed());
                    return;
                }
                catch (error) {
                    newest = error;
                    if (newest instanceof protocol_error_js_6.ProtocolError ||
                        (newest instanceof link_js_1.ServerError && newest.code === resumeRefused)) {
                        break;
                    }
                }
                // After a restart everybody comes at once: not all in the same moment again.
                await new Promise((resolve) => setTimeout(resolve, waitMs * (0.5 + Math.random())));
                waitMs = Math.min(2 * waitMs, Math.max(waitMs, retryMsMax));
            }
            this.close(newest);
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
            if (this.link.silentForMs() > (this.options.silenceMsMax ?? 10000)) {
                this.link.abort(new link_js_1.ConnectionLost("the server says nothing any more"));
            }
            else {
                void this.ping();
            }
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
    exports.Client = Client;
    function present(value) {
        if (value === undefined) {
            throw new Error("not connected yet");
        }
        return value;
    }
});
define("clients/js/src/web_socket", ["require", "exports"], function (require, exports) {
    "use strict";
    Object.defineProperty(exports, "__esModule", { value: true });
    exports.webSocket = void 0;
    const normalClosure = 1000;
    /** Over WebSocket: in browsers, and where Node has one. `url` is like "wss://play.example.org:7778/". */
    function webSocket(url) {
        return (listener) => new Promise((resolve, reject) => {
            const socket = new WebSocket(url);
            let isOpen = false;
            socket.binaryType = "arraybuffer";
            socket.onopen = () => {
                isOpen = true;
                resolve({
                    send: (message) => socket.send(message),
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
    }
    exports.webSocket = webSocket;
});
define("clients/js/src/index", ["require", "exports", "clients/js/src/client", "clients/js/src/codec", "clients/js/src/link", "clients/js/src/message_splitter", "clients/js/src/messages", "clients/js/src/packed_moves", "clients/js/src/protocol_error", "clients/js/src/transport", "clients/js/src/web_socket", "clients/js/src/world"], function (require, exports, client_js_1, codec_js_2, link_js_2, message_splitter_js_2, messages_js_2, packed_moves_js_2, protocol_error_js_7, transport_js_1, web_socket_js_1, world_js_2) {
    "use strict";
    Object.defineProperty(exports, "__esModule", { value: true });
    exports.ServerError = exports.ConnectionLost = void 0;
    /** What a page or a program uses; Node's sockets are in node_socket.ts. */
    __exportStar(client_js_1, exports);
    __exportStar(codec_js_2, exports);
    Object.defineProperty(exports, "ConnectionLost", { enumerable: true, get: function () { return link_js_2.ConnectionLost; } });
    Object.defineProperty(exports, "ServerError", { enumerable: true, get: function () { return link_js_2.ServerError; } });
    __exportStar(message_splitter_js_2, exports);
    __exportStar(messages_js_2, exports);
    __exportStar(packed_moves_js_2, exports);
    __exportStar(protocol_error_js_7, exports);
    __exportStar(transport_js_1, exports);
    __exportStar(web_socket_js_1, exports);
    __exportStar(world_js_2, exports);
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
            if (!changes.isKeyframe) {
                rings.push({ position: entity.position, isEnter: false, atMs: nowMs });
                addLine("leave", entity.id, "leave", reason === undefined ? "" : reasons[reason]);
            }
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
    /** Between where it was drawn and where it is: the way of a tick takes a tick. */
    function placeOf(entity, nowMs) {
        const part = Math.min((nowMs - entity.atMs) / tickMs, 1);
        const to = entity.seen.position;
        return { x: entity.from.x + (to.x - entity.from.x) * part, y: entity.from.y + (to.y - entity.from.y) * part, z: to.z };
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
            drawShards(context, place, box, color, width, height);
        }
        drawView(context, view, pxPerMm, width, height, color);
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
    function drawShards(context, place, box, color, width, height) {
        const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
        (zone?.shards ?? []).forEach((shard) => {
            const hue = (232 + shard.id * 137.508) % 360; // as on the map
            const area = box(shard.min_x_m * 1000, shard.min_y_m * 1000, shard.max_x_m * 1000, shard.max_y_m * 1000);
            context.fillStyle = `oklch(${isDark ? 0.76 : 0.56} ${isDark ? 0.115 : 0.145} ${hue} / 0.16)`;
            context.fillRect(...area);
            context.strokeStyle = color("--border");
            context.lineWidth = 1.5;
            context.strokeRect(...area);
            const [left, top] = place({ x: shard.min_x_m * 1000, y: shard.max_y_m * 1000 });
            const [x, y] = [Math.max(left, 0) + 12, Math.max(top, 0) + 16];
            if (x < Math.min(left + area[2], width) - 40 && y < Math.min(top + area[3], height) - 10) {
                context.font = "600 12px system-ui, sans-serif";
                context.textBaseline = "middle";
                context.fillStyle = color("--ink");
                context.fillText(shard.name, x, y);
            }
        });
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
