import {
  SETTING_CHECKS,
  settingProblemsAt,
  problemMessage,
  type SettingCheck,
  type CheckedSetting,
} from "../../server/lib/setting-checks.ts";
import { byLine } from "../../server/lib/setting-lines.ts";
import { settingText, visibleSettingsOf } from "../../server/lib/settings.ts";
import { hasConversation, knownOf, troubleWithAccount } from "./page/account.ts";
import { zoneProblem } from "../../server/lib/time-zone.ts";
import { limit, refresh, remember, settingsNow, fillLists, showChosen } from "./page/form.ts";

/** Functions of the installation page, by the names in config/iparams.json: onFormLoad when the form has loaded, the others with the typed value. */

/** A promise that resolves passes the check, with any value; a problem is reported by rejecting. @spec App installation parameters (iparams) */
const refuse = (sentence: string | undefined): void => {
  if (sentence !== undefined) throw new Error(sentence);
};

/** The present day in the configured time zone, by the clock of the admin's browser. */
const today = (): string => {
  const timeZone = zoneProblem(settingsNow().timeZone) === undefined ? settingsNow().timeZone : "UTC";
  return new Intl.DateTimeFormat("en-CA", { timeZone, dateStyle: "short" }).format();
};

const isPast = (day: string): boolean => day !== "" && day < today();

export async function onFormLoad(): Promise<void> {
  limit();
  refresh();
  // A closure that has ended would be an error when the form is saved.
  if (isPast(settingText(utils.get("closed_until")))) utils.set("closed_until", { value: "" });
  showChosen();
  await fillLists();
}

/** The domain and key that were checked together: an error of both is reported once, at the field that was changed last. */
let seen = { domain: "", key: "" };

export async function checkAccount(domain: string): Promise<void> {
  const key = settingText(utils.get("api_key"));
  const isKeysWord = key !== "" && (key !== seen.key || domain === seen.domain);
  if (isKeysWord) return;
  refuse(await troubleWithAccount());
  await fillLists();
}

export async function checkKey(key: string): Promise<void> {
  seen = { domain: settingText(utils.get("domain")), key };
  refuse(await troubleWithAccount());
  await fillLists();
}

const againstAccount = async (
  key: CheckedSetting,
  value: string,
  { of, unknown }: NonNullable<SettingCheck["names"]>,
) => {
  const known = await knownOf(of(settingsNow()));
  const settings = settingsNow();
  const problems = [...settingProblemsAt(key, settings), ...unknown(settings, known)].sort(byLine);
  remember(key, value, problemMessage(key, problems));
  refuse(problemMessage(key, problems));
};

/** Checks a value by itself, then against the account if it refers to objects of the account. */
const checkOf =
  (key: CheckedSetting) =>
  (value: string): string | undefined | Promise<void> => {
    const settings = settingsNow();
    refresh(settings);
    const { names }: SettingCheck = SETTING_CHECKS[key];
    if (names && names.of(settings).length > 0 && value !== "") return againstAccount(key, value, names);
    const sentence = problemMessage(key, settingProblemsAt(key, settings));
    remember(key, value, sentence);
    return sentence;
  };

/** Not a check: other fields depend on the value. */
const show = (): void => refresh();

export const checkBotName = (name: string): string | undefined | Promise<void> =>
  name.trim() ? checkOf("bot_name")(name) : "The bot needs a name: customers see who is writing.";
export const showBusiness = show;
export const checkBusinessPhone = checkOf("business_phone");
export const checkTimeZone = checkOf("time_zone");

export const checkWelcome = checkOf("welcome");
export const checkTopicWelcomes = checkOf("topic_welcomes");
export const checkWelcomeBack = checkOf("welcome_back");
export const checkMenu = checkOf("menu");
export const checkChoiceReply = checkOf("choice_reply");

export const showLeads = show;
export const checkLeadConsent = checkOf("lead_consent");
export const checkLeadCountry = checkOf("lead_country");

export const checkRules = checkOf("rules");
export const tryRules = show;

export const showAfterHours = show;
export const checkHours = checkOf("hours");
export const checkHolidays = checkOf("holidays");
export const checkClosedUntil = (day: string): string | undefined =>
  isPast(day) ? "This day is past. Leave it empty when there is no pause." : undefined;
export const checkAwayMessage = checkOf("away_message");
export const checkOpeningMessage = checkOf("opening_message");

export const showFollowUp = show;
export const checkNudgeMessage = checkOf("nudge_message");

export const showCsat = show;
export const checkCsatQuestion = checkOf("csat_question");
export const showEscalation = show;

export const showSyncIn = show;
export const checkOutboundEvents = checkOf("outbound_events");
export const checkOutboundFrom = checkOf("outbound_from");

export const showSyncOut = show;
export const checkSyncUrl = checkOf("sync_url");
export const checkSyncBody = checkOf("sync_body");

export const showDigest = show;
export const showDigestTarget = checkOf("digest_to");
export async function checkDigestConversation(id: string): Promise<void> {
  const settings = settingsNow();
  const sentence = problemMessage("digest_conversation", settingProblemsAt("digest_conversation", settings));
  const isAsked = sentence === undefined && id !== "" && visibleSettingsOf(settings).digest_conversation;
  const isThere = isAsked ? await hasConversation(id) : undefined;
  refuse(isThere === false ? "The account has no such conversation." : sentence);
}
export const checkReplyTemplates = checkOf("reply_templates");
