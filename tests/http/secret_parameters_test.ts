import fc from "fast-check";
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { parameterMask } from "../../lib/http/secret_parameters.ts";

const VALUE = "a1B2c3D4e5F6g7H8";
const at = (name: string, value = VALUE) => new URL(`https://a.example/x?${name}=${value}&to=2`);
const isHidden = (name: string, value = VALUE, names: string[] = []) => {
  const { path, values } = parameterMask(names).address(at(name, value));
  const isIn = path.includes(value);
  strictEqual(values.includes(value), !isIn, name);
  strictEqual(
    parameterMask(names).text(`got ${at(name, value)} (see ${at(name, value)})`)
      .includes(value),
    isIn,
    name,
  );
  return !isIn;
};

const SECRET = `
  key apikey api_key api-key apiKey APIKEY x-api-key appkey app_key accessKey access_key_id accessKeyId AWSAccessKeyId
  authkey secretKey privateKey private_key client_key consumer_key licenseKey license-key signing_key subscription-key
  Ocp-Apim-Subscription-Key userkey user_key apiKeyV2 api_key_2 key1 token access_token accessToken ACCESS_TOKEN id_token
  refresh_token authtoken auth_token csrfToken bearer_token sessionToken x-token secret client_secret clientSecret
  secret_value secretId appsecret password user_password passwordHash userpassword pass passwd passphrase pwd user_pwd auth
  oauth x-auth authorization proxy-authorization sig x-sig signature oauth_signature X-Amz-Signature X-Amz-Security-Token
  x-goog-credential hmac jwt bearer session session_id sessionid PHPSESSID JSESSIONID sess cred creds credential
  credentials user[password] code k sid`.trim().split(/\s+/);
const HARMLESS = `
  tokens token_id tokenId token0 token1 tokenAddress token_address tokenSymbol token_count tokenIn tokenOut page_token
  pageToken next_token nextPageToken pagetoken nexttoken author authors authority auth_type authType keyword keywords
  keys monkey turkey hockey whiskey donkey sort_key sortKey primary_key page_key next-key keyboard signal signals sign
  design designer assign assignee significance signer signed signatory passenger passing bypass compass passive
  sessions session_count assessment secretary credit credits accredited code_id country codes sidebar inside
  side kind k1 bearing bearish authentic oauth_version pwdx from to limit interval project_ids order_by chain
  columns date start end days id ids name q query format`.trim().split(/\s+/);

Deno.test("parameterMask hides secrets by the words of their names, and shows other values", () => {
  deepStrictEqual(SECRET.filter((name) => !isHidden(encodeURIComponent(name))), []);
  deepStrictEqual(HARMLESS.filter((name) => isHidden(name)), []);
  for (const name of ["code", "k", "sid"]) ok(!isHidden(name, "US"), name);
  ok(isHidden("Place", VALUE, ["place"]));
});

Deno.test("parameterMask hides a value as it is written and as it is read, and keeps other parts", () => {
  const url = new URL("https://a.example/x?a=1;token=p%2Bq)r;s&chain=eth&api%5Fkey=v+w&key=#top");
  const { path, values } = parameterMask().address(url);
  strictEqual(path, "/x?a=1;token=[hidden]&chain=eth&api%5Fkey=[hidden]&key=");
  deepStrictEqual(values, ["p%2Bq)r;s", "p+q)r;s", "v+w", "v w"]);
  strictEqual(
    parameterMask().text(
      '(https://b.example/?to=2&token=abc) "?sig=def" x?a=1&amp;pwd=ghi, key=shown',
    ),
    '(https://b.example/?to=2&token=[hidden]) "?sig=[hidden]" x?a=1&amp;pwd=[hidden] key=shown',
  );
});

Deno.test("parameterMask hides the whole value, whatever characters it has", () => {
  const name = fc.constantFrom("token", "clientSecret", "x-amz-date", "sid");
  const value = fc.string({ unit: "grapheme", minLength: 16, maxLength: 40 });
  fc.assert(fc.property(name, value, (name, value) => {
    const url = new URL("https://a.example/x");
    url.searchParams.set("from", "2026");
    url.searchParams.set(name, value);
    const { path, values } = parameterMask().address(url);
    strictEqual(path, `/x?from=2026&${name}=[hidden]`);
    ok(values.includes(value.toWellFormed()));
  }));
});

Deno.test("parameterMask takes linear time for texts of 2 MB", () => {
  for (const part of ["?token=", "?a=", "&;", "?", "code=", "?key", "?tokenid1", "a?k=1;", "=?"]) {
    const text = part.repeat(2_000_000 / part.length);
    const started = performance.now();
    parameterMask(["place"]).text(text);
    ok(performance.now() - started < 1_000, part);
  }
});
