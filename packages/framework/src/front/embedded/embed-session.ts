import { PAGE_SESSION_HEADER, type EmbedModel, type EmbedSession } from "@parley/contract";
import { refusalMessageOf, UNREACHABLE_HOST_MESSAGE } from "../../pages/browser/page-post.ts";
import { FrameRefusal } from "../browser/instances.ts";
import { createFrontServer, type FrontServer } from "../browser/server.ts";
import type { ConsoleLink } from "./console-link.ts";

/** The session of this page. It is kept in memory only: browsers block cookies in frames of other sites. */
interface EmbeddedSession {
  /** Begins a session with a ticket of the console. -> the model @errors FrameRefusal */
  begin(): Promise<EmbedModel>;
  /** The model at present. @errors FrameRefusal */
  refresh(): Promise<EmbedModel>;
  /** Sends calls of the app; after the end of the session, or of the page's validity, once more with a new session. */
  readonly call: FrontServer["call"];
}

export const createEmbeddedSession = (link: ConsoleLink): EmbeddedSession => {
  let session = "";
  let token = "";
  let beginning: Promise<EmbedModel> | undefined;

  const request = async <A>(path: string, init: RequestInit): Promise<A> => {
    const response = await fetch(`/embed/${path}`, init).catch(() => undefined);
    if (!response) throw new FrameRefusal(UNREACHABLE_HOST_MESSAGE, 503);
    if (!response.ok) throw new FrameRefusal(await refusalMessageOf(response), response.status);
    return (await response.json()) as A;
  };
  const load = async (): Promise<EmbedModel> => {
    const model = await request<EmbedModel>("model", { headers: { [PAGE_SESSION_HEADER]: session } });
    ({ token } = model);
    return model;
  };
  const beginOnce = async (): Promise<EmbedModel> => {
    const ticket = await link.ask({ t: "ticket" });
    const started = await request<EmbedSession>("session", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ticket }),
    });
    ({ session } = started);
    return load();
  };
  const begin = (): Promise<EmbedModel> => (beginning ??= beginOnce().finally(() => (beginning = undefined)));
  const server = createFrontServer(() => ({ [PAGE_SESSION_HEADER]: session, "x-page-token": token }), {
    renew: () =>
      begin().then(
        () => true,
        () => false,
      ),
  });
  return { begin, refresh: load, call: (call) => server.call(call) };
};
