import type { Pool } from "@parley/database";
import type { Log } from "@parley/telemetry";
import type { createChangeConversation } from "../../messaging/conversations/change.ts";
import type { FindConversation } from "../../messaging/conversations/find.ts";
import type { AgentReach } from "../../messaging/conversations/reach.sql.ts";
import type { ResourceRoutes } from "../../http/route-handlers.ts";
import { type Projector, startProjector } from "../../base/log/projector.ts";
import { createChangeSeveral } from "./change-several.ts";
import { readInboxCounts } from "./counts.sql.ts";
import { inboxPageStore } from "./page.sql.ts";
import { INBOX_PROJECTION } from "./projection.ts";
import { setReadMark } from "./read-marks.sql.ts";
import { inboxRoutes, type ReportOwnChange } from "./routes.ts";

/** Projects committed events into the tables that the inbox reads. */
export const startInboxProjection = (options: Parameters<typeof startProjector>[1]): Projector =>
  startProjector(INBOX_PROJECTION, options);

interface InboxTableDeps {
  readonly projector: Projector;
  readonly pool: Pool;
  /** For lists and counts. */
  readonly heavy: Pool;
  readonly find: FindConversation;
  readonly reach: Pick<AgentReach, "conversation">;
  readonly change: ReturnType<typeof createChangeConversation>;
  /** Nobody is told when absent. */
  readonly ownChange?: ReportOwnChange | undefined;
  readonly log: Log;
}

/** The endpoints of the inbox. */
export const createInboxTable = ({
  projector,
  pool,
  heavy,
  find,
  reach,
  change,
  ownChange = () => undefined,
  log,
}: InboxTableDeps): ResourceRoutes =>
  inboxRoutes({
    pages: inboxPageStore(heavy),
    counts: (accountId, viewer) => readInboxCounts(heavy, accountId, viewer),
    mark: (accountId, agentId, mark) => setReadMark(pool, accountId, agentId, mark),
    changeSeveral: createChangeSeveral({ change, reach, log }),
    find,
    projector,
    ownChange,
  });
