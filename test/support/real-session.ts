import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { SignInResult } from "@parley/contract";

/** An agent's session at a running instance, with the secrets of its browser. */
export interface RealSession {
  readonly account: string;
  readonly agentId: string;
  readonly email: string;
  /** Value of the session cookie. */
  readonly cookie: string;
  /** The second secret, which the service's pages keep. */
  readonly token: string;
}

/** The name of the session cookie on this machine. */
export const SESSION_COOKIE = "parley_session";

const SECRET_AT_END = /[A-Za-z0-9_-]{43}$/;

/**
 * Signs an agent in at a running instance, by a link of the admin key, as an operator does for a new agent.
 * @shape service: origin; email: absent for the first account admin
 */
export const signInReally = async (service: string, dataFolder: string, email?: string): Promise<RealSession> => {
  const adminKey = (await readFile(join(dataFolder, "admin-key"), "utf8")).trim();
  const post = async <T>(path: string, headers: Record<string, string>, body: unknown) => {
    const response = await fetch(service + path, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`POST ${path} answered ${response.status}: ${text}`);
    return { headers: response.headers, body: JSON.parse(text) as T };
  };
  const admin = { authorization: `Bearer ${adminKey}` };
  const named = email === undefined ? {} : { email };
  const found = await post<{ account: string; agent_id: string; email: string }>(
    "/admin/accounts/acme/sign-in-links",
    admin,
    named,
  );
  const { account, agent_id: agentId } = found.body;
  const reset = await post<{ link: string }>(`/admin/accounts/${account}/agents/${agentId}/password-reset`, admin, {});
  const chosen = await post<SignInResult>(
    "/identity/password",
    { origin: service },
    { token: SECRET_AT_END.exec(reset.body.link)?.[0], password: "correct horse battery" },
  );
  const cookie = /^[^=]+=([^;]+)/.exec(chosen.headers.getSetCookie()[0] ?? "")?.[1];
  const token = chosen.body.session_token;
  if (cookie === undefined || token === undefined) throw new Error("The sign-in gave no session.");
  return { account, agentId, email: found.body.email, cookie, token };
};
