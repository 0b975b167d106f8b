/**
 * What a server sends, from foreign bytes to plain objects: by flatc's code (marchland_generated.ts) and the package flatbuffers, which
 * reads wherever an offset leads; CheckedBytes sees to that.
 *
 * Errors   ProtocolError for whatever is outside of the message, has a required field missing, or a number of 2^53 or more.
 * Bounds   Texts, bytes and lists together have no more items than the message has bytes, though many offsets may lead to one of them. Bytes are
 *          views into it.
 */
import { ByteBuffer } from "flatbuffers";
import * as wire from "./marchland_generated.js";
import {
    CommandRefused, Correction, Crowd, Entered, ErrorMessage, Frame, Left, MessageDelivered, Notice, PlayerAsks, PlayerJoined, PlayerLeft,
    PlayerMessage, PlayerMove, Pong, Position, Positions, ServerMessage, ServiceWelcome, SpawnedOne, StateSlot, Transfer, View, Welcome,
} from "./messages.js";
import { ProtocolError } from "./protocol_error.js";

/** One whole message, length prefix included. Throws ProtocolError. */
export function decode(message: Uint8Array): ServerMessage {
    try {
        return read(wire.Message.getSizePrefixedRootAsMessage(new CheckedBytes(message)));
    } catch (error) {
        throw error instanceof RangeError ? new ProtocolError("an offset that leads out of the message") : error;
    }
}

function read(message: wire.Message): ServerMessage {
    const type = message.bodyType();
    const reader = readers.get(type);
    if (reader !== undefined) {
        return reader(message);
    }
    if (type in wire.Body && type !== wire.Body.NONE) {
        throw new ProtocolError(`a ${wire.Body[type]}, which only a client sends`);
    }
    if (!message.optional()) {
        throw new ProtocolError(`a message of the unknown type ${type}`);
    }
    return { type: "Skipped" };
}

type Reader = (message: wire.Message) => ServerMessage;

function reads<Of>(type: new () => Of, read: (it: Of) => ServerMessage): Reader {
    return (message) => read(needed(message.body(new type()) as Of | null, "body"));
}

const readers = new Map<wire.Body, Reader>([
    [wire.Body.Welcome, reads(wire.Welcome, welcome)],
    [wire.Body.Pong, reads(wire.Pong, pong)],
    [wire.Body.Frame, reads(wire.Frame, frame)],
    [wire.Body.Error, reads(wire.Error, error)],
    [wire.Body.Transfer, reads(wire.Transfer, transfer)],
    [wire.Body.ServiceWelcome, reads(wire.ServiceWelcome, serviceWelcome)],
    [wire.Body.Spawned, reads(wire.Spawned, (it) => {
        needed(it.entities(0), "entities"); // the list: also of an empty one it gives a place
        return { type: "Spawned", entities: spawned(it) };
    })],
    [wire.Body.PlayerJoined, reads(wire.PlayerJoined, playerJoined)],
    [wire.Body.PlayerLeft, reads(wire.PlayerLeft, playerLeft)],
    [wire.Body.CommandRefused, reads(wire.CommandRefused, commandRefused)],
    [wire.Body.Notice, reads(wire.Notice, notice)],
    [wire.Body.PlayerAway, reads(wire.PlayerAway, (it) => ({ type: "PlayerAway", entity: exact(it.entity()), graceMs: it.graceMs() }))],
    [wire.Body.PlayerBack, reads(wire.PlayerBack, (it) => ({ type: "PlayerBack", entity: exact(it.entity()), claims: it.claims() ?? "" }))],
    [wire.Body.PlayerMessage, reads(wire.PlayerMessage, playerMessage)],
    [wire.Body.MessagesLost, reads(wire.MessagesLost, (it) => ({ type: "MessagesLost", count: exact(it.count()) }))],
    [wire.Body.PlayerAsks, reads(wire.PlayerAsks, playerAsks)],
    [wire.Body.Positions, reads(wire.Positions, positions)],
    [wire.Body.PlayerMove, reads(wire.PlayerMove, playerMove)],
    [wire.Body.PlayersListed, reads(wire.PlayersListed, () => ({ type: "PlayersListed" }))],
]);

