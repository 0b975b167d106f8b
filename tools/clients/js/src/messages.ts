/**
 * The protocol's messages as plain objects. docs/wire_format.md says what each field means and when a
 * message is legal; names are the same, in camelCase.
 *
 * Units    Positions and lengths are millimetres, angles 65,536ths of a turn: integers all of them.
 * Ids      Entities, ticks and server times are numbers: a u64 is read exactly up to 2^53, and beyond
 *          it is an error, never another number. Nonces are bigints.
 */
export const protocolMajor = 1;
export const protocolMinor = 4;

export interface Position {
    x: number;
    y: number;
    z: number;
}

export enum Shape { none = 0, circle = 1, rectangle = 2, sector = 3, cylinder = 4 }

export interface View {
    shape?: Shape;
    radiusMm?: number;
    leaveRadiusMm?: number;
    halfYMm?: number;
    leaveHalfYMm?: number;
    halfZMm?: number;
    leaveHalfZMm?: number;
    halfOpening?: number;
    leaveHalfOpening?: number;
}

// ---- a player's

export interface Hello {
    type: "Hello";
    protocolMajor: number;
    protocolMinor: number;
    kind?: number;
    spawn?: Position;
    view?: View;
    blob?: Uint8Array;
    facing?: number;
    token?: string;
    resumeToken?: Uint8Array;
    lastTick?: number;
}

export interface Move {
    type: "Move";
    seq: number;
    position: Position;
    facing?: number;
    correctionSeen?: number;
}

export interface SetView {
    type: "SetView";
    view: View;
}

export interface Ping {
    type: "Ping";
    nonce: bigint;
}

export interface Leave {
    type: "Leave";
}

export interface KeyframeRequest {
    type: "KeyframeRequest";
}

export interface SetState {
    type: "SetState";
    blob?: Uint8Array;
}

export interface SendEvent {
    type: "SendEvent";
    payload?: Uint8Array;
    /** Empty or absent: whoever sees the sender. */
    to?: number[];
}

export interface SendMessage {
    type: "SendMessage";
    /** 1 for the first of a session, and one more for each: Client.sendMessage() counts. */
    number: number;
    kind: number;
    payload?: Uint8Array;
}

// ---- a service's

export interface ServiceHello {
    type: "ServiceHello";
    protocolMajor: number;
    protocolMinor: number;
    name: string;
    token?: string;
    resumeToken?: Uint8Array;
}

export interface Layers {
    layers: number;
    layersSeen: number;
}

export interface Notify {
    radiusMm: number;
    leaveRadiusMm: number;
}

export interface SpawnOne {
    ref?: number;
    kind?: number;
    position: Position;
    facing?: number;
    layers?: Layers;
    view?: View;
    notify?: Notify;
    blob?: Uint8Array;
    importance?: number;
    watches?: boolean;
}

export interface Spawn {
    type: "Spawn";
    entities: SpawnOne[];
}

export interface Despawn {
    type: "Despawn";
    entities: number[];
}

export interface MoveMany {
    type: "MoveMany";
    /** packMoves() makes them. */
    moves: Uint8Array;
}

export interface ChangeOne {
    entity: number;
    position?: Position;
    facing?: number;
    layers?: Layers;
    view?: View;
    notify?: Notify;
    state?: Uint8Array;
}

export interface Change {
    type: "Change";
    entities: ChangeOne[];
}

export interface EventOf {
    source: number;
    payload?: Uint8Array;
    to?: number[];
}

export interface SendEvents {
    type: "SendEvents";
    events: EventOf[];
}

/** Of players' messages those of these kinds come, from here on. */
export interface Subscribe {
    type: "Subscribe";
    kinds?: number[];
}

export interface MessageTo {
    /** Players. */
    to?: number[];
    /** Instead: all players who are in the zone. */
    toEverybody?: boolean;
    kind?: number;
    payload?: Uint8Array;
}

export interface SendMessages {
    type: "SendMessages";
    messages: MessageTo[];
}

export type ClientMessage =
    | Hello | Move | SetView | Ping | Leave | KeyframeRequest | SetState | SendEvent | SendMessage
    | ServiceHello | Spawn | Despawn | MoveMany | Change | SendEvents | Subscribe | SendMessages;

// ---- the server's, to a player

export interface Crowd {
    visibleMax: number;
    stickyPercent: number;
    rings: { beyondMm: number; everyTicks: number }[];
    frameBytesMax: number;
    staleTicksMax: number;
}

export interface SendLimit {
    perSecondMax: number;
    bytesMax: number;
}

