import { account, type Account } from "../../server/account.ts";
import { textOfProblems, type LineProblem } from "../../server/lines.ts";
import { parseMenu, unknownGroups } from "../../server/menu.ts";
import { previewOf } from "../../server/preview.ts";
import { textOf } from "../../server/settings.ts";
import { unknownTopics } from "../../server/topics.ts";

const BOT_NAME_CHARACTERS = 60;

/** -> undefined while domain and key don't yet open the account: the key has its own check, so only the form is looked at */
async function asked<T>(what: (account: Account) => Promise<T>): Promise<T | undefined> {
  if (!textOf(utils.get("domain"))) return undefined;
  try {
    const { request } = await app.initialized();
    return await what(account(request));
  } catch {
    return undefined;
  }
}

const showPreview = (welcome: string, botName: string): string | undefined => {
  const { hint, problem } = previewOf(welcome, botName);
  utils.set("welcome", { hint });
  return problem;
};

export function onFormLoad(): void {
  showPreview(textOf(utils.get("welcome")), textOf(utils.get("bot_name")));
}

export const checkWelcome = (welcome: string): string | undefined =>
  showPreview(welcome, textOf(utils.get("bot_name")));

export function checkBotName(botName: string): string | undefined {
  if (!botName.trim()) return "The bot needs a name: customers see who is writing.";
  if (botName.length > BOT_NAME_CHARACTERS) return `A name has at most ${BOT_NAME_CHARACTERS} characters.`;
  showPreview(textOf(utils.get("welcome")), botName);
  return undefined;
}

/** A promise that resolves has passed, whatever it resolves to: a problem is what it rejects with. @spec App installation parameters (iparams) */
const passIfNone = (problems: readonly LineProblem[]): void => {
  const text = textOfProblems(problems);
  if (text) throw new Error(text);
};

export async function checkTopics(topics: string): Promise<void> {
  if (!topics.trim()) return;
  const channels = await asked((account) => account.channels());
  passIfNone(channels ? unknownTopics(topics, channels) : []);
}

export async function checkMenu(menu: string): Promise<void> {
  const { choices, problems } = parseMenu(menu);
  const groups = choices.length > 0 ? await asked((account) => account.groups()) : undefined;
  const names = groups?.map(({ name }) => name);
  const unknown = names ? unknownGroups(choices, names) : [];
  passIfNone([...problems, ...unknown].sort((one, other) => one.line - other.line));
}
