/** The current token and its renewal. */
export interface TokenSource {
  readonly current: () => string;
  /**
   * Requests a new token unless the refused one has been replaced already; concurrent calls share one request. Returns false if no new
   * token is available.
   */
  readonly renew: (refused: string) => Promise<boolean>;
}

/** @shape onUnauthorized: returns a new token after a 401 */
export function tokenSource(first: string, onUnauthorized: (() => Promise<string> | string) | undefined): TokenSource {
  let token = first;
  let renewal: Promise<void> | undefined;
  return {
    current: () => token,
    renew: async (refused) => {
      if (!onUnauthorized) return false;
      if (token !== refused) return true;
      renewal ??= Promise.resolve(onUnauthorized())
        .then((renewed) => void (token = renewed))
        .finally(() => (renewal = undefined));
      await renewal;
      return token !== refused;
    },
  };
}
