import assert from "node:assert/strict";
import { plotContractFlows } from "../../../lib/chart/contract_flows.ts";
import { drawnSvg, marksOf, textsOf } from "../drawn_svg.ts";
import { flowsSample, frameOf } from "../sample_frames.ts";

Deno.test("plotContractFlows draws inflows, outflows and net, largest flows first, and no null", async () => {
  const svg = await drawnSvg(plotContractFlows(flowsSample()));
  assert.deepEqual(
    textsOf(svg, "y-axis tick label"),
    ["Exchange", "Lending", "Bridge", "Games", "Staking"],
  );
  assert.equal(marksOf(svg, "inflows", "rect").length, 4);
  assert.equal(marksOf(svg, "outflows", "rect").length, 5);
  assert.equal(marksOf(svg, "net", "rect").length, 4);
  assert.deepEqual(textsOf(svg, "net value"), [
    ...["+$1.3M", "−$570K", "+$2.4M", "+$42.0K", "no value"],
  ]);
  assert.match(svg.textContent, /Without a value, which is not zero: a flow of 1 of 5 groups\./);
  assert.match(svg.textContent, /In 2 groups the sums leave out contracts that have no value\./);
});

Deno.test("plotContractFlows draws inflows right of zero and outflows left of it, to one scale", async () => {
  const svg = await drawnSvg(plotContractFlows(flowsSample()));
  const width = (mark: string) => Number(marksOf(svg, mark, "rect")[0]!.getAttribute("width"));
  assert.ok(Math.abs(width("inflows") / width("outflows") - 8.42 / 7.13) < 0.001);
  const [inflow] = marksOf(svg, "inflows", "rect").map((bar) => Number(bar.getAttribute("x")));
  const [outflow] = marksOf(svg, "outflows", "rect").map((bar) => Number(bar.getAttribute("x")));
  assert.ok(Math.abs(outflow! + width("outflows") - inflow!) < 0.02);
});

Deno.test("plotContractFlows folds more than twelve groups into eleven and their sum", async () => {
  const groups = Array.from({ length: 15 }, (_, group) => group);
  const svg = await drawnSvg(plotContractFlows(frameOf({
    chain_id: groups.map((group) => `chain ${group}`),
    inflows: groups.map((group) => 100 * (group + 1)),
    outflows: groups.map(() => 10),
    net_flows: groups.map((group) => 100 * (group + 1) - 10),
  })));
  assert.equal(textsOf(svg, "y-axis tick label").at(-1), "other (4 groups)");
  assert.equal(textsOf(svg, "net value").at(-1), "+$960");
  assert.match(svg.textContent, /15 groups: drawn are the 11 with the largest flows/);
});
