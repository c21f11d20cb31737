import { Readable } from "node:stream";
import {
  type Invocation,
  AppSettingsChange,
  EventToRaise,
  FunctionToCall,
  InstallationInput,
  InvocationQuery,
  PAYLOAD_BYTES_MAX,
  type HostActivity,
} from "@parley/contract";
import type { InvocationFilter, Invocations } from "../state/invocations.sql.ts";
import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyReply, FastifyRequest, FastifyInstance } from "fastify";
import type { AppSettingsControl } from "../installation/workflow/app-settings-change.ts";
import { ControlRefused } from "../model/app-refused.ts";
import type { Consents } from "../state/consents.ts";
import type { ScheduleFailures } from "../runtime/triggers/schedule-failures.ts";
import { createEventRaiser, type EventRaiserDeps } from "./raise.ts";
import { TestDataUnusable } from "./samples.ts";

/** Maximum number of unread invocations of one stream, after which it is closed. */
const UNREAD_INVOCATIONS_MAX = 1_000;

const matchesFilter = (one: Invocation, { handler, event, kind, ok, source }: InvocationFilter): boolean =>
  (handler === undefined || one.handler === handler) &&
  (event === undefined || one.event === event) &&
  (kind === undefined || one.kind === kind) &&
  (ok === undefined || one.ok === ok) &&
  (source === undefined || one.source === source);

/**
 * Streams invocations as newline-delimited JSON when they end. A leading empty line confirms that the stream is open.
 * A stream whose client reads too slowly is closed.
 */
const invocationStream = (invocations: Pick<Invocations, "follow">, filter: InvocationFilter): Readable => {
  let unread = 0;
  const stream = new Readable({
    read() {
      unread = 0;
    },
    destroy(error, done) {
      stop();
      done(error);
    },
  });
  const stop = invocations.follow((one) => {
    if (!matchesFilter(one, filter) || stream.readableEnded) return;
    if (!stream.push(`${JSON.stringify(one)}\n`) && ++unread > UNREAD_INVOCATIONS_MAX) stream.destroy();
  });
  stream.push("\n");
  return stream;
};

const digest = (text: string) => createHash("sha256").update(text).digest();

/** Requires the admin key, with a constant-time comparison. */
const requireControlToken = (adminKey: string) => {
  const expected = digest(`Bearer ${adminKey}`);
  return async (request: FastifyRequest, reply: FastifyReply) => {
    reply.header("cache-control", "no-store");
    if (timingSafeEqual(digest(request.headers.authorization ?? ""), expected)) return undefined;
    return reply.code(401).send({ message: "The admin key is missing or wrong: it is kept in the data folder." });
  };
};

interface ControlRoutesDeps extends EventRaiserDeps {
  readonly adminKey: string;
  /** Installs the app with the given parameters, and defaults for all others. */
  readonly install: (iparams: Readonly<Record<string, unknown>>) => Promise<object>;
  readonly failures: ScheduleFailures;
  readonly consents: Consents;
  readonly appSettings: AppSettingsControl;
  readonly uninstall: () => Promise<void>;
  readonly activity: () => Promise<HostActivity>;
}

/** A payload with its envelope. Serialising it again may produce a longer text than the author's. @units bytes */
const PAYLOAD_BODY_BYTES_MAX = 2 * PAYLOAD_BYTES_MAX;

/** Sends an error that the app's author can resolve. @errors Rethrows every other error. */
const sendControlRefusal = (reply: FastifyReply, error: unknown) => {
  if (error instanceof ControlRefused) return reply.code(error.status).send({ message: error.message });
  if (error instanceof TestDataUnusable) return reply.code(422).send({ message: error.message });
  throw error;
};

/** Routes below `/admin` for the app's author: list recorded calls, raise events, call functions, and change consents, settings and the installation. */
export const controlRoutes = (app: FastifyInstance, deps: ControlRoutesDeps): void => {
  const author = createEventRaiser(deps);
  void app.register(
    // Async, because Fastify treats a callback of one argument as one that returns a promise.

    async (scope) => {
      scope.addHook("onRequest", requireControlToken(deps.adminKey));
      scope.addHook("onRequest", async ({ url }, reply) => {
        // No id or name contains NUL, and PostgreSQL rejects it in text.
        if (url.includes("%00"))
          await reply.code(400).send({ message: "The address holds the character NUL: leave it out." });
      });
      scope.setErrorHandler((error, _request, reply) => sendControlRefusal(reply, error));
      const open = new Set<Readable>();
      // An open stream would prevent the host from closing.
      scope.addHook("preClose", async () => open.forEach((stream) => stream.push(null)));
      const limited = { bodyLimit: PAYLOAD_BODY_BYTES_MAX };
      scope.get("/app", () => author.app());
      scope.get("/activity", () => deps.activity());
      scope.get<{ Querystring: InvocationQuery }>(
        "/invocations",
        { schema: { querystring: InvocationQuery } },
        async ({ query: { follow, ...filter } }, reply) => {
          if (!follow) return { invocations: await deps.invocations.list(filter) };
          const stream = invocationStream(deps.invocations, filter);
          open.add(stream);
          stream.once("close", () => open.delete(stream));
          return reply.type("application/x-ndjson").send(stream);
        },
      );
      scope.get("/consents", async () => ({ consents: await deps.consents.list() }));
      scope.post("/consents", async ({ body }) => {
        await deps.consents.change(body);
        return { consents: await deps.consents.list() };
      });
      scope.get("/app-settings", async () => ({ settings: await deps.appSettings.list() }));
      scope.post<{ Body: AppSettingsChange }>("/app-settings", { schema: { body: AppSettingsChange } }, ({ body }) =>
        deps.appSettings.change(body),
      );
      scope.get("/schedules/failed", async () => ({ failed: await deps.failures.list() }));
      scope.get<{ Params: { id: string } }>("/invocations/:id", ({ params }) => author.find(params.id));
      scope.post<{ Params: { id: string } }>("/invocations/:id/replay", ({ params }) => author.replay(params.id));
      scope.post<{ Body: EventToRaise }>("/events", { ...limited, schema: { body: EventToRaise } }, ({ body }) =>
        author.raise(body),
      );
      scope.post<{ Body: FunctionToCall }>("/functions", { ...limited, schema: { body: FunctionToCall } }, ({ body }) =>
        author.invoke(body),
      );
      scope.post<{ Body: InstallationInput }>(
        "/install",
        { ...limited, schema: { body: InstallationInput } },
        ({ body }) => deps.install(body.values ?? {}),
      );
      scope.post("/uninstall", async (_request, reply) => {
        await deps.uninstall();
        return reply.code(204).send();
      });
    },
    { prefix: "/admin" },
  );
};
