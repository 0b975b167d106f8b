/** A connection that carries the stream: whole messages out, bytes in however they come. */
export interface Transport {
    send(message: Uint8Array): void;
    /** Ends the connection after what was sent. `closed` is called once it is. */
    close(): void;
    /** Ends it at once. */
    abort(): void;
}

/** Both are called from the event loop, `closed` once and last. */
export interface TransportListener {
    received(bytes: Uint8Array): void;
    closed(reason: string): void;
}

/** Connects; called again for each new connection of a session. Rejects with the reason. */
export interface Open {
    (listener: TransportListener): Promise<Transport>;
    /** How to connect to another zone, where the game sends the player to one; absent: as webSocket() does. */
    elsewhere?: Elsewhere;
    /** Of one that an Elsewhere made: its address, with the scheme, for who resumes with another Open. Absent: as it was asked for. */
    address?: string;
}

export interface Elsewhere {
    /** The addresses that it can speak, for people. */
    speaks: string;
    /** Nothing: it cannot speak that address. */
    at(address: string): Open | undefined;
}
