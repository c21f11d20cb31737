import Type, { type Static } from "typebox";
import { IPARAM_TYPES, type IparamType } from "./iparam-types.ts";

/**
 * One installation parameter as an app declares it.
 * @shape `regex` contains pairs: `<name>` is an expression, `<name>-error` the message for a value that doesn't match.
 * @assumed The default of a number can be a number or its digits.
 * @spec Resources and their fields > App installation parameters (iparams)
 */
export const Iparam = Type.Object(
  {
    display_name: Type.String({ minLength: 1 }),
    description: Type.Optional(Type.String()),
    type: Type.Enum(Object.keys(IPARAM_TYPES) as [IparamType, ...IparamType[]]),
    options: Type.Optional(Type.Array(Type.String())),
    default_value: Type.Optional(Type.Union([Type.String(), Type.Boolean(), Type.Number(), Type.Array(Type.String())])),
    required: Type.Optional(Type.Boolean()),
    visible: Type.Optional(Type.Boolean()),
    secure: Type.Optional(Type.Boolean()),
    regex: Type.Optional(Type.Record(Type.String(), Type.String())),
    /** @assumed `section` is an addition: the title of a section of the page that starts with this parameter. */
    type_attributes: Type.Optional(
      Type.Object({ product: Type.Optional(Type.String()), section: Type.Optional(Type.String()) }),
    ),
    events: Type.Optional(Type.Array(Type.Object({ change: Type.String() }, { additionalProperties: false }))),
    /** Names a detail of the account to fill in automatically. @assumed The member is accepted and has no effect: the admin fills in the parameter. */
    "data-bind": Type.Optional(Type.Union([Type.String({ minLength: 1 }), Type.Boolean()])),
    /** For apps of several products. @assumed The member is accepted and has no effect: the parameter is always shown. */
    modules: Type.Optional(Type.Array(Type.String())),
  },
  { title: "Iparam", additionalProperties: false },
);
export type Iparam = Static<typeof Iparam>;

/** `config/iparams.json`: parameters by key, in the order of the page. */
export const IparamsConfig = Type.Record(Type.String({ minLength: 1 }), Iparam, { title: "IparamsConfig" });
export type IparamsConfig = Static<typeof IparamsConfig>;

/** @assumed A number is stored as a number, a checkbox as a boolean. */
export type IparamValue = string | number | boolean | string[];
/** Values by key. @shape an installation page that the app provides can store any JSON */
export type IparamValues = Readonly<Record<string, IparamValue | object | null>>;

/**
 * Attributes that a change callback can set with `utils.set`.
 * @spec Resources and their fields > App installation parameters (iparams)
 */
export interface IparamAttributes {
  readonly value?: IparamValue;
  readonly label?: string;
  readonly visible?: boolean;
  readonly disabled?: boolean;
  readonly required?: boolean;
  readonly hint?: string;
  readonly values?: readonly string[];
  readonly min?: number;
  readonly max?: number;
}
