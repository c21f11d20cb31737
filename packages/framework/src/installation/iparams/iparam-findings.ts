import type { FindingWithPath, JsonEdit, JsonPath } from "../../package/model/finding.ts";
import { createFinding, type RuleCode } from "../../package/model/rules.ts";

const FILE = "config/iparams.json";

/** Creates a finding on a parameter, or on one of its attributes. */
export const iparamFinding = <Code extends RuleCode>(
  code: Code,
  parts: Parameters<typeof createFinding<Code>>[2],
  at: JsonPath,
  help?: string,
  fix: readonly JsonEdit[] = [],
): FindingWithPath =>
  createFinding(code, FILE, parts, { at, ...(help !== undefined && { help }), ...(fix.length > 0 && { fix }) });

/** Edit distance: the number of letters that differ between two names. */
const editsBetween = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [at, letter] of [...one].entries()) {
    const next = [at + 1];
    for (let place = 1; place <= other.length; place += 1) {
      const changed = (row[place - 1] ?? 0) + (letter === other[place - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[place] ?? 0) + 1, (next[place - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
};

const EDIT_DISTANCE_MAX = 2;
/** Maximum length of a name that is compared. @units characters */
const NAME_LENGTH_MAX = 40;

/** The known name that is most similar to a misspelt one. */
export const similarNames = (name: string, names: readonly string[]): string | undefined => {
  if (name.length > NAME_LENGTH_MAX) return undefined;
  const close = names
    .map((one) => ({ one, edits: editsBetween(name.toLowerCase(), one) }))
    .filter(({ one, edits }) => edits <= Math.min(EDIT_DISTANCE_MAX, Math.floor(one.length / 3)))
    .sort((one, other) => one.edits - other.edits);
  return close[0]?.one;
};
