import { alike, among } from "../../../server/lib/setting-lines.ts";
import { listOf, NO_GROUP, settingText } from "../../../server/lib/settings.ts";
import { knownOf } from "./account.ts";

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
  const has = (name: string, names: readonly string[]) => names.some((one) => alike(one) === alike(name));
  const gone = wanted.filter((name) => !has(name, topics));
  utils.set("topics", {
    values: [...topics],
    value: topics.filter((name) => has(name, wanted)),
    hint: gone.length > 0 ? `Not there any more: ${among(gone)}.\n${TOPICS_HINT}` : TOPICS_HINT,
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
