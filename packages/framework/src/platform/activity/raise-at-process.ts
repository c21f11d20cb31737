import { request as sendRequest, type IncomingMessage } from "node:http";
import { refuse, SERVICE_UNAVAILABLE, type Invocation, type NewRaisedEvent } from "@parley/contract";
import type { RecordOwner } from "../../state/records.sql.ts";

interface RaiseAtProcessDeps {
  readonly adminKey: string;
  /** Prove to the other process that this one asks. */
  readonly headersFor: (owner: RecordOwner) => Readonly<Record<string, string>>;
  /** Host name of the app's site, with its port. */
  readonly siteHostOf: (owner: RecordOwner) => string;
}

/** Longer than a handler may run. @units milliseconds */
const ANSWER_TIMEOUT_MS = 27_000;

const textOf = async (reply: IncomingMessage): Promise<string> => {
  let text = "";
  for await (const chunk of reply) text += String(chunk);
  return text;
};

/** Raises an event in another process of the platform, as an app's author does. @errors SERVICE_UNAVAILABLE */
export const createRaiseAtProcess =
  ({ adminKey, headersFor, siteHostOf }: RaiseAtProcessDeps) =>
  async (address: string, owner: RecordOwner, event: NewRaisedEvent): Promise<Invocation> => {
    const headers = {
      ...headersFor(owner),
      host: siteHostOf(owner),
      authorization: `Bearer ${adminKey}`,
      "content-type": "application/json",
    };
    const ask = () =>
      new Promise<Invocation | undefined>((resolve, reject) => {
        const sent = sendRequest(`${address}/admin/events`, { method: "POST", headers, timeout: ANSWER_TIMEOUT_MS });
        sent.once("timeout", () => sent.destroy(new Error("timeout")));
        sent.once("error", reject);
        sent.once("response", (reply) => {
          textOf(reply)
            .then((text) => resolve(reply.statusCode === 200 ? (JSON.parse(text) as Invocation) : undefined))
            .catch(reject);
        });
        sent.end(JSON.stringify(event));
      });
    return (
      (await ask().catch(() => undefined)) ??
      refuse(SERVICE_UNAVAILABLE, "The process that runs this app does not answer. Try again in a moment.")
    );
  };
