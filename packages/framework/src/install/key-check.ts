import { BASE_PATH, routeOf, type AccountConfiguration } from "@parley/contract";
import { EgressFailure, type Egress, type EgressReason } from "@parley/egress";
import { KEY_CHECK } from "../request/key-permissions.ts";

export const NOT_MATCHING = "Domain or API key is not matching";
const NO_ANSWER = "Domain or API key could not be checked: the account did not answer. Try again in a moment.";

/** @units milliseconds, bytes */
const LIMITS = { timeoutMs: 10_000, maxRequestBytes: 10_000, maxResponseBytes: 100_000 };

/** A host that is there but does not answer is no proof against the key. */
const UNPROVEN: readonly EgressReason[] = ["TIMEOUT", "RESPONSE_TOO_LARGE"];

export type KeyCheck =
  | { readonly ok: true; readonly account: Pick<AccountConfiguration, "account_id" | "datacenter"> | undefined }
  | { readonly ok: false; readonly message: string };

const accountIn = (body: string) => {
  try {
    return JSON.parse(body) as AccountConfiguration;
  } catch {
    return undefined;
  }
};

/** Asks the account for its configuration with the key: the one sure way to know that they belong together. */
export const checkKey = async (egress: Egress, domain: string, key: string): Promise<KeyCheck> => {
  const { method, path } = routeOf(KEY_CHECK);
  try {
    const reply = await egress.send({
      method,
      url: `https://${domain}${BASE_PATH}${path}`,
      headers: { accept: "application/json", authorization: `Bearer ${key}` },
      ...LIMITS,
    });
    if (reply.status === 200) return { ok: true, account: accountIn(reply.body) };
    return { ok: false, message: reply.status === 429 || reply.status >= 500 ? NO_ANSWER : NOT_MATCHING };
  } catch (error) {
    if (!(error instanceof EgressFailure)) throw error;
    return { ok: false, message: UNPROVEN.includes(error.reason) ? NO_ANSWER : NOT_MATCHING };
  }
};
