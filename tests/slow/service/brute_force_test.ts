import { agreesWithLoops } from "../../service/agrees_with_loops.ts";

Deno.test("the service agrees with loops over 12 worlds of random facts, and with its openapi.json", () =>
  agreesWithLoops(12, true));
