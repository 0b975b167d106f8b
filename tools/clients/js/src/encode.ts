/** What a client sends, to bytes, length prefix included: by flatc's code (marchland_generated.ts) and the package flatbuffers. */
import { Builder, Offset } from "flatbuffers";
import * as wire from "./marchland_generated.js";
import { AdmittedWith, ChangeOne, Circle, ClientMessage, MessageTo, Position, SpawnOne, View } from "./messages.js";

/** Of one message. */
export const itemsMax = 1024;
/** Of what is said, and of what a client carries to another zone. */
const messageBytesMax = 1024;
const refusalBytesMax = 256;
/** Of another zone. */
const addressBytesMax = 256;

/** Throws RangeError for what the protocol has no room for: fractions, numbers too large, and none where there must be one; what is too long. */
export function encode(message: ClientMessage): Uint8Array {
    const to = new Builder(256);
    const body = writers[message.type](to, message as never);
    wire.Message.finishSizePrefixedMessageBuffer(to, wire.Message.createMessage(to, wire.Body[message.type], body, false));
    return to.asUint8Array().slice();
}

const writers: { [Type in ClientMessage["type"]]: (to: Builder, message: Extract<ClientMessage, { type: Type }>) => Offset } = {
    Hello(to, it) {
        const [shown, state, token, resumeToken, carried] =
            [view(to, it.view), bytes(to, it.state), text(to, it.token), bytes(to, it.resumeToken), bytes(to, it.carried)];
        wire.Hello.startHello(to);
        wire.Hello.addProtocolMajor(to, ushort(it.protocolMajor));
        wire.Hello.addProtocolMinor(to, ushort(it.protocolMinor));
        wire.Hello.addKind(to, ushort(it.kind ?? 0));
        wire.Hello.addSpawn(to, position(to, it.spawn));
        wire.Hello.addView(to, shown);
        wire.Hello.addState(to, state);
        wire.Hello.addFacing(to, ushort(it.facing ?? 0));
        wire.Hello.addToken(to, token);
        wire.Hello.addResumeToken(to, resumeToken);
        wire.Hello.addLastTick(to, ulong(it.lastTick ?? 0));
        wire.Hello.addCarried(to, carried);
        wire.Hello.addReadsRanks(to, it.readsRanks ?? false);
        return wire.Hello.endHello(to);
    },

    Move(to, it) {
        wire.Move.startMove(to);
        wire.Move.addSeq(to, uint(it.seq));
        wire.Move.addPosition(to, position(to, it.position));
        ifSaid(to, it.facing, (facing) => wire.Move.addFacing(to, ushort(facing)));
        wire.Move.addCorrectionSeen(to, uint(it.correctionSeen ?? 0));
        wire.Move.addVelocity(to, velocity(to, it.velocity));
        return wire.Move.endMove(to);
    },

    SetView: (to, it) => wire.SetView.createSetView(to, view(to, it.view)),
    SetFrameRate: (to, it) => wire.SetFrameRate.createSetFrameRate(to, ushort(it.framesHz)),
    Ping: (to, it) => wire.Ping.createPing(to, nonce(it.nonce)),
    Leave: (to) => wire.Leave.createLeave(to),
    KeyframeRequest: (to) => wire.KeyframeRequest.createKeyframeRequest(to),
    SetState: (to, it) => wire.SetState.createSetState(to, bytes(to, it.state)),
    SendMessage: (to, it) =>
        wire.SendMessage.createSendMessage(to, uint(it.number), ushort(it.kind), bytes(to, it.payload, messageBytesMax)),

    ServiceHello: (to, it) => wire.ServiceHello.createServiceHello(
        to, ushort(it.protocolMajor), ushort(it.protocolMinor), to.createString(it.name), text(to, it.token), bytes(to, it.resumeToken),
        it.admits ?? false),
    Spawn: (to, it) => wire.Spawn.createSpawn(
        to, wire.Spawn.createEntitiesVector(to, it.entities.map((entity) => spawnOne(to, entity)))),
    Despawn: (to, it) => wire.Despawn.createDespawn(to, wire.Despawn.createEntitiesVector(to, it.entities.map(ulong))),
    MoveMany: (to, it) => wire.MoveMany.createMoveMany(to, bytes(to, it.moves)),
    Change: (to, it) => wire.Change.createChange(
        to, wire.Change.createEntitiesVector(to, it.entities.map((entity) => changeOne(to, entity)))),
    TransferPlayer: (to, it) => wire.TransferPlayer.createTransferPlayer(
        to, ulong(it.entity), to.createString(shortText(it.address, addressBytesMax)), text(to, it.token),
        bytes(to, it.carried, messageBytesMax)),
    SendMessages: (to, it) => wire.SendMessages.createSendMessages(
        to, wire.SendMessages.createMessagesVector(to, it.messages.map((message) => messageTo(to, message)))),

    AdmitPlayer(to, it) {
        const given = it.given === undefined ? absent : changeOne(to, it.given);
        const refusal = text(to, it.refusal && shortText(it.refusal, refusalBytesMax));
        wire.AdmitPlayer.startAdmitPlayer(to);
        wire.AdmitPlayer.addRequest(to, ulong(it.request));
        wire.AdmitPlayer.addGiven(to, given);
        wire.AdmitPlayer.addRefusal(to, refusal);
        return wire.AdmitPlayer.endAdmitPlayer(to);
    },

    Subscribe(to, it) {
        const kinds = it.kinds === undefined ? absent : wire.Subscribe.createKindsVector(to, atMost(itemsMax, it.kinds).map(ushort));
        wire.Subscribe.startSubscribe(to);
        wire.Subscribe.addKinds(to, kinds);
        wire.Subscribe.addPositions(to, it.positions ?? false);
        wire.Subscribe.addWithin(to, circle(to, it.within));
        wire.Subscribe.addMoves(to, it.moves ?? false);
        return wire.Subscribe.endSubscribe(to);
    },
};

