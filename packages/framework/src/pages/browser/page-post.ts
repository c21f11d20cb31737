/** Shown when a request of a page gets no response. */
export const UNREACHABLE_HOST_MESSAGE = "The app host can't be reached. Is it still running?";

/** -> the sentence of a refusal for the person who uses the page */
export const refusalMessageOf = async (response: Response): Promise<string> => {
  const body = (await response.json().catch(() => ({}))) as { message?: unknown };
  return typeof body.message === "string" ? body.message : `The app host answered ${response.status}.`;
};

/** Sends a request of a page to the host. @errors Error with a sentence for the person */
type PagePost = <A>(path: string, body?: unknown) => Promise<A>;

interface PagePostOptions {
  /** Base path of the page's routes. @shape with a trailing `/` */
  readonly base: string;
  readonly token: string;
  /** Called after each request with whether the host responded. */
  readonly reached?: (path: string, isReached: boolean) => void;
}

/** The host may have been restarted since the page was loaded: a refused request is repeated once with the new token. */
export const pagePost = ({ base, token, reached }: PagePostOptions): PagePost => {
  let current = token;

  const send = (path: string, body: unknown): Promise<Response | undefined> =>
    fetch(`${base}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-page-token": current },
      body: JSON.stringify(body),
    }).catch(() => undefined);

  /** -> whether the host has issued another token */
  const renew = async (): Promise<boolean> => {
    const before = current;
    // The token names the version that the page belongs to.
    const headers = { "x-page-token": before };
    const reply = await fetch(`${base}token`, { headers }).catch(() => undefined);
    if (reply?.ok) ({ token: current } = (await reply.json()) as { token: string });
    return current !== before;
  };

  return async <A>(path: string, body: unknown = {}): Promise<A> => {
    let reply = await send(path, body);
    if (reply?.status === 403 && (await renew())) reply = await send(path, body);
    reached?.(path, reply !== undefined);
    if (!reply) throw new Error(UNREACHABLE_HOST_MESSAGE);
    if (!reply.ok) throw new Error(await refusalMessageOf(reply));
    return (await reply.json()) as A;
  };
};
