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
  type IparamValue,
} from "@parley/contract";
import type { InvocationFilter, Invocations } from "../runtime/invocations/store.ts";
import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyReply, FastifyRequest, FastifyInstance } from "fastify";
import type { AppSettingsControl } from "../installation/workflow/app-settings-change.ts";
import { ConsentRefused, type Consents } from "../installation/consents.ts";
import type { ScheduleFailures } from "../runtime/scheduler/failures.ts";
import { ControlRefused, createEventRaiser, type EventRaiserDeps } from "./raise.ts";
import { TestDataUnusable } from "./test-data.ts";

/** What a reader who does not read may have waiting. */
const MOST_WAITING = 1_000;

const fits = (one: Invocation, { handler, event, kind, ok, source }: InvocationFilter): boolean =>
  (handler === undefined || one.handler === handler) &&
  (event === undefined || one.event === event) &&
  (kind === undefined || one.kind === kind) &&
  (ok === undefined || one.ok === ok) &&
  (source === undefined || one.source === source);

/**
 * Invocations as lines of JSON, one each, as they end; an empty line comes first, so that the reader knows that it is heard.
 * A reader who is too slow is let go.
 */
const invocationStream = (invocations: Pick<Invocations, "follow">, filter: InvocationFilter): Readable => {
  let waiting = 0;
  const stream = new Readable({
    read() {
      waiting = 0;
    },
    destroy(error, done) {
      stop();
      done(error);
    },
  });
  const stop = invocations.follow((one) => {
    if (!fits(one, filter) || stream.readableEnded) return;
    if (!stream.push(`${JSON.stringify(one)}\n`) && ++waiting > MOST_WAITING) stream.destroy();
  });
  stream.push("\n");
  return stream;
};

const digest = (text: string) => createHash("sha256").update(text).digest();

/** Lets in who has the admin key; the comparison takes as long for every wrong one. */
const requireControlToken = (adminKey: string) => {
  const wanted = digest(`Bearer ${adminKey}`);
  return async (request: FastifyRequest, reply: FastifyReply) => {
    reply.header("cache-control", "no-store");
    if (timingSafeEqual(digest(request.headers.authorization ?? ""), wanted)) return undefined;
    return reply.code(401).send({ message: "The admin key is missing or wrong: it is kept in the data folder." });
  };
};

interface ControlRoutesDeps extends EventRaiserDeps {
  readonly adminKey: string;
  /** Installs the app: with what is given, and for the rest with what has defaults. */
  readonly install: (given: Readonly<Record<string, IparamValue>>) => Promise<object>;
  readonly failures: ScheduleFailures;
  readonly consents: Consents;
  readonly appSettings: AppSettingsControl;
  readonly uninstall: () => Promise<void>;
  readonly activity: () => Promise<HostActivity>;
}

/** A payload with what stands around it; written anew it may be longer than its author wrote it. @units bytes */
export const maxPayloadBodyBytes = 2 * PAYLOAD_BYTES_MAX;

/** Answers with what the app's author can mend. @errors every other failure, as it is */
export const sendControlRefusal = (reply: FastifyReply, error: unknown) => {
  if (error instanceof ControlRefused || error instanceof ConsentRefused)
    return reply.code(error.status).send({ message: error.message });
  if (error instanceof TestDataUnusable) return reply.code(422).send({ message: error.message });
  throw error;
};

/** What only the app's author may ask of its host, below `/admin`: what the handlers did, and to call them. */
export const controlRoutes = (app: FastifyInstance, deps: ControlRoutesDeps): void => {
  const author = createEventRaiser(deps);
  void app.register(
    // Fastify takes a callback of one argument for one that returns a promise.

    async (scope) => {
      scope.addHook("onRequest", requireControlToken(deps.adminKey));
      scope.addHook("onRequest", async ({ url }, reply) => {
        // No id and no name holds it, and the database takes it in no text.
        if (url.includes("%00"))
          await reply.code(400).send({ message: "The address holds the character NUL: leave it out." });
      });
      scope.setErrorHandler((error, _request, reply) => sendControlRefusal(reply, error));
      const open = new Set<Readable>();
      // Whoever follows would hold up the end of the host.
      scope.addHook("preClose", async () => open.forEach((stream) => stream.push(null)));
      const limited = { bodyLimit: maxPayloadBodyBytes };
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
