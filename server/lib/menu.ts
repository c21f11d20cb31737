import { normalizeName, listNames, settingLinesOf, type SettingLineProblem } from "./setting-lines.ts";

/** @spec Resources and their fields > Conversation object */
export const PRIORITIES = ["Low", "Medium", "High", "Urgent"] as const;
export type Priority = (typeof PRIORITIES)[number];

/** More choices are hard to survey, and a message holds 50 parts. */
export const MENU_CHOICES_MAX = 20;
const LABEL_CHARACTERS_MAX = 80;

/** One line of the menu: its label and its target. */
export interface MenuChoice {
  readonly line: number;
  readonly label: string;
  /** Name of a group. */
  readonly group: string;
  readonly priority?: Priority;
}

const LINE_FORMAT = 'write "Label => group" or "Label => group => priority".';

export const parsePriority = (word: string): Priority | undefined =>
  PRIORITIES.find((one) => normalizeName(one) === normalizeName(word));

const parseMenuLine = (line: number, text: string): MenuChoice | SettingLineProblem => {
  const [label = "", group = "", word, ...rest] = text.split("=>").map((piece) => piece.trim());
  if (!label || !group || word === "" || rest.length > 0) return { line, message: LINE_FORMAT };
  if (label.length > LABEL_CHARACTERS_MAX)
    return { line, message: `the label has more than ${LABEL_CHARACTERS_MAX} characters.` };
  if (word === undefined) return { line, label, group };
  const priority = parsePriority(word);
  if (!priority) return { line, message: `"${word}" is not a priority: use ${PRIORITIES.join(", ")}.` };
  return { line, label, group, priority };
};

/** Reads the menu. A line that can't be read is a problem and no choice; the other lines take effect. */
export function parseMenu(menu: string): {
  readonly choices: readonly MenuChoice[];
  readonly problems: SettingLineProblem[];
} {
  const choices: MenuChoice[] = [];
  const problems: SettingLineProblem[] = [];
  const taken = new Map<string, number>();
  for (const { line, text } of settingLinesOf(menu)) {
    const choice = parseMenuLine(line, text);
    if ("message" in choice) {
      problems.push(choice);
      continue;
    }
    const first = taken.get(normalizeName(choice.label));
    if (first !== undefined)
      problems.push({ line, message: `"${choice.label}" is the label of line ${first} already.` });
    else if (choices.length === MENU_CHOICES_MAX)
      problems.push({ line, message: `a menu has at most ${MENU_CHOICES_MAX} choices.` });
    else {
      taken.set(normalizeName(choice.label), line);
      choices.push(choice);
    }
  }
  return { choices, problems };
}

/** Choices whose group is not a group of the account. */
export const unknownGroups = (choices: readonly MenuChoice[], groups: readonly string[]): SettingLineProblem[] => {
  const knownGroups = new Set(groups.map(normalizeName));
  return choices
    .filter(({ group }) => !knownGroups.has(normalizeName(group)))
    .map(({ line, group }) => ({ line, message: `the account has no group "${group}". It has ${listNames(groups)}.` }));
};

/** The choice that a customer's text names: a button sends its label, and a customer may type it. */
export const findChoice = (choices: readonly MenuChoice[], text: string): MenuChoice | undefined =>
  choices.find(({ label }) => normalizeName(label) === normalizeName(text));
