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
import type { FormEntry } from "../../../model/iparams/validate-value.ts";

/**
 * Messages between the page and the frame of the app's callbacks. The frame runs untrusted code, so the page checks the shape of each of its messages. The
 * frame trusts the page after it has verified the sender.
 */

/** Form data for callbacks. @shape `values`: the form's, `stored`: those before, both by key */
export interface FormSnapshot {
  readonly fields: readonly Pick<InstallField, "key" | "type" | "control" | "secure" | "suffix">[];
  readonly values: Readonly<Record<string, FormEntry>>;
  readonly stored: IparamValues;
  /** Keys of the stored secure values. */
  readonly secure: readonly string[];
  /** Host of the account if the form names no host. */
  readonly domain: string;
  /** Suffix that follows the name of one of our accounts in its host. */
  readonly domainSuffix: string;
  readonly products: readonly string[];
  readonly modules: readonly string[];
}

/** Argument of a function: an entry or, on an app's own page, the stored values. */
export type CallbackValue = FormEntry | IparamValues;

export type CallbackFrameRequest =
  | { readonly t: "start"; readonly formSnapshot: FormSnapshot }
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
  | { readonly t: "blank"; readonly isBlank: boolean }
  | { readonly t: "size"; readonly height: number };

const isText = (value: unknown) => typeof value === "string";
const isId = (value: unknown) => Number.isSafeInteger(value);

/** One row per message: its members with their checks. */
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
  blank: { isBlank: (value) => typeof value === "boolean" },
  size: { height: Number.isFinite },
};

/** Returns the message, or undefined if the data is not a valid message. */
export const parseCallbackFrameMessage = (data: unknown): CallbackFrameMessage | undefined => {
  if (!isObject(data) || typeof data["t"] !== "string" || !Object.hasOwn(SHAPES, data["t"])) return undefined;
  const shape = SHAPES[data["t"] as CallbackFrameMessage["t"]];
  return Object.entries(shape).every(([name, fits]) => fits(data[name]))
    ? (data as unknown as CallbackFrameMessage)
    : undefined;
};
