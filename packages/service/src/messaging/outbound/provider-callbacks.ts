import {
  type StatusBody,
  INVALID_VALUE,
  MISSING_PARAMETER,
  OUTBOUND_MESSAGE_NOT_FOUND,
  OUTBOUND_PROVIDERS,
  OutboundCallback,
  PROVIDER_NOT_FOUND,
  refuse,
  UNAUTHENTICATED,
} from "@parley/contract";
import type { Db } from "@parley/database";
import { verifyWebhook } from "@parley/egress";
import type { FastifyInstance, FastifyRequest, onRequestAsyncHookHandler } from "fastify";
import { bodyCheckOf } from "../../http/request-check.ts";
import { parseJson } from "../../http/parse-json.ts";
import { isUuid } from "../../http/uuid.ts";
import { findNamed } from "./statuses.sql.ts";
import type { OutboundDelivery } from "./deliver.ts";
import type { StatusReport } from "./outbound-message.ts";

interface CallbackDeps {
  readonly db: Db;
  /** undefined: there is no provider that could call. */
  readonly secret: string | undefined;
  readonly report: OutboundDelivery["report"];
  readonly now: () => Date;
}

const bodyOf = bodyCheckOf(OutboundCallback) as (body: unknown) => OutboundCallback;

/** @assumed Defaults of a failure without a code or a reason. */
const FAILURE = { code: "PROVIDER_FAILED", reason: "The provider gave no reason." };

const reportOf = ({ status, failure_code, failure_reason }: OutboundCallback): StatusReport => {
  const word = status.toLowerCase();
  if (word === "sent") return { status: "Sent" };
  if (word === "delivered") return { status: "Delivered" };
  if (word !== "failed") return refuse(INVALID_VALUE, "status must be one of sent, delivered, failed");
  const failure = { code: failure_code ?? FAILURE.code, reason: failure_reason ?? FAILURE.reason };
  return { status: "Failed", failure };
};

const checkSignature = (request: FastifyRequest, { secret, now }: CallbackDeps): Buffer => {
  const bytes = request.body instanceof Uint8Array ? Buffer.from(request.body) : Buffer.alloc(0);
  const nowSeconds = Math.floor(now().getTime() / 1_000);
  const body = bytes.toString();
  if (secret !== undefined && verifyWebhook({ headers: request.headers, body, secret, nowSeconds })) return bytes;
  return refuse(
    UNAUTHENTICATED,
    "The callback is not signed with the secret that this service and the provider share.",
  );
};

const messageNamed = async (db: Db, provider: string, body: OutboundCallback): Promise<string> => {
  const { message_id, provider_message_id } = body;
  if (message_id === undefined && provider_message_id === undefined)
    refuse(MISSING_PARAMETER, "message_id or provider_message_id is mandatory");
  const isKnown = message_id === undefined || isUuid(message_id);
  const id = isKnown ? await findNamed(db, { provider, message_id, provider_message_id }) : undefined;
  return id ?? refuse(OUTBOUND_MESSAGE_NOT_FOUND);
};

/**
 * Adds the route on which a provider reports statuses. Reports may be repeated and arrive in any order.
 * @errors PROVIDER_NOT_FOUND, UNAUTHENTICATED, OUTBOUND_MESSAGE_NOT_FOUND, MISSING_PARAMETER, INVALID_VALUE
 */
export const addCallbacks = (app: FastifyInstance, onRequest: onRequestAsyncHookHandler, deps: CallbackDeps): void => {
  app.post("/outbound-callbacks/:provider", { onRequest }, async (request): Promise<StatusBody> => {
    const { provider } = request.params as { readonly provider: string };
    if (!(OUTBOUND_PROVIDERS as readonly string[]).includes(provider)) refuse(PROVIDER_NOT_FOUND);
    const bytes = checkSignature(request, deps);
    const body = bodyOf(bytes.length === 0 ? undefined : parseJson(bytes));
    const statusReport = reportOf(body);
    const moved = await deps.report(await messageNamed(deps.db, provider, body), statusReport);
    const message = moved ? `The message is ${statusReport.status}.` : "The message was as far as that already.";
    return { code: 200, status: "OK", message };
  });
};
