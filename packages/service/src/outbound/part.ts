import type { User } from "@parley/contract";
import type { Pool } from "@parley/database";
import type { FastifyInstance, onRequestAsyncHookHandler } from "fastify";
import type { Answered } from "../conversations/answered.ts";
import type { Slice } from "../http/slice.ts";
import type { Jobs, Tasks } from "../jobs/jobs.ts";
import type { Ports } from "../ports.ts";
import type { Eraser } from "../users/db/removal.ts";
import { acceptance } from "./acceptance.ts";
import { addCallbacks } from "./callbacks.ts";
import type { OutboundConfig } from "./config.ts";
import { blankOutbound } from "./db/removal.ts";
import { templateStore } from "./db/templates.ts";
import { waitingStore } from "./db/waiting.ts";
import { delivery } from "./delivery.ts";
import { httpProvider } from "./http-provider.ts";
import { patient } from "./patience.ts";
import { outboundSlice } from "./routes.ts";
import { sandbox } from "./sandbox.ts";
import { waiting as openWaiting } from "./waiting.ts";

export interface OutboundPartDeps {
  readonly pool: Pool;
  readonly jobs: Pick<Jobs, "later" | "wake">;
  readonly ports: Ports;
  /** undefined: the sandbox. */
  readonly config: OutboundConfig | undefined;
  /** Tells the dispatcher of events that something was committed. */
  readonly wake: () => void;
}

/** All of outbound messages. */
export interface OutboundPart {
  readonly slice: Slice;
  readonly tasks: Tasks;
  readonly answered: Answered;
  /** Takes the numbers of a deleted user away. */
  readonly eraser: Eraser;
  /** Mounts the address that providers call. */
  readonly mount: (app: FastifyInstance, onRequest: onRequestAsyncHookHandler) => void;
  close(): Promise<void>;
}

export const outboundPart = ({ pool, jobs, ports, config, wake }: OutboundPartDeps): OutboundPart => {
  const { now } = ports;
  const provider = config ? patient(httpProvider(config, ports), ports) : sandbox();
  const answered = openWaiting({ store: waitingStore(pool), now });
  const { tasks, report } = delivery({ pool, provider, jobs, ports, wake });
  const waits = (accountId: number) => answered.begins(accountId);
  const accept = acceptance({ pool, templates: templateStore(pool), jobs, ports, waits });
  return {
    slice: outboundSlice({ db: pool, accept }),
    tasks,
    answered,
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
