import {
  INVALID_VALUE,
  type MessageTemplate,
  type NewOutboundMessage,
  OUTBOUND_PROVIDERS,
  PROVIDER_NOT_FOUND,
  refuse,
} from "@parley/contract";
import type { Db, Pool } from "@parley/database";
import type { Jobs } from "../jobs/jobs.ts";
import type { Ports } from "../ports.ts";
import { approved, isWrongName } from "./approval.ts";
import { addRequest } from "./db/requests.ts";
import { forgetFailure, type TemplateStore } from "./db/templates.ts";
import { SEND, type SendWork } from "./delivery.ts";
import { checkPhones } from "./recipients.ts";
import { checkData, rendered } from "./rendering.ts";

export interface AcceptanceDeps {
  readonly pool: Pool;
  readonly templates: Pick<TemplateStore, "find" | "fail">;
  readonly jobs: Pick<Jobs, "later" | "wake">;
  readonly ports: Ports;
  /** Hears that the account has messages that wait for their recipients to write. */
  readonly waits: (accountId: number) => void;
}

/** Accepts a request, together with what `more` writes for its id in the same transaction. -> what that gives */
export type Accept = <T>(
  accountId: number,
  provider: string,
  given: NewOutboundMessage,
  more: (tx: Db, id: string) => Promise<T>,
) => Promise<T>;

const isProvider = (name: string): boolean => (OUTBOUND_PROVIDERS as readonly string[]).includes(name);

/** @errors PROVIDER_NOT_FOUND, INVALID_VALUE */
const checkProvider = (named: string, given: string): void => {
  if (!isProvider(named)) refuse(PROVIDER_NOT_FOUND);
  if (given !== named) refuse(INVALID_VALUE, `provider must be ${named}, as in the address`);
};

/** What counts no longer isn't kept. */
const kept = ({ template_data, rich_template_data, ...template }: MessageTemplate): MessageTemplate =>
  rich_template_data ? { ...template, rich_template_data } : { ...template, template_data };

/**
 * Checks a request whole before any of it is written; then its messages and the work of sending them are committed together.
 * @spec Endpoints > Outbound messages
 * @errors PROVIDER_NOT_FOUND, INVALID_VALUE, MISSING_PARAMETER, TEMPLATE_NOT_FOUND, TEMPLATE_MISMATCH
 * @assumed Any policy of the language is taken as deterministic. Without `storage` nothing is put into a conversation.
 */
export const acceptance =
  ({ pool, templates, jobs, ports: { now, newId }, waits }: AcceptanceDeps): Accept =>
  async (accountId, provider, given, more) => {
    checkProvider(provider, given.provider);
    const phones = checkPhones(given);
    const { message_template: template } = given.data;
    checkData(template);
    const name = { namespace: template.namespace, name: template.template_name, language: template.language.code };
    const created_time = now();
    const known = await templates.find(accountId, name);
    if (isWrongName(known)) await templates.fail(accountId, name, created_time);
    const text = rendered(approved(known, created_time), template);

    const id = newId();
    const request = {
      id,
      account_id: accountId,
      provider,
      sender: given.from.phone_number,
      template: JSON.stringify(kept(template)),
      rendered: JSON.stringify(text),
      created_time,
    };
    const recipients = phones.map((phone_number) => ({ message_id: newId(), phone_number }));
    const isWaiting = template.storage === "conversation";
    const done = await pool.transaction(async (tx) => {
      await addRequest(tx, request, isWaiting, recipients);
      if (known.firstFailure) await forgetFailure(tx, accountId, name);
      const send = ({ message_id }: { readonly message_id: string }) =>
        jobs.later(tx, { task: SEND, payload: { message_id, tries: 0 } satisfies SendWork, due: created_time });
      await Promise.all(recipients.map(send));
      return more(tx, id);
    });
    if (isWaiting) waits(accountId);
    jobs.wake();
    return done;
  };
