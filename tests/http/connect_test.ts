import assert from "node:assert/strict";
import { connect } from "../../lib/http/connect.ts";
import type { ConnectOptions } from "../../lib/http/settings.ts";
import { settingsOf } from "../../lib/http/connect.ts";
import { ConfigurationError } from "../../lib/http/errors.ts";
import { withEnvironment } from "./with_environment.ts";

const LIVE = { baseUrl: "https://api.example.org", token: "s3cret-token" } as const;

function refusal(options: Record<string, unknown>): string {
  try {
    connect(options as ConnectOptions);
  } catch (error) {
    assert.ok(error instanceof ConfigurationError);
    assert.ok(!Deno.inspect(error).includes("s3cret"), "the token shows");
    return error.message;
  }
  return "accepted";
}

Deno.test("connect reads address and token from the environment; options take precedence", async () => {
  const variables = { CHAINFRAME_BASE_URL: "https://env.example/", CHAINFRAME_TOKEN: "env-token" };
  await withEnvironment(variables, () => {
    const made = settingsOf(connect());
    assert.deepEqual([made.target, made.baseUrl, made.token()], [
      "service",
      "https://env.example",
      "env-token",
    ]);
    const own = settingsOf(connect({ baseUrl: "https://other.example", token: "mine" }));
    assert.deepEqual([own.baseUrl, own.token()], ["https://other.example", "mine"]);
    // Never the address of one source with the token of another.
    assert.match(refusal({ token: "mine" }), /^token is set but baseUrl is not/);
    assert.match(refusal({ baseUrl: LIVE.baseUrl }), /^baseUrl is set but token is not/);
  });
});

Deno.test("connect with only one of address and token names the other", async () => {
  const cases = [
    [{ CHAINFRAME_TOKEN: "s3cret" }, {}, "CHAINFRAME_TOKEN", "CHAINFRAME_BASE_URL"],
    [{ CHAINFRAME_BASE_URL: LIVE.baseUrl }, {}, "CHAINFRAME_BASE_URL", "CHAINFRAME_TOKEN"],
    [{}, { token: "s3cret" }, "token", "baseUrl"],
    [{}, { baseUrl: LIVE.baseUrl }, "baseUrl", "token"],
  ] as const;
  for (const [variables, options, set, missing] of cases) {
    await withEnvironment(variables, () =>
      assert.equal(
        refusal(options),
        `${set} is set but ${missing} is not. Set both in one place, or neither for sample data.`,
      ));
  }
});

Deno.test("connect with neither uses the embedded service", () =>
  withEnvironment({}, () => {
    assert.equal(connect().target, "sample");
    assert.equal(connect({ timeout: 5 }).target, "sample");
    assert.equal(
      refusal({ fetch: () => Promise.resolve(new Response()) }),
      "fetch: requires baseUrl and token; got neither",
    );
  }));

Deno.test("connect fills in the defaults, and undefined means not given", () =>
  withEnvironment({}, () => {
    const made = settingsOf(connect({ ...LIVE, ...{ timeout: undefined } as object }));
    const { fetch, token, redact, clock: _, warn, ...rest } = made;
    for (const given of [fetch, token, redact, warn]) assert.equal(typeof given, "function");
    assert.deepEqual(rest, {
      target: "service",
      baseUrl: "https://api.example.org",
      tokenFrom: "the option token",
      requestsPerMinute: 60,
      concurrency: 4,
      timeout: 30_000,
      deadline: 300_000,
      retries: 4,
      maxRetryAfter: 60_000,
      maxUrlLength: 4_096,
      cache: null,
      fileCache: null,
      lock: null,
      onMissing: "warn",
      signal: null,
      onProgress: null,
    });
  }));

Deno.test("connect sets no rate limit for a loopback address unless one is given", () =>
  withEnvironment({}, () => {
    const pace = (options: ConnectOptions) => settingsOf(connect(options)).requestsPerMinute;
    const token = "s3cret";
    for (const host of ["localhost:8000", "127.0.0.1", "127.9.9.9:1", "[::1]:80"]) {
      assert.equal(pace({ baseUrl: `http://${host}`, token }), Infinity);
      assert.equal(pace({ baseUrl: `https://${host}`, token }), Infinity);
      assert.equal(pace({ baseUrl: `http://${host}`, token, requestsPerMinute: 60 }), 60);
    }
    assert.equal(pace(LIVE), 60);
    assert.equal(pace({ ...LIVE, baseUrl: "https://x.localhost" }), 60);
    assert.equal(pace({}), Infinity);
    assert.equal(pace({ requestsPerMinute: 5 }), 5);
  }));

Deno.test("connect reads the cache folder from the environment; options take precedence", () =>
  withEnvironment({ CHAINFRAME_CACHE: "answers" }, () => {
    const cache = (options: ConnectOptions) => settingsOf(connect({ ...LIVE, ...options })).cache;
    assert.deepEqual(cache({}), {
      dir: "answers",
      maxAge: null,
      mode: "use",
      asOf: null,
    });
    assert.deepEqual(cache({ cache: { dir: "mine", maxAge: 5, mode: "refresh" } }), {
      dir: "mine",
      maxAge: 5,
      mode: "refresh",
      asOf: null,
    });
  }));

