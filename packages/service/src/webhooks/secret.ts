import type { Vault } from "@parley/database";

/** For whom the secret of a webhook is sealed. */
export const ownerOf = (webhookId: string): string => `webhook ${webhookId}`;

/** Opens the secrets of webhooks; each is opened once. */
export const secrets = (vault: () => Promise<Vault>) => {
  const opened = new Map<string, string>();
  return async ({ id, secret }: { readonly id: string; readonly secret: string }): Promise<string> => {
    const known = opened.get(secret);
    if (known !== undefined) return known;
    const text = (await vault()).open(ownerOf(id), secret);
    opened.set(secret, text);
    return text;
  };
};
