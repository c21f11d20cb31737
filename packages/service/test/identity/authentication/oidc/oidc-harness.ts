import type { IdentityProvider } from "@parley/contract";
import type { ServiceHarnessOptions } from "../../../service-harness.ts";
import { sessionHarness, type SessionHarness } from "../session-harness.ts";
import { CLIENT, startProvider, type ProviderFixture } from "./provider-fixture.ts";

/** Cookies of one browser, by host. */
export class CookieJar {
  readonly #cookies = new Map<string, Map<string, string>>();
  #of(url: string): Map<string, string> {
    const { host } = new URL(url);
    const found = this.#cookies.get(host) ?? new Map<string, string>();
    this.#cookies.set(host, found);
    return found;
  }
  keep(url: string, headers: Headers): void {
    for (const line of headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/max-age=0|expires=Thu, 01 Jan 1970/i.test(line)) this.#of(url).delete(name);
      else this.#of(url).set(name, value);
    }
  }
  set(url: string, name: string, value: string): void {
    this.#of(url).set(name, value);
  }
  get(url: string, name: string): string | undefined {
    return this.#of(url).get(name);
  }
  header(url: string): string {
    return [...this.#of(url)].map(([name, value]) => `${name}=${value}`).join("; ");
  }
}

/** A response as a browser without scripts gets it. */
export interface VisitedPage {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** -> the response to one request, whose cookies are kept; redirects are not followed */
export const visitOnce = async (jar: CookieJar, url: string): Promise<VisitedPage> => {
  const reply = await fetch(url, { redirect: "manual", headers: { cookie: jar.header(url) } });
  jar.keep(url, reply.headers);
  return { url, status: reply.status, headers: reply.headers, text: await reply.text() };
};

/** Follows redirects until one leads to an address that `until` accepts, or a page comes. -> that address, not visited, or the page */
export const follow = async (
  jar: CookieJar,
  url: string,
  until: (address: string) => boolean = () => false,
): Promise<VisitedPage> => {
  let at = url;
  for (let count = 0; count < 12; count++) {
    const page = await visitOnce(jar, at);
    const location = page.headers.get("location");
    if (location === null) return page;
    at = new URL(location, at).href;
    if (until(at)) return { ...page, url: at };
  }
  throw new Error(`Too many redirects from ${url}`);
};

export const FLOW_COOKIE_NAME = "parley_provider_sign_in";
export const SESSION_COOKIE_NAME = "parley_session";
export const FAILED_TEXT = "The sign-in by the identity provider did not succeed.";
export const NO_AGENT_TEXT = "The identity provider signed you in, but no agent of this account has this identity.";

/** -> the token of a page that hands it over; undefined on other pages */
export const sessionTokenOf = ({ text }: VisitedPage): string | undefined =>
  /<meta name="session-token" content="([^"]+)"/.exec(text)?.[1];

export interface OidcHarness extends SessionHarness {
  readonly provider: ProviderFixture;
  putProvider(options?: {
    readonly account?: string;
    readonly name?: string;
    readonly issuer?: string;
    readonly client_secret?: string;
  }): Promise<IdentityProvider>;
  /** Address at which a sign-in begins. */
  startUrl(options?: { readonly account?: string; readonly name?: string; readonly next?: string }): string;
  /** Goes to the provider and back. */
  signInBy(
    subject: string,
    options?: { readonly jar?: CookieJar; readonly account?: string; readonly next?: string },
  ): Promise<VisitedPage>;
  /** Goes to the provider and stops before the way back. -> the address of the callback */
  callbackOf(
    jar: CookieJar,
    subject: string,
    options?: { readonly account?: string; readonly name?: string },
  ): Promise<string>;
}

/** The service for this machine only, with a real provider that acme and solo use by the name `sso`. */
export async function oidcHarness(options: ServiceHarnessOptions = {}): Promise<OidcHarness> {
  const s = await sessionHarness({ isLocal: true, ...options });
  const callback = (account: string) => `${s.origin}/sign-in/oidc/sso/callback/${account}`;
  const provider = await startProvider([callback("acme"), callback("solo")]);
  const putProvider: OidcHarness["putProvider"] = async ({
    account = "acme",
    name = "sso",
    issuer = provider.issuer,
    client_secret = CLIENT.secret,
  } = {}) => {
    const { code, body } = await s.adminRequest<IdentityProvider>(
      "PUT",
      `/admin/accounts/${account}/identity-providers/${name}`,
      { label: "Company", issuer, client_id: CLIENT.id, client_secret },
    );
    if (code !== 200) throw new Error(`${code} ${body.status}: ${body.message}`);
    return body;
  };
  const startUrl: OidcHarness["startUrl"] = ({ account = "acme", name = "sso", next } = {}) =>
    `${s.origin}/sign-in/oidc/${name}?${new URLSearchParams({ account, ...(next !== undefined && { next }) }).toString()}`;
  await putProvider();
  await putProvider({ account: "solo" });
  return {
    ...s,
    provider,
    putProvider,
    startUrl,
    signInBy(subject, { jar = new CookieJar(), account = "acme", next } = {}) {
      provider.next = subject;
      return follow(jar, startUrl({ account, ...(next !== undefined && { next }) }));
    },
    async callbackOf(jar, subject, { account = "acme", name = "sso" } = {}) {
      provider.next = subject;
      const { url } = await follow(jar, startUrl({ account, name }), (address) =>
        address.startsWith(`${s.origin}/sign-in/oidc/`),
      );
      return url;
    },
    async close() {
      await s.close();
      await provider.close();
    },
  };
}
