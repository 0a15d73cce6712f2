import assert from "node:assert/strict";
import { serializeSvg, type SvgNode } from "../../../lib/chart/page/svg.ts";
import { emptyDocument } from "../../../lib/chart/drawing/observable_plot.ts";

async function serialized(html: string): Promise<string> {
  const { body } = await emptyDocument();
  body.innerHTML = html;
  return serializeSvg(body.firstChild as unknown as SvgNode);
}

Deno.test("serializeSvg writes XML with sorted attributes and short coordinates", async () => {
  assert.equal(
    await serialized(`<svg><path stroke="currentColor" d="M1.23456,2L-0.001,3"></path></svg>`),
    `<svg><path d="M1.23,2L0,3" stroke="#1b1f24"/></svg>`,
  );
});

Deno.test("serializeSvg leaves out style sheets and classes", async () => {
  assert.equal(
    await serialized(
      `<svg class="a"><style>b { c: d }</style><g fill="var(--plot-background)"></g></svg>`,
    ),
    `<svg><g fill="#ffffff"/></svg>`,
  );
});

Deno.test("serializeSvg escapes texts and attributes", async () => {
  assert.equal(
    await serialized(
      `<svg><text aria-label="&lt;a b=&quot;c&quot;&gt;">&lt;script&gt; &amp; \u0001</text></svg>`,
    ),
    `<svg><text aria-label="&lt;a b=&quot;c&quot;&gt;">&lt;script&gt; &amp; \ufffd</text></svg>`,
  );
});