function spawnOne(to: Builder, it: SpawnOne): Offset {
    const [shown, state] = [view(to, it.view), bytes(to, it.state)];
    wire.SpawnOne.startSpawnOne(to);
    wire.SpawnOne.addRef(to, uint(it.ref ?? 0));
    wire.SpawnOne.addKind(to, ushort(it.kind ?? 0));
    wire.SpawnOne.addPosition(to, position(to, it.position));
    wire.SpawnOne.addFacing(to, ushort(it.facing ?? 0));
    wire.SpawnOne.addLayers(to, layers(to, it));
    wire.SpawnOne.addView(to, shown);
    wire.SpawnOne.addNotify(to, notify(to, it));
    wire.SpawnOne.addState(to, state);
    wire.SpawnOne.addImportance(to, ubyte(it.importance ?? 1));
    wire.SpawnOne.addWatches(to, it.watches ?? false);
    return wire.SpawnOne.endSpawnOne(to);
}

function changeOne(to: Builder, it: ChangeOne | AdmittedWith): Offset {
    const of: Partial<ChangeOne> = it;
    const [shown, state] = [view(to, of.view), bytes(to, of.state)];
    wire.ChangeOne.startChangeOne(to);
    wire.ChangeOne.addEntity(to, ulong(of.entity ?? 0));
    wire.ChangeOne.addPosition(to, position(to, of.position));
    ifSaid(to, of.facing, (facing) => wire.ChangeOne.addFacing(to, ushort(facing)));
    wire.ChangeOne.addLayers(to, layers(to, of));
    wire.ChangeOne.addView(to, shown);
    wire.ChangeOne.addNotify(to, notify(to, of));
    wire.ChangeOne.addState(to, state);
    ifSaid(to, of.framesHz, (framesHz) => wire.ChangeOne.addFramesHz(to, ushort(framesHz)));
    ifSaid(to, of.speedPercent, (percent) => wire.ChangeOne.addSpeedPercent(to, ushort(percent)));
    wire.ChangeOne.addAuthority(to, ubyte(of.authority ?? 0));
    ifSaid(to, of.moveAck, (seq) => wire.ChangeOne.addMoveAck(to, uint(seq)));
    return wire.ChangeOne.endChangeOne(to);
}

