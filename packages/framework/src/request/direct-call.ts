import { EgressFailure, type Egress } from "@parley/egress";
import type { Consents } from "../consents/consents.ts";
import type { Dispatcher } from "./dispatch.ts";
import { refused, type DirectCall, type DirectReply } from "./request-method.ts";

export interface DirectCallDeps {
  readonly egress: Pick<Egress, "check">;
  readonly consents: Pick<Consents, "mayCall">;
  readonly sendOnce: Dispatcher["sendOnce"];
}

/** An address that an app made itself, judged by its text. @errors RequestRejected */
export const checkedUrl = (text: string, egress: Pick<Egress, "check">): URL => {
  // A mapped host could be reached without TLS: apps may not say so.
  if (!/^\s*https:/i.test(text)) throw refused(400, "Invalid URL - Must be HTTPS");
  try {
    egress.check(text);
  } catch (error) {
    if (error instanceof EgressFailure) throw refused(error.code, error.message);
    throw error;
  }
  return new URL(text);
};

const notConfirmed = (host: string) =>
  refused(
    403,
    `The app's code may not call ${host}: no admin has agreed to it. Agree on the installation page or by 'parley consent give ${host}', or let the app use $request.`,
  );

/**
 * Calls that the app's code makes by `http`, `https` and `fetch`: the same address rules, limits and counting as the request method. No secret is filled in.
 * A redirect is an answer; the client that follows it asks here again.
 */
export const directCallMethod =
  ({ egress, consents, sendOnce }: DirectCallDeps) =>
  async (call: DirectCall): Promise<DirectReply> => {
    const { method, headers, body } = call;
    const url = checkedUrl(call.url, egress);
    if (!(await consents.mayCall(url.host))) throw notConfirmed(url.host);
    const ready = { method, url: url.href, headers, ...(body !== undefined && { body: Buffer.from(body, "base64") }) };
    return sendOnce(call, ready, "base64");
  };
