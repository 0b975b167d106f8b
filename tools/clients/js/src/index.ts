/** What a page or a program uses; Node's sockets are in node_socket.ts. */
export * from "./client.js";
export { decode } from "./decode.js";
export * from "./drawing.js";
export { encode } from "./encode.js";
export { ConnectionLost, ServerError } from "./link.js";
export * from "./message_splitter.js";
export * from "./messages.js";
export * from "./own_way.js";
export * from "./packed_moves.js";
export * from "./packed_state.js";
export * from "./protocol_error.js";
export * from "./service.js";
export { Resumption, Session, SessionOptions } from "./session.js";
export * from "./transport.js";
export * from "./web_socket.js";
export * from "./world.js";
