import { killWriters } from "./kill_writers.ts";

Deno.test("killed writers leave no incomplete entry that is read as valid", () => killWriters(4));
