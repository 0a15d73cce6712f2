import { match, ok, strictEqual } from "node:assert/strict";
import { blockchainComparison } from "../../lib/operations/blockchain_comparison.ts";
import { notify } from "../../lib/platform/terminal.ts";
import { ChainframeError } from "../../lib/http/errors.ts";
import { terminalTable } from "../../lib/output/terminal_table.ts";
import { FactsError } from "../../lib/service/facts/fact_layout.ts";
import { hearing } from "../http/hearing.ts";
import { answering } from "../operations/answering.ts";

/** A title, a color, a C1 escape, a turned direction, a line of its own: what a terminal must not get. */
const EVIL = "a\u001b]0;t\u0007\u001b[31m\u009b2J\u202eb\u2066\u2028x\ny";

// deno-lint-ignore no-control-regex -- they are what it is about
const RAW = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029]/;

function assertTame(text: string, where: string): void {
  ok(!RAW.test(text), `${where}: ${JSON.stringify(text)}`);
  match(text, /\ufffd/, where);
}

Deno.test("a frame prints no control characters from names, values or ids", async () => {
  const { connection } = answering({ data: [{ chain_id: EVIL, chain_name: EVIL, [EVIL]: EVIL }] });
  const frame = await blockchainComparison({}, connection);
  const made = [frame, frame.select("chain_id"), frame.head(1)];
  for (const each of made) {
    assertTame(Deno.inspect(each), "console.log");
    const display = (each as unknown as Record<symbol, () => Record<string, string>>)[
      Symbol.for("Jupyter.display")
    ]!();
    assertTame(display["text/plain"]!, "text/plain");
    assertTame(terminalTable(each), "terminalTable");
  }
  // The data is as it came.
  strictEqual(frame.getColumn("chain_name").toArray()[0], EVIL);
  strictEqual(frame.columns.at(-1), EVIL);
});

Deno.test("an error and its cause print no control characters", async () => {
  const bodies = [
    `${EVIL} is no JSON`,
    JSON.stringify({ data: [{ chain_id: [EVIL], [EVIL]: 1 }] }),
  ];
  const failed = [
    () => new Response(JSON.stringify({ message: EVIL }), { status: 400 }),
    () => new Response(EVIL, { status: 404 }),
    ...bodies.map((body) => () => new Response(body)),
  ];
  for (const answer of failed) {
    const { connection } = answering(answer);
    const error = await blockchainComparison({}, connection).catch((error) => error);
    ok(error instanceof ChainframeError);
    ok(!RAW.test(error.message), error.message);
    ok(!RAW.test(Deno.inspect(error)), Deno.inspect(error));
    ok(!RAW.test(`${error.stack}`));
  }
  strictEqual(new ChainframeError("one\n\t two\u001b[0m").message, "one two\ufffd[0m");
  assertTame(new FactsError([`chains.csv: ${EVIL}`]).message, "FactsError");
});

Deno.test("a warning prints no control characters", async () => {
  const errors = [{ code: EVIL, field: EVIL, value: EVIL }];
  const told = await hearing(async () => {
    const answer = { data: [], errors, [EVIL]: EVIL };
    await blockchainComparison(
      { chain_ids: [EVIL.replace("\n", "")] },
      answering(answer, { onMissing: "warn" }).connection,
    );
    notify(`chainframe: ${EVIL}`);
  });
  strictEqual(told.length, 3);
  for (const text of told) assertTame(text, "warning");
});
