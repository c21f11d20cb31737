import type { IncomingHttpHeaders } from "node:http";
import type { Rendered } from "@parley/contract";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { externalPayload } from "../payloads/payload.ts";
import type { Installations } from "../../installation/installations.ts";
import type { Project } from "../../package/model/project.ts";
import type { AppCalls } from "../calls/app-calls.ts";
import type { HostSettings } from "../../environment/settings.ts";
import { TARGETS_PATH, type ExternalEventTargets } from "./targets.ts";

/** @units milliseconds */
const MINUTE = 60_000;

/** Counts calls in windows of a minute, by key. @units `now` in milliseconds */
const minuteWindows = (most: number, now: () => number) => {
  const windows = new Map<string, { readonly begun: number; used: number }>();
  /** -> 0 when one more is allowed, else how long until it is. @units seconds */
  return (key: string): number => {
    const present = now();
    const before = windows.get(key);
    const isOver = !before || present - before.begun >= MINUTE || present < before.begun;
    const window = isOver ? { begun: present, used: 0 } : before;
    windows.set(key, window);
    window.used += 1;
    return window.used <= most ? 0 : Math.max(1, Math.ceil((window.begun + MINUTE - present) / 1000));
  };
};

interface TargetRouteDeps {
  readonly targets: ExternalEventTargets;
  readonly installations: Pick<Installations, "find">;
  readonly calls: Pick<AppCalls, "occur">;
  readonly project: () => Project;
  readonly settings: Pick<HostSettings, "maxTargetBodyBytes" | "targetRequestsPerMinute">;
  readonly now: () => Date;
  readonly log: (line: string) => void;
}

/** They say something of the connection, not of what was sent. */
const OF_THE_WAY = new Set(
  "connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade".split(
    " ",
  ),
);
/** Kept in no record: who sends them means them for the handler alone. */
const SECRET = new Set(["authorization", "cookie"]);

const headersOf = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || OF_THE_WAY.has(name) ? [] : [[name, Array.isArray(value) ? value.join(", ") : value]],
    ),
  );
const withoutSecrets = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, SECRET.has(name) ? "(not kept)" : value]));

const typeOf = ({ headers }: FastifyRequest): string =>
  (headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? "";

/** Fields that come more than once become a list. */
const fieldsOf = (form: string): Record<string, string | string[]> => {
  const parameters = new URLSearchParams(form);
  return Object.fromEntries(
    [...new Set(parameters.keys())].map((name) => {
      const [only = "", ...more] = parameters.getAll(name);
      return [name, more.length === 0 ? only : [only, ...more]];
    }),
  );
};

/** The handler's own word for what it doesn't take: a status of its own where that is one of a refusal. */
const statusOf = ({ status = 400 }: Rendered): number => (status >= 400 && status <= 599 ? status : 400);

/** Each type of body that an address takes, and what the handler gets of it. */
const BODIES: ReadonlyMap<string, (text: string) => unknown> = new Map<string, (text: string) => unknown>([
  ["application/json", (text) => JSON.parse(text) as unknown],
  ["application/x-www-form-urlencoded", fieldsOf],
  ["application/xml", (text) => text],
  ["text/xml", (text) => text],
]);

/**
 * `POST /targets/:secret`: what another system tells the app. 200 when the handler has ended well; 500 when it failed, so that
 * the sender tells it again.
 * @assumed The answer waits for the handler: what was answered 200 was handled. A handler that calls `renderData({status, message})`
 * refuses what was sent: 400 unless the status says another refusal.
 */
export const targetRoute = (app: FastifyInstance, deps: TargetRouteDeps): void => {
  const { settings, installations } = deps;
  const wait = minuteWindows(settings.targetRequestsPerMinute, () => deps.now().getTime());
  const known = [...BODIES.keys()].join(", ");

  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      "*",
      { parseAs: "string", bodyLimit: settings.maxTargetBodyBytes },
      (_request, body, done) => done(null, body),
    );
    scope.post<{ Params: { secret: string }; Body: string | undefined }>(
      `${TARGETS_PATH}/:secret`,
      async (request, reply) => {
        const account = await deps.targets.accountOf(request.params.secret);
        const installation = account === undefined ? undefined : await installations.find();
        if (installation?.account !== account || !installation)
          return reply.code(404).send({ message: "Nothing is known by this address." });
        const seconds = wait(installation.account);
        if (seconds > 0)
          return reply
            .code(429)
            .header("retry-after", seconds)
            .send({
              message: `At most ${settings.targetRequestsPerMinute} requests a minute may come to this address.`,
            });
        const read = BODIES.get(typeOf(request));
        if (!read) return reply.code(415).send({ message: `The body must be one of ${known}.` });
        let data: unknown;
        try {
          data = read(request.body ?? "");
        } catch {
          return reply.code(400).send({ message: "The body is no JSON." });
        }
        const headers = headersOf(request.headers);
        const payload = externalPayload({ headers, data }, deps.project().manifest, installation, deps.now());
        const kept = { ...payload, headers: withoutSecrets(headers) };
        const outcome = await deps.calls.occur("onExternalEvent", { payload, kept }, installation);
        if (!outcome) return reply.code(404).send({ message: "The app has no handler of onExternalEvent." });
        if (outcome.ok && outcome.rendered?.message !== undefined)
          return reply.code(statusOf(outcome.rendered)).send({ message: outcome.rendered.message });
        if (outcome.ok) return reply.code(200).send({});
        deps.log(`error: onExternalEvent failed: ${outcome.stack ?? outcome.error}`);
        return reply.code(500).send({ message: "The handler failed." });
      },
    );
  });
};
