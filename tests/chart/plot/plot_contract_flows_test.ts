import assert from "node:assert/strict";
import { plotContractFlows } from "../../../lib/chart/contract_flows.ts";
import { drawnSvg, marksOf, textsOf } from "../drawn_svg.ts";
import { flowsSample, frameOf } from "../sample_frames.ts";

Deno.test("plotContractFlows draws inflows, outflows and net, sorted by net, and no null", async () => {
  const svg = await drawnSvg(plotContractFlows(flowsSample()));
  assert.deepEqual(
    textsOf(svg, "y-axis tick label"),
    ["Bridge", "Exchange", "Games", "Lending", "Staking"],
  );
  assert.equal(marksOf(svg, "inflows", "line").length, 4);
  assert.equal(marksOf(svg, "outflows", "line").length, 5);
  assert.equal(marksOf(svg, "net", "circle").length, 4);
  assert.deepEqual(textsOf(svg, "net value"), [
    ...["+$2.4M", "+$1.3M", "+$42.0K", "−$570K"],
  ]);
  assert.match(svg.textContent, /Without a value: a flow of 1 of 5 market sectors\./);
  assert.match(svg.textContent, /Sums of 2 market sectors leave out contracts without a value\./);
});

Deno.test("plotContractFlows draws inflows right of zero and outflows left of it, on one scale", async () => {
  const svg = await drawnSvg(plotContractFlows(flowsSample()));
  const [row] = (await plotContractFlows(flowsSample()).spec).rows;
  const length = (mark: string) => {
    const [line] = marksOf(svg, mark, "line");
    return Number(line!.getAttribute("x2")) - Number(line!.getAttribute("x1"));
  };
  assert.equal(row!["market sector"], "Bridge");
  assert.ok(Math.abs(length("inflows") / length("outflows") + 5.23 / 2.87) < 0.001);
  // The dot of the net flow is on the same scale, from the same zero.
  const [zero, dot] = [marksOf(svg, "inflows", "line")[0]!, marksOf(svg, "net", "circle")[0]!];
  const net = Number(dot.getAttribute("cx")) - Number(zero.getAttribute("x1"));
  assert.ok(Math.abs(net / length("inflows") - 2.36 / 5.23) < 0.01);
});

Deno.test("plotContractFlows folds more than twelve groups into twelve and their sum", async () => {
  const groups = Array.from({ length: 15 }, (_, group) => group);
  const svg = await drawnSvg(plotContractFlows(frameOf({
    chain_id: groups.map((group) => `chain ${group}`),
    inflows: groups.map((group) => 100 * (group + 1)),
    outflows: groups.map(() => 10),
    net_flows: groups.map((group) => 100 * (group + 1) - 10),
  })));
  assert.equal(textsOf(svg, "y-axis tick label").at(-1), "other (3 groups)");
  assert.equal(textsOf(svg, "net value").at(-1), "+$570");
  assert.match(
    svg.textContent,
    /Drawn: the 12 groups with the largest flows of 15, and the sum of the others\./,
  );
});
