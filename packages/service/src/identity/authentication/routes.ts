import {
  identity,
  refuse,
  SESSION_NOT_FOUND,
  sessionCookie,
  sessionCookieOf,
  type PageAddressOf,
} from "@parley/contract";
import type { Pool } from "@parley/database";
import type { Log } from "@parley/telemetry";
import { defineRoutes, type HandlerContext } from "../../http/route-handlers.ts";
import { isUuid } from "../../http/uuid.ts";
import { accountOfHost } from "../edge/host.ts";
import type { IdentityAdministration } from "./credential-administration.ts";
import { credentialStore } from "./credentials/store.ts";
import type { LinkOrigin } from "./link-origin.ts";
import type { OwnAccount } from "./own-account.ts";
import { describeSession } from "./sessions/describe.sql.ts";
import type { Sessions } from "./sessions/sessions.ts";
import { signInResultOf, type SignedIn, type SignIn, type SignInSource } from "./sign-in/sign-in.ts";
import { RESET_REQUESTS, type SignInThrottle } from "./sign-in/throttle.sql.ts";

interface IdentityRouteDeps {
  readonly pool: Pool;
  readonly sessions: Sessions;
  readonly signIn: SignIn;
  readonly ownAccount: OwnAccount;
  readonly administration: Pick<IdentityAdministration, "issuePasswordLink" | "deliverInBackground">;
  readonly throttle: SignInThrottle;
  readonly pageAddressOf: PageAddressOf;
  readonly linkOrigin: LinkOrigin;
  readonly sendsMail: boolean;
  /** Hosts of accounts are `<account>.<domain>`. */
  readonly domain: string;
  /** Identity providers of an account, by its name. */
  readonly providersOf: (account: string) => Promise<readonly { readonly name: string; readonly label: string }[]>;
  readonly log: Log;
}

const done = (message: string) => ({ code: 200, status: "OK", message });

/** -> where a sign-in comes from */
const signInSourceOf = (
  { actor, request }: Pick<HandlerContext, "actor" | "request">,
  pageAddressOf: PageAddressOf,
): SignInSource => ({
  address: actor.address,
  userAgent: request.header("user-agent") ?? "",
  previousCookie: sessionCookieOf({ cookie: request.header("cookie") }, pageAddressOf(request.header("host"))),
});

/** The Set-Cookie header of a new session. */
export const newSessionCookie = (
  signedIn: SignedIn,
  host: string | undefined,
  pageAddressOf: PageAddressOf,
): string | undefined => {
  if (!("secrets" in signedIn)) return undefined;
  const { cookie, createdTime, expiresTime } = signedIn.secrets;
  return sessionCookie(
    pageAddressOf(host),
    cookie,
    Math.floor((expiresTime.getTime() - createdTime.getTime()) / 1_000),
  );
};

