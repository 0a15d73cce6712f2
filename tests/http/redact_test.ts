import fc from "fast-check";
import assert from "node:assert/strict";
import { redactCause, redactor, redactValue } from "../../lib/http/redact.ts";

const redact = redactor('s3"/&k>t');

function numbered(text: string): string {
  return [...text].map((c) => `&#${c.charCodeAt(0)};`).join("");
}

function unicode(text: string): string {
  return [...text].map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");
}

function html(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;").replaceAll("'", "&#39;");
}

function json(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

Deno.test("redactor removes a token in every encoding, and keeps other text", () => {
  const token = 's3"/&k>t';
  const cases = [
    token,
    encodeURIComponent(token),
    encodeURIComponent(token).toLowerCase(),
    encodeURIComponent(encodeURIComponent(token)),
    json(token),
    json(json(token)),
    json(token).replaceAll("/", "\\/"),
    unicode(token),
    html(token),
    html(html(token)),
    numbered(token),
    token.toUpperCase(),
    encodeURIComponent(token.toUpperCase()),
  ];
  for (const spelled of cases) {
    assert.match(
      redact(`Bearer ${spelled}; Bearer ${spelled}.`),
      /^Bearer \\*\[token\]; Bearer \\*\[token\]\.$/,
    );
  }
  for (const other of ["", "s3", 's3"/&k>', "the rest %20 &amp; \\u0041"]) {
    assert.equal(redact(other), other);
  }
});

Deno.test("redactor removes a token that was escaped and then put into a URL", () => {
  const token = 's3"/&k>t';
  const escapes = [(text: string) => text, json, unicode, html, numbered];
  const urls: ((text: string) => string)[] = [
    encodeURIComponent,
    (text) => encodeURIComponent(encodeURIComponent(text)),
    // As a redirect brings it: a path in which a URL has put slashes for backslashes.
    (text) => new URL(`http://a/${text.replaceAll("#", "%23")}`).pathname.slice(1),
  ];
  const spelled = escapes.flatMap((escape) => urls.map((url) => url(escape(token))));
  assert.equal(new Set(spelled).size, 15);
  for (const text of spelled) {
    assert.match(redact(`<${text}>`), /^<(\\|\/|%(25)?5C)*\[token\]>$/, text);
  }
});

Deno.test("redactor leaves no token, however it is escaped and escaped again", () => {
  const tokens = fc.string({
    unit: fc.constantFrom(..."aZ09-._~+/=\"'&<>%\\$^*(){}[]|?,;:!@#`"),
    minLength: 4,
    maxLength: 30,
  });
  const escapes = fc.array(fc.constantFrom(json, encodeURIComponent, unicode, html, numbered), {
    maxLength: 1,
  });
  fc.assert(
    fc.property(tokens, escapes, fc.nat(2), (token, [escape = (text: string) => text], times) => {
      let text = token;
      // An entity of an entity's digits does not occur.
      for (let time = 0; time <= (escape === numbered || escape === unicode ? 0 : times); time++) {
        text = escape(text);
      }
      assert.match(redactor(token)(`<${text}>`), /^<\\*\[token\]>$/);
    }),
    { seed: 4, numRuns: 500 },
  );
});

Deno.test("redactor takes linear time for texts of 10 MB, whatever they repeat", () => {
  const parts = [
    ...["/", "\\", "\\/", "a/", "a\\\\/", "a/b/c//////////////////", "%", "%5c", "%2525"],
    ...["\\u002f", "&amp;", "amp;", "&#00", "0"],
  ];
  const begin = performance.now();
  for (const token of ["a/b/cd+ef==", "/a\\def/", "ab\\cd\\ef"]) {
    const hides = redactor(token);
    for (const [index, part] of parts.entries()) {
      const size = token.startsWith("a/") && index % 4 === 0 ? 1e7 : 1e5;
      const end = hides(`a${part.repeat(size / part.length)}${token}`).slice(-20);
      assert.ok(end.endsWith("[token]"), `${token} after ${part}: ${end}`);
    }
  }
  // With quadratic time, each of the short texts takes seconds, and each of the long ones hours.
  assert.ok(performance.now() - begin < 20_000);
});

Deno.test("redactor changes nothing if the token is too short to be a secret", () => {
  for (const token of ["", "t", "abc"]) assert.equal(redactor(token)("tabcabct"), "tabcabct");
});

Deno.test("redactValue covers lists, objects and keys", () => {
  assert.deepEqual(
    redactValue({ a: ['x s3"/&k>t'], 's3"/&k>t': 5, b: null, c: { d: true } }, redact),
    { a: ["x [token]"], "[token]": 5, b: null, c: { d: true } },
  );
});

Deno.test("redactCause keeps an error that is clean, and copies one that is not", () => {
  const clean = new TypeError("fine", { cause: new Error("as well") });
  assert.equal(redactCause(clean, redact), clean);
  assert.equal(redactCause(undefined, redact), undefined);
  const dirty = new TypeError('no s3"/&k>t', { cause: { header: 's3"/&k>t' } });
  const copy = redactCause(dirty, redact) as Error;
  assert.equal(copy.name, "TypeError");
  assert.equal(copy.message, "no [token]");
  // The stack has paths of this machine, so the token is searched as a whole and as JSON writes it.
  const shown = Deno.inspect(copy, { showHidden: true });
  for (const form of ['s3"/&k>t', 's3\\"/&k>t', "/&k>t"]) assert.ok(!shown.includes(form), shown);
});
