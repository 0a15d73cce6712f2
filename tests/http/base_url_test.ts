import assert from "node:assert/strict";
import { baseUrlOf } from "../../lib/http/connect.ts";
import { ConfigurationError } from "../../lib/http/errors.ts";

function refusal(text: string): string {
  try {
    return `accepted as ${baseUrlOf(text)}`;
  } catch (error) {
    assert.ok(error instanceof ConfigurationError);
    return error.message;
  }
}

Deno.test("baseUrlOf accepts https anywhere and http on a loopback address", () => {
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
    ["http://127.0.0.1:8000", "http://127.0.0.1:8000"],
    ["http://127.1.2.3", "http://127.1.2.3"],
    ["http://2130706433", "http://127.0.0.1"],
    ["http://[::1]:8000", "http://[::1]:8000"],
  ] as const;
  for (const [text, expected] of cases) assert.equal(baseUrlOf(text), expected);
});

Deno.test("baseUrlOf refuses plain http to another machine", () => {
  const why =
    "baseUrl: must be https, or http on a loopback address, because the token is sent to it; got";
  const cases = [
    ["http://api.example.org", "http://api.example.org/"],
    ["http://localhost.example.org", "http://localhost.example.org/"],
    ["http://127.0.0.1.example.org", "http://127.0.0.1.example.org/"],
    ["http://notlocalhost", "http://notlocalhost/"],
    ["http://0.0.0.0", "http://0.0.0.0/"],
    ["http://[::2]", "http://[::2]/"],
    ["http://service.localhost", "http://service.localhost/"],
    ["http://128.0.0.1", "http://128.0.0.1/"],
  ] as const;
  for (const [text, shown] of cases) assert.equal(refusal(text), `${why} ${shown}`);
});

Deno.test("baseUrlOf refuses credentials, a query and a fragment, without showing them", () => {
  assert.equal(
    refusal("https://ada:secret@api.example.org/v2"),
    "baseUrl: must not contain a user name or password; got api.example.org",
  );
  assert.equal(
    refusal("https://api.example.org/v2?key=secret"),
    "baseUrl: must not contain ? or #; got https://api.example.org/v2",
  );
  assert.equal(
    refusal("https://api.example.org/#secret"),
    "baseUrl: must not contain ? or #; got https://api.example.org/",
  );
});

Deno.test("baseUrlOf does not show an invalid address, since it may be a token", () => {
  const why =
    "baseUrl: must be a URL such as https://api.example.org (not shown here: it may be a token)";
  for (const text of ["", "s3cret", "id:s3cret", "api.example.org", "ftp://api.example.org"]) {
    assert.equal(refusal(text), why);
  }
});
