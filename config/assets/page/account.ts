import type { RequestFailure } from "@parley/framework/sdk";
import { createAccountClient, type AccountClient } from "../../../server/lib/account-client.ts";
import type { AccountNames } from "../../../server/lib/rule-check.ts";
import { settingText } from "../../../server/lib/settings.ts";

/** Lifetime of cached names: many fields need the same names at once, and an account has few calls a minute. @units milliseconds */
const CACHE_TTL_MS = 10_000;

const NOT_MATCHING_MESSAGE = "Domain or API key is not matching";

/** Domain and key of the form. The page never receives a stored key: the host adds it to requests to the domain for which it was stored. */
const enteredCredentials = () => ({ domain: settingText(utils.get("domain")), key: settingText(utils.get("api_key")) });

/** Whether a key was entered, or is stored for this domain. */
const hasCredentials = async (): Promise<boolean> => {
  const { domain, key } = enteredCredentials();
  if (domain === "" || key !== "") return domain !== "";
  const stored = await (await app.initialized()).iparams.get();
  return settingText(stored["domain"]) === domain;
};

/** @errors those of the account's calls */
const withAccount = async <T>(query: (account: AccountClient) => Promise<T>): Promise<T> =>
  query(createAccountClient((await app.initialized()).request));

const ACCOUNT_QUERIES = {
  groups: (account) => account.groups(),
  topics: (account) => account.channels(),
  agents: (account) => account.agents(),
  fields: (account) => account.fields(),
} as const satisfies {
  readonly [Kind in keyof AccountNames]-?: (account: AccountClient) => Promise<NonNullable<AccountNames[Kind]>>;
};

type AccountObjects = Awaited<ReturnType<(typeof ACCOUNT_QUERIES)[keyof AccountNames]>> | undefined;
const cache = new Map<string, { readonly since: number; readonly objects: Promise<AccountObjects> }>();

/** Returns all objects of one kind. -> undefined while domain and key are invalid, which is reported at their fields */
async function objectsOf(kind: keyof AccountNames): Promise<AccountObjects> {
  if (!(await hasCredentials())) return undefined;
  const cacheKey = JSON.stringify([kind, enteredCredentials()]);
  const cached = cache.get(cacheKey);
  if (cached && performance.now() - cached.since < CACHE_TTL_MS) return cached.objects;
  const objects = withAccount<AccountObjects>(ACCOUNT_QUERIES[kind]).catch(() => undefined);
  cache.set(cacheKey, { since: performance.now(), objects });
  return objects;
}

/** Returns the account's names of these kinds, if the account can be read. */
export const accountNamesOf = async (kinds: readonly (keyof AccountNames)[]): Promise<AccountNames> =>
  Object.fromEntries(await Promise.all(kinds.map(async (kind) => [kind, await objectsOf(kind)] as const)));

/** -> undefined if the account can't be read */
export async function hasConversation(id: string): Promise<boolean | undefined> {
  if (!(await hasCredentials())) return undefined;
  return withAccount((account) => account.conversation(id)).then(
    ({ ok }) => ok,
    () => undefined,
  );
}

/** -> the problem with domain and key; undefined if they are valid or incomplete */
export async function accountProblem(): Promise<string | undefined> {
  if (!(await hasCredentials())) return undefined;
  const { request } = await app.initialized();
  try {
    await request.invokeTemplate("listGroups", { context: { page: 1 } });
    return undefined;
  } catch (error) {
    const { status = 0 } = (error ?? {}) as Partial<RequestFailure>;
    if (status === 403) return `${NOT_MATCHING_MESSAGE}, or the key may not read the groups of the account.`;
    if (status === 401 || status === 404) return NOT_MATCHING_MESSAGE;
    if (status === 429) return "The account has no calls left in this hour. Try again later.";
    return "The account can't be reached. Look at its name, or try again in a moment.";
  }
}
