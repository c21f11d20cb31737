import { createHash } from "node:crypto";
import {
  DELEGATION_HEADER,
  delegatedRequestText,
  INTERNAL_SERVER_ERROR,
  PAYLOAD_TOO_LARGE,
  refuse,
  routeOf,
  schemaErrors,
  SERVICE_UNAVAILABLE,
  type Delegation,
  type Endpoint,
} from "@parley/contract";
import { EgressFailure, signWebhook, webhookSecret, type Egress, type OutgoingReply } from "@parley/egress";
import { failureText, type Log } from "@parley/telemetry";
import type { Ports } from "../../base/environment/ports.ts";

/** A request of an agent, as the row of the contract describes it. Nothing else of the browser's request is passed on. */
interface AgentRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body: unknown;
}

/** Passes requests of signed-in agents on to the platform of apps. */
interface PlatformRequests {
  /**
   * @shape from: the agent, whose role and account are checked
   * -> the platform's answer, which has the form of the row's reply
   * @errors the platform's refusal; PAYLOAD_TOO_LARGE; SERVICE_UNAVAILABLE where no platform answers; INTERNAL_SERVER_ERROR for an invalid answer
   */
  send(row: Endpoint, request: AgentRequest, from: Pick<Delegation, "agent" | "address">): Promise<unknown>;
}

export interface PlatformRequestsDeps {
  /** Origin at which this service reaches the platform; undefined: no platform runs. */
  readonly platformOrigin: () => string | undefined;
  /** The guard of requests to the platform. */
  readonly egress: Pick<Egress, "send">;
  /** Signs the requests; absent: the installation has no platform. */
  readonly adminKey: string | undefined;
  readonly ports: Pick<Ports, "now" | "newId">;
  readonly log: Log;
}

/** Less than clients wait. An installation calls a handler, which may take 20 seconds. @units milliseconds */
const ANSWER_TIMEOUT_MS = 28_000;
/** Icons of a catalogue are part of it. @units bytes */
const ANSWER_BYTES_MAX = 16 * 1_048_576;
/** @units bytes */
const REQUEST_BYTES_MAX = 512 * 1_024;
const RETRY_AFTER_S = 1;

const NO_PLATFORM =
  "No platform of apps can be reached. Ask the operator to start it with 'npx parley serve', or to set PARLEY_PLATFORM_URL to its address. Then try again.";
const NO_ANSWER =
  "The platform of apps did not answer in time. It may still complete what you asked for: reload the page before you try again.";
const OTHER_KEY =
  "The platform of apps refuses requests of this service. Ask the operator to give both the same PARLEY_ADMIN_KEY and the same time.";
const OTHER_FORM = "The platform of apps answered in an unexpected form. Ask the operator to run one version of both.";

/** Path and query of a request. */
const targetOf = (row: Endpoint, { params, query }: AgentRequest): string => {
  const path = routeOf(row).path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
  const values = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return values.length === 0 ? path : `${path}?${new URLSearchParams(values).toString()}`;
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** A refusal as the platform writes it. */
const refusalIn = (answer: unknown): { readonly status: string; readonly message: string } | undefined => {
  const { status, message } = (answer ?? {}) as { readonly status?: unknown; readonly message?: unknown };
  return typeof status === "string" && typeof message === "string" ? { status, message } : undefined;
};

/** @units seconds */
const retryAfterOf = ({ headers }: Pick<OutgoingReply, "headers">): number | undefined => {
  const text = headers["retry-after"] ?? "";
  return /^\d{1,4}$/.test(text) ? Number(text) : undefined;
};

export const createPlatformRequests = (deps: PlatformRequestsDeps): PlatformRequests => {
  const { platformOrigin, egress, adminKey, ports, log } = deps;

  const signedHeaders = (key: string, method: string, target: string, body: string, from: object) => {
    const digest = createHash("sha256").update(body).digest("base64url");
    const delegation = Buffer.from(JSON.stringify({ ...from, body_digest: digest })).toString("base64url");
    return {
      ...signWebhook({
        id: ports.newId(),
        timestampSeconds: Math.floor(ports.now().getTime() / 1_000),
        body: delegatedRequestText({ method, target, delegation }),
        secret: webhookSecret(Buffer.from(key)),
      }),
      [DELEGATION_HEADER]: delegation,
    };
  };

  /** @errors PAYLOAD_TOO_LARGE, SERVICE_UNAVAILABLE, INTERNAL_SERVER_ERROR */
  const refuseFailed = (error: unknown): never => {
    if (error instanceof EgressFailure && error.reason === "REQUEST_TOO_LARGE") return refuse(PAYLOAD_TOO_LARGE);
    log(`the platform of apps can't be asked: ${failureText(error)}`, { level: "error", part: "console" });
    if (error instanceof EgressFailure && error.reason === "TIMEOUT") return refuse(INTERNAL_SERVER_ERROR, NO_ANSWER);
    return refuse(SERVICE_UNAVAILABLE, NO_PLATFORM, RETRY_AFTER_S);
  };

  return {
    async send(row, request, from) {
      const origin = platformOrigin();
      if (adminKey === undefined || origin === undefined)
        return refuse(SERVICE_UNAVAILABLE, NO_PLATFORM, RETRY_AFTER_S);
      const { method } = routeOf(row);
      const target = targetOf(row, request);
      const body = request.body === undefined ? "" : JSON.stringify(request.body);
      const reply: OutgoingReply = await egress
        .send({
          method,
          url: origin + target,
          headers: {
            ...signedHeaders(adminKey, method, target, body, from),
            ...(body !== "" && { "content-type": "application/json" }),
          },
          ...(body !== "" && { body }),
          timeoutMs: ANSWER_TIMEOUT_MS,
          maxRequestBytes: REQUEST_BYTES_MAX,
          maxResponseBytes: ANSWER_BYTES_MAX,
        })
        .catch(refuseFailed);
      const answer = parsed(reply.body);
      const refusal = refusalIn(answer);
      // To the browser it would mean that the agent's session has ended.
      if (reply.status === 401) return refuse(SERVICE_UNAVAILABLE, OTHER_KEY, RETRY_AFTER_S);
      if (reply.status >= 400 && refusal)
        return refuse({ code: reply.status, ...refusal }, refusal.message, retryAfterOf(reply));
      if (reply.status !== row.reply.code || schemaErrors(row.reply.body, answer).length > 0) {
        log(`the platform of apps answered ${method} ${target} with ${reply.status} in another form`, {
          level: "error",
          part: "console",
        });
        return refuse(INTERNAL_SERVER_ERROR, OTHER_FORM);
      }
      return answer;
    },
  };
};
