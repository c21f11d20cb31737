import { account, type Account } from "../../server/lib/account.ts";
import { textOfProblems, type LineProblem } from "../../server/lib/lines.ts";
import { parseMenu, unknownGroups } from "../../server/lib/menu.ts";
import { previewOf } from "../../server/lib/preview.ts";
import { textOf } from "../../server/lib/settings.ts";

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

export async function checkMenu(menu: string): Promise<void> {
  const { choices, problems } = parseMenu(menu);
  const groups = choices.length > 0 ? await asked((account) => account.groups()) : undefined;
  const names = groups?.map(({ name }) => name);
  const unknown = names ? unknownGroups(choices, names) : [];
  passIfNone([...problems, ...unknown].sort((one, other) => one.line - other.line));
}

export const checkAccount = (): undefined => undefined;
export const checkKey = (): undefined => undefined;
export const checkBusinessPhone = (): undefined => undefined;
export const checkTimeZone = (): undefined => undefined;
export const checkTopicWelcomes = (): undefined => undefined;
export const checkWelcomeBack = (): undefined => undefined;
export const checkChoiceReply = (): undefined => undefined;
export const showLeads = (): undefined => undefined;
export const checkLeadConsent = (): undefined => undefined;
export const checkLeadCountry = (): undefined => undefined;
export const checkRules = (): undefined => undefined;
export const tryRules = (): undefined => undefined;
export const showAfterHours = (): undefined => undefined;
export const checkHours = (): undefined => undefined;
export const checkHolidays = (): undefined => undefined;
export const checkClosedUntil = (): undefined => undefined;
export const checkAwayMessage = (): undefined => undefined;
export const checkOpeningMessage = (): undefined => undefined;
export const showFollowUp = (): undefined => undefined;
export const checkNudgeHours = (): undefined => undefined;
export const checkNudgeMessage = (): undefined => undefined;
export const checkResolveHours = (): undefined => undefined;
export const showCsat = (): undefined => undefined;
export const checkCsatQuestion = (): undefined => undefined;
export const showEscalation = (): undefined => undefined;
export const showSyncIn = (): undefined => undefined;
export const checkOutboundEvents = (): undefined => undefined;
export const checkOutboundFrom = (): undefined => undefined;
export const showSyncOut = (): undefined => undefined;
export const checkSyncUrl = (): undefined => undefined;
export const checkSyncBody = (): undefined => undefined;
export const showDigest = (): undefined => undefined;
export const showDigestTarget = (): undefined => undefined;
export const checkDigestConversation = (): undefined => undefined;
export const checkReplyTemplates = (): undefined => undefined;
export const checkReserve = (): undefined => undefined;
