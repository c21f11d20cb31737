import { ADMIN_VALUES } from "../contract-values.ts";
import { parsedAddress } from "../parsed-address.ts";
import { messengerMessages as texts } from "./messages.ts";

const { messengerLimits: limits, accountPatterns } = ADMIN_VALUES;
const ORIGIN = new RegExp(accountPatterns.messenger_origin);
const ALIAS = new RegExp(accountPatterns.messenger_alias);

/** -> the entries of a text with an entry in each line, each once */
export const entriesOf = (text: string): string[] => [
  ...new Set(
    text
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== ""),
  ),
];

export const textOf = (entries: readonly string[] = []): string => entries.join("\n");

/** -> the origin of an address that has more than an origin, such as a path or capital letters */
const originIn = (address: string): string | undefined => {
  const origin = parsedAddress(address)?.origin;
  return origin !== undefined && ORIGIN.test(origin) ? origin : undefined;
};

const originProblem = (entry: string): string | undefined => {
  if (entry.length > limits.origin_characters) return texts.tooLong(limits.origin_characters);
  if (ORIGIN.test(entry)) return undefined;
  const origin = originIn(entry);
  return origin === undefined ? texts.noOrigin(entry) : texts.onlyOrigin(entry, origin);
};

const aliasProblem = (entry: string): string | undefined => {
  if (entry.length > limits.alias_characters) return texts.tooLong(limits.alias_characters);
  return ALIAS.test(entry) ? undefined : texts.noAlias(entry);
};

const listProblem = (
  text: string,
  max: number,
  problemOf: (entry: string) => string | undefined,
): string | undefined => {
  const entries = entriesOf(text);
  if (entries.length > max) return texts.tooMany(max);
  return entries.map(problemOf).find((problem) => problem !== undefined);
};

/** -> why the service would refuse the origins */
export const originsProblem = (text: string): string | undefined => listProblem(text, limits.origins, originProblem);

/** -> why the service would refuse the aliases; only the service knows those of other accounts */
export const aliasesProblem = (text: string): string | undefined => listProblem(text, limits.aliases, aliasProblem);

/** The path of a script that names the account by numbers. */
const NUMBERS = /^\d+\/\d+$/;

/** -> the aliases that are the path of a script */
export const scriptAliases = (aliases: readonly string[]): string[] => aliases.filter((alias) => NUMBERS.test(alias));

/** The address that pages name as the host of the messenger. */
interface Host {
  readonly origin: string;
  readonly account: string;
}

/** -> what a page contains to show the messenger */
export const snippetOf = ({ origin, account }: Host): string =>
  `<script src="${origin}${ADMIN_VALUES.messengerScript}?account=${account}" chat="true" async></script>`;

/** -> the script of a page that names the account by an alias of numbers */
export const numberedSnippetOf = ({ origin }: Pick<Host, "origin">, alias: string): string =>
  `<script src="${origin}/${alias}.js" chat="true" async></script>`;
