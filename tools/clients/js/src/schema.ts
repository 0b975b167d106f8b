/**
 * net/schema/marchland.fbs, as flat_shapes.ts writes it down; a test compares the two. What the fields
 * mean is in docs/wire_format.md, and their types for callers in messages.ts.
 */
import { Scalar, Struct, Table, Type, struct, table } from "./flat_shapes.js";

const scalar = (of: Scalar, value: number | bigint | boolean | undefined): Type =>
    ({ kind: "scalar", scalar: of, default: value });
const bool = scalar("bool", false);
const ubyte = scalar("ubyte", 0);
const ushort = scalar("ushort", 0);
const uint = scalar("uint", 0);
const int = scalar("int", 0);
const long = scalar("long", 0);
const nonce = scalar("nonce", 0n);
const ushortIfSaid = scalar("ushort", undefined);
const string: Type = { kind: "string" };
const bytes: Type = { kind: "bytes", ifSaid: false };
const longs: Type = { kind: "longs" };
const ushorts: Type = { kind: "ushorts" };
const one = (of: Struct): Type => ({ kind: "struct", of });
const within = (of: Table): Type => ({ kind: "table", of });
const several = (of: Struct): Type => ({ kind: "structs", of });
const list = (of: Table): Type => ({ kind: "tables", of });

const Position = struct({ x: "int", y: "int", z: "int" });
const Layers = struct({ layers: "uint", layersSeen: "uint" });
const Notify = struct({ radiusMm: "int", leaveRadiusMm: "int" });
const Ring = struct({ beyondMm: "int", everyTicks: "uint" });
const SendLimit = struct({ perSecondMax: "uint", bytesMax: "uint" });
const Left = struct({ entity: "long", reason: "ubyte" });
const SpawnedOne = struct({ entity: "long", ref: "uint" });
const position = one(Position);
const velocity = one(struct({ x: "short", y: "short", z: "short" }));
const Placed = struct({ step: "uint", position: Position });
const Correction = struct({ number: "uint", position: Position });

const View = table({
    shape: scalar("ubyte", 1), radiusMm: int, leaveRadiusMm: int, halfYMm: int, leaveHalfYMm: int,
    halfZMm: int, leaveHalfZMm: int, halfOpening: ushort, leaveHalfOpening: ushort,
});
const SpawnOne = table({
    ref: uint, kind: ushort, position, facing: ushort, layers: one(Layers), view: within(View),
    notify: one(Notify), state: bytes, importance: scalar("ubyte", 1), watches: bool,
}, ["position"]);
const ChangeOne = table({
    entity: long, position, facing: ushortIfSaid, layers: one(Layers), view: within(View),
    notify: one(Notify), state: bytes, framesHz: ushortIfSaid, speedPercent: ushortIfSaid, authority: ubyte,
    moveAck: scalar("uint", undefined),
});
const Crowd = table({
    visibleMax: uint, stickyPercent: uint, rings: several(Ring), frameBytesMax: uint, staleTicksMax: uint,
});
const Entered = table({ entity: long, kind: ushort, position, state: bytes, velocity }, ["position"]);
const Circle = struct({ centre: Position, radiusMm: "int" });
const MessageTo = table({
    to: longs, toEverybody: bool, kind: ushort, payload: bytes, toViewersOf: long, within: one(Circle), layers: uint,
});
const MessageDelivered = table({ kind: ushort, payload: bytes, source: long });
const StateSlot = table({
    name: string, type: ubyte, writer: ubyte, audience: ubyte, radiusMm: int, layers: uint, bytesMax: uint,
}, ["name"]);

