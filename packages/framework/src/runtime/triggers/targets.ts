import type { IncomingHttpHeaders } from "node:http";
import type { Rendered } from "@parley/contract";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { externalPayload } from "../calls/payload.ts";
import type { Installations } from "../../state/installations.ts";
import type { Project } from "../../model/project.ts";
import type { AppCalls } from "../calls/app-calls.ts";
import type { HostSettings } from "../../environment/settings.ts";
import { createHash } from "node:crypto";
import { SecretsKeyUnusable, type Vault } from "@parley/database";
import type { Log } from "@parley/telemetry";
import { targetOwner } from "../../state/secret-owners.ts";
import { derivedTargetSecret } from "../../state/sealed-rows.sql.ts";
import type { RecordOwner } from "../../state/records.sql.ts";
import type { ExternalEventTarget, ExternalEventTargetStore } from "../../state/targets.sql.ts";

/** URLs of this host that raise onExternalEvent. */
export interface ExternalEventTargets {
  /** The URL of the app on an account, stable until it is renewed. A renewal revokes the previous address. */
  urlFor(account: string, isRenewed?: boolean): Promise<string>;
  /** -> the account whose URL has this secret part */
  accountOf(secret: string): Promise<string | undefined>;
}

interface TargetsDeps {
  /** Name of the app. */
  readonly app: string;
  readonly store: ExternalEventTargetStore;
  readonly vault: Vault;
  /** Public address of this host. @shape without a trailing slash */
  readonly address: () => string;
  readonly now: () => Date;
  readonly random: (bytes: number) => Buffer;
}

export const TARGETS_PATH = "/targets";
/** @units bytes */
const SECRET_BYTES = 32;

/** The hash by which the database knows the secret part of an address. */
export const targetHashOf = (secret: string): string => createHash("sha256").update(secret).digest("hex");

/**
 * The database stores the hash of a URL's secret part, by which a request finds it, and the secret part itself sealed. That of an older URL
 * is derived from the vault's key until the key is rotated.
 * @assumed An app has one address on an account, until it requests another address or is uninstalled: then the address is revoked for good.
 */
export const createExternalEventTargets = ({
  app,
  store,
  vault,
  address,
  now,
  random,
}: TargetsDeps): ExternalEventTargets => {
  const newTarget = (secret: string, account: string): ExternalEventTarget => ({
    hash: targetHashOf(secret),
    salt: "",
    sealed: vault.seal(targetOwner(app, account), secret),
  });
  /** -> undefined if the secret was sealed with another key. @errors SecretsKeyUnusable */
  const openSecret = (account: string, sealed: string): string | undefined => {
    try {
      return vault.open(targetOwner(app, account), sealed);
    } catch (error) {
      // The file of the keys may be readable again later: the URL stays.
      if (error instanceof SecretsKeyUnusable) throw error;
      return undefined;
    }
  };
  /** -> undefined if there is no target, or one of another key */
  const secretNow = async ({ project, account }: RecordOwner): Promise<string | undefined> => {
    const target = await store.of({ project, account });
    if (!target) return undefined;
    const { hash, salt, sealed } = target;
    if (sealed === null) return derivedTargetSecret(vault, { hash, salt, project, account });
    const secret = openSecret(account, sealed);
    return secret !== undefined && targetHashOf(secret) === hash ? secret : undefined;
  };

  return {
    async urlFor(account, isRenewed = false) {
      const owner: RecordOwner = { project: app, account };
      let secret = isRenewed ? undefined : await secretNow(owner);
      if (secret === undefined) {
        const isThere = isRenewed || (await store.of(owner)) !== undefined;
        const made = newTarget(random(SECRET_BYTES).toString("base64url"), account);
        await store[isThere ? "replace" : "add"](made, owner, now());
        // Another call may have created a target in the meantime: that one is used.
        secret = await secretNow(owner);
      }
      if (secret === undefined) throw new Error("The address was taken away while it was made.");
      return `${address()}${TARGETS_PATH}/${secret}`;
    },
    accountOf: async (secret) => (await store.find(targetHashOf(secret), app))?.account,
  };
};

/** @units milliseconds */
const MINUTE = 60_000;

