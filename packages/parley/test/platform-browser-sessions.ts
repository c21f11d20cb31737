import { request } from "node:http";
import type { AgentRole } from "@parley/contract";
import type { PlatformClient } from "./platform-client.ts";

/** A response to a request that names its host itself, as a browser's does. */
export interface HostReply {
  readonly status: number;
  readonly location: string | undefined;
  /** Values of Set-Cookie, without attributes. */
  readonly cookies: readonly string[];
  readonly setCookies: readonly string[];
  readonly text: string;
}

export interface HostRequest {
  readonly method?: string;
  /** As it is sent. Absent: the path of the address. */
  readonly path?: string;
  readonly cookie?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** Sends a request to an address on this machine, with any host name. */
export const requestAt = (
  address: string,
  { method = "GET", path, cookie, headers = {}, body }: HostRequest = {},
): Promise<HostReply> =>
  new Promise((resolve, reject) => {
    const { host, port, pathname, search } = new URL(address);
    const sent = request(
      {
        host: "127.0.0.1",
        port,
        method,
        path: path ?? pathname + search,
        headers: { host, accept: "text/html", ...(cookie !== undefined && { cookie }), ...headers },
      },
      (reply) => {
        let text = "";
        reply.on("data", (chunk: Buffer) => (text += chunk.toString()));
        reply.on("error", reject);
        reply.on("end", () => {
          const setCookies = reply.headers["set-cookie"] ?? [];
          resolve({
            status: reply.statusCode ?? 0,
            location: reply.headers.location,
            cookies: setCookies.map((one) => one.split(";", 1)[0] ?? ""),
            setCookies,
            text,
          });
        });
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });

const PASSWORD = "correct horse battery staple";

/** Signs an agent in at the service. -> the session cookie */
export const signInAtService = async (
  client: PlatformClient,
  serviceOrigin: string,
  { account, agent }: { readonly account: string; readonly agent: string },
): Promise<string> => {
  const { body } = await client.admin<{ link: string }>(
    "POST",
    `/admin/accounts/${account}/agents/${agent}/password-reset`,
  );
  const token = /[A-Za-z0-9_-]{43}$/.exec(body.link)?.[0] ?? "";
  const { cookies, text } = await requestAt(`${serviceOrigin}/identity/password`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: serviceOrigin },
    body: JSON.stringify({ token, password: PASSWORD }),
  });
  if (cookies[0] === undefined) throw new Error(text);
  return cookies[0];
};

/** Opens a page of an app as a browser with a session at the service does. -> the cookie of the page's host name */
export const enterSite = async (address: string, session: string): Promise<string | undefined> => {
  const first = await requestAt(address, { headers: { "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" } });
  const ticket = await requestAt(first.location ?? "", { cookie: session });
  const entered = await requestAt(ticket.location ?? "", { cookie: first.cookies[0] });
  return entered.cookies[0];
};

/** Creates an agent of the role, with the scope Global. -> its id */
export const createAgent = async (client: PlatformClient, account: string, role: AgentRole): Promise<string> => {
  const { agents } = await client.client(account);
  const email = `${role}.${account}.platform@example.com`.toLowerCase();
  const { id } = await agents.createAgent({ body: { email, role_id: role, first_name: role } });
  await client.admin("PUT", `/admin/accounts/${account}/agents/${id}`, { scope: "Global" });
  return id;
};
