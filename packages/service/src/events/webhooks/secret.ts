import { OLD_SECRETS_MAX, refuse, TOO_MANY_SECRETS } from "@parley/contract";
import type { Vault } from "@parley/database";
import type { Subscription } from "../dispatch/subscriptions.sql.ts";

/** Encryption context of a webhook's secrets. */
export const secretOwner = (webhookId: string): string => `webhook ${webhookId}`;

/** The encrypted secrets of a webhook. */
type Secrets = Pick<Subscription, "secret" | "old_secrets" | "old_secrets_until">;

/** Replaced secrets that still sign, the latest replacement first. */
export const signingSecrets = (
  { old_secrets, old_secrets_until }: Omit<Secrets, "secret">,
  now: Date,
): readonly { readonly secret: string; readonly until: Date }[] =>
  old_secrets.flatMap((secret, index) => {
    const until = old_secrets_until[index];
    return until && until > now ? [{ secret, until }] : [];
  });

/**
 * A webhook's secrets with a new one added.
 * @units overlapMs: milliseconds; 0: only the new secret signs
 * @errors TOO_MANY_SECRETS
 * @assumed A second renewal during an overlap shortens no secret's time, so that a lost reply costs nothing.
 */
export const renewSecret = (before: Secrets, secret: string, overlapMs: number, now: Date): Secrets => {
  if (overlapMs === 0) return { secret, old_secrets: [], old_secrets_until: [] };
  const until = new Date(now.getTime() + overlapMs);
  const old = [{ secret: before.secret, until }, ...signingSecrets(before, now)];
  if (old.length > OLD_SECRETS_MAX) refuse(TOO_MANY_SECRETS);
  return { secret, old_secrets: old.map((each) => each.secret), old_secrets_until: old.map((each) => each.until) };
};

/** Decrypts the secrets of webhooks that sign at a time, the present one first; each is decrypted once. */
export const createWebhookSecrets = (vault: () => Promise<Vault>) => {
  const opened = new Map<string, string>();
  const open = async (id: string, sealed: string): Promise<string> => {
    const cached = opened.get(sealed);
    if (cached !== undefined) return cached;
    const text = (await vault()).open(secretOwner(id), sealed);
    opened.set(sealed, text);
    return text;
  };
  return async ({ id, ...sealed }: Secrets & { readonly id: string }, now: Date) => ({
    secret: await open(id, sealed.secret),
    oldSecrets: await Promise.all(signingSecrets(sealed, now).map(({ secret }) => open(id, secret))),
  });
};
