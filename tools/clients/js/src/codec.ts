/** Messages to bytes and back, length prefix included. */
import { FlatReader } from "./flat_reader.js";
import { Value } from "./flat_shapes.js";
import { FlatWriter } from "./flat_writer.js";
import { readFrame } from "./frame_reader.js";
import { ClientMessage, ServerMessage } from "./messages.js";
import { ProtocolError } from "./protocol_error.js";
import { bodies } from "./schema.js";

export type BodyName = keyof typeof bodies;

const names = Object.keys(bodies) as BodyName[];

const ofServer: ReadonlySet<BodyName> = new Set<BodyName>([
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
export function encodeBody(name: BodyName, value: Value): Uint8Array {
    const writer = new FlatWriter();
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
    writer.point(message + 4, writer.table(bodies[name], value));
    return writer.finished();
}

/** Any message, whoever sends such. */
export function decodeBody(message: Uint8Array): { name: BodyName; value: Value } | undefined {
    const { name, reader, at } = opened(message);
    return name === undefined ? undefined : { name, value: reader.table(bodies[name], at) };
}

/** Throws RangeError for what the protocol has no room for: fractions, numbers too large. */
export function encode(message: ClientMessage): Uint8Array {
    return encodeBody(message.type, message as unknown as Value);
}

/** One whole message of a server. Throws ProtocolError. Bytes in it are views into `message`. */
export function decode(message: Uint8Array): ServerMessage {
    const { name, reader, at } = opened(message);
    if (name === undefined) {
        return { type: "Skipped" };
    }
    if (!ofServer.has(name)) {
        throw new ProtocolError(`a ${name}, which only a client sends`);
    }
    return name === "Frame" ? readFrame(reader, at)
                            : { type: name, ...reader.table(bodies[name], at) } as unknown as ServerMessage;
}

interface Opened {
    /** Nothing: it is of a type that is not known here, and need not be. */
    name: BodyName | undefined;
    reader: FlatReader;
    /** Where the body is. */
    at: number;
}

function opened(message: Uint8Array): Opened {
    const reader = new FlatReader(message);
    const root = reader.follow(4);
    const typeAt = reader.fieldAt(root, bodyType);
    const type = typeAt === 0 ? 0 : Number(reader.scalar("ubyte", typeAt));
    const name = names[type - 1];
    if (name === undefined) {
        const optionalAt = reader.fieldAt(root, optional);
        if (optionalAt === 0 || reader.scalar("bool", optionalAt) === false) {
            throw new ProtocolError(`a message of the unknown type ${type}`);
        }
    }
    const at = reader.fieldAt(root, body);
    if (at === 0) {
        throw new ProtocolError("a message without a body");
    }
    return { name, reader, at: name === undefined ? 0 : reader.follow(at) };
}
