/** Edit distance: the number of letters that differ between two names. Two letters in exchanged order count as one edit. */
const editsBetween = (one: string, other: string): number => {
  let [previous, row] = [[] as number[], Array.from({ length: other.length + 1 }, (_, index) => index)];
  for (let at = 1; at <= one.length; at += 1) {
    const next = [at];
    for (let place = 1; place <= other.length; place += 1) {
      const isSame = one[at - 1] === other[place - 1];
      const isExchanged = one[at - 1] === other[place - 2] && one[at - 2] === other[place - 1];
      const changed = (row[place - 1] ?? 0) + (isSame ? 0 : 1);
      const exchanged = isExchanged ? (previous[place - 2] ?? 0) + 1 : Infinity;
      next.push(Math.min(changed, exchanged, (row[place] ?? 0) + 1, (next[place - 1] ?? 0) + 1));
    }
    [previous, row] = [row, next];
  }
  return row.at(-1) ?? 0;
};

const EDIT_DISTANCE_MAX = 2;
/** Maximum length of a name that is compared. @units characters */
const NAME_LENGTH_MAX = 40;

/** The known name that a misspelt name means: the most similar name, if it is similar and no other is as similar. Case is ignored. */
export const similarName = (name: string, names: readonly string[]): string | undefined => {
  if (name.length > NAME_LENGTH_MAX) return undefined;
  const [closest, next] = names
    .map((one) => ({ one, edits: editsBetween(name.toLowerCase(), one.toLowerCase()) }))
    .filter(({ one, edits }) => edits <= Math.min(EDIT_DISTANCE_MAX, Math.floor(one.length / 3)))
    .sort((one, other) => one.edits - other.edits);
  return closest && (next === undefined || next.edits > closest.edits) ? closest.one : undefined;
};

/** The only name that differs at most in case. */
export const sameNameInOtherCase = (name: string, names: readonly string[]): string | undefined => {
  const same = names.filter((one) => one.toLowerCase() === name.toLowerCase());
  return same.length === 1 ? same[0] : undefined;
};

/** Misspelt members of an object, each with a known name that is not used yet and that no other member means. */
export const misspeltMembers = (
  members: readonly string[],
  known: readonly string[],
): readonly { readonly name: string; readonly meant: string }[] => {
  const free = known.filter((one) => !members.includes(one));
  const meant = members
    .filter((name) => !known.includes(name))
    .flatMap((name) => {
      // Compared with all names, so that a name in use is not taken for the next similar name.
      const one = similarName(name, known);
      return one !== undefined && free.includes(one) ? [{ name, meant: one }] : [];
    });
  return meant.filter((one) => meant.every((other) => other === one || other.meant !== one.meant));
};
