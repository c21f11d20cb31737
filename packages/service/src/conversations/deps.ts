import type { Pool } from "@parley/database";
import type { Directory } from "../accounts/directory.ts";
import type { FilesOf } from "../messages/attachments.ts";
import type { Ports } from "../ports.ts";
import type { Answered } from "./answered.ts";

/** What the slices of conversations and messages are made of; whoever starts the service supplies it. */
export interface HotPathDeps {
  /** For the batches of writes alone: a read behind a commit would wait for it. One connection. */
  readonly writes: Pool;
  /** For gathered reads. */
  readonly reads: Pool;
  /** For pages that lie far back. */
  readonly heavy: Pool;
  readonly directory: Directory;
  readonly answered: Answered;
  /** What was uploaded, for messages. */
  readonly filesOf: FilesOf;
  readonly ports: Ports;
  /** Tells the dispatcher of events that something was committed. */
  readonly wake: () => void;
}
