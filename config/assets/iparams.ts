import { account, type Account } from "../../server/account.ts";
import { textOfProblems } from "../../server/lines.ts";
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

export async function checkTopics(topics: string): Promise<string | undefined> {
  if (!topics.trim()) return undefined;
  const channels = await asked((account) => account.channels());
  return channels && textOfProblems(unknownTopics(topics, channels));
}

export async function checkMenu(menu: string): Promise<string | undefined> {
  const { choices, problems } = parseMenu(menu);
  if (choices.length === 0) return textOfProblems(problems);
  const groups = await asked((account) => account.groups());
  const unknown = groups
    ? unknownGroups(
        choices,
        groups.map(({ name }) => name),
      )
    : [];
  return textOfProblems([...problems, ...unknown].sort((one, other) => one.line - other.line));
}
