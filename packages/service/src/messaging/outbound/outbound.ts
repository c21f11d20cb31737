import type { User } from "@parley/contract";
import type { Pool } from "@parley/database";
import type { FastifyInstance, onRequestAsyncHookHandler } from "fastify";
import type { PendingReplies } from "../conversations/unsaved-message.ts";
import type { ResourceRoutes } from "../../http/route-handlers.ts";
import type { BackgroundJobs, JobTasks } from "../../base/jobs/jobs.ts";
import type { Ports } from "../../base/environment/ports.ts";
import type { PersonalDataEraser } from "../../base/db/tables.ts";
import { createAcceptOutbound } from "./accept.ts";
import { addCallbacks } from "./provider-callbacks.ts";
import type { OutboundConfig } from "./config.ts";
import { blankOutbound } from "./requests.sql.ts";
import { outboundTemplateStore } from "./templates.sql.ts";
import { pendingReplyStore, createPendingReplies } from "./pending-replies.sql.ts";
import { createOutboundDelivery } from "./deliver.ts";
import { createHttpProvider, createSandboxProvider, withPauseAfterTimeout } from "./provider.ts";
import { outboundRoutes } from "./routes.ts";

interface OutboundPartDeps {
  readonly pool: Pool;
  readonly jobs: Pick<BackgroundJobs, "schedule" | "wake">;
  readonly ports: Ports;
  /** undefined: the sandbox. */
  readonly config: OutboundConfig | undefined;
  /** Notifies the event dispatcher of a commit. */
  readonly wake: () => void;
}

/** The outbound-message module. */
interface Outbound {
  readonly slice: ResourceRoutes;
  readonly tasks: JobTasks;
  readonly pendingReplies: PendingReplies;
  /** Erases the phone numbers of a deleted user. */
  readonly eraser: PersonalDataEraser;
  /** Adds the route that providers call. */
  readonly mount: (app: FastifyInstance, onRequest: onRequestAsyncHookHandler) => void;
  close(): Promise<void>;
}

export const createOutbound = ({ pool, jobs, ports, config, wake }: OutboundPartDeps): Outbound => {
  const { now } = ports;
  const provider = config ? withPauseAfterTimeout(createHttpProvider(config, ports), ports) : createSandboxProvider();
  const pendingReplies = createPendingReplies({ store: pendingReplyStore(pool), ports });
  const { tasks, report } = createOutboundDelivery({ pool, provider, jobs, ports, wake });
  const onPendingReply = (accountId: number) => pendingReplies.invalidate(accountId);
  const accept = createAcceptOutbound({ pool, templates: outboundTemplateStore(pool), jobs, ports, onPendingReply });
  return {
    slice: outboundRoutes({ db: pool, accept }),
    tasks,
    pendingReplies,
    eraser: {
      user: (tx, accountId, bodies) =>
        blankOutbound(
          tx,
          accountId,
          bodies.map((body) => (JSON.parse(body) as User).phone),
        ),
    },
    mount: (app, onRequest) => addCallbacks(app, onRequest, { db: pool, secret: config?.secret, report, now }),
    close: () => provider.close(),
  };
};
