/** The token in use, and the way to a new one. */
export interface TokenSource {
  readonly current: () => string;
  /** Asks for a new one unless that is done already: calls that were refused together ask once. -> false: there is no way to one */
  readonly renew: (refused: string) => Promise<boolean>;
}

/** @shape onUnauthorized: gives a new token after a 401 */
export function tokenSource(first: string, onUnauthorized: (() => Promise<string> | string) | undefined): TokenSource {
  let token = first;
  let asking: Promise<void> | undefined;
  return {
    current: () => token,
    renew: async (refused) => {
      if (!onUnauthorized) return false;
      if (token !== refused) return true;
      asking ??= Promise.resolve(onUnauthorized())
        .then((fresh) => void (token = fresh))
        .finally(() => (asking = undefined));
      await asking;
      return token !== refused;
    },
  };
}
