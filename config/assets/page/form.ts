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
import { HINTS, settingHintOf, tryHint } from "./hints.ts";
import { normalizeName, listNames } from "../../../server/lib/setting-lines.ts";
import { knownOf } from "./account.ts";

/** What the form holds at the moment. Each parameter is looked up when it is asked for. */
export const settingsNow = (): Settings =>
  settingsOf(new Proxy<IparamValues>({}, { get: (_none, key) => utils.get(String(key)) }));

/** What was set last: a field is told only what is new. */
const told = new Map<string, string>();
const tell = (key: string, attributes: IparamAttributes): boolean => {
  const text = JSON.stringify(attributes);
  const about = `${key} ${Object.keys(attributes).join(" ")}`;
  if (told.get(about) === text) return false;
  told.set(about, text);
  utils.set(key, attributes);
  return true;
};

/** Texts that a check has refused. The page may have taken them out, and keeps the form from being saved until they are looked at. */
const refused = new Map<string, string>();
export const remember = (key: string, value: string, sentence: string | undefined): void =>
  void (sentence === undefined ? refused.delete(key) : refused.set(key, value));

const isIn = <T extends object>(key: PropertyKey, table: T): key is keyof T => Object.hasOwn(table, key);

/** Whether the page would refuse what nobody sees any more. */
const isUnsound = (key: ConditionalSetting, settings: Settings): boolean => {
  const text = settingText(utils.get(key)).trim();
  if (text === "") return false;
  if (isIn(key, SETTING_LIMITS)) {
    const [least, most] = SETTING_LIMITS[key];
    return !(Number.isInteger(Number(text)) && Number(text) >= least && Number(text) <= most);
  }
  if (!isIn(key, SETTING_CHECKS)) return false;
  const check: SettingCheck = SETTING_CHECKS[key];
  return !check.isLines && check.problems(settings).length > 0;
};

/** What is not shown must not keep the form from being saved. */
const letGo = (key: ConditionalSetting, settings: Settings): void => {
  const text = refused.get(key);
  refused.delete(key);
  if (isUnsound(key, settings)) utils.set(key, { value: "" });
  else if (text !== undefined) utils.set(key, { value: text });
};

/** Brings the form in line with what it holds: which fields are there, which are needed, what their hints say. */
export function refresh(settings = settingsNow()): void {
  for (const [key, visible] of Object.entries(visibleSettingsOf(settings)) as [ConditionalSetting, boolean][]) {
    if (tell(key, { visible, required: visible && REQUIRED_WHEN_VISIBLE.includes(key) }) && !visible)
      letGo(key, settings);
  }
  for (const key of Object.keys(HINTS) as (keyof typeof HINTS)[]) tell(key, { hint: settingHintOf(key, settings) });
  tell("try_message", { hint: tryHint(settingText(utils.get("try_message")), settings) });
}

export function limit(): void {
  for (const [key, [min, max]] of Object.entries(SETTING_LIMITS)) tell(key, { min, max });
}

const GROUP_LISTS = ["queue_group", "escalation_group"];
export const TOPICS_HINT = "Where the bot speaks. Choose none for all topics that everyone can see.";

const fillGroups = (groups: readonly string[]): void => {
  const values = [NO_GROUP, ...groups.filter((name) => name !== NO_GROUP)];
  for (const key of GROUP_LISTS) {
    const chosen = settingText(utils.get(key));
    utils.set(key, { values, value: values.includes(chosen) ? chosen : NO_GROUP });
  }
};

const fillTopics = (topics: readonly string[]): void => {
  const wanted = listOf(utils.get("topics"));
  const has = (name: string, names: readonly string[]) =>
    names.some((one) => normalizeName(one) === normalizeName(name));
  const gone = wanted.filter((name) => !has(name, topics));
  utils.set("topics", {
    values: [...topics],
    value: topics.filter((name) => has(name, wanted)),
    hint: gone.length > 0 ? `Not there any more: ${listNames(gone)}.\n${TOPICS_HINT}` : TOPICS_HINT,
  });
};

/** What is chosen can be shown before the account was asked: version 0.1.0 kept topics as lines of one text. */
export const showChosen = (): void => {
  const chosen = [...listOf(utils.get("topics"))];
  if (chosen.length > 0) utils.set("topics", { values: chosen, value: chosen });
};

/** Offers what the account has. What is chosen and still there stays chosen. */
export async function fillLists(): Promise<void> {
  const domain = utils.get("domain");
  const { groups, topics } = await knownOf(["groups", "topics"]);
  if (utils.get("domain") !== domain) return;
  if (groups) fillGroups(groups.map(({ name }) => name));
  if (topics) fillTopics(topics.map(({ name }) => name));
}
