import type { Answer } from "../http/answer.ts";
import type { Connection } from "../http/connection.ts";
import type { Operation } from "../schema/operation.ts";
import type { RowOrder } from "./merge_rows.ts";

/** What was asked, and what came. */
export interface Answered {
  readonly operation: Operation;
  /** The query as it was given. */
  readonly query: object;
  readonly connection: Connection;
  readonly answers: readonly Answer[];
  /** The URL that was asked first, for a question that nothing answered. */
  readonly url?: string;
  /** Entity errors besides those of the answers. */
  readonly errors?: readonly unknown[];
  /** How the rows of several answers become one list; as they came, where it is not given. */
  readonly order?: RowOrder;
}
