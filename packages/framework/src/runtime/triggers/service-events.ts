import { PRODUCT_EVENTS, type ServiceEvent } from "@parley/contract";
import { verifyWebhook } from "@parley/egress";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Installations } from "../../state/installations.ts";
import type { AppCalls } from "../calls/app-calls.ts";
import { gather, groupCommit } from "@parley/database";
import { contextOf, inSpan, TRACE_PARENT_HEADER, type Log } from "@parley/telemetry";
import type { HandledStore } from "../../state/handled-events.sql.ts";

/** Retention of handled event ids. @units milliseconds */
const RETENTION_MS = 86_400_000;
const BATCH_SIZE_MAX = 64;
/** @units milliseconds */
const HOUR = 3_600_000;

interface EventDeduplicationDeps {
  readonly store: HandledStore;
  readonly now: () => Date;
  readonly project: string;
}

/**
 * Runs the work of an event unless it has already succeeded. A duplicate that arrives while the work runs waits for it and gets its result.
 * The id is stored after the work has ended, so that a host that is killed in between repeats the work.
 */
export const createEventDeduplication = ({ store, now, project }: EventDeduplicationDeps) => {
  const running = new Map<string, Promise<boolean>>();
  // Many events arrive at the same time: their ids are looked up and stored in batches.
  const isHandled = gather<string, boolean>({
    name: "handled events",
    maxBatch: BATCH_SIZE_MAX,
    run: async (ids) => {
      const succeededIds = await store.known(project, ids);
      return ids.map((id) => succeededIds.has(id));
    },
  });
  const notes = groupCommit<string, undefined>({
    name: "handled events",
    run: async (ids) => {
      await store.add(project, ids, now());
      return ids.map(() => undefined);
    },
  });
  let forgotten = -Infinity;

  const forget = async () => {
    const present = now().getTime();
    if (present - forgotten < HOUR) return;
    forgotten = present;
    await store.forget(new Date(present - RETENTION_MS));
  };
  const attempt = async (id: string, work: () => Promise<boolean>): Promise<boolean> => {
    if (await isHandled(id)) return true;
    if (!(await work())) return false;
    await notes.submit(id);
    await forget();
    return true;
  };

  /** -> whether the event's work succeeded, now or earlier */
  return (id: string, work: () => Promise<boolean>): Promise<boolean> => {
    const before = running.get(id);
    if (before) return before;
    const mine = attempt(id, work).finally(() => running.delete(id));
    running.set(id, mine);
    return mine;
  };
};

/** Receiver of the events of one subscription. */
interface EventReceiver {
  /** Secret with which the service signs them; empty until it is known. */
  readonly secret: () => string | Promise<string>;
  /** Secrets that were valid before a rotation of the key, until the service has the present secret. */
  readonly earlierSecrets?: () => readonly string[];
  readonly installations: Pick<Installations, "find">;
  readonly calls: AppCalls;
  /** Runs the work of an event id unless it has already succeeded. */
  readonly once: (id: string, work: () => Promise<boolean>) => Promise<boolean>;
  /** Called with every authentic event, whether or not the app subscribes to its kind. */
  readonly onEvent?: (event: ServiceEvent) => void;
}

interface EventRouteDeps {
  /** -> undefined for an address without a subscription */
  readonly receiverOf: (request: FastifyRequest) => EventReceiver | undefined;
  readonly now: () => Date;
  readonly log: Log;
}

/** Path of the events of apps that are read from folders; those of installations are received below it. */
export const EVENTS_PATH = "/events";

/** Maximum size of a request: a message with all its parts, with a margin. @units bytes */
const BODY_BYTES_MAX = 8 * 1024 * 1024;

const eventIn = (body: string): ServiceEvent | undefined => {
  const event = JSON.parse(body) as Partial<ServiceEvent> | null;
  return typeof event?.id === "string" && typeof event.kind === "string" ? (event as ServiceEvent) : undefined;
};

/** The outcome of an event; `later`: the installation can't handle it at present. */
type EventOutcome = "handled" | "failed" | "later";

/**
 * `POST` of the service's events to a path. 204 when the handler has succeeded or the app has no handler for the event; 401 for a signature
 * that isn't the service's; 500 when the handler failed, so that the service delivers the event again; 503 while the installation is paused
 * or another process runs it.
 */
export const eventRoute = (app: FastifyInstance, path: string, deps: EventRouteDeps): void => {
  const handle = async ({ calls, installations, once }: EventReceiver, event: ServiceEvent): Promise<EventOutcome> => {
    const handler = Object.hasOwn(PRODUCT_EVENTS, event.kind) ? calls.handlerOf(event) : undefined;
    const installation = handler === undefined ? undefined : await installations.find();
    if (handler === undefined || installation?.account !== event.account) return "handled";
    if (installation.state === "paused") return "later";
    const isHandled = await once(event.id, async () => {
      const outcome = await calls.handle(event, handler, installation);
      if (!outcome.ok)
        deps.log(`${handler} failed for event ${event.id}: ${outcome.stack ?? outcome.error}`, { level: "error" });
      return outcome.ok;
    });
    return isHandled ? "handled" : "failed";
  };

  void app.register(async (scope) => {
    // The signature covers the body's bytes as received.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", { parseAs: "string", bodyLimit: BODY_BYTES_MAX }, (_request, body, done) =>
      done(null, body),
    );
    scope.post<{ Body: string }>(path, async (request, reply) => {
      const receiver = deps.receiverOf(request);
      if (!receiver) return reply.code(404).send({ message: "No installation receives events at this address." });
      const secret = await receiver.secret();
      if (secret === "") return reply.code(503).send({ message: "Events can't be checked yet." });
      const nowSeconds = Math.floor(deps.now().getTime() / 1000);
      const { headers, body } = request;
      const isSigned = [secret, ...(receiver.earlierSecrets?.() ?? [])].some((one) =>
        verifyWebhook({ headers, body: body ?? "", secret: one, nowSeconds }),
      );
      if (!isSigned) return reply.code(401).send({ message: "The signature is not the service's." });
      const event = eventIn(body);
      if (!event) return reply.code(400).send({ message: "The body is not an event." });
      receiver.onEvent?.(event);
      const { [TRACE_PARENT_HEADER]: traceParent } = headers;
      const span = {
        kind: "server",
        parent: contextOf(typeof traceParent === "string" ? traceParent : undefined),
        attributes: { "parley.account": event.account },
      } as const;
      const outcome = await inSpan(`receive ${event.kind}`, span, () => handle(receiver, event));
      if (outcome === "handled") return reply.code(204).send();
      if (outcome === "failed") return reply.code(500).send({ message: "The handler failed." });
      return reply.code(503).header("retry-after", 1).send({ message: "The installation is paused." });
    });
  });
};
