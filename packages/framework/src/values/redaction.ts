/** Takes secure values out of what an app's process says, before it reaches a log, a record or a page. */
interface Redactor {
  /** What is said from now on must not hold these values. */
  add(values: readonly string[]): void;
  text(text: string): string;
  /** @shape value: of JSON */
  value(value: unknown): unknown;
  /** Whether a value of JSON holds a secure one. */
  isIn(value: unknown): boolean;
}

const MASK = "[secure value]";
/** Shorter ones occur in any text, and are no secrets. @units characters */
const SHORTEST = 4;
/** Of an encoded value: what is left of it must still be its own. @units characters */
const SHORTEST_ENCODED = 6;
/** Deeper values are nobody's, and would end the stack. */
const DEEPEST = 200;
/** What the app's process ends a text with that it has cut. */
const CUT = " …";

/** The middle of a value's base64, as it stands in that of a longer text, by the place where it begins there. */
const encodedAt = (value: string, offset: number): string => {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(value)]);
  const whole = bytes.toString("base64");
  return whole.slice(Math.ceil((offset * 8) / 6), Math.floor((bytes.length * 8) / 6));
};

/** Every form in which a value is looked for: as it is, line by line, escaped, percent-encoded, in base64. */
const formsOf = (value: string): string[] => {
  const lines = value.split(/\r?\n/);
  const plain = [
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(Buffer.from(value).toString()),
    ...lines,
  ];
  const encoded = [0, 1, 2].flatMap((offset) => {
    const text = encodedAt(value, offset);
    return [text, text.replaceAll("+", "-").replaceAll("/", "_")];
  });
  return [
    ...plain.filter(({ length }) => length >= SHORTEST),
    ...encoded.filter(({ length }) => length >= SHORTEST_ENCODED),
  ];
};

/** How many characters at the end of a text are the beginning of a form; 0 for too few to tell. */
const begunAtEnd = (text: string, form: string): number => {
  const first = form.charCodeAt(0);
  for (let at = Math.max(0, text.length - form.length + 1); at <= text.length - SHORTEST; at += 1)
    if (text.charCodeAt(at) === first && form.startsWith(text.slice(at))) return text.length - at;
  return 0;
};

export const createRedactor = (): Redactor => {
  const known = new Set<string>();
  /** The longest first: a shorter one may be a part of it. */
  let forms: readonly string[] = [];

  /** The beginning of a value that was cut. */
  const withoutCutEnd = (text: string): string => {
    if (!text.endsWith(CUT)) return text;
    const body = text.slice(0, -CUT.length);
    const longest = Math.max(0, ...forms.map((form) => begunAtEnd(body, form)));
    return longest === 0 ? text : body.slice(0, -longest) + MASK + CUT;
  };
  const redacted = (text: string): string =>
    forms.length === 0 ? text : withoutCutEnd(forms.reduce((rest, form) => rest.replaceAll(form, MASK), text));
  const within = (value: unknown, depth: number): unknown => {
    if (typeof value === "string") return redacted(value);
    if (typeof value !== "object" || value === null) return value;
    if (depth >= DEEPEST) return MASK;
    if (Array.isArray(value)) return value.map((one) => within(one, depth + 1));
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [redacted(name), within(one, depth + 1)]));
  };
  return {
    add(values) {
      const before = known.size;
      for (const value of values) if (value !== "true" && value !== "false") known.add(value);
      if (known.size === before) return;
      forms = [...new Set([...known].flatMap(formsOf))].sort((one, other) => other.length - one.length);
    },
    text: redacted,
    value: (value) => (forms.length === 0 ? value : within(value, 0)),
    isIn: (value) => forms.length > 0 && JSON.stringify(within(value, 0)) !== JSON.stringify(value),
  };
};
