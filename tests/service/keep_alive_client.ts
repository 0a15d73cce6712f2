/** One connection that is kept open: requests go out one after the other. */
export interface KeepAliveClient {
  /** Sends a request and reads the whole response. */
  send(request: string): Promise<{ status: number; body: string }>;
  close(): void;
}

/** Connects to a port of loopback; it is never connected again, so that a cut shows. */
export async function keepAliveClient(port: number): Promise<KeepAliveClient> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const decoder = new TextDecoder("latin1");
  const chunk = new Uint8Array(65_536);
  let rest = "";
  const more = async () => {
    const read = await connection.read(chunk);
    if (read === null) throw new Error("the connection was closed");
    rest += decoder.decode(chunk.subarray(0, read), { stream: true });
  };
  return {
    async send(request) {
      await connection.write(new TextEncoder().encode(request));
      while (!rest.includes("\r\n\r\n")) await more();
      const end = rest.indexOf("\r\n\r\n") + 4;
      const head = rest.slice(0, end);
      const told = /^content-length: (\d+)\r$/im.exec(head);
      if (told === null) throw new Error(`the answer does not say its length: ${head}`);
      const length = Number(told[1]);
      while (rest.length < end + length) await more();
      const body = rest.slice(end, end + length);
      rest = rest.slice(end + length);
      return { status: Number(head.slice(9, 12)), body };
    },
    close: () => connection.close(),
  };
}