/** The endpoints of people who sign in. */
export const identityRoutes = (deps: IdentityRouteDeps) => {
  const { pool, sessions, signIn, ownAccount, administration, throttle, pageAddressOf, linkOrigin, domain } = deps;

  type Request = Pick<HandlerContext, "actor" | "request" | "setHeader">;
  const answer = (input: Request, signedIn: SignedIn) => {
    const cookie = newSessionCookie(signedIn, input.request.header("host"), pageAddressOf);
    if (cookie !== undefined) input.setHeader("Set-Cookie", cookie);
    input.setHeader("Cache-Control", "no-store");
    return signInResultOf(signedIn);
  };
  const source = (input: Request): SignInSource => signInSourceOf(input, pageAddressOf);
  /** An unknown account is treated like one without agents. */
  const accountOf = ({ request }: Request, account: string | undefined): string =>
    accountOfHost(request.header("host"), domain) ?? account?.toLowerCase() ?? "";

  /** Sends a link if the address belongs to an agent. Runs after the reply, so that its duration does not tell. */
  const sendReset = async (account: string, email: string, origin: string | undefined): Promise<void> => {
    if (origin === undefined)
      return deps.log("A password reset was not sent: set PARLEY_PUBLIC_URL to the address of this service.", {
        level: "error",
      });
    const agent = await credentialStore(pool).byEmail(account, email);
    if (!agent || agent.is_deactivated) return;
    const issued = await pool.transaction((tx) =>
      administration.issuePasswordLink(tx, { agent, purpose: "password_reset", origin }),
    );
    administration.deliverInBackground(issued, { account: agent.account, purpose: "password_reset" });
  };

  return [
    defineRoutes(identity.signIn, {
      async getSignInMethods({ query, request }) {
        const named = accountOfHost(request.header("host"), domain);
        const account = named ?? query.account?.toLowerCase();
        const providers = account === undefined ? [] : await deps.providersOf(account);
        return {
          ...(named !== undefined && { account: named }),
          sends_mail: deps.sendsMail,
          identity_providers: providers.map(({ name, label }) => ({ name, label })),
        };
      },
      async signInByPassword(input) {
        const { email, password } = input.body;
        const account = accountOf(input, input.body.account);
        return answer(input, await signIn.byPassword({ account, email, password }, source(input)));
      },
      async signInBySecondFactor(input) {
        return answer(input, await signIn.bySecondFactor(input.body, source(input)));
      },
      async requestPasswordReset(input) {
        const { email } = input.body;
        const account = accountOf(input, input.body.account);
        await throttle.count(input.actor.address, ["reset", account, email.toLowerCase()], RESET_REQUESTS);
        if (deps.sendsMail)
          void sendReset(account, email, linkOrigin(input.request.header("host"))).catch((error: unknown) =>
            deps.log(`A password reset failed: ${(error as Error).message}`, { level: "error" }),
          );
        return {
          code: 202,
          status: "ACCEPTED",
          message: "If the address belongs to an agent of the account, a link for a new password is sent to it.",
        };
      },
      async getPasswordLink({ body, actor }) {
        const { account, email, purpose, expires_time } = await signIn.passwordLink(body.token, actor);
        return {
          account,
          email,
          purpose: purpose === "invitation" ? ("invitation" as const) : ("password_reset" as const),
          expires_time: expires_time.toISOString(),
        };
      },
      async choosePassword(input) {
        return answer(input, await signIn.choosePassword(input.body, source(input)));
      },
    }),
    defineRoutes(identity.sessions, {
      async getSession({ caller }) {
        return describeSession(pool, caller.credentialId);
      },
      async endSession(input) {
        await ownAccount.endSession(input, input.caller.credentialId);
        const address = pageAddressOf(input.request.header("host"));
        const cookie = sessionCookieOf({ cookie: input.request.header("cookie") }, address);
        if (cookie !== undefined) sessions.forget(cookie);
        input.setHeader("Set-Cookie", sessionCookie(address, "", 0));
        return done("The session has ended.");
      },
      async listSessions(input) {
        return { sessions: await ownAccount.sessions(input) };
      },
      async endOwnSession(input) {
        const { session_id: id } = input.params;
        if (!isUuid(id) || !(await ownAccount.endSession(input, id.toLowerCase()))) refuse(SESSION_NOT_FOUND);
        return done("The session has ended.");
      },
      async changePassword(input) {
        const { current_password: current, password: next } = input.body;
        await ownAccount.changePassword(input, { current, next });
        return done("The password was changed, and the agent's other sessions have ended.");
      },
      async beginSecondFactor(input) {
        const { secret, uri, qrCode } = await ownAccount.beginSecondFactor(input, input.body.current_password);
        return { secret, uri, qr_code: qrCode };
      },
      async confirmSecondFactor(input) {
        return { recovery_codes: await ownAccount.confirmSecondFactor(input, input.body.code) };
      },
      async renewRecoveryCodes(input) {
        return { recovery_codes: await ownAccount.renewRecoveryCodes(input, input.body.code) };
      },
      async removeSecondFactor(input) {
        await ownAccount.removeSecondFactor(input, input.body.code);
        return done("The second factor was removed.");
      },
    }),
  ];
};
