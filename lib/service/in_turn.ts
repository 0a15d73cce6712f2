import type { IncomingMessage, ServerResponse } from "node:http";

type Handler = (incoming: IncomingMessage, outgoing: ServerResponse) => unknown;

/** Maximum number of requests that a client can send before it reads the first response. */
const MOST_WAITING = 100;

/**
 * Returns a handler that answers the requests of a connection one after another: a pipelined request waits until the
 * previous response was written. Otherwise, the responses to a client that sends requests and does not read would fill
 * the memory. Closes connections with more than 100 waiting requests.
 */
export function inTurn(handle: Handler): Handler {
  const waiting = new WeakMap<object, (() => void)[]>();
  return (incoming, outgoing) => {
    const { socket } = incoming;
    if (socket.destroyed) return;
    const queue = waiting.get(socket) ?? [];
    waiting.set(socket, queue);
    queue.push(() => handle(incoming, outgoing));
    if (queue.length > MOST_WAITING) return void socket.destroy();
    outgoing.once("close", () => {
      queue.shift();
      if (!socket.destroyed) queue[0]?.();
    });
    if (queue.length === 1) queue[0]!();
  };
}
