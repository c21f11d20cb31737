import type { IparamAttributes, IparamValues } from "@parley/framework/sdk";
import { SETTING_CHECKS, SETTING_LIMITS, type SettingCheck } from "../../../server/lib/setting-checks.ts";
import {
  settingsOf,
  settingText,
  type Settings,
  REQUIRED_WHEN_VISIBLE,
  visibleSettingsOf,
  type ConditionalSetting,
  listOf,
  NO_GROUP,
} from "../../../server/lib/settings.ts";
import { HINTS, settingHintOf, dryRunHint } from "./hints.ts";
import { normalizeName, listNames } from "../../../server/lib/setting-lines.ts";
import { accountNamesOf } from "./account.ts";

/** The settings of the form at present. Each parameter is read when it is accessed. */
export const currentSettings = (): Settings =>
  settingsOf(new Proxy<IparamValues>({}, { get: (_none, key) => utils.get(String(key)) }));

/** The attributes that were set last: unchanged attributes are not set again. */
const lastAttributes = new Map<string, string>();
const setAttributes = (key: string, attributes: IparamAttributes): boolean => {
  const text = JSON.stringify(attributes);
  const attributesKey = `${key} ${Object.keys(attributes).join(" ")}`;
  if (lastAttributes.get(attributesKey) === text) return false;
  lastAttributes.set(attributesKey, text);
  utils.set(key, attributes);
  return true;
};

/** Texts that a check has rejected. The page may have removed them, and blocks saving until their fields are valid. */
const rejectedTexts = new Map<string, string>();
export const rememberRejected = (key: string, value: string, message: string | undefined): void =>
  void (message === undefined ? rejectedTexts.delete(key) : rejectedTexts.set(key, value));

const hasKey = <T extends object>(key: PropertyKey, table: T): key is keyof T => Object.hasOwn(table, key);

/** Whether the page would reject the value of a field that is hidden now. */
const wouldBlockSaving = (key: ConditionalSetting, settings: Settings): boolean => {
  const text = settingText(utils.get(key)).trim();
  if (text === "") return false;
  if (hasKey(key, SETTING_LIMITS)) {
    const [min, max] = SETTING_LIMITS[key];
    return !(Number.isInteger(Number(text)) && Number(text) >= min && Number(text) <= max);
  }
  if (!hasKey(key, SETTING_CHECKS)) return false;
  const check: SettingCheck = SETTING_CHECKS[key];
  return !check.isLines && check.problems(settings).length > 0;
};

/** A hidden field must not block saving. */
const clearHiddenField = (key: ConditionalSetting, settings: Settings): void => {
  const text = rejectedTexts.get(key);
  rejectedTexts.delete(key);
  if (wouldBlockSaving(key, settings)) utils.set(key, { value: "" });
  else if (text !== undefined) utils.set(key, { value: text });
};

/** Updates the visibility, the required fields and the hints of the form by its values. */
export function refreshForm(settings = currentSettings()): void {
  for (const [key, isVisible] of Object.entries(visibleSettingsOf(settings)) as [ConditionalSetting, boolean][]) {
    if (
      setAttributes(key, { visible: isVisible, required: isVisible && REQUIRED_WHEN_VISIBLE.includes(key) }) &&
      !isVisible
    )
      clearHiddenField(key, settings);
  }
  for (const key of Object.keys(HINTS) as (keyof typeof HINTS)[])
    setAttributes(key, { hint: settingHintOf(key, settings) });
  setAttributes("try_message", { hint: dryRunHint(settingText(utils.get("try_message")), settings) });
}

export function applyLimits(): void {
  for (const [key, [min, max]] of Object.entries(SETTING_LIMITS)) setAttributes(key, { min, max });
}

const GROUP_LISTS = ["queue_group", "escalation_group"];
export const TOPICS_HINT =
  "Where the bot speaks. Choose no topic to have it speak in all topics that everyone can see.";

const fillGroups = (groups: readonly string[]): void => {
  const values = [NO_GROUP, ...groups.filter((name) => name !== NO_GROUP)];
  for (const key of GROUP_LISTS) {
    const chosen = settingText(utils.get(key));
    utils.set(key, { values, value: values.includes(chosen) ? chosen : NO_GROUP });
  }
};

const fillTopics = (topics: readonly string[]): void => {
  const chosen = listOf(utils.get("topics"));
  const includesName = (name: string, names: readonly string[]) =>
    names.some((one) => normalizeName(one) === normalizeName(name));
  const missing = chosen.filter((name) => !includesName(name, topics));
  utils.set("topics", {
    values: [...topics],
    value: topics.filter((name) => includesName(name, chosen)),
    hint: missing.length > 0 ? `Not there any more: ${listNames(missing)}.\n${TOPICS_HINT}` : TOPICS_HINT,
  });
};

/** Shows the chosen topics before the account is read. Version 0.1.0 stored topics as lines of one text. */
export const showChosenTopics = (): void => {
  const chosen = [...listOf(utils.get("topics"))];
  if (chosen.length > 0) utils.set("topics", { values: chosen, value: chosen });
};

/** Fills the lists with the account's groups and topics. Chosen entries that still exist stay chosen. */
export async function loadLists(): Promise<void> {
  const domain = utils.get("domain");
  const { groups, topics } = await accountNamesOf(["groups", "topics"]);
  if (utils.get("domain") !== domain) return;
  if (groups) fillGroups(groups.map(({ name }) => name));
  if (topics) fillTopics(topics.map(({ name }) => name));
}
