import type { Pool } from "@parley/database";
import type { NotifyOwnChange } from "./console/own-change.ts";
import type { AgentReach } from "./conversations/reach.sql.ts";
import type { PersonalDataEraser } from "./db/tables.ts";
import type { Directory } from "./directory/directory.ts";
import type { Ports } from "./environment/ports.ts";
import type { ResourceRoutes } from "./http/route-handlers.ts";
import type { MessageWritePath } from "./message-write-path.ts";

/** What the endpoints of the console need, supplied by the composition root. */
export interface ConsoleDeps {
  readonly pool: Pool;
  /** For statements that find rows by key. */
  readonly reads: Pool;
  /** For lists that are counted and sorted for each request. */
  readonly heavy: Pool;
  readonly ports: Ports;
  readonly directory: Directory;
  readonly reach: AgentReach;
  readonly writePath: MessageWritePath;
  readonly notifyOwnChange: NotifyOwnChange;
}

/** Creates the handlers of the console's tables: one line for each table. */
export const composeConsole = (
  _deps: ConsoleDeps,
): { readonly tables: readonly ResourceRoutes[]; readonly erasers: readonly PersonalDataEraser[] } => ({
  tables: [],
  erasers: [],
});
