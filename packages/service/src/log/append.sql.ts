import type { StreamEventKind } from "@parley/contract";
/** SQL expression of each column of a new row of the table `outbox`. */
interface LogColumns {
  readonly seq?: string;
  readonly id: string;
  readonly account_id: string;
  readonly partition: string;
  /** The literal of one kind, or a column of the source. */
  readonly kind: `'${StreamEventKind}'` | "kind";
  readonly entity_id: string;
  readonly created_time: string;
  readonly actor_type: string;
  readonly actor_id?: string;
  readonly user_id?: string;
  readonly user_revision?: string;
  readonly conversation_revision?: string;
  readonly message_id?: string;
  readonly changes?: string;
}

/**
 * Statement that appends events to the log. A statement that does not draw the log position itself draws it here.
 * @shape source: the `from` clause that supplies one row per event
 */
export const appendToLog = ({ seq = "nextval('log_positions')", ...columns }: LogColumns, source: string): string =>
  `insert into outbox (seq, ${Object.keys(columns).join(", ")})
     select ${seq}, ${Object.values(columns).join(", ")}
     ${source}`;
