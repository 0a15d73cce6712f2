import { strictEqual } from "node:assert/strict";
import { markdownText } from "../../lib/output/frame_bytes.ts";
import { frameOf } from "./frame_of.ts";

Deno.test("markdownText writes exact numbers to the right, null as null, and escapes its own signs", () => {
  const frame = frameOf({
    chain_id: ["Utf8", "a|b", "two\r\nlines", "<b>*x*</b> _y_ `z`", null],
    fees_30d_sum: ["Float64", 1234567.891, null, 0, -1],
  });
  strictEqual(
    markdownText(frame),
    "| chain_id | fees_30d_sum |\n| --- | ---: |\n| a\\|b | 1234567.891 |\n| two<br>lines | null |\n" +
      "| &lt;b&gt;\\*x\\*&lt;/b&gt; \\_y\\_ \\`z\\` | 0 |\n| null | -1 |\n",
  );
});
