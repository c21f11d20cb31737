import { isObject, type FrontFailure } from "@parley/contract";

/**
 * What the page and a frame of the app say to each other. The frame runs a stranger's code, so the page looks at the shape of each of
 * its messages, and the host at every question that goes on to it; the frame takes the page at its word.
 */

/** The first word of a frame to the window around it. */
export const HELLO = "parley:hello";
/** The page's answer, with a port for all that follows. */
export const WELCOME = "parley:welcome";

/** What a frame knows of itself from the beginning. */
export interface FrameContext {
  readonly app: string;
  readonly product: string;
  readonly productContext: { readonly name: string; readonly url: string };
  readonly location: string;
  readonly module: string;
}

export type InstanceAct = "resize" | "close" | "context" | "get" | "send";

export type AppFrameMessage =
  /** On to the host: data, iparams, db, request. */
  | { readonly t: "ask"; readonly id: number; readonly question: Readonly<Record<string, unknown>> }
  | { readonly t: "trigger"; readonly id: number; readonly action: string; readonly options: unknown }
  | { readonly t: "instance"; readonly id: number; readonly act: string; readonly options: unknown }
  | { readonly t: "listen"; readonly event: string; readonly intercept: boolean }
  /** The word of whoever listens in on an action of the agent. */
  | { readonly t: "word"; readonly id: number; readonly ok: boolean; readonly message: string };

export type AppFrameUpdate =
  | { readonly t: "reply"; readonly id: number; readonly value: unknown }
  | { readonly t: "reply"; readonly id: number; readonly failure: FrontFailure }
  /** `id`: the page waits for a word. */
  | { readonly t: "event"; readonly event: string; readonly data: unknown; readonly id?: number }
  | { readonly t: "message"; readonly message: unknown; readonly sender: string }
  /** What took the focus away is gone: it goes back to where it was in the frame. */
  | { readonly t: "focus" };

const TEXT_CHARACTERS = 1_024;

const isText = (value: unknown) => typeof value === "string" && value.length <= TEXT_CHARACTERS;
const isId = (value: unknown) => Number.isSafeInteger(value);
const isFlag = (value: unknown) => typeof value === "boolean";
const isAny = () => true;

/** One row a message: its members and their checks. */
const SHAPES: Readonly<Record<AppFrameMessage["t"], Readonly<Record<string, (value: unknown) => boolean>>>> = {
  ask: { id: isId, question: isObject },
  trigger: { id: isId, action: isText, options: isAny },
  instance: { id: isId, act: isText, options: isAny },
  listen: { event: isText, intercept: isFlag },
  word: { id: isId, ok: isFlag, message: isText },
};

/** The message, if it is one. */
export const parseAppFrameMessage = (data: unknown): AppFrameMessage | undefined => {
  if (!isObject(data) || typeof data["t"] !== "string" || !Object.hasOwn(SHAPES, data["t"])) return undefined;
  const shape = SHAPES[data["t"] as AppFrameMessage["t"]];
  return Object.entries(shape).every(([name, fits]) => fits(data[name]))
    ? (data as unknown as AppFrameMessage)
    : undefined;
};

/** The members of an app's options, which may be anything. */
export const membersOf = (options: unknown): Readonly<Record<string, unknown>> => (isObject(options) ? options : {});

/** A text of an app's options. */
export const textMember = (options: unknown, name: string, fallback = ""): string => {
  const value = membersOf(options)[name];
  return typeof value === "string" || typeof value === "number" ? String(value) : fallback;
};
