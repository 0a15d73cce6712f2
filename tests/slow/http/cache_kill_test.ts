import { killWriters } from "../../http/kill_writers.ts";

Deno.test("200 killed writers, two at a time, leave no incomplete entry that is read as valid", () =>
  killWriters(200));
