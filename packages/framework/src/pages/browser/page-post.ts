/** Sends a question of a page to the host. @errors one sentence for the person */
type PagePost = <A>(path: string, body?: unknown) => Promise<A>;

interface PagePostOptions {
  /** Where the page's own routes begin. @shape with `/` at its end */
  readonly base: string;
  readonly token: string;
  /** Told after each question whether the host answered it. */
  readonly reached?: (path: string, isReached: boolean) => void;
}

const UNREACHED = "The app host can't be reached. Is it still running?";

const sentence = async (reply: Response): Promise<string> => {
  const said = (await reply.json().catch(() => ({}))) as { message?: unknown };
  return typeof said.message === "string" ? said.message : `The app host answered ${reply.status}.`;
};

/** The host that made a page may have been started again since: a refused question is sent once more with its new token. */
export const pagePost = ({ base, token, reached }: PagePostOptions): PagePost => {
  let current = token;

  const send = (path: string, body: unknown): Promise<Response | undefined> =>
    fetch(`${base}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-page-token": current },
      body: JSON.stringify(body),
    }).catch(() => undefined);

  /** -> whether the host has another token by now */
  const renew = async (): Promise<boolean> => {
    const before = current;
    const reply = await fetch(`${base}token`).catch(() => undefined);
    if (reply?.ok) ({ token: current } = (await reply.json()) as { token: string });
    return current !== before;
  };

  return async <A>(path: string, body: unknown = {}): Promise<A> => {
    let reply = await send(path, body);
    if (reply?.status === 403 && (await renew())) reply = await send(path, body);
    reached?.(path, reply !== undefined);
    if (!reply) throw new Error(UNREACHED);
    if (!reply.ok) throw new Error(await sentence(reply));
    return (await reply.json()) as A;
  };
};