function frame(it: wire.Frame): Frame {
    return {
        type: "Frame",
        tick: exact(it.tick()),
        moveAck: it.moveAck(),
        borderStale: it.borderStale(),
        leaves: list(it.leavesLength(), (i) => it.leaves(i), left),
        enters: list(it.entersLength(), (i) => it.enters(i), entered),
        moves: it.movesArray() ?? none,
        timeScale: it.timeScale(),
        isCapped: it.isCapped(),
        isSlowed: it.isSlowed(),
        isOverBudget: it.isOverBudget(),
        serverTimeUs: exact(it.serverTimeUs()),
        states: it.statesArray() ?? none,
        isKeyframe: it.isKeyframe(),
        ...ifThere("correction", it.correction(), correction),
        watcher: exact(it.watcher()),
        isFilling: it.isFilling(),
        messages: list(it.messagesLength(), (i) => it.messages(i), delivered),
        messagesLost: it.messagesLost(),
    };
}

function left(it: wire.Left): Left {
    return { entity: exact(it.entity()), reason: it.reason() as number };
}

function entered(it: wire.Entered): Entered {
    return {
        entity: exact(it.entity()),
        kind: it.kind(),
        position: position(needed(it.position(), "position")),
        state: it.stateArray() ?? none,
        ...ifThere("velocity", it.velocity(), position),
    };
}

function correction(it: wire.Correction): Correction {
    return { number: it.number(), position: position(it.position() as wire.Position) };
}

function delivered(it: wire.MessageDelivered): MessageDelivered {
    return { kind: it.kind(), payload: it.payloadArray() ?? none, source: exact(it.source()) };
}

function welcome(it: wire.Welcome): Welcome {
    return {
        type: "Welcome",
        protocolMajor: it.protocolMajor(),
        protocolMinor: it.protocolMinor(),
        entity: exact(it.entity()),
        tick: exact(it.tick()),
        tickRateHz: it.tickRateHz(),
        dimensions: it.dimensions(),
        worldMin: position(needed(it.worldMin(), "worldMin")),
        worldMax: position(needed(it.worldMax(), "worldMax")),
        spawn: position(needed(it.spawn(), "spawn")),
        view: view(needed(it.view(), "view")),
        leaveRadiusMmMax: it.leaveRadiusMmMax(),
        ...ifThere("crowd", it.crowd(), crowd),
        serverTimeUs: exact(it.serverTimeUs()),
        quantumMm: it.quantumMm(),
        resumeToken: it.resumeTokenArray() ?? none,
        resumeGraceMs: it.resumeGraceMs(),
        resumed: it.resumed(),
        statesPerSecondMax: it.statesPerSecondMax(),
        ...ifThere("messages", it.messages(), (limit) => ({ perSecondMax: limit.perSecondMax(), bytesMax: limit.bytesMax() })),
        messageNumber: it.messageNumber(),
        slots: list(it.slotsLength(), (i) => it.slots(i), slot),
        framesHz: it.framesHz(),
        predictionErrorMm: it.predictionErrorMm(),
        predictionMsMax: it.predictionMsMax(),
        restartGraceMs: it.restartGraceMs(),
    };
}

function view(it: wire.View): Required<View> {
    return {
        shape: it.shape(),
        radiusMm: it.radiusMm(),
        leaveRadiusMm: it.leaveRadiusMm(),
        halfYMm: it.halfYMm(),
        leaveHalfYMm: it.leaveHalfYMm(),
        halfZMm: it.halfZMm(),
        leaveHalfZMm: it.leaveHalfZMm(),
        halfOpening: it.halfOpening(),
        leaveHalfOpening: it.leaveHalfOpening(),
    };
}

