import { rejects, strictEqual } from "node:assert/strict";
import { withShards } from "../../../lib/service/cluster/clickhouse.ts";

// A self-signed certificate for localhost, made for this test.
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQglueMQfxvVtQuXcgC
+ZGgGACDiTxfTdhZY3IijZrfc2uhRANCAAShdXEM/zz+/2Uu4PihFmVVlWoXuujU
Ftigb5EhbidwVALs9mGihDzoM/UMPSpgvSlYow/Nvz61EKYOL5WKhhii
-----END PRIVATE KEY-----
`;
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBmTCCAT6gAwIBAgIURIULY1NFkRMhxGfRcCY6gsXqy8QwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTE4NTkzMFoYDzIxMjYxMDI4
MTg1OTMwWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAShdXEM/zz+/2Uu4PihFmVVlWoXuujUFtigb5EhbidwVALs9mGihDzo
M/UMPSpgvSlYow/Nvz61EKYOL5WKhhiio2wwajAdBgNVHQ4EFgQUzMsjPpGmAx3M
zMjjcCKDhylOo9IwHwYDVR0jBBgwFoAUzMsjPpGmAx3MzMjjcCKDhylOo9IwGgYD
VR0RBBMwEYIJbG9jYWxob3N0hwR/AAABMAwGA1UdEwEB/wQCMAAwCgYIKoZIzj0E
AwIDSQAwRgIhAJCBaxavaT8TEDXX1fCwjL2XBy7UbxvhY2R02fW9nw8oAiEAu+X0
hGPpFW+X5uintSdiVnxIDll+Tuz8XJSMaJEAjUM=
-----END CERTIFICATE-----
`;

Deno.test("withShards sends no password to a server with an untrusted certificate", async () => {
  let asked = 0;
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, key: KEY, cert: CERTIFICATE, onListen() {} },
    () => {
      asked++;
      return new Response("Ok.\n");
    },
  );
  const url = `https://localhost:${server.addr.port}`;
  const list = { urls: [url], database: "facts", user: "builder", password: "secret" };
  await rejects(withShards(list, ([shard]) => shard!.rows("SELECT 1")), {
    name: "ClusterError",
    message:
      `shard ${url}: cannot be reached, or closed the connection: invalid peer certificate: UnknownIssuer`,
  });
  strictEqual(asked, 0);
  await server.shutdown();
});
