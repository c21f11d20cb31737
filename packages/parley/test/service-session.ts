import { SESSION_TOKEN } from "@parley/contract";
import type { PlatformReply } from "./platform-client.ts";
import type { PlatformHarness } from "./platform-harness.ts";

/** A session of an agent of acme at the service, as a page of the console has it. */
export interface ServiceSession {
  /** Id of the agent. */
  readonly agent: string;
  readonly ask: <B = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
  ) => Promise<PlatformReply<B>>;
}

/** Signs an agent of acme in by a password. @errors Error with the answer of the service */
export const serviceSession = async (
  { admin, serviceOrigin: origin }: Pick<PlatformHarness, "admin" | "serviceOrigin">,
  agent: string,
): Promise<ServiceSession> => {
  const link = await admin<{ link: string }>("POST", `/admin/accounts/acme/agents/${agent}/password-reset`);
  const json = { "content-type": "application/json", origin };
  const signedIn = await fetch(`${origin}/identity/password`, {
    method: "POST",
    headers: json,
    body: JSON.stringify({
      token: /[A-Za-z0-9_-]{43}$/.exec(link.body.link)?.[0],
      password: "correct horse battery staple",
    }),
  });
  const answer = (await signedIn.json()) as { readonly session_token?: string };
  const { session_token: token } = answer;
  if (token === undefined) throw new Error(JSON.stringify(answer));
  const cookie = signedIn.headers.getSetCookie()[0]?.split(";", 1)[0] ?? "";
  return {
    agent,
    async ask<B>(method: string, path: string, body?: unknown) {
      const reply = await fetch(origin + path, {
        method,
        headers: { ...(body === undefined ? { origin } : json), cookie, [SESSION_TOKEN]: token },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return { status: reply.status, body: (await reply.json()) as B };
    },
  };
};
