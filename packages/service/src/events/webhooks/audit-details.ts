import { urlOf } from "@parley/contract";
import type { Subscription } from "../dispatch/subscriptions.sql.ts";
import { chosenActions } from "./actions.ts";

type WebhookSettings = Pick<Subscription, "url" | "actions" | "off_time">;

/** Part of an address that the audit log records: its path and query may contain a secret of the receiver. */
export const webhookHostDetails = (url: string): { readonly host?: string } => {
  const host = urlOf(url)?.host;
  return host === undefined ? {} : { host };
};

/** Details of a change for the audit log; undefined if nothing changed. */
export const webhookChangeDetails = (
  before: WebhookSettings,
  after: WebhookSettings,
): Readonly<Record<string, unknown>> | undefined => {
  const [earlier, later] = [before, after].map(({ actions }) => [...chosenActions(actions)].sort());
  const isOff = after.off_time !== null;
  const changed = {
    url: before.url !== after.url,
    actions: JSON.stringify(earlier) !== JSON.stringify(later),
    state: (before.off_time !== null) !== isOff,
  };
  const members = Object.entries(changed).flatMap(([name, differs]) => (differs ? [name] : []));
  if (members.length === 0) return undefined;
  return {
    ...webhookHostDetails(after.url),
    members,
    ...(changed.actions && { actions: chosenActions(after.actions) }),
    ...(changed.state && { state: isOff ? "off" : "on" }),
  };
};
