/** What came is no stream of this protocol: nothing behind it can be read. */
export class ProtocolError extends Error {
    override readonly name = "ProtocolError";
}
