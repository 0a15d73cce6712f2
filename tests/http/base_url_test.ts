import assert from "node:assert/strict";
import { connect } from "../../lib/http/connect.ts";

/** Returns the address of a connection, or the message of the error. */
function opened(baseUrl: string): string {
  try {
    return connect({ baseUrl, token: "t0ken" }).baseUrl;
  } catch (error) {
    assert.equal((error as Error).name, "ConfigurationError");
    return (error as Error).message;
  }
}

Deno.test("connect accepts an address of https anywhere, and of http on a loopback address", () => {
  const cases = [
    ["https://api.example.org", "https://api.example.org"],
    ["https://api.example.org/", "https://api.example.org"],
    ["https://api.example.org/metrics//", "https://api.example.org/metrics"],
    ["HTTPS://API.Example.org:443/A", "https://api.example.org/A"],
    ["https://api.example.org:8443", "https://api.example.org:8443"],
    ["https://api.example.org/v2", "https://api.example.org"],
    ["https://api.example.org/metrics/v2/", "https://api.example.org/metrics"],
    ["https://api.example.org/v2/metrics", "https://api.example.org/v2/metrics"],
    ["https://api.example.org/xv2", "https://api.example.org/xv2"],
    ["http://127.0.0.1:8000//v2", "http://127.0.0.1:8000"],
    ["http://localhost:8000", "http://localhost:8000"],
    ["http://127.1.2.3", "http://127.1.2.3"],
    ["http://2130706433", "http://127.0.0.1"],
    ["http://[::1]:8000", "http://[::1]:8000"],
  ] as const;
  for (const [text, expected] of cases) assert.equal(opened(text), expected);
});

Deno.test("connect refuses plain http to another machine, and shows no part of an address that may be secret", () => {
  const hosts = "api.example.org localhost.example.org 127.0.0.1.example.org notlocalhost 0.0.0.0";
  for (const host of `${hosts} [::2] service.localhost 128.0.0.1`.split(" ")) {
    assert.equal(
      opened(`http://${host}/s3cret`),
      "baseUrl: must be https, or http on a loopback address, because the token is sent to it; " +
        `got http://${host}`,
    );
  }
  for (const place of ["ada:s3cret@api.example.org/v2", "api.example.org/v2?key=s3cret"]) {
    assert.equal(
      opened(`https://${place}`),
      "baseUrl: must not contain a user name, a password, ? or #; got api.example.org",
    );
  }
  assert.match(opened("https://api.example.org/#s3cret"), /, \? or #; got api\.example\.org$/);
  for (const text of ["", "s3cret", "id:s3cret", "api.example.org", "ftp://api.example.org"]) {
    assert.equal(
      opened(text),
      "baseUrl: must be a URL such as https://api.example.org (not shown here: it may have a token)",
    );
  }
});
