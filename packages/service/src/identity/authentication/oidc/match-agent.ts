import type { Db } from "@parley/database";
import { credentialStore, type CredentialsRow } from "../credentials/store.ts";
import { failSignIn } from "./failure.ts";
import { providerStore, type ProviderRow } from "./store.ts";

/** An identity that a provider confirmed. */
export interface ConfirmedIdentity {
  /** As `canonicalIssuer`. */
  readonly issuer: string;
  /** The provider's permanent id of the person. */
  readonly subject: string;
  /** Address that the provider has verified; undefined without a verified address. */
  readonly verifiedEmail: string | undefined;
}

const ASCII = /^[\x21-\x7e]+$/;

/**
 * Whether two addresses are equal but for the case of letters. Other alphabets must be equal: some of their letters become ASCII letters in
 * lower case, so that the address of another person would match.
 */
const isSameAddress = (one: string, other: string): boolean =>
  one === other || (ASCII.test(one) && ASCII.test(other) && one.toLowerCase() === other.toLowerCase());

const failWithoutAgent = (reason: string): never => failSignIn(reason, { isConfirmed: true });

const active = (agent: CredentialsRow | undefined, reason: string): CredentialsRow => {
  if (!agent) return failWithoutAgent(reason);
  return agent.is_deactivated ? failWithoutAgent("the agent is deactivated") : agent;
};

/**
 * Finds the agent of an identity: the agent that the subject is linked with, or else the agent with the verified e-mail address, which is
 * then linked. `tx` is the transaction of the sign-in.
 * @errors ProviderSignInFailure
 * @assumed No agent is created. An agent has one subject of an issuer; another person who later gets the agent's address is refused.
 */
export async function matchAgent(
  tx: Db,
  { account_id, account }: Pick<ProviderRow, "account_id" | "account">,
  { issuer, subject, verifiedEmail, now }: ConfirmedIdentity & { readonly now: Date },
): Promise<{ readonly agent: CredentialsRow; readonly isNewlyLinked: boolean }> {
  const store = providerStore(tx);
  const credentials = credentialStore(tx);
  const linked = await store.agentOf(account_id, issuer, subject);
  if (linked) return { agent: active(await credentials.byAgent(linked), "the agent is unknown"), isNewlyLinked: false };

  if (verifiedEmail === undefined)
    return failWithoutAgent("the identity is linked with no agent, and the provider states no verified e-mail address");
  const found = await credentials.byEmail(account, verifiedEmail);
  const agent = active(
    found && isSameAddress(found.email, verifiedEmail) ? found : undefined,
    "the identity is linked with no agent, and no agent has its verified e-mail address",
  );
  await store.link(agent, { issuer, subject, now });
  // Read again: an earlier link of the agent, or of the subject by a concurrent sign-in, stays as it is.
  const stored = await store.agentOf(account_id, issuer, subject);
  if (stored?.agent_id !== agent.agent_id)
    return failWithoutAgent("the agent is linked with another identity of the provider");
  return { agent, isNewlyLinked: true };
}