/** Counts calls per key in windows of a minute. @units `now` in milliseconds */
const minuteWindows = (max: number, now: () => number) => {
  const windows = new Map<string, { readonly begun: number; used: number }>();
  /** -> 0 if another call is allowed, else the time until it is. @units seconds */
  return (key: string): number => {
    const present = now();
    const before = windows.get(key);
    const isOver = !before || present - before.begun >= MINUTE || present < before.begun;
    const window = isOver ? { begun: present, used: 0 } : before;
    windows.set(key, window);
    window.used += 1;
    return window.used <= max ? 0 : Math.max(1, Math.ceil((window.begun + MINUTE - present) / 1000));
  };
};

interface TargetRouteDeps {
  readonly targets: ExternalEventTargets;
  readonly installations: Pick<Installations, "find">;
  readonly calls: Pick<AppCalls, "occur">;
  readonly project: () => Project;
  readonly settings: Pick<HostSettings, "maxTargetBodyBytes" | "targetRequestsPerMinute">;
  readonly now: () => Date;
  readonly log: Log;
}

/** Headers that describe the connection, not the content. */
const HOP_BY_HOP_HEADERS = new Set(
  "connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade".split(
    " ",
  ),
);
/** Headers that are omitted from records: they are meant for the handler only. */
const SECRET = new Set(["authorization", "cookie"]);

const headersOf = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || HOP_BY_HOP_HEADERS.has(name)
        ? []
        : [[name, Array.isArray(value) ? value.join(", ") : value]],
    ),
  );
const withoutSecrets = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, SECRET.has(name) ? "(not kept)" : value]));

const typeOf = ({ headers }: FastifyRequest): string =>
  (headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? "";

/** Repeated fields become a list. */
const fieldsOf = (form: string): Record<string, string | string[]> => {
  const parameters = new URLSearchParams(form);
  return Object.fromEntries(
    [...new Set(parameters.keys())].map((name) => {
      const [only = "", ...more] = parameters.getAll(name);
      return [name, more.length === 0 ? only : [only, ...more]];
    }),
  );
};

/** The status of a handler's refusal, if it is an error status; 400 otherwise. */
const statusOf = ({ status = 400 }: Rendered): number => (status >= 400 && status <= 599 ? status : 400);

/** Content types that an address accepts, and the conversion for the handler. */
const BODIES: ReadonlyMap<string, (text: string) => unknown> = new Map<string, (text: string) => unknown>([
  ["application/json", (text) => JSON.parse(text) as unknown],
  ["application/x-www-form-urlencoded", fieldsOf],
  ["application/xml", (text) => text],
  ["text/xml", (text) => text],
]);

/**
 * `POST /targets/:secret`: receives an external event. 200 when the handler has succeeded; 500 when it failed, so that the sender
 * sends the event again.
 * @assumed The response waits for the handler: 200 means handled. A handler that calls `renderData({status, message})`
 * refuses the event: with 400 unless its status is another error status.
 */
export const targetRoute = (app: FastifyInstance, deps: TargetRouteDeps): void => {
  const { settings, installations } = deps;
  const wait = minuteWindows(settings.targetRequestsPerMinute, () => deps.now().getTime());
  const supportedTypes = [...BODIES.keys()].join(", ");

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
        if (installation.state === "paused")
          return reply.code(503).send({ message: "The app is paused. Send the event again later." });
        const seconds = wait(installation.account);
        if (seconds > 0)
          return reply
            .code(429)
            .header("retry-after", seconds)
            .send({
              message: `At most ${settings.targetRequestsPerMinute} requests a minute may come to this address.`,
            });
        const read = BODIES.get(typeOf(request));
        if (!read) return reply.code(415).send({ message: `The body must be one of ${supportedTypes}.` });
        let data: unknown;
        try {
          data = read(request.body ?? "");
        } catch {
          return reply.code(400).send({ message: "The body is not JSON." });
        }
        const headers = headersOf(request.headers);
        const payload = externalPayload({ headers, data }, deps.project().manifest, installation, deps.now());
        const recordedPayload = { ...payload, headers: withoutSecrets(headers) };
        const outcome = await deps.calls.occur("onExternalEvent", { payload, recordedPayload }, installation);
        if (!outcome) return reply.code(404).send({ message: "The app has no handler of onExternalEvent." });
        if (outcome.ok && outcome.rendered?.message !== undefined)
          return reply.code(statusOf(outcome.rendered)).send({ message: outcome.rendered.message });
        if (outcome.ok) return reply.code(200).send({});
        deps.log(`onExternalEvent failed: ${outcome.stack ?? outcome.error}`, { level: "error" });
        return reply.code(500).send({ message: "The handler failed." });
      },
    );
  });
};
