import { INTERCEPTED_EVENTS, isObject, type ConsoleMessage, type EmbedRectangle } from "@parley/contract";

/** Checks of the console's messages, without the schemas of the contract, which would multiply the size of the page's script. */

type Check = (value: unknown) => boolean;

const RECTANGLE = ["left", "top", "width", "height"] as const;
const KEY_CHARACTERS = 256;
const LINE_CHARACTERS = 4_096;
const PIXELS_MAX = 100_000;

const isKey: Check = (value) => typeof value === "string" && value.length >= 1 && value.length <= KEY_CHARACTERS;
const isId: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 1;
const isPixels: Check = (value) => typeof value === "number" && Math.abs(value) <= PIXELS_MAX;
const isStatus: Check = (value) => Number.isInteger(value) && Number(value) >= 400 && Number(value) <= 599;

const hasOnly = (value: unknown, checks: Readonly<Record<string, Check>>): boolean =>
  isObject(value) &&
  Object.keys(value).every((name) => Object.hasOwn(checks, name)) &&
  Object.entries(checks).every(([name, check]) => check(value[name]));

export const isRectangle = (value: unknown): value is EmbedRectangle =>
  hasOnly(value, Object.fromEntries(RECTANGLE.map((name) => [name, isPixels])));

const isFailure: Check = (value) =>
  hasOnly(value, {
    status: isStatus,
    message: (text) => typeof text === "string" && text.length <= LINE_CHARACTERS,
  });
const isPresent: Check = (value) => value !== undefined;

/** One row per message: its members besides `t`, with their checks. */
const SHAPES: Readonly<Record<ConsoleMessage["t"], Readonly<Record<string, Check>>>> = {
  open: { conversation: (value) => value === undefined || isKey(value), agent: isKey },
  activate: {},
  deactivate: {},
  intercept: { id: isId, event: (value) => INTERCEPTED_EVENTS.some((event) => event === value), data: isPresent },
  layout: { rectangle: isRectangle },
  answer: { id: isId, value: isPresent },
  failure: { id: isId, failure: isFailure },
};

/** -> the message; undefined for any other data */
export const parseConsoleMessage = (data: unknown): ConsoleMessage | undefined => {
  if (!isObject(data) || typeof data["t"] !== "string" || !Object.hasOwn(SHAPES, data["t"])) return undefined;
  const shape = SHAPES[data["t"] as ConsoleMessage["t"]];
  return hasOnly(data, { ...shape, t: isPresent }) ? (data as ConsoleMessage) : undefined;
};
