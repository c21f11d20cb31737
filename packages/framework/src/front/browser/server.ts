import type {
  FrontAnswer,
  FrontCall,
  FrontChange,
  FrontContext,
  FrontMessage,
  FrontOutcome,
  FrontState,
} from "@parley/contract";
import { refusalMessageOf, UNREACHABLE_HOST_MESSAGE } from "../../pages/browser/page-post.ts";

/** Client of the host's front API. */
export interface FrontServer {
  /** @errors Error with one sentence for the agent */
  loadState(context: FrontContext): Promise<FrontState>;
  /** An unreachable host is reported as a failure. */
  call(
    call: Omit<FrontCall, "question"> & { readonly question: Readonly<Record<string, unknown>> },
  ): Promise<FrontAnswer>;
  send(message: FrontMessage): Promise<FrontOutcome>;
  change(change: FrontChange): Promise<FrontOutcome>;
}

class HostRefused extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

interface FrontServerOptions {
  /** Renews what admits the page, after the host has refused a request; it is then sent once more. -> whether it was renewed */
  readonly renew?: () => Promise<boolean>;
}

/** @shape headers: those that admit the page, at present */
export const createFrontServer = (
  headers: () => Readonly<Record<string, string>>,
  { renew }: FrontServerOptions = {},
): FrontServer => {
  const send = (path: string, body: unknown): Promise<Response | undefined> =>
    fetch(`/front/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers() },
      body: JSON.stringify(body),
    }).catch(() => undefined);
  const post = async <A>(path: string, body: unknown): Promise<A> => {
    let response = await send(path, body);
    const isRefused = response?.status === 401 || response?.status === 403;
    if (isRefused && renew && (await renew())) response = await send(path, body);
    if (!response) throw new HostRefused(503, UNREACHABLE_HOST_MESSAGE);
    if (!response.ok) throw new HostRefused(response.status, await refusalMessageOf(response));
    return (await response.json()) as A;
  };
  const failure = (error: unknown) => ({
    status: error instanceof HostRefused ? error.status : 500,
    message: error instanceof Error ? error.message : String(error),
  });
  const postAction = async (path: string, body: unknown): Promise<FrontOutcome> =>
    post<FrontOutcome>(path, body).catch((error: unknown) => ({ ok: false, message: failure(error).message }));
  return {
    loadState: (context) => post("look", context),
    call: (call) => post<FrontAnswer>("call", call).catch((error: unknown) => ({ failure: failure(error) })),
    send: (message) => postAction("send", message),
    change: (change) => postAction("change", change),
  };
};
