import {
  SETTING_CHECKS,
  settingProblemsAt,
  problemMessage,
  type SettingCheck,
  type CheckedSetting,
} from "../../server/lib/setting-checks.ts";
import { byLine } from "../../server/lib/setting-lines.ts";
import { settingText, visibleSettingsOf } from "../../server/lib/settings.ts";
import { hasConversation, accountNamesOf, accountProblem } from "./page/account.ts";
import { zoneProblem } from "../../server/lib/time-zone.ts";
import {
  applyLimits,
  refreshForm,
  rememberRejected,
  currentSettings,
  loadLists,
  showChosenTopics,
} from "./page/form.ts";

/** Functions of the installation page, by the names in config/iparams.json: onFormLoad when the form has loaded, the others with the typed value. */

/** A promise that resolves passes the check, with any value; a problem is reported by rejecting. @spec App installation parameters (iparams) */
const rejectWith = (message: string | undefined): void => {
  if (message !== undefined) throw new Error(message);
};

/** The present day in the configured time zone, by the clock of the admin's browser. */
const today = (): string => {
  const timeZone = zoneProblem(currentSettings().timeZone) === undefined ? currentSettings().timeZone : "UTC";
  return new Intl.DateTimeFormat("en-CA", { timeZone, dateStyle: "short" }).format();
};

const isPast = (day: string): boolean => day !== "" && day < today();

export async function onFormLoad(): Promise<void> {
  applyLimits();
  refreshForm();
  // A closure that has ended would be an error when the form is saved.
  if (isPast(settingText(utils.get("closed_until")))) utils.set("closed_until", { value: "" });
  showChosenTopics();
  await loadLists();
}

/** The domain and key that were checked together: an error of both is reported once, at the field that was changed last. */
let lastChecked = { domain: "", key: "" };

export async function checkAccount(domain: string): Promise<void> {
  const key = settingText(utils.get("api_key"));
  const isReportedAtKey = key !== "" && (key !== lastChecked.key || domain === lastChecked.domain);
  if (isReportedAtKey) return;
  rejectWith(await accountProblem());
  await loadLists();
}

export async function checkKey(key: string): Promise<void> {
  lastChecked = { domain: settingText(utils.get("domain")), key };
  rejectWith(await accountProblem());
  await loadLists();
}

const checkAgainstAccount = async (
  key: CheckedSetting,
  value: string,
  { of, unknown }: NonNullable<SettingCheck["names"]>,
) => {
  const names = await accountNamesOf(of(currentSettings()));
  const settings = currentSettings();
  const problems = [...settingProblemsAt(key, settings), ...unknown(settings, names)].sort(byLine);
  rememberRejected(key, value, problemMessage(key, problems));
  rejectWith(problemMessage(key, problems));
};

/** Checks a value by itself, then against the account if it refers to objects of the account. */
const checkOf =
  (key: CheckedSetting) =>
  (value: string): string | undefined | Promise<void> => {
    const settings = currentSettings();
    refreshForm(settings);
    const { names }: SettingCheck = SETTING_CHECKS[key];
    if (names && names.of(settings).length > 0 && value !== "") return checkAgainstAccount(key, value, names);
    const message = problemMessage(key, settingProblemsAt(key, settings));
    rememberRejected(key, value, message);
    return message;
  };

/** Not a check: other fields depend on the value. */
const refreshFields = (): void => refreshForm();

export const checkBotName = (name: string): string | undefined | Promise<void> =>
  name.trim() ? checkOf("bot_name")(name) : "The bot needs a name: customers see who is writing.";
export const showBusiness = refreshFields;
export const checkBusinessPhone = checkOf("business_phone");
export const checkTimeZone = checkOf("time_zone");

export const checkWelcome = checkOf("welcome");
export const checkTopicWelcomes = checkOf("topic_welcomes");
export const checkWelcomeBack = checkOf("welcome_back");
export const checkMenu = checkOf("menu");
export const checkChoiceReply = checkOf("choice_reply");

export const showLeads = refreshFields;
export const checkLeadConsent = checkOf("lead_consent");
export const checkLeadCountry = checkOf("lead_country");

export const checkRules = checkOf("rules");
export const tryRules = refreshFields;

export const showAfterHours = refreshFields;
export const checkHours = checkOf("hours");
export const checkHolidays = checkOf("holidays");
export const checkClosedUntil = (day: string): string | undefined =>
  isPast(day) ? "This day is past. Leave it empty when there is no pause." : undefined;
export const checkAwayMessage = checkOf("away_message");
export const checkOpeningMessage = checkOf("opening_message");

export const showFollowUp = refreshFields;
export const checkNudgeMessage = checkOf("nudge_message");

export const showCsat = refreshFields;
export const checkCsatQuestion = checkOf("csat_question");
export const showEscalation = refreshFields;

export const showSyncIn = refreshFields;
export const checkOutboundEvents = checkOf("outbound_events");
export const checkOutboundFrom = checkOf("outbound_from");

export const showSyncOut = refreshFields;
export const checkSyncUrl = checkOf("sync_url");
export const checkSyncBody = checkOf("sync_body");

export const showDigest = refreshFields;
export const showDigestTarget = checkOf("digest_to");
export async function checkDigestConversation(id: string): Promise<void> {
  const settings = currentSettings();
  const message = problemMessage("digest_conversation", settingProblemsAt("digest_conversation", settings));
  const needsLookup = message === undefined && id !== "" && visibleSettingsOf(settings).digest_conversation;
  const exists = needsLookup ? await hasConversation(id) : undefined;
  rejectWith(exists === false ? "The account has no such conversation." : message);
}
export const checkReplyTemplates = checkOf("reply_templates");