function crowd(it: wire.Crowd): Crowd {
    return {
        visibleMax: it.visibleMax(),
        stickyPercent: it.stickyPercent(),
        rings: list(it.ringsLength(), (i) => it.rings(i), (ring) => ({ beyondMm: ring.beyondMm(), everyTicks: ring.everyTicks() })),
        frameBytesMax: it.frameBytesMax(),
        staleTicksMax: it.staleTicksMax(),
    };
}

function slot(it: wire.StateSlot): StateSlot {
    return {
        name: needed(it.name(), "name"),
        type: it.type(),
        writer: it.writer(),
        audience: it.audience(),
        radiusMm: it.radiusMm(),
        layers: it.layers(),
        bytesMax: it.bytesMax(),
    };
}

function pong(it: wire.Pong): Pong {
    return { type: "Pong", nonce: it.nonce(), tick: exact(it.tick()), safeTick: exact(it.safeTick()) };
}

function error(it: wire.Error): ErrorMessage {
    return { type: "Error", code: it.code(), text: it.text() ?? "" };
}

function notice(it: wire.Notice): Notice {
    return { type: "Notice", text: it.text() ?? "", stopsInMs: it.stopsInMs() };
}

function transfer(it: wire.Transfer): Transfer {
    return {
        type: "Transfer", address: needed(it.address(), "address"), token: it.token() ?? "", carried: it.carriedArray() ?? none,
    };
}

function serviceWelcome(it: wire.ServiceWelcome): ServiceWelcome {
    return {
        type: "ServiceWelcome",
        protocolMajor: it.protocolMajor(),
        protocolMinor: it.protocolMinor(),
        tick: exact(it.tick()),
        serverTimeUs: exact(it.serverTimeUs()),
        tickRateHz: it.tickRateHz(),
        dimensions: it.dimensions(),
        worldMin: position(needed(it.worldMin(), "worldMin")),
        worldMax: position(needed(it.worldMax(), "worldMax")),
        leaveRadiusMmMax: it.leaveRadiusMmMax(),
        notifyLeaveRadiusMmMax: it.notifyLeaveRadiusMmMax(),
        quantumMm: it.quantumMm(),
        resumeToken: it.resumeTokenArray() ?? none,
        resumeGraceMs: it.resumeGraceMs(),
        resumed: it.resumed(),
        messageBytesMax: it.messageBytesMax(),
        entitiesMax: it.entitiesMax(),
        watchersMax: it.watchersMax(),
        entities: spawned(it),
        slots: list(it.slotsLength(), (i) => it.slots(i), slot),
        restartGraceMs: it.restartGraceMs(),
    };
}

function spawned(it: wire.ServiceWelcome | wire.Spawned): SpawnedOne[] {
    return list(it.entitiesLength(), (i) => it.entities(i), (one) => ({ entity: exact(one.entity()), ref: one.ref() }));
}

function playerJoined(it: wire.PlayerJoined): PlayerJoined {
    return {
        type: "PlayerJoined",
        entity: exact(it.entity()),
        kind: it.kind(),
        position: position(needed(it.position(), "position")),
        state: it.stateArray() ?? none,
        subject: it.subject() ?? "",
        claims: it.claims() ?? "",
        carried: it.carriedArray() ?? none,
        request: exact(it.request()),
    };
}

function playerLeft(it: wire.PlayerLeft): PlayerLeft {
    return { type: "PlayerLeft", entity: exact(it.entity()), reason: it.reason() as number };
}

function playerAsks(it: wire.PlayerAsks): PlayerAsks {
    return {
        type: "PlayerAsks",
        request: exact(it.request()),
        kind: it.kind(),
        ...ifThere("spawn", it.spawn(), position),
        subject: it.subject() ?? "",
        claims: it.claims() ?? "",
        carried: it.carriedArray() ?? none,
        waitMs: it.waitMs(),
    };
}

