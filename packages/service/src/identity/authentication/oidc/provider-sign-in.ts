import type { Pool, Vault } from "@parley/database";
import type { Log } from "@parley/telemetry";
import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  fetchUserInfo,
  type Configuration,
} from "openid-client";
import type { Ports } from "../../../base/environment/ports.ts";
import type { CredentialsRow } from "../credentials/store.ts";
import type { SignedIn, SignIn, SignInSource } from "../sign-in/sign-in.ts";
import type { SignInThrottle } from "../sign-in/throttle.sql.ts";
import { failSignIn, ProviderSignInFailure, reasonOfProviderError } from "./failure.ts";
import {
  FLOW_LIFETIME_MS,
  isStateOf,
  newProviderFlow,
  openFlow,
  providerClientId,
  sealFlow,
  type ProviderFlow,
} from "./flow.ts";
import { canonicalIssuer } from "./issuer.ts";
import { matchAgent, type ConfirmedIdentity } from "./match-agent.ts";
import type { ProviderClients } from "./provider-clients.ts";
import { providerStore, type ProviderRow } from "./store.ts";

/** Scopes of the request: the subject, and the address for the first sign-in. */
const SCOPE = "openid email";
/** OpenID Connect: at most 255 ASCII characters. */
const SUBJECT = /^[\x20-\x7e]{1,255}$/;
const EMAIL_LENGTH_MAX = 254;

interface ProviderSignInDeps {
  readonly pool: Pool;
  readonly ports: Ports;
  readonly vault: () => Promise<Vault>;
  readonly clients: ProviderClients;
  readonly signIn: Pick<SignIn, "byIdentityProvider">;
  readonly throttle: SignInThrottle;
  readonly log: Log;
}

/** A request to begin. */
interface ProviderSignInStart {
  readonly account: string;
  /** Name of the provider. */
  readonly provider: string;
  /** Where the provider sends the browser back to. */
  readonly redirectUri: string;
  /** Path to go to after the sign-in. */
  readonly next: string;
}

/** The request by which a browser comes back. */
interface ProviderCallback {
  /** Address of the request without its query. */
  readonly address: string;
  readonly query: string;
  /** Cookie of the sign-in. */
  readonly cookie: string | undefined;
}

/** Called once it is known which provider an attempt concerns. */
type IdentifyProvider = (provider: Pick<ProviderRow, "account" | "name">) => void;

/** The address, if the claims say that it is verified. A text "true" is not the value that OpenID Connect defines. */
const verifiedEmailOf = ({
  email,
  email_verified: isVerified,
}: {
  readonly [claim: string]: unknown;
}): string | undefined =>
  isVerified === true && typeof email === "string" && email.length <= EMAIL_LENGTH_MAX ? email : undefined;

/**
 * Sign-in by OpenID Connect: authorization code with PKCE, state and nonce (RFC 9700), and the issuer of the response (RFC 9207).
 * @assumed The provider stands for the second factor: an agent's own second factor is not asked for.
 */
