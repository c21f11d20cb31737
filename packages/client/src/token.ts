/** The current token and its renewal. */
export interface TokenSource<T extends string | undefined = string> {
  readonly current: () => T;
  /**
   * Requests a new token unless the refused one has been replaced already; concurrent calls share one request. Returns false if no new
   * token is available.
   */
  readonly renew: (refused: T) => Promise<boolean>;
}

/** @shape onUnauthorized: returns a new token after a 401 */
export function tokenSource(first: string, onUnauthorized: (() => Promise<string> | string) | undefined): TokenSource {
  let token = first;
  const renewed = onUnauthorized && (async () => void (token = await onUnauthorized()));
  return renewableToken(() => token, renewed);
}

/** @shape renew: causes `current` to return a new token, if a new token exists; absent: the token of another caller's renewal is not used either */
export function renewableToken<T extends string | undefined>(
  current: () => T,
  renew: (() => Promise<void>) | undefined,
): TokenSource<T> {
  let renewal: Promise<void> | undefined;
  return {
    current,
    renew: async (refused) => {
      if (!renew) return false;
      if (current() !== refused) return true;
      renewal ??= renew().finally(() => (renewal = undefined));
      await renewal;
      return current() !== refused;
    },
  };
}
