import { Buffer } from "node:buffer";
import type { Readable, Writable } from "node:stream";

/** Maximum length of a message, in bytes. */
const MOST_BYTES = 4_000_000;

/** A transport of the SDK. The SDK sets the functions `on…`. */
interface Transport {
  start(): Promise<void>;
  send(message: unknown): Promise<void>;
  close(): Promise<void>;
  onmessage?: (message: unknown) => void;
  onerror?: (error: Error) => void;
  onclose?: () => void;
}

/** Codes of JSON-RPC for a message that is not JSON, and for JSON that is not a request. */
const NO_JSON = -32_700;
const NO_REQUEST = -32_600;

/**
 * Creates a transport with one message per line. A message of more than 4 MB, or that is not valid, is answered by an
 * error, and the session continues. The transport of the SDK would end the session, or not answer. The transport closes
 * at the end of `input`, and then `closed` is fulfilled.
 *
 * `valid` parses a value as a message of the protocol, and throws for any other value.
 */
export function lineTransport(
  input: Readable,
  output: Writable,
  valid: (value: unknown) => unknown,
): { readonly transport: Transport; readonly closed: Promise<void> } {
  let parts: Uint8Array[] = [];
  let length = 0;
  const { promise: closed, resolve: setClosed } = Promise.withResolvers<void>();

  const send = (message: unknown) =>
    new Promise<void>((resolve) => {
      if (output.write(`${JSON.stringify(message)}\n`)) resolve();
      else output.once("drain", resolve);
    });
  const refuse = (code: number, message: string, id: unknown = null) =>
    void send({ jsonrpc: "2.0", id, error: { code, message } });

  const read = (line: string) => {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      return refuse(NO_JSON, "the message is not JSON");
    }
    let message: unknown;
    try {
      message = valid(value);
    } catch {
      const { id, method } = (value ?? {}) as { readonly id?: unknown; readonly method?: unknown };
      const isAnswered = method !== undefined && ["string", "number"].includes(typeof id);
      const told = "the message is not a request, a notification or a response";
      return refuse(NO_REQUEST, told, isAnswered ? id : null);
    }
    transport.onmessage?.(message);
  };
  const endLine = () => {
    const [bytes, size] = [parts, length];
    parts = [];
    length = 0;
    if (size > MOST_BYTES) {
      return refuse(NO_REQUEST, `the message has ${size} bytes; at most ${MOST_BYTES} are read`);
    }
    const line = Buffer.concat(bytes).toString("utf8").trim();
    if (line !== "") read(line);
  };
  const onData = (chunk: Uint8Array) => {
    for (let at = 0; at < chunk.length;) {
      const end = chunk.indexOf(10, at);
      const part = chunk.subarray(at, end < 0 ? chunk.length : end);
      length += part.length;
      // The rest of a long message is counted, and not kept.
      if (length <= MOST_BYTES) parts.push(part);
      else parts = [];
      if (end < 0) return;
      endLine();
      at = end + 1;
    }
  };
  const onError = (error: Error) => transport.onerror?.(error);
  const close = () => {
    input.off("data", onData).off("error", onError).off("end", close).pause();
    setClosed();
    const { onclose } = transport;
    delete transport.onclose;
    onclose?.();
    return Promise.resolve();
  };
  const transport: Transport = {
    start() {
      input.on("data", onData).on("error", onError).on("end", close);
      return Promise.resolve();
    },
    send,
    close,
  };
  return { transport, closed };
}