export function createProviderSignIn({ pool, ports, vault, clients, signIn, throttle, log }: ProviderSignInDeps) {
  /** The flow of a callback. It can't be used again. @errors ProviderSignInFailure */
  const useFlow = async (
    { address, query, cookie }: ProviderCallback,
    identify: IdentifyProvider,
  ): Promise<ProviderFlow> => {
    const flow = cookie === undefined ? undefined : openFlow(await vault(), cookie);
    if (!flow) return failSignIn("the browser did not begin this sign-in, or its cookie is gone");
    identify({ account: flow.account, name: flow.provider });
    if (flow.beganMs + FLOW_LIFETIME_MS <= ports.now().getTime())
      return failSignIn("the sign-in took longer than 10 minutes");
    // Each provider of each account has its own address, as RFC 9700 asks for, so that no response is taken for that of another provider.
    if (flow.redirectUri !== address) return failSignIn("the response was sent to the address of another provider");
    const states = new URLSearchParams(query).getAll("state");
    if (states.length !== 1 || !isStateOf(flow, states[0] ?? ""))
      return failSignIn("the state is not that of the sign-in");
    const isFirst = await throttle.isFirst(["provider sign-in", flow.state], new Date(flow.beganMs));
    return isFirst ? flow : failSignIn("the response was used before");
  };

  /** @errors ProviderSignInFailure */
  const unchanged = (flow: ProviderFlow, provider: ProviderRow | undefined): ProviderRow =>
    provider && providerClientId(provider) === flow.client
      ? provider
      : failSignIn("the provider was changed or removed during the sign-in");

  /** Where the provider asks the person to sign in. @errors ProviderSignInFailure for metadata without a web address of that page */
  const authorizationAddress = async (
    configuration: Configuration,
    { redirectUri, state, nonce, verifier }: ProviderFlow,
  ): Promise<string> => {
    const parameters = {
      redirect_uri: redirectUri,
      scope: SCOPE,
      state,
      nonce,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    };
    try {
      return buildAuthorizationUrl(configuration, parameters).href;
    } catch (error) {
      return failSignIn(reasonOfProviderError(error));
    }
  };

  /** Asks the provider who signed in. @errors ProviderSignInFailure */
  const identityOf = async (
    configuration: Configuration,
    flow: ProviderFlow,
    query: string,
  ): Promise<ConfirmedIdentity & { readonly askEmail: () => Promise<string | undefined> }> => {
    const address = new URL(flow.redirectUri);
    address.search = query;
    const tokens = await authorizationCodeGrant(configuration, address, {
      pkceCodeVerifier: flow.verifier,
      expectedState: flow.state,
      expectedNonce: flow.nonce,
      idTokenExpected: true,
    }).catch((error: unknown) => failSignIn(reasonOfProviderError(error)));
    const claims = tokens.claims() ?? failSignIn("the response contains no ID token");
    const { sub: subject } = claims;
    if (!SUBJECT.test(subject)) failSignIn("the subject is not one of OpenID Connect");
    return {
      issuer: canonicalIssuer(claims.iss),
      subject,
      verifiedEmail: verifiedEmailOf(claims),
      async askEmail() {
        if (configuration.serverMetadata().userinfo_endpoint === undefined) return undefined;
        const info = await fetchUserInfo(configuration, tokens.access_token, subject).catch((error: unknown) =>
          failSignIn(reasonOfProviderError(error)),
        );
        return verifiedEmailOf(info);
      },
    };
  };

  /** Adds the address from the UserInfo endpoint if the first sign-in needs it. */
  const completed = async (
    { account_id }: ProviderRow,
    { askEmail, ...identity }: Awaited<ReturnType<typeof identityOf>>,
  ): Promise<ConfirmedIdentity> => {
    const { issuer, subject, verifiedEmail } = identity;
    if (verifiedEmail !== undefined || (await providerStore(pool).agentOf(account_id, issuer, subject)))
      return identity;
    return { ...identity, verifiedEmail: await askEmail() };
  };

  const finish = async (callback: ProviderCallback, source: SignInSource, identify: IdentifyProvider) => {
    const flow = await useFlow(callback, identify);
    const provider = unchanged(flow, await providerStore(pool).find(flow.account, flow.provider));
    const configuration = await clients.configurationOf(provider);
    const identity = await completed(provider, await identityOf(configuration, flow, callback.query));
    const signedIn = await pool.transaction(async (tx) => {
      unchanged(flow, await providerStore(tx).hold(flow.account, flow.provider));
      const { agent, isNewlyLinked } = await matchAgent(tx, provider, { ...identity, now: ports.now() });
      return { agent, isNewlyLinked, result: await signIn.byIdentityProvider(tx, agent, source) };
    });
    if (signedIn.isNewlyLinked) logLink(provider, signedIn.agent);
    return { signedIn: signedIn.result, next: flow.next };
  };

  const logLink = ({ name, account }: ProviderRow, { agent_id }: CredentialsRow) =>
    log(`The agent ${agent_id} of ${account} is linked with an identity of the identity provider ${name}.`);

  /** Limits failures by address, and logs them. @errors TOO_MANY_SIGN_INS */
  const attempted = async <T>(address: string, work: (identify: IdentifyProvider) => Promise<T>): Promise<T> => {
    const attempt = await throttle.count(address);
    let concerned = "an identity provider";
    try {
      const result = await work(({ account, name }) => {
        concerned = `the identity provider ${name} of ${account}`;
      });
      await attempt.takeBack();
      return result;
    } catch (error) {
      if (error instanceof ProviderSignInFailure)
        log(`A sign-in by ${concerned} failed: ${error.message}.`, { level: "error" });
      throw error;
    }
  };

  return {
    /** -> where to send the browser, and its cookie @errors ProviderSignInFailure, TOO_MANY_SIGN_INS */
    begin: (
      { account, provider: name, redirectUri, next }: ProviderSignInStart,
      { address }: Pick<SignInSource, "address">,
    ): Promise<{ readonly location: string; readonly cookie: string }> =>
      attempted(address, async (identify) => {
        const provider =
          (await providerStore(pool).find(account, name)) ?? failSignIn("the account has no such provider");
        identify(provider);
        const configuration = await clients.configurationOf(provider);
        const flow = newProviderFlow(provider, { redirectUri, next }, ports);
        const location = await authorizationAddress(configuration, flow);
        return { location, cookie: sealFlow(await vault(), flow) };
      }),

    /** Signs in the agent whose identity the provider confirms. @errors ProviderSignInFailure, TOO_MANY_SIGN_INS */
    finish: (
      callback: ProviderCallback,
      source: SignInSource,
    ): Promise<{ readonly signedIn: SignedIn; readonly next: string }> =>
      attempted(source.address, (identify) => finish(callback, source, identify)),
  };
}
export type ProviderSignIn = ReturnType<typeof createProviderSignIn>;
