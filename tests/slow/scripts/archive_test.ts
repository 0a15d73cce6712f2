import { killRuns } from "../../scripts/kill_runs.ts";

Deno.test("100 killed runs of archive.ts, two at a time, leave every response readable and correct", () =>
  killRuns(100));
