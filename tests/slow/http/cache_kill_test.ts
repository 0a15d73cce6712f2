import { killWriters } from "../../http/kill_writers.ts";

Deno.test("200 writers killed in the middle, two at a time, leave no entry that is read as good", () =>
  killWriters(200));
