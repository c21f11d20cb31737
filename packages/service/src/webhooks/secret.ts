import { MOST_OLD_SECRETS, refuse, TOO_MANY_SECRETS } from "@parley/contract";
import type { Vault } from "@parley/database";
import type { Subscription } from "../events/db/subscriptions.ts";

/** For whom the secrets of a webhook are sealed. */
export const ownerOf = (webhookId: string): string => `webhook ${webhookId}`;

/** The sealed secrets of a webhook. */
export type Secrets = Pick<Subscription, "secret" | "old_secrets" | "old_secrets_until">;

/** Those that were renewed and still sign, the one that was renewed last first. */
export const signingStill = (
  { old_secrets, old_secrets_until }: Omit<Secrets, "secret">,
  now: Date,
): readonly { readonly secret: string; readonly until: Date }[] =>
  old_secrets.flatMap((secret, place) => {
    const until = old_secrets_until[place];
    return until && until > now ? [{ secret, until }] : [];
  });

/**
 * A webhook's secrets with a new one among them.
 * @units overlapMs: milliseconds; 0: nothing but the new one signs
 * @errors TOO_MANY_SECRETS
 * @assumed Who renews again before an overlap is over leaves each secret its time, so that an answer that was lost costs nothing.
 */
export const renewed = (before: Secrets, secret: string, overlapMs: number, now: Date): Secrets => {
  if (overlapMs === 0) return { secret, old_secrets: [], old_secrets_until: [] };
  const until = new Date(now.getTime() + overlapMs);
  const old = [{ secret: before.secret, until }, ...signingStill(before, now)];
  if (old.length > MOST_OLD_SECRETS) refuse(TOO_MANY_SECRETS);
  return { secret, old_secrets: old.map((each) => each.secret), old_secrets_until: old.map((each) => each.until) };
};

/** Opens the secrets of webhooks that sign at a time, the present one first; each is opened once. */
export const secrets = (vault: () => Promise<Vault>) => {
  const opened = new Map<string, string>();
  const open = async (id: string, sealed: string): Promise<string> => {
    const known = opened.get(sealed);
    if (known !== undefined) return known;
    const text = (await vault()).open(ownerOf(id), sealed);
    opened.set(sealed, text);
    return text;
  };
  return async ({ id, ...sealed }: Secrets & { readonly id: string }, now: Date) => ({
    secret: await open(id, sealed.secret),
    oldSecrets: await Promise.all(signingStill(sealed, now).map(({ secret }) => open(id, secret))),
  });
};
