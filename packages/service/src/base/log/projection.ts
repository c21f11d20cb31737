import type { Db } from "@parley/database";
import type { LogSpan } from "./follower.ts";

/** Work of a projection besides reading the log, such as rows that are changed without an event. */
export interface ProjectionBacklog {
  /**
   * Works off one batch, in a transaction of the leader in which the cursor stays at `position`. -> whether anything was left to do
   */
  workOff(tx: Db, position: number): Promise<boolean>;
  /** Mark of the last committed work. */
  last(db: Db): Promise<number>;
  /** Whether all work up to a mark is done. It is asked after each read of the log. */
  isDone(db: Db, upTo: number): Promise<boolean>;
}

/** Pauses that leave the machine to requests, as multiples of the time that the work before them took. */
export interface ProjectionPauses {
  /** After events, and after other work, while the projection is behind. */
  readonly log: number;
  readonly backlog: number;
  /** After any work, at most, while requests keep the process busy: the projection falls behind for as long as they do. */
  readonly busy: number;
}

/** A projection of the log into tables that only its leader writes. Its row in `projection_cursors` is made by a migration. */
export interface Projection {
  /** Key of the cursor and of the leader lock. */
  readonly name: string;
  /** Projects a span, in the transaction that moves the cursor over it. An exception rolls back, and the span is projected again. */
  project(tx: Db, span: LogSpan): Promise<void>;
  readonly backlog?: ProjectionBacklog | undefined;
  /** Events that are projected in one transaction, at most. */
  readonly eventsPerSpan?: number | undefined;
  readonly pauses?: ProjectionPauses | undefined;
}
