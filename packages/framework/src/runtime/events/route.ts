import { PRODUCT_EVENTS, type ServiceEvent } from "@parley/contract";
import { verifyWebhook } from "@parley/egress";
import type { FastifyInstance } from "fastify";
import type { Installations } from "../../installation/installations.ts";
import type { AppCalls } from "../calls/app-calls.ts";

interface EventRouteDeps {
  /** Empty until the secret is known. */
  readonly secret: () => string | Promise<string>;
  readonly installations: Pick<Installations, "find">;
  readonly calls: AppCalls;
  /** Runs the work of an event id unless it has already succeeded. */
  readonly once: (id: string, work: () => Promise<boolean>) => Promise<boolean>;
  readonly now: () => Date;
  /** Called with every authentic event, whether or not the app subscribes to its kind. */
  readonly onEvent?: (event: ServiceEvent) => void;
  readonly log: (line: string) => void;
}

/** Maximum size of a request: a message with all its parts, with a margin. @units bytes */
const maxBodyBytes = 8 * 1024 * 1024;

const eventIn = (body: string): ServiceEvent | undefined => {
  const event = JSON.parse(body) as Partial<ServiceEvent> | null;
  return typeof event?.id === "string" && typeof event.kind === "string" ? (event as ServiceEvent) : undefined;
};

/**
 * `POST /events`: receives the service's events. 204 when the handler has succeeded or the app has no handler for the event; 401 for a
 * signature that isn't the service's; 500 when the handler failed, so that the service delivers the event again.
 */
export const eventRoute = (app: FastifyInstance, deps: EventRouteDeps): void => {
  const handle = async (event: ServiceEvent): Promise<boolean> => {
    const handler = Object.hasOwn(PRODUCT_EVENTS, event.kind) ? deps.calls.handlerOf(event) : undefined;
    const installation = handler === undefined ? undefined : await deps.installations.find();
    if (handler === undefined || installation?.account !== event.account) return true;
    return deps.once(event.id, async () => {
      const outcome = await deps.calls.handle(event, handler, installation);
      if (!outcome.ok) deps.log(`error: ${handler} failed for event ${event.id}: ${outcome.stack ?? outcome.error}`);
      return outcome.ok;
    });
  };

  void app.register(async (scope) => {
    // The signature covers the body's bytes as received.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", { parseAs: "string", bodyLimit: maxBodyBytes }, (_request, body, done) =>
      done(null, body),
    );
    scope.post<{ Body: string }>("/events", async ({ headers, body }, reply) => {
      const secret = await deps.secret();
      if (secret === "") return reply.code(503).send({ message: "Events can't be checked yet." });
      const nowSeconds = Math.floor(deps.now().getTime() / 1000);
      if (!verifyWebhook({ headers, body: body ?? "", secret, nowSeconds }))
        return reply.code(401).send({ message: "The signature is not the service's." });
      const event = eventIn(body);
      if (!event) return reply.code(400).send({ message: "The body is no event." });
      deps.onEvent?.(event);
      const done = await handle(event);
      return done ? reply.code(204).send() : reply.code(500).send({ message: "The handler failed." });
    });
  });
};