function messageTo(to: Builder, it: MessageTo): Offset {
    const players = it.to === undefined ? absent : wire.MessageTo.createToVector(to, atMost(itemsMax, it.to).map(ulong));
    const payload = bytes(to, it.payload, messageBytesMax);
    wire.MessageTo.startMessageTo(to);
    wire.MessageTo.addTo(to, players);
    wire.MessageTo.addToEverybody(to, it.toEverybody ?? false);
    wire.MessageTo.addKind(to, ushort(it.kind ?? 0));
    wire.MessageTo.addPayload(to, payload);
    wire.MessageTo.addToViewersOf(to, ulong(it.toViewersOf ?? 0));
    wire.MessageTo.addWithin(to, circle(to, it.within));
    wire.MessageTo.addLayers(to, uint(it.layers ?? 0));
    return wire.MessageTo.endMessageTo(to);
}

/** To the builder: there is no such field. */
const absent: Offset = 0;

function view(to: Builder, it: View | undefined): Offset {
    return it === undefined ? absent : wire.View.createView(
        to, ubyte(it.shape ?? wire.Shape.circle), int(it.radiusMm ?? 0), int(it.leaveRadiusMm ?? 0), int(it.halfYMm ?? 0), int(it.leaveHalfYMm ?? 0),
        int(it.halfZMm ?? 0), int(it.leaveHalfZMm ?? 0), ushort(it.halfOpening ?? 0), ushort(it.leaveHalfOpening ?? 0));
}

function bytes(to: Builder, it: Uint8Array | undefined, max = Infinity): Offset {
    return it === undefined ? absent : to.createByteVector(atMost(max, it));
}

function atMost<Items extends { length: number }>(max: number, it: Items): Items {
    if (it.length > max) {
        throw new RangeError(`${it.length}, where ${max} are the most that can be sent`);
    }
    return it;
}

function shortText(it: string, bytesMax: number): string {
    atMost(bytesMax, new TextEncoder().encode(it));
    return it;
}

function text(to: Builder, it: string | undefined): Offset {
    return it === undefined || it === "" ? absent : to.createString(it);
}

// Structs lie within their table: they are made where they are added.

function position(to: Builder, it: Position | undefined): Offset {
    return it === undefined ? absent : wire.Position.createPosition(to, int(it.x), int(it.y), int(it.z));
}

function velocity(to: Builder, it: Position | undefined): Offset {
    return it === undefined ? absent : wire.Velocity.createVelocity(to, short(it.x), short(it.y), short(it.z));
}

function layers(to: Builder, { layers: it }: Pick<SpawnOne, "layers">): Offset {
    return it === undefined ? absent : wire.Layers.createLayers(to, uint(it.layers), uint(it.layersSeen));
}

function notify(to: Builder, { notify: it }: Pick<SpawnOne, "notify">): Offset {
    return it === undefined ? absent : wire.Notify.createNotify(to, int(it.radiusMm), int(it.leaveRadiusMm));
}

function circle(to: Builder, it: Circle | undefined): Offset {
    return it === undefined ? absent : wire.Circle.createCircle(
        to, int(it.centre.x), int(it.centre.y), int(it.centre.z), int(it.radiusMm));
}

/** A field whose absence means something. flatc 2.0 leaves its 0 out, as if that were its default. */
function ifSaid(to: Builder, value: number | undefined, add: (value: number) => void): void {
    if (value !== undefined) {
        to.forceDefaults(true);
        add(value);
        to.forceDefaults(false);
    }
}

/** The builder takes any number, and writes what is left of it. */
function integer(least: number, most: number): (value: number) => number {
    return (value) => {
        if (!Number.isInteger(value) || value < least || value > most) {
            throw new RangeError(`${value} is not an integer from ${least} to ${most}`);
        }
        return value;
    };
}
const ubyte = integer(0, 0xff);
const short = integer(-0x8000, 0x7fff);
const ushort = integer(0, 0xffff);
const uint = integer(0, 0xffffffff);
const int = integer(-0x80000000, 0x7fffffff);
const safe = integer(0, Number.MAX_SAFE_INTEGER);
const ulong = (value: number): bigint => BigInt(safe(value));

function nonce(value: bigint): bigint {
    if (BigInt.asUintN(64, value) !== value) {
        throw new RangeError(`${value} does not fit into 64 bits`);
    }
    return value;
}
