import {
  INVALID_VALUE,
  type NewOutboundMessage,
  refuse,
  type Template,
  TEMPLATE_NOT_FOUND,
  type MessageTemplate,
  OUTBOUND_PROVIDERS,
  PROVIDER_NOT_FOUND,
} from "@parley/contract";
import { isPhone } from "./phone.ts";
import { type StoredTemplate, forgetFailure, type OutboundTemplateStore } from "./templates.sql.ts";
import type { Db, Pool } from "@parley/database";
import type { BackgroundJobs } from "../../base/jobs/jobs.ts";
import type { Ports } from "../../base/environment/ports.ts";
import { addRequest } from "./requests.sql.ts";
import { SEND_TASK, type SendWork } from "./deliver.ts";
import { checkData, renderTemplate } from "./rendering.ts";

const check = (place: string, phone: string): string =>
  isPhone(phone)
    ? phone
    : refuse(INVALID_VALUE, `${place}.phone_number must be an existing kind of number in E.164, such as +12025550101`);

/**
 * Validates the sender and the recipients.
 * @errors INVALID_VALUE, naming the member
 * @assumed A number given twice is refused: one person would receive the message twice.
 */
const checkPhones = ({ from, to }: Pick<NewOutboundMessage, "from" | "to">): readonly string[] => {
  check("from", from.phone_number);
  const seen = new Map<string, number>();
  return to.map(({ phone_number }, index) => {
    const place = `to[${index}]`;
    const phone = check(place, phone_number);
    const first = seen.get(phone);
    if (first !== undefined) refuse(INVALID_VALUE, `${place}.phone_number repeats to[${first}].phone_number`);
    seen.set(phone, index);
    return phone;
  });
};

/** @units milliseconds @spec Limits */
const APPROVAL_DELAY_MS = 30 * 60_000;

/**
 * Whether the template name is wrong: not approved in any language. Its first failure starts the waiting period. An
 * unknown language of an approved name fails without starting a conversation.
 */
const isWrongName = ({ template, isNameApproved }: StoredTemplate): boolean =>
  template?.status !== "approved" && !isNameApproved;

/**
 * @spec Limits
 * @errors TEMPLATE_NOT_FOUND, stating the end of the waiting period if only that is missing
 */
const approved = ({ template, firstFailure }: StoredTemplate, now: Date): Template => {
  if (template?.status !== "approved") return refuse(TEMPLATE_NOT_FOUND);
  const until = firstFailure && new Date(firstFailure.getTime() + APPROVAL_DELAY_MS);
  if (until && now < until)
    refuse(
      TEMPLATE_NOT_FOUND,
      `The template is approved, but was sent with before that: it works from ${until.toISOString()} on, 30 minutes after the first failure.`,
    );
  return template;
};

interface AcceptanceDeps {
  readonly pool: Pool;
  readonly templates: Pick<OutboundTemplateStore, "find" | "fail">;
  readonly jobs: Pick<BackgroundJobs, "schedule" | "wake">;
  readonly ports: Ports;
  /** Called when the account has template messages that await a reply. */
  readonly onPendingReply: (accountId: number) => void;
}

/** Accepts a request together with what `more` inserts for its id in the same transaction. -> the result of `more` */
export type AcceptOutbound = <T>(
  accountId: number,
  provider: string,
  body: NewOutboundMessage,
  more: (tx: Db, id: string) => Promise<T>,
) => Promise<T>;

const isProvider = (name: string): boolean => (OUTBOUND_PROVIDERS as readonly string[]).includes(name);

/** @errors PROVIDER_NOT_FOUND, INVALID_VALUE */
const checkProvider = (named: string, body: string): void => {
  if (!isProvider(named)) refuse(PROVIDER_NOT_FOUND);
  if (body !== named) refuse(INVALID_VALUE, `provider must be ${named}, as in the address`);
};

/** Drops template_data where rich_template_data takes precedence. */
const storedTemplateOf = ({ template_data, rich_template_data, ...template }: MessageTemplate): MessageTemplate =>
  rich_template_data ? { ...template, rich_template_data } : { ...template, template_data };

/**
 * Validates a request completely before writing; its messages and the jobs that send them are then committed together.
 * @spec Endpoints > Outbound messages
 * @errors PROVIDER_NOT_FOUND, INVALID_VALUE, MISSING_PARAMETER, TEMPLATE_NOT_FOUND, TEMPLATE_MISMATCH
 * @assumed Any policy of the language is taken as deterministic. Without `storage` nothing is put into a conversation.
 */
export const createAcceptOutbound =
  ({ pool, templates, jobs, ports: { now, newId }, onPendingReply }: AcceptanceDeps): AcceptOutbound =>
  async (accountId, provider, body, more) => {
    checkProvider(provider, body.provider);
    const phones = checkPhones(body);
    const { message_template: template } = body.data;
    checkData(template);
    const name = { namespace: template.namespace, name: template.template_name, language: template.language.code };
    const created_time = now();
    const stored = await templates.find(accountId, name);
    if (isWrongName(stored)) await templates.fail(accountId, name, created_time);
    const text = renderTemplate(approved(stored, created_time), template);

    const id = newId();
    const request = {
      id,
      account_id: accountId,
      provider,
      sender: body.from.phone_number,
      template: JSON.stringify(storedTemplateOf(template)),
      rendered: JSON.stringify(text),
      created_time,
    };
    const recipients = phones.map((phone_number) => ({ message_id: newId(), phone_number }));
    const isWaiting = template.storage === "conversation";
    const done = await pool.transaction(async (tx) => {
      await addRequest(tx, request, isWaiting, recipients);
      if (stored.firstFailure) await forgetFailure(tx, accountId, name);
      const send = ({ message_id }: { readonly message_id: string }) =>
        jobs.schedule(tx, { task: SEND_TASK, payload: { message_id, tries: 0 } satisfies SendWork, due: created_time });
      await Promise.all(recipients.map(send));
      return more(tx, id);
    });
    if (isWaiting) onPendingReply(accountId);
    jobs.wake();
    return done;
  };
