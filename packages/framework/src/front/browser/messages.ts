import { isObject, type FrontFailure } from "@parley/contract";

/**
 * Messages between the page and a frame of the app. The frame runs untrusted code: the page checks the shape of each of its messages, and the host
 * checks every call that is passed on to it. The frame trusts the page.
 */

/** First message of a frame to its parent window. */
export const HELLO = "parley:hello";
/** The page's answer, with a message port for all further messages. */
export const WELCOME = "parley:welcome";

/** Initial data of a frame. */
export interface FrameContext {
  readonly app: string;
  readonly product: string;
  readonly productContext: { readonly name: string; readonly url: string };
  readonly location: string;
  readonly module: string;
}

export type InstanceAct = "resize" | "close" | "context" | "get" | "send";

export type AppFrameMessage =
  /** Passed on to the host: data, iparams, db, request. */
  | { readonly t: "call"; readonly id: number; readonly question: Readonly<Record<string, unknown>> }
  | { readonly t: "trigger"; readonly id: number; readonly action: string; readonly options: unknown }
  | { readonly t: "instance"; readonly id: number; readonly act: string; readonly options: unknown }
  | { readonly t: "listen"; readonly event: string; readonly intercept: boolean }
  /** Decision of an intercepting handler on an action of the agent. */
  | { readonly t: "decision"; readonly id: number; readonly ok: boolean; readonly message: string };

export type AppFrameUpdate =
  | { readonly t: "reply"; readonly id: number; readonly value: unknown }
  | { readonly t: "reply"; readonly id: number; readonly failure: FrontFailure }
  /** `id`: present if the page waits for a decision. */
  | { readonly t: "event"; readonly event: string; readonly data: unknown; readonly id?: number }
  | { readonly t: "message"; readonly message: unknown; readonly sender: string }
  /** A dialog that had the focus is closed: the focus returns to its earlier position in the frame. */
  | { readonly t: "focus" };

const TEXT_CHARACTERS = 1_024;

const isText = (value: unknown) => typeof value === "string" && value.length <= TEXT_CHARACTERS;
const isId = (value: unknown) => Number.isSafeInteger(value);
const isFlag = (value: unknown) => typeof value === "boolean";
const isAny = () => true;

/** One row per message: its members with their checks. */
const SHAPES: Readonly<Record<AppFrameMessage["t"], Readonly<Record<string, (value: unknown) => boolean>>>> = {
  call: { id: isId, question: isObject },
  trigger: { id: isId, action: isText, options: isAny },
  instance: { id: isId, act: isText, options: isAny },
  listen: { event: isText, intercept: isFlag },
  decision: { id: isId, ok: isFlag, message: isText },
};

/** Returns the message, or undefined if the data is not a valid message. */
export const parseAppFrameMessage = (data: unknown): AppFrameMessage | undefined => {
  if (!isObject(data) || typeof data["t"] !== "string" || !Object.hasOwn(SHAPES, data["t"])) return undefined;
  const shape = SHAPES[data["t"] as AppFrameMessage["t"]];
  return Object.entries(shape).every(([name, fits]) => fits(data[name]))
    ? (data as unknown as AppFrameMessage)
    : undefined;
};

/** The members of an app's options, which may be any value. */
export const membersOf = (options: unknown): Readonly<Record<string, unknown>> => (isObject(options) ? options : {});

/** A text member of an app's options. */
export const textMember = (options: unknown, name: string, fallback = ""): string => {
  const value = membersOf(options)[name];
  return typeof value === "string" || typeof value === "number" ? String(value) : fallback;
};
