import { killWriters } from "./kill_writers.ts";

Deno.test("writers killed in the middle leave no entry that is read as good", () => killWriters(4));
