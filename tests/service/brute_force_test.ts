import { agreesWithLoops } from "./agrees_with_loops.ts";

Deno.test("the service agrees with loops over random facts, on every operation", () =>
  agreesWithLoops(1));