/** By name, in the order of their type numbers, the first being 1. */
export const bodies = {
    Hello: table({
        protocolMajor: ushort, protocolMinor: ushort, kind: ushort, spawn: position, view: within(View),
        state: bytes, facing: ushort, token: string, resumeToken: bytes, lastTick: long,
        carried: bytes,
    }),
    Move: table({ seq: uint, position, facing: ushortIfSaid, correctionSeen: uint, velocity }, ["position"]),
    SetView: table({ view: within(View) }, ["view"]),
    Ping: table({ nonce }),
    Leave: table({}),
    Welcome: table({
        protocolMajor: ushort, protocolMinor: ushort, entity: long, tick: long, tickRateHz: ushort,
        dimensions: ubyte, worldMin: position, worldMax: position, spawn: position, view: within(View),
        leaveRadiusMmMax: int, crowd: within(Crowd), serverTimeUs: long, quantumMm: scalar("uint", 1),
        resumeToken: bytes, resumeGraceMs: uint, resumed: bool,
        statesPerSecondMax: uint, messages: one(SendLimit), messageNumber: uint,
        slots: list(StateSlot), framesHz: ushort, predictionErrorMm: uint, predictionMsMax: uint,
        restartGraceMs: uint,
    }, ["worldMin", "worldMax", "spawn", "view"]),
    Pong: table({ nonce, tick: long, safeTick: long }),
    Frame: table({
        tick: long, moveAck: uint, borderStale: bool, leaves: several(Left), enters: list(Entered),
        moves: bytes, timeScale: scalar("ubyte", 100), isCapped: bool, isSlowed: bool,
        isOverBudget: bool, serverTimeUs: long, states: bytes,
        isKeyframe: bool, correction: one(Correction), watcher: long,
        isFilling: bool, messages: list(MessageDelivered), messagesLost: bool,
    }),
    Error: table({ code: ushort, text: string }),
    KeyframeRequest: table({}),
    SetState: table({ state: bytes }),
    Transfer: table({ address: string, token: string, carried: bytes }, ["address"]),
    ServiceHello: table({
        protocolMajor: ushort, protocolMinor: ushort, name: string, token: string, resumeToken: bytes,
        admits: bool,
    }, ["name"]),
    Spawn: table({ entities: list(SpawnOne) }, ["entities"]),
    Despawn: table({ entities: longs }, ["entities"]),
    MoveMany: table({ moves: bytes }, ["moves"]),
    Change: table({ entities: list(ChangeOne) }, ["entities"]),
    TransferPlayer: table({ entity: long, address: string, token: string, carried: bytes }, ["address"]),
    ServiceWelcome: table({
        protocolMajor: ushort, protocolMinor: ushort, tick: long, serverTimeUs: long, tickRateHz: ushort,
        dimensions: ubyte, worldMin: position, worldMax: position, leaveRadiusMmMax: int,
        notifyLeaveRadiusMmMax: int, quantumMm: scalar("uint", 1), resumeToken: bytes,
        resumeGraceMs: uint, resumed: bool, messageBytesMax: uint, entitiesMax: uint,
        watchersMax: uint, entities: several(SpawnedOne), slots: list(StateSlot),
        restartGraceMs: uint,
    }, ["worldMin", "worldMax"]),
    Spawned: table({ entities: several(SpawnedOne) }, ["entities"]),
    PlayerJoined: table({
        entity: long, kind: ushort, position, state: bytes, subject: string, claims: string, carried: bytes, request: long,
    }, ["position"]),
    PlayerLeft: table({ entity: long, reason: ubyte }),
    CommandRefused: table({ command: ubyte, entity: long, ref: uint, reason: ubyte }),
    Notice: table({ text: string, stopsInMs: uint }),
    PlayerAway: table({ entity: long, graceMs: uint }),
    PlayerBack: table({ entity: long, claims: string }),
    SendMessage: table({ number: uint, kind: ushort, payload: bytes }),
    Subscribe: table({ kinds: ushorts, positions: bool, within: one(Circle), moves: bool }),
    SendMessages: table({ messages: list(MessageTo) }, ["messages"]),
    PlayerMessage: table({ entity: long, kind: ushort, tick: long, position, payload: bytes }, ["position"]),
    MessagesLost: table({ count: long }),
    SetFrameRate: table({ framesHz: ushort }),
    PlayerAsks: table({
        request: long, kind: ushort, spawn: position, subject: string, claims: string, carried: bytes, waitMs: uint,
    }),
    AdmitPlayer: table({ request: long, given: within(ChangeOne), refusal: string }),
    Positions: table({
        tick: long, first: long, players: several(Placed), hasMore: bool, borderStale: bool, ticksLost: long,
    }),
    PlayerMove: table({ entity: long, seq: uint, tick: long, position, facing: ushortIfSaid, velocity }, ["position"]),
    PlayersListed: table({}),
};