Deno.test("connect refuses a bad option by its name and shows the value", () => {
  const offline = { dir: "x", mode: "offline" };
  const cases: [Record<string, unknown>, string][] = [
    [{ requestsPerMinute: 0 }, "requestsPerMinute: must be a whole number of at least 1; got 0"],
    [{ concurrency: 1.5 }, "concurrency: must be a whole number of at least 1; got 1.5"],
    [{ retries: -1 }, "retries: must be a whole number of at least 0; got -1"],
    [{ maxUrlLength: NaN }, "maxUrlLength: must be a whole number of at least 1; got NaN"],
    [{ timeout: 0 }, "timeout: must be a number of milliseconds above 0; got 0"],
    [{ timeout: "5" }, 'timeout: must be a number of milliseconds above 0; got "5"'],
    [{ deadline: -5 }, "deadline: must be a number of milliseconds above 0; got -5"],
    [{ onMissing: "explode" }, 'onMissing: must be one of warn, throw, ignore; got "explode"'],
    [{ signal: "stop" }, 'signal: must be an AbortSignal; got "stop"'],
    [{ onProgress: 1 }, "onProgress: must be a function; got 1"],
    [{ cache: "folder" }, "cache: must be an object; got string"],
    [{ cache: { dir: "" } }, 'cache.dir: must be the path of a folder; got ""'],
    [
      { cache: { dir: "x", maxAge: -1 } },
      "cache.maxAge: must be a number of milliseconds, 0 or more; got -1",
    ],
    [
      { cache: { dir: "x", maxage: 1 } },
      "cache.maxage: did you mean maxAge? known: dir, maxAge, mode, asOf",
    ],
    [
      { cache: { dir: "x", asOf: "2026-06-01" } },
      'cache.asOf: needs mode "offline", because only a cache knows past responses; got "use"',
    ],
    ...["2026-06-31", "June", "2026-06", "2026-06-01T12:00:00", 5].map((
      asOf,
    ): [Record<string, unknown>, string] => [
      { cache: { ...offline, asOf } },
      `cache.asOf: must be a Date, a day written 2026-06-01, or an ISO timestamp with its zone; got ${
        JSON.stringify(asOf)
      }`,
    ]),
    [
      { cache: { dir: "x", mode: "never" } },
      'cache.mode: must be one of use, refresh, offline; got "never"',
    ],
  ];
  for (const [options, message] of cases) assert.equal(refusal({ ...LIVE, ...options }), message);
  assert.match(refusal({ ...LIVE, timout: 5 }), /^timout: did you mean timeout\? known: .*timeout/);
});

Deno.test("connect never shows a token, not even a broken or a misplaced one", () =>
  withEnvironment({}, () => {
    const hidden = "token: must be printable ASCII without spaces (not shown here)";
    for (const token of ["s3cret\n", "s3cret token", "s3crét", "", ["s3cret"]]) {
      assert.equal(refusal({ ...LIVE, token }), hidden);
    }
    assert.match(refusal({ ...LIVE, tokn: "s3cret" }), /^tokn: did you mean token\?/);
    assert.match(refusal("s3cret" as never), /^options: must be an object with .*; got string$/);
    assert.match(refusal(["s3cret"] as never), /^options: must be an object with .*; got a list$/);
    assert.match(
      refusal({ baseUrl: "s3cret", token: "https://api.example.org" }),
      /^baseUrl: must be/,
    );
    assert.match(refusal({ baseUrl: "id:s3cret" }), /^baseUrl: must be a URL/);
    assert.match(refusal({ ...LIVE, baseUrl: "http://api.example.org" }), /must be https/);
    const misplaced = [
      ...["s3cret", ["s3cret"], { tokn: "s3cret" }, { s3: "s3cret" }],
      ...["s3cret", "id:s3cret", "https://s3cret@a.example", "https://a.example/?token=s3cret"]
        .map((baseUrl) => ({ baseUrl, token: "https://api.example.org" })),
    ];
    for (const options of misplaced) {
      assert.doesNotMatch(refusal(options as never), /s3cret/);
    }
  }));

Deno.test("a connection shows no token, however it is printed", () => {
  const connection = connect(LIVE);
  const prints = [
    Deno.inspect(connection, { showHidden: true, depth: 10 }),
    JSON.stringify(connection),
    String(connection),
    Deno.inspect(settingsOf(connection), { showHidden: true, depth: 10 }),
    JSON.stringify(settingsOf(connection)),
  ];
  for (const print of prints) assert.ok(!print.includes("s3cret"), print);
  assert.deepEqual({ ...connection }, {
    baseUrl: "https://api.example.org",
    target: "service",
    onMissing: "warn",
  });
  assert.ok(Object.isFrozen(connection));
});

Deno.test("settingsOf refuses objects that connect did not create", () => {
  assert.throws(
    () => settingsOf({ ...connect(LIVE) }),
    new TypeError("connection: must be the result of connect()"),
  );
});
