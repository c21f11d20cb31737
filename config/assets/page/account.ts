import type { RequestFailure } from "@parley/framework/sdk";
import { createAccountClient, type AccountClient } from "../../../server/lib/account-client.ts";
import type { AccountNames } from "../../../server/lib/rule-check.ts";
import { settingText } from "../../../server/lib/settings.ts";

/** How long names are taken as known: many fields ask for the same at once, and an account has few calls a minute. @units milliseconds */
const FRESH = 10_000;

const NOT_MATCHING = "Domain or API key is not matching";

/** Domain and key, as they stand in the form. A stored key never comes here: it goes along with requests to the domain that it was stored for. */
const typed = () => ({ domain: settingText(utils.get("domain")), key: settingText(utils.get("api_key")) });

/** Whether there is a key to ask with. */
const canAsk = async (): Promise<boolean> => {
  const { domain, key } = typed();
  if (domain === "" || key !== "") return domain !== "";
  const stored = await (await app.initialized()).iparams.get();
  return settingText(stored["domain"]) === domain;
};

/** @errors what the account's calls throw */
const ask = async <T>(what: (account: AccountClient) => Promise<T>): Promise<T> =>
  what(createAccountClient((await app.initialized()).request));

const ACCOUNT_QUERIES = {
  groups: (account) => account.groups(),
  topics: (account) => account.channels(),
  agents: (account) => account.agents(),
  fields: (account) => account.fields(),
} as const satisfies {
  readonly [Kind in keyof AccountNames]-?: (account: AccountClient) => Promise<NonNullable<AccountNames[Kind]>>;
};

type All = Awaited<ReturnType<(typeof ACCOUNT_QUERIES)[keyof AccountNames]>> | undefined;
const known = new Map<string, { readonly since: number; readonly all: Promise<All> }>();

/** All of one kind. -> undefined while domain and key don't open the account: that is said at their fields */
async function allOf(kind: keyof AccountNames): Promise<All> {
  if (!(await canAsk())) return undefined;
  const which = JSON.stringify([kind, typed()]);
  const found = known.get(which);
  if (found && performance.now() - found.since < FRESH) return found.all;
  const all = ask<All>(ACCOUNT_QUERIES[kind]).catch(() => undefined);
  known.set(which, { since: performance.now(), all });
  return all;
}

/** What the account has of these kinds, as far as it can be asked. */
export const knownOf = async (kinds: readonly (keyof AccountNames)[]): Promise<AccountNames> =>
  Object.fromEntries(await Promise.all(kinds.map(async (kind) => [kind, await allOf(kind)] as const)));

/** -> undefined where the account can't be asked */
export async function hasConversation(id: string): Promise<boolean | undefined> {
  if (!(await canAsk())) return undefined;
  return ask((account) => account.conversation(id)).then(
    ({ ok }) => ok,
    () => undefined,
  );
}

/** -> why domain and key don't open the account, undefined when they do, or while one of them is missing */
export async function troubleWithAccount(): Promise<string | undefined> {
  if (!(await canAsk())) return undefined;
  const { request } = await app.initialized();
  try {
    await request.invokeTemplate("listGroups", { context: { page: 1 } });
    return undefined;
  } catch (error) {
    const { status = 0 } = (error ?? {}) as Partial<RequestFailure>;
    if (status === 403) return `${NOT_MATCHING}, or the key may not read the groups of the account.`;
    if (status === 401 || status === 404) return NOT_MATCHING;
    if (status === 429) return "The account has no calls left in this hour. Try again later.";
    return "The account can't be reached. Look at its name, or try again in a moment.";
  }
}
