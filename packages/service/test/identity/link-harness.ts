import { setTimeout as wait } from "node:timers/promises";
import type { Agent, IssuedLink, SignInResult } from "@parley/contract";
import { realPorts } from "../../src/index.ts";
import type { ServiceHarnessOptions } from "../service-harness.ts";
import type { SmtpServerFixture } from "../mail/smtp-fixture.ts";
import { PASSWORD, secretOfLink, sessionHarness, type PageRequest, type SessionHarness } from "./session-harness.ts";

/** The endpoints that issue links for agents. */
type PasswordLinkKind = "invitation" | "password-reset";

/** Whose password a link sets. */
interface PasswordLinkAnswer {
  readonly account: string;
  readonly email: string;
  readonly purpose: string;
  readonly expires_time: string;
}
interface SignInLinkAnswer {
  readonly link: string;
  readonly agent_id: string;
  readonly email: string;
  readonly expires_time: string;
}

/** The service with a clock that tests advance, and requests that issue and use links. */
export const linkHarness = async (options: ServiceHarnessOptions = {}) => {
  let offsetMs = 0;
  const now = (): number => realPorts.now().getTime() + offsetMs;
  const s: SessionHarness = await sessionHarness({
    ...options,
    ports: { now: () => new Date(now()) },
    config: { trustedProxies: ["127.0.0.1"], ...options.config },
  });
  let agentCount = 0;
  const issue = (id: string, kind: PasswordLinkKind = "invitation", account = "acme") =>
    s.adminRequest<IssuedLink>("POST", `/admin/accounts/${account}/agents/${id}/${kind}`);
  const createSignInLink = (body: object = {}, account = "acme") =>
    s.adminRequest<SignInLinkAnswer>("POST", `/admin/accounts/${account}/sign-in-links`, body);
  return {
    ...s,
    now,
    /** @units milliseconds */
    advance: (ms: number) => void (offsetMs += ms),
    newAgent: (email = `agent${agentCount++}@acme.example`): Promise<Agent> =>
      s.client.agents.createAgent({ body: { email } }),
    /** Asks for a link as an admin. */
    issue,
    /** -> the secret of a link that an admin got */
    passwordSecret: async (id: string, kind?: PasswordLinkKind) =>
      secretOfLink((await issue(id, kind)).body.link ?? ""),
    createSignInLink,
    signInSecret: async (email: string) => secretOfLink((await createSignInLink({ email })).body.link),
    askPasswordLink: (token: string, asked: PageRequest = {}) =>
      s.page<PasswordLinkAnswer>("POST", "/identity/password-link", { ...asked, body: { token } }),
    choosePassword: (token: string, password = PASSWORD, asked: PageRequest = {}) =>
      s.page<SignInResult>("POST", "/identity/password", { ...asked, body: { token, password } }),
    byPassword: (email: string, password: string) =>
      s.page<SignInResult>("POST", "/identity/sign-in", { body: { account: "acme", email, password } }),
    /** Sends the form of a sign-in link's page. */
    useSignInLink: (secret: string) =>
      fetch(`${s.origin}/sign-in/link`, {
        method: "POST",
        redirect: "manual",
        headers: { origin: s.origin },
        body: new URLSearchParams({ secret }),
      }),
    requestReset: (email: string, { account = "acme", ...asked }: PageRequest & { readonly account?: string } = {}) =>
      s.page("POST", "/identity/password-reset", { ...asked, body: { account, email } }),
  };
};
export type LinkHarness = Awaited<ReturnType<typeof linkHarness>>;

/** Requests of a client with this address. */
export const fromAddress = (address: string): PageRequest => ({ headers: { "x-forwarded-for": address } });

/** Waits until mails that earlier requests have caused would have arrived: that of a later request has. */
export const untilMailsArrived = async (s: LinkHarness, smtp: SmtpServerFixture): Promise<void> => {
  const { email } = await s.newAgent();
  await s.requestReset(email);
  const isOwn = ({ to }: { readonly to: readonly string[] }): boolean => to[0] === email;
  for (let turn = 0; turn < 250 && !smtp.mails.some(isOwn); turn++) await wait(20);
  const index = smtp.mails.findIndex(isOwn);
  if (index < 0) throw new Error("The mail of the last request did not arrive.");
  smtp.mails.splice(index, 1);
};
