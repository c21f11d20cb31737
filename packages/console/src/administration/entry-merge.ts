/** Members of a form by which its values are compared. An absent one has no value. */
export type Members = Readonly<Record<string, unknown>>;

/** Addresses of uploads get another signature with each reply. */
const SIGNED_UPLOAD = /^([^?]*\/objects\/uploads\/[^?]*)\?.*$/;

const comparable = (value: unknown): unknown => {
  if (typeof value === "string") return value.replace(SIGNED_UPLOAD, "$1");
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(
    entries.toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([name, member]) => [name, comparable(member)]),
  );
};

/** -> a text that is the same for values of the same content */
export const comparableText = (value: unknown): string => JSON.stringify(comparable(value)) ?? "";

const isSame = (one: unknown, other: unknown): boolean => comparableText(one) === comparableText(other);

interface Merge {
  /** Changed values of the form; for unchanged values the present values. */
  readonly merged: Members;
  /** Members that the form and somebody else changed, in different ways. The merge has those of the form. */
  readonly conflicts: readonly string[];
}

/**
 * Merges the changes of a form with those that others made since the form was opened.
 * @shape before: the values when the form was opened; entered: the values in the form; present: the stored values
 */
export const mergedMembers = (before: Members, entered: Members, present: Members): Merge => {
  const names = [...new Set([...Object.keys(present), ...Object.keys(entered), ...Object.keys(before)])];
  const isEntered = (name: string): boolean => !isSame(before[name], entered[name]);
  const merged = names.map((name) => [name, (isEntered(name) ? entered : present)[name]] as const);
  return {
    merged: Object.fromEntries(merged.filter(([, value]) => value !== undefined)),
    conflicts: names.filter(
      (name) => isEntered(name) && !isSame(before[name], present[name]) && !isSame(entered[name], present[name]),
    ),
  };
};

/**
 * -> the members of a setting that differ from the present setting, and those that a document needs in any case
 * @shape present: undefined for a new setting
 */
export const changedSetting = <S extends object>(
  present: S | undefined,
  setting: S,
  needed: readonly (keyof S & string)[],
): S => {
  if (present === undefined) return setting;
  const before = { ...present } as Members;
  const isSent = (name: string, value: unknown): boolean =>
    needed.some((each) => each === name) || !isSame(value, before[name]);
  return Object.fromEntries(Object.entries(setting).filter(([name, value]) => isSent(name, value))) as S;
};