function playerMessage(it: wire.PlayerMessage): PlayerMessage {
    return {
        type: "PlayerMessage",
        entity: exact(it.entity()),
        kind: it.kind(),
        tick: exact(it.tick()),
        position: position(needed(it.position(), "position")),
        payload: it.payloadArray() ?? none,
    };
}

function playerMove(it: wire.PlayerMove): PlayerMove {
    return {
        type: "PlayerMove",
        entity: exact(it.entity()),
        seq: it.seq(),
        tick: exact(it.tick()),
        position: position(needed(it.position(), "position")),
        ...ifThere("facing", it.facing(), (facing) => facing),
        ...ifThere("velocity", it.velocity(), position),
    };
}

function positions(it: wire.Positions): Positions {
    return {
        type: "Positions",
        tick: exact(it.tick()),
        first: exact(it.first()),
        players: list(it.playersLength(), (i) => it.players(i), (placed) =>
            ({ step: placed.step(), position: position(placed.position() as wire.Position) })),
        hasMore: it.hasMore(),
        borderStale: it.borderStale(),
        ticksLost: exact(it.ticksLost()),
    };
}

function commandRefused(it: wire.CommandRefused): CommandRefused {
    return { type: "CommandRefused", command: it.command(), entity: exact(it.entity()), ref: it.ref(), reason: it.reason() };
}

const none = new Uint8Array(0);

function position(it: wire.Position | wire.Velocity): Position {
    return { x: it.x(), y: it.y(), z: it.z() };
}

/** Nothing, or the member of that name. */
function ifThere<Name extends string, Of, As>(name: Name, it: Of | null, read: (it: Of) => As): { [Key in Name]?: As } {
    return it === null ? {} : { [name]: read(it) } as { [Key in Name]: As };
}

function needed<Of>(it: Of | null, name: string): Of {
    if (it === null) {
        throw new ProtocolError(`${name} is missing`);
    }
    return it;
}

function list<Of, As>(count: number, at: (index: number) => Of | null, read: (it: Of) => As): As[] {
    const items: As[] = [];
    for (let i = 0; i < count; ++i) {
        items.push(read(at(i) as Of));
    }
    return items;
}

/** A u64, which is no other number than that which was sent. */
function exact(value: bigint): number {
    if (value > Number.MAX_SAFE_INTEGER) {
        throw new ProtocolError("a number of 2^53 or more");
    }
    return Number(value);
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Throws RangeError for what is outside of them. */
class CheckedBytes extends ByteBuffer {
    private readonly view: DataView;
    /** So many items of lists, texts and bytes may still be read. */
    private left: number;

    constructor(bytes: Uint8Array) {
        super(bytes);
        this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
        this.left = bytes.length;
    }

    override readInt8(at: number): number { return this.view.getInt8(at); }
    override readUint8(at: number): number { return this.view.getUint8(at); }
    override readInt16(at: number): number { return this.view.getInt16(at, true); }
    override readUint16(at: number): number { return this.view.getUint16(at, true); }
    override readInt32(at: number): number { return this.view.getInt32(at, true); }
    override readUint32(at: number): number { return this.view.getUint32(at, true); }
    override readUint64(at: number): bigint { return this.view.getBigUint64(at, true); }

    /** Asked once for each list. No item is smaller than a byte. */
    override __vector_len(at: number): number {
        const first = this.__vector(at);
        const count = this.readUint32(first - 4);
        if (first + count > this.capacity()) {
            throw new RangeError();
        }
        this.left -= count;
        if (this.left < 0) {
            throw new ProtocolError("a message that says the same bytes again and again");
        }
        return count;
    }

    override __string(at: number): string {
        const first = this.__vector(at);
        const bytes = this.bytes().subarray(first, first + this.__vector_len(at));
        try {
            return utf8.decode(bytes);
        } catch {
            throw new ProtocolError("a text that is not UTF-8");
        }
    }
}
