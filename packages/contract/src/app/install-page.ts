import Type, { type Static } from "typebox";
import type { IparamControl, IparamType } from "./iparam-types.ts";
import type { IparamValues } from "./iparams.ts";
import { FetchMethod, RequestOptions, type FetchReply, type RequestFailure, type RequestReply } from "./requests.ts";

/** Messages between the installation page and its host: JSON under `/custom_configs`. */

const Values = Type.Record(Type.String(), Type.Unknown());

/**
 * Fingerprints that a page was rendered from: of the parameters' types (`form`), and of the save that its values come from (`kept`).
 * Both are only compared for equality.
 */
export const InstallBasis = Type.Object({ form: Type.String(), kept: Type.String() }, { title: "InstallBasis" });
export type InstallBasis = Static<typeof InstallBasis>;

/**
 * A form to save: values by key, and the attributes that callbacks changed, by key. A key that is absent keeps its stored value or gets
 * its default; `removed` lists secure values to delete.
 */
export const InstallSave = Type.Object(
  {
    values: Values,
    attributes: Values,
    removed: Type.Optional(Type.Array(Type.String())),
    basis: Type.Optional(InstallBasis),
    checks_only: Type.Optional(
      Type.Boolean({ description: "Checks the values. Nothing is stored, and the app is not called." }),
    ),
  },
  { title: "InstallSave" },
);
export type InstallSave = Static<typeof InstallSave>;

/** Result of a save, with the basis of the next save. */
export type InstallAnswer =
  | { readonly ok: true; readonly basis?: InstallBasis }
  | {
      readonly ok: false;
      readonly errors: Readonly<Record<string, string>>;
      readonly message: string;
      readonly basis?: InstallBasis;
    };

/** A value that the page asks the server to match against the expressions of its parameter. */
export const InstallCheck = Type.Object({ key: Type.String(), value: Type.Unknown() }, { title: "InstallCheck" });
export type InstallCheck = Static<typeof InstallCheck>;

export interface InstallCheckAnswer {
  readonly error?: string;
}

/**
 * Asks for a new API key of the account, with exactly the permissions that the app needs. `key` is the parameter; `replaces` is the receipt
 * of a key that was created for it before and is revoked.
 */
export const InstallKeyRequest = Type.Object(
  { key: Type.String(), replaces: Type.Optional(Type.String({ maxLength: 200 })) },
  { title: "InstallKeyRequest" },
);
export type InstallKeyRequest = Static<typeof InstallKeyRequest>;

/** A created key. The receipt lets the page that created it have it revoked. */
export interface InstallKeyAnswer {
  readonly token: string;
  readonly receipt: string;
}

/** Created keys that were not saved, by parameter: they are revoked. */
export const InstallKeyDiscard = Type.Object(
  { receipts: Type.Record(Type.String(), Type.String({ maxLength: 200 })) },
  { title: "InstallKeyDiscard" },
);
export type InstallKeyDiscard = Static<typeof InstallKeyDiscard>;

/** A use of the request method by the app's code on the page: by template or by HTTP verb. */
const TemplateQuestion = Type.Object({ name: Type.String(), options: RequestOptions });
const FetchQuestion = Type.Object({
  method: FetchMethod,
  url: Type.String({ maxLength: 8_192 }),
  options: Type.Optional(Type.Unknown()),
});

/** A request that a callback makes, with the current values of the form. */
export const InstallRequest = Type.Object(
  { question: Type.Union([TemplateQuestion, FetchQuestion]), values: Values },
  { title: "InstallRequest" },
);
export type InstallRequest = Static<typeof InstallRequest>;
export type InstallQuestion = InstallRequest["question"];

/** An OAuth integration that can be authorised on the page. */
export interface InstallConnection {
  readonly name: string;
  readonly displayName: string;
  /** `account`: one authorisation for all agents; `agent`: each agent authorises the app. */
  readonly tokenType: "account" | "agent";
  readonly authorized: boolean;
}

export type InstallRequestAnswer = { readonly reply: RequestReply | FetchReply } | { readonly failure: RequestFailure };

/** A parameter as the page's script receives it. */
export interface InstallField {
  readonly key: string;
  readonly type: IparamType;
  readonly control: IparamControl;
  readonly label: string;
  readonly required: boolean;
  readonly visible: boolean;
  readonly options?: readonly string[];
  /** Suffix after the account's name in a domain of another product. */
  readonly suffix?: string;
  /** True if the value of a domain is the account's name alone. */
  readonly isLabel?: boolean;
  readonly secure: boolean;
  /** A secure value that the page never receives: a stored value, or the app's default. An unedited field keeps this value. */
  readonly held?: "stored" | "default";
  readonly callback?: string;
  /** True if the parameter has expressions; only the server evaluates them. */
  readonly patterns: boolean;
  /** True if the page can create a key for the parameter. */
  readonly createsKey?: true;
}

/** Data that the page is loaded with; contains no secure value. */
export interface InstallModel {
  /** CSRF token that each request of the page carries. */
  readonly token: string;
  readonly basis: InstallBasis;
  readonly fields: readonly InstallField[];
  readonly domainSuffix: string;
  /** Host of the account, used if the form has no domain. */
  readonly domain: string;
  readonly installed: boolean;
  /** Stored values; empty before the first installation. */
  readonly values: IparamValues;
  /** Keys of the stored secure values. */
  readonly secure: readonly string[];
  /** Product names under which `currentHost` lists the account's address. */
  readonly products: readonly string[];
  readonly modules: readonly string[];
  /** The published version that the page belongs to; absent for an app that is read from a folder. */
  readonly version?: string;
  /** True if a save changes the version of the installed app. */
  readonly changesVersion?: true;
}
