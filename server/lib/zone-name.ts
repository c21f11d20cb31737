/** Area/Location, or UTC: short names such as EST know no summer time, and forms such as +02:00 are unknown to some runtimes. */
const FORM = /^(?:UTC|[a-z][\w+-]*(?:\/[\w+-]+)+)$/i;

const isZone = (name: string): boolean => {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return FORM.test(name);
  } catch {
    return false;
  }
};

const MOST_SUGGESTIONS = 3;
/** Letters that may be wrong in a name that was meant. */
const MOST_SLIPS = 2;

const lettersOf = (name: string): string => name.toLowerCase().replace(/[^a-z]/g, "");
const cityOf = (name: string): string => lettersOf(name.split("/").at(-1) ?? "");

/** How many letters must be put in, taken out or changed. */
const distance = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let above = 0; above < one.length; above++) {
    const next = [above + 1];
    for (let left = 0; left < other.length; left++) {
      const changed = (row[left] ?? 0) + (one[above] === other[left] ? 0 : 1);
      next.push(Math.min(changed, (row[left + 1] ?? 0) + 1, (next[left] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
};

/** -> names that may have been meant: by their city, in part or with a slip, the nearest first */
const near = (name: string): string[] => {
  const wanted = cityOf(name);
  return Intl.supportedValuesOf("timeZone")
    .map((zone) => ({ zone, far: cityOf(zone).startsWith(wanted) ? 0 : distance(cityOf(zone), wanted) }))
    .filter(({ far }) => wanted.length > MOST_SLIPS && far <= MOST_SLIPS)
    .sort((one, other) => one.far - other.far)
    .slice(0, MOST_SUGGESTIONS)
    .map(({ zone }) => zone);
};

/** -> what is wrong with the name of a time zone, undefined when nothing is */
export function zoneProblem(name: string): string | undefined {
  if (isZone(name)) return undefined;
  const meant = near(name);
  return meant.length > 0
    ? `there is no time zone "${name}". Is it ${meant.join(" or ")}?`
    : `there is no time zone "${name}": write Area/Location, such as Europe/Berlin.`;
}
