import type { User } from "@parley/contract";
import type { ExternalPayload } from "@parley/framework/sdk";
import {
  parseExternalEvent,
  type ExternalEvent,
  type ExternalUser,
  userChangeOf,
  type ReportedUser,
} from "./lib/external-event.ts";
import { findOutboundEvent, parseOutboundEvents, outboundHostOf, outboundRequest } from "./lib/outbound-messages.ts";
import { findRecord, RECORD_TTL_SECONDS, oncePerKey, putRecord, withLocks } from "./lib/records.ts";
import { RequestRefusedError } from "./lib/errors.ts";
import { hashedName } from "./lib/hashed-name.ts";
import type { UseCaseDeps, UseCase } from "./lib/use-case.ts";
import { templateViewOf } from "./lib/template-view.ts";

/** Identifying members of a user, the most reliable first, with the filter of the account's list. */
const IDENTIFIERS = [
  ["reference_id", "reference_id"],
  ["email", "email"],
  ["phone", "phone_no"],
] as const;

const FORBIDDEN = 403;
const lockNamesOf = (user: ExternalUser): string[] =>
  IDENTIFIERS.flatMap(([field]) => (user[field] === undefined ? [] : [hashedName("user", `${field} ${user[field]}`)]));
const reportedKey = (user_id: string): string => `heard:${user_id}`;

/** @assumed A user with another reference_id is another customer, even if everything else matches. Of several matches the account's first one is used. */
const findUser = async ({ account, log }: UseCaseDeps, user: ExternalUser): Promise<User | undefined> => {
  for (const [field, filter] of IDENTIFIERS) {
    const value = user[field];
    if (value === undefined) continue;
    const found = (await account.findUsers({ [filter]: value })).filter(
      ({ reference_id }) => !user.reference_id || !reference_id || reference_id === user.reference_id,
    );
    if (found.length > 1)
      log.warn(`Several users have the same ${field}: the external event is applied to user ${found[0]?.id}.`);
    if (found[0]) return found[0];
  }
  return undefined;
};

/** -> the user after the change, undefined if the account refuses it */
const createUser = async ({ account, db, log }: UseCaseDeps, fields: ExternalUser, at: string, key: string) => {
  const created = await account.createUser(fields, `user:${key}`);
  if (!created.ok)
    return void log.error(`User of an external event not created: the account refused it (${created.status}).`);
  await putRecord(
    db,
    reportedKey(created.body.id),
    userChangeOf(created.body, fields, {}, at).reported,
    RECORD_TTL_SECONDS,
  );
  log.info(`Created user ${created.body.id} from an external event.`);
  return created.body;
};

/**
 * -> the user after the change, undefined if the account refuses it
 * @assumed The account does not change properties of an existing user: those of an event are used for a new user only.
 */
const updateUser = async ({ account, db, log }: UseCaseDeps, user: User, fields: ExternalUser, at: string) => {
  const before = (await findRecord<ReportedUser>(db, reportedKey(user.id))) ?? {};
  const { change, reported } = userChangeOf(user, fields, before, at);
  const changedFields = Object.keys(change);
  if (changedFields.length > 0) {
    const changed = await account.updateUser(user.id, change);
    if (!changed.ok)
      return void log.error(
        `User ${user.id} not updated from an external event: the account refused it (${changed.status}).`,
      );
    log.info(`Updated ${changedFields.join(", ")} of user ${user.id} from an external event.`);
  }
  if (Object.keys(reported).length > 0) await putRecord(db, reportedKey(user.id), reported, RECORD_TTL_SECONDS);
  return { ...user, ...change };
};

const sendMessage = async (
  deps: UseCaseDeps,
  { event, data }: ExternalEvent,
  user: User,
  domain: string,
  key: string,
) => {
  const { account, log, settings, now } = deps;
  const { events, problems } = parseOutboundEvents(settings.outbound.events);
  for (const { line, message } of problems)
    log.error(`Line ${line} of the template messages is ignored: ${message} Correct it on the installation page.`);
  const message = findOutboundEvent(events, event);
  if (!message) return;
  const view = templateViewOf(settings, { user }, now, { data, event: { name: event } });
  const request = outboundRequest(settings.outbound, message, user.phone, view);
  if (!request.ok) return log.error(`Template message for ${event} not sent to user ${user.id}: ${request.problem}`);
  const sent = await account.sendOutbound(outboundHostOf(domain), request.body, `outbound:${key}`);
  if (!sent.ok)
    return log.error(
      `Template message ${message.template} for ${event} not sent to user ${user.id}: the service refused it (${sent.status}).`,
    );
  log.info(`Sent the template message ${message.template} for ${event} to user ${user.id}.`);
};

/**
 * An event of another system updates the user's data and sends a template message to the customer, once for each event.
 * @errors RequestRefusedError, without any change
 */
export const syncIn: UseCase<ExternalPayload> = {
  name: "sync-in",
  title: "Incoming sync",
  async run({ data, timestamp, domain }, deps) {
    const { db, settings } = deps;
    if (!settings.syncIn.isOn)
      throw new RequestRefusedError(FORBIDDEN, "Concierge takes nothing in: its setting for that is switched off.");
    const parsed = parseExternalEvent(data);
    if (!parsed.ok) throw new RequestRefusedError(parsed.status, parsed.message);
    const { event } = parsed;

    const key = hashedName("in", event.id ?? JSON.stringify(data));
    if (await findRecord(db, key)) return;
    const received = new Date(timestamp).toISOString();
    const at = event.time && Date.parse(event.time) < timestamp ? event.time : received;
    await withLocks(db, lockNamesOf(event.user), () =>
      oncePerKey(db, key, async () => {
        const existing = await findUser(deps, event.user);
        const user = existing
          ? await updateUser(deps, existing, event.user, at)
          : await createUser(deps, event.user, at, key);
        if (user) await sendMessage(deps, event, user, domain, key);
      }),
    );
  },
};
