import { SESSION_TOKEN, type SignInResult } from "@parley/contract";
import { adminHarness, type AdminHarness } from "../../operations/administration/endpoints/admin-harness.ts";
import type { ServiceHarnessOptions } from "../../service-harness.ts";

/** A response with its parsed body. */
export interface SessionResponse<T> {
  readonly code: number;
  readonly headers: Headers;
  readonly body: T & { readonly status?: string; readonly message?: string };
}

/** A browser's part of a session: the cookie and the token. */
export interface BrowserSession {
  readonly cookie: string;
  readonly token: string;
}

/** A request as a page of the service sends it; members replace what a page would send. */
export interface PageRequest {
  readonly session?: Partial<BrowserSession>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Absent: that of the service. "": no Origin header. */
  readonly origin?: string;
}

/** The service, and what browsers of its agents do. */
export interface SessionHarness extends AdminHarness {
  /** Origin of the service's pages. */
  readonly origin: string;
  page<T = object>(method: string, path: string, asked?: PageRequest): Promise<SessionResponse<T>>;
  /** Sets a password by a link of the admin API, and signs in. */
  signIn(email: string, options?: { readonly account?: string; readonly password?: string }): Promise<BrowserSession>;
}

export const PASSWORD = "correct horse battery";

/** -> the cookie of a response, as a browser sends it back; undefined without one */
export const cookieOf = (headers: Headers): string | undefined => headers.getSetCookie()[0]?.split(";", 1)[0];

/** -> the secret at the end of a link's address */
export const secretOfLink = (link: string): string => /[A-Za-z0-9_-]{43}$/.exec(link)?.[0] ?? "";

export async function sessionHarness(options: ServiceHarnessOptions = {}): Promise<SessionHarness> {
  const w = await adminHarness(options);
  const { origin } = new URL(w.url);
  const page = async <T>(method: string, path: string, asked: PageRequest = {}): Promise<SessionResponse<T>> => {
    const { session, body, headers = {} } = asked;
    const from = asked.origin ?? origin;
    const reply = await fetch(w.url + path, {
      method,
      redirect: "manual",
      headers: {
        ...(from !== "" && method !== "GET" && { origin: from }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(session?.cookie !== undefined && { cookie: session.cookie }),
        ...(session?.token !== undefined && { [SESSION_TOKEN]: session.token }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await reply.text();
    const isJson = /^application\/json/.test(reply.headers.get("content-type") ?? "") && text !== "";
    return {
      code: reply.status,
      headers: reply.headers,
      body: (isJson ? JSON.parse(text) : { text }) as SessionResponse<T>["body"],
    };
  };
  return {
    ...w,
    origin,
    page,
    async signIn(email, { account = "acme", password = PASSWORD } = {}) {
      const { body } = await w.adminRequest<{ agents: { id: string }[] }>(
        "POST",
        `/admin/accounts/${account}/sign-in-links`,
        { email },
      );
      const { agent_id } = body as unknown as { agent_id: string };
      const reset = await w.adminRequest<{ link: string }>(
        "POST",
        `/admin/accounts/${account}/agents/${agent_id}/password-reset`,
      );
      const token = secretOfLink(reset.body.link);
      const chosen = await page<SignInResult>("POST", "/identity/password", { body: { token, password } });
      const cookie = cookieOf(chosen.headers);
      if (cookie === undefined || chosen.body.session_token === undefined)
        throw new Error(`${chosen.code} ${chosen.body.status}: ${chosen.body.message}`);
      return { cookie, token: chosen.body.session_token };
    },
  };
}
