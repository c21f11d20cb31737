import type {
  ComposerElement,
  ElementChange,
  EmbedMessage,
  EmbedRequest,
  NoticeKind,
  TextPosition,
} from "@parley/contract";

/**
 * Checks of the messages of an embedded page, which contain texts of apps. The schemas are `EmbedMessage` of the contract; a test compares both.
 * Only types are imported, so that the console's scripts don't contain the schemas.
 */

type Check = (value: unknown) => boolean;

/** The compiler keeps each list complete. */
const namesOf = <Name extends string>(names: Readonly<Record<Name, true>>): ReadonlySet<unknown> =>
  new Set(Object.keys(names));
const ELEMENTS = namesOf<ComposerElement>({ editor: true, send: true, note: true, resolve: true, assign: true });
const CHANGES = namesOf<ElementChange>({ hide: true, show: true, enable: true, disable: true });
const POSITIONS = namesOf<TextPosition>({ cursor: true, start: true, end: true, all: true });
const NOTICE_KINDS = namesOf<NoticeKind>({
  info: true,
  success: true,
  warning: true,
  alert: true,
  danger: true,
  error: true,
});

/** @units characters */
const LINE_LENGTH_MAX = 4_096;
const TEXT_LENGTH_MAX = 65_536;
const KEY_LENGTH_MAX = 256;
/** @units pixels */
const HEIGHT_MAX = 10_000;

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isId: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 1;
const isTextUpTo =
  (max: number): Check =>
  (value) =>
    typeof value === "string" && value.length <= max;
const isLine = isTextUpTo(LINE_LENGTH_MAX);
const isKey: Check = (value) => isTextUpTo(KEY_LENGTH_MAX)(value) && value !== "";
const isStatus: Check = (value) => Number.isInteger(value) && Number(value) >= 400 && Number(value) <= 599;
const isHeight: Check = (value) => typeof value === "number" && value >= 0 && value <= HEIGHT_MAX;
const isBoolean: Check = (value) => typeof value === "boolean";
const oneOf =
  (names: ReadonlySet<unknown>, ...more: readonly string[]): Check =>
  (value) =>
    names.has(value) || more.some((name) => name === value);

const hasOnly = (value: unknown, checks: Readonly<Record<string, Check>>): boolean =>
  isRecord(value) &&
  Object.keys(value).every((name) => Object.hasOwn(checks, name)) &&
  Object.entries(checks).every(([name, check]) => check(value[name]));

/** One row per message: its members besides `t`, with their checks. */
const SHAPES: Readonly<Record<EmbedMessage["t"], Readonly<Record<string, Check>>>> = {
  ticket: { id: isId },
  confirm: { id: isId, title: isLine, message: isLine, saveLabel: isLine, cancelLabel: isLine },
  setValue: { id: isId, text: isTextUpTo(TEXT_LENGTH_MAX), at: oneOf(POSITIONS) },
  element: { id: isId, element: oneOf(ELEMENTS), change: oneOf(CHANGES) },
  click: {
    id: isId,
    element: oneOf(ELEMENTS, "conversation"),
    value: (value) => value === undefined || isKey(value),
  },
  expand: { id: isId },
  collapse: {},
  ready: {},
  error: { failure: (value) => hasOnly(value, { status: isStatus, message: isLine }) },
  notify: { kind: oneOf(NOTICE_KINDS), title: isLine, message: isLine },
  resize: { height: isHeight },
  close: {},
  decision: { id: isId, ok: isBoolean, message: isLine },
};

/** -> the message; undefined for any other data */
export const parseEmbedMessage = (data: unknown): EmbedMessage | undefined => {
  if (!isRecord(data) || typeof data["t"] !== "string" || !Object.hasOwn(SHAPES, data["t"])) return undefined;
  const shape = SHAPES[data["t"] as EmbedMessage["t"]];
  return hasOnly(data, { ...shape, t: () => true }) ? (data as EmbedMessage) : undefined;
};

export const isRequest = (message: EmbedMessage): message is EmbedRequest =>
  "id" in message && message.t !== "decision";
