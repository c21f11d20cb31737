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

export const createFrontServer = (token: string): FrontServer => {
  const post = async <A>(path: string, body: unknown): Promise<A> => {
    const response = await fetch(`/front/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-page-token": token },
      body: JSON.stringify(body),
    }).catch(() => undefined);
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
