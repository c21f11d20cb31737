import {
  isObject,
  type FetchReply,
  type IparamAttributes,
  type IparamValues,
  type InstallField,
  type InstallQuestion,
  type RequestFailure,
  type RequestReply,
} from "@parley/contract";
import type { FormEntry } from "../../iparams/validate-value.ts";

/**
 * What the page and the frame of the app's callbacks say to each other. The frame runs a stranger's code, so the page looks at
 * the shape of each of its messages; the frame takes the page at its word once it knows that it is the page.
 */

/** What callbacks may know of the form. @shape `values` are the form's, `stored` what was kept before, both by key */
export interface FormSnapshot {
  readonly fields: readonly Pick<InstallField, "key" | "type" | "control" | "secure" | "suffix">[];
  readonly values: Readonly<Record<string, FormEntry>>;
  readonly stored: IparamValues;
  /** Keys of the secure values that are kept. */
  readonly secure: readonly string[];
  /** Host of the account where the form names none. */
  readonly domain: string;
  /** What follows the name of an account of ours in its host. */
  readonly domainSuffix: string;
  readonly products: readonly string[];
  readonly modules: readonly string[];
}

/** What a function is called with: an entry, or, in a page of the app's own, what is kept. */
export type CallbackValue = FormEntry | IparamValues;

export type CallbackFrameRequest =
  | { readonly t: "start"; readonly known: FormSnapshot }
  | { readonly t: "values"; readonly values: FormSnapshot["values"] }
  | { readonly t: "call"; readonly id: number; readonly name: string; readonly value?: CallbackValue }
  | { readonly t: "reply"; readonly id: number; readonly reply: RequestReply | FetchReply }
  | { readonly t: "reply"; readonly id: number; readonly failure: RequestFailure };

export type CallbackFrameMessage =
  | { readonly t: "hello" }
  | { readonly t: "ready"; readonly names: readonly string[] }
  | { readonly t: "broken"; readonly message: string }
  | { readonly t: "passed"; readonly id: number }
  | { readonly t: "refused"; readonly id: number; readonly message: string }
  | { readonly t: "failed"; readonly id: number; readonly message: string }
  | { readonly t: "set"; readonly key: string; readonly attributes: IparamAttributes }
  | { readonly t: "ask"; readonly id: number; readonly question: InstallQuestion }
  | { readonly t: "returned"; readonly id: number; readonly value: unknown }
  | { readonly t: "fault"; readonly message: string }
  | { readonly t: "edited" }
  | { readonly t: "size"; readonly height: number };

const isText = (value: unknown) => typeof value === "string";
const isId = (value: unknown) => Number.isSafeInteger(value);

/** One row a message: its members and their checks. */
const SHAPES: Readonly<Record<CallbackFrameMessage["t"], Readonly<Record<string, (value: unknown) => boolean>>>> = {
  hello: {},
  ready: { names: (value) => Array.isArray(value) && value.every(isText) },
  broken: { message: isText },
  passed: { id: isId },
  refused: { id: isId, message: isText },
  failed: { id: isId, message: isText },
  set: { key: isText, attributes: isObject },
  ask: { id: isId, question: isObject },
  returned: { id: isId },
  fault: { message: isText },
  edited: {},
  size: { height: Number.isFinite },
};

/** The message, if it is one. */
export const parseCallbackFrameMessage = (data: unknown): CallbackFrameMessage | undefined => {
  if (!isObject(data) || typeof data["t"] !== "string" || !Object.hasOwn(SHAPES, data["t"])) return undefined;
  const shape = SHAPES[data["t"] as CallbackFrameMessage["t"]];
  return Object.entries(shape).every(([name, fits]) => fits(data[name]))
    ? (data as unknown as CallbackFrameMessage)
    : undefined;
};