export interface Welcome {
    type: "Welcome";
    protocolMajor: number;
    protocolMinor: number;
    entity: number;
    tick: number;
    tickRateHz: number;
    dimensions: number;
    worldMin: Position;
    worldMax: Position;
    spawn: Position;
    view: Required<View>;
    leaveRadiusMmMax: number;
    crowd?: Crowd;
    serverTimeUs: number;
    quantumMm: number;
    /** Empty: this session cannot be resumed. */
    resumeToken: Uint8Array;
    resumeGraceMs: number;
    resumed: boolean;
    events?: SendLimit;
    states?: SendLimit;
    messages?: SendLimit;
    /** Of the session's newest message that was taken. */
    messageNumber: number;
}

export interface Pong {
    type: "Pong";
    nonce: bigint;
    tick: number;
}

export enum LeaveReason { gone = 1, outOfRange = 2, hidden = 3, capped = 4 }

export interface Left {
    entity: number;
    reason: LeaveReason;
}

export interface Entered {
    entity: number;
    kind: number;
    position: Position;
    blob: Uint8Array;
}

export interface StateChanged {
    entity: number;
    blob: Uint8Array;
}

export interface EventDelivered {
    source: number;
    payload: Uint8Array;
}

/** From a service. */
export interface MessageDelivered {
    kind: number;
    payload: Uint8Array;
}

export interface Correction {
    number: number;
    position: Position;
}

export interface Frame {
    type: "Frame";
    tick: number;
    moveAck: number;
    borderStale: boolean;
    leaves: Left[];
    enters: Entered[];
    /** World.apply() unpacks them. */
    moves: Uint8Array;
    timeScale: number;
    isCapped: boolean;
    isSlowed: boolean;
    isOverBudget: boolean;
    /** Some that could be seen are not told of yet. */
    isFilling: boolean;
    serverTimeUs: number;
    states: StateChanged[];
    events: EventDelivered[];
    isKeyframe: boolean;
    eventsLost: boolean;
    correction?: Correction;
    watcher: number;
    messages: MessageDelivered[];
    /** Some before these did not reach this client. */
    messagesLost: boolean;
}

export interface ErrorMessage {
    type: "Error";
    code: number;
    text: string;
}

/** What operators have to say to players; `stopsInMs`: the server stops then, at the latest; 0: it does not say. */
export interface Notice {
    type: "Notice";
    text: string;
    stopsInMs: number;
}

// ---- the server's, to a service

export interface SpawnedOne {
    entity: number;
    ref: number;
}

export interface ServiceWelcome {
    type: "ServiceWelcome";
    protocolMajor: number;
    protocolMinor: number;
    tick: number;
    serverTimeUs: number;
    tickRateHz: number;
    dimensions: number;
    worldMin: Position;
    worldMax: Position;
    leaveRadiusMmMax: number;
    notifyLeaveRadiusMmMax: number;
    quantumMm: number;
    resumeToken: Uint8Array;
    resumeGraceMs: number;
    resumed: boolean;
    messageBytesMax: number;
    entitiesMax: number;
    watchersMax: number;
    entities: SpawnedOne[];
}

export interface Spawned {
    type: "Spawned";
    entities: SpawnedOne[];
}

export interface PlayerJoined {
    type: "PlayerJoined";
    entity: number;
    kind: number;
    position: Position;
    blob: Uint8Array;
    /** Of its token. */
    subject: string;
    /** Of its token, those that the server's configuration names: JSON, or empty. */
    claims: string;
}

export enum PlayerLeftReason { left = 1, lost = 2, removed = 3, tooSlow = 4, closed = 5 }

export interface PlayerLeft {
    type: "PlayerLeft";
    entity: number;
    /** 0 of a server before 1.4. */
    reason: PlayerLeftReason;
}

/** Its connection is lost; it is waited for so long. */
export interface PlayerAway {
    type: "PlayerAway";
    entity: number;
    graceMs: number;
}

/** It has a new connection; the claims are those of the token that it showed now. */
export interface PlayerBack {
    type: "PlayerBack";
    entity: number;
    claims: string;
}

/** A player's, of a kind that the service has subscribed to; the position is the entity's in that tick. */
export interface PlayerMessage {
    type: "PlayerMessage";
    entity: number;
    kind: number;
    tick: number;
    position: Position;
    payload: Uint8Array;
}

/** So many messages of players waited too long to be read; those that follow are newer. */
export interface MessagesLost {
    type: "MessagesLost";
    count: number;
}

export interface CommandRefused {
    type: "CommandRefused";
    command: number;
    entity: number;
    ref: number;
    reason: number;
}

/** Of a type that this version does not know, and need not. */
export interface Skipped {
    type: "Skipped";
}

export type ServerMessage =
    | Welcome | Pong | Frame | ErrorMessage | Notice
    | ServiceWelcome | Spawned | PlayerJoined | PlayerLeft | PlayerAway | PlayerBack
    | PlayerMessage | MessagesLost | CommandRefused | Skipped;
