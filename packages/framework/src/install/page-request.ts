import type { InstallRequest, IparamValue } from "@parley/contract";
import type { FetchCall, RequestCall, TemplateCall } from "../request/request-method.ts";
import type { Installation } from "./installations.ts";
import { entryOf, valueOf, type Field } from "./iparams-fields.ts";
import { isEmpty } from "./validate.ts";

export interface PageRequestDeps {
  readonly fields: readonly Field[];
  readonly installation: Installation | undefined;
  readonly domainSuffix: string;
  /** The app draws its own page: nothing that is typed there is known before it is saved. */
  readonly isOwn: boolean;
}

/** What a person typed, else a secure default; an empty secure field stands for the stored value, so it is left out. */
const typed = (
  { values }: InstallRequest,
  { fields, domainSuffix, installation }: PageRequestDeps,
): Readonly<Record<string, IparamValue>> =>
  Object.fromEntries(
    fields.flatMap((field) => {
      const { key, type, secure, initial } = field;
      const isDefault = secure && installation === undefined && !Object.hasOwn(values, key);
      const entry = isDefault ? initial : Object.hasOwn(values, key) ? entryOf(type, values[key]) : undefined;
      if (entry === undefined || (secure && isEmpty(entry))) return [];
      return [[key, valueOf(field, entry, domainSuffix)]];
    }),
  );

/** A request of the app's code on the page, as the request method takes it; which secrets may go along, that judges. */
export const callFrom = (asked: InstallRequest, deps: PageRequestDeps): TemplateCall | FetchCall => {
  const { installation, isOwn } = deps;
  const values = isOwn ? (installation?.values ?? {}) : typed(asked, deps);
  const by: RequestCall = { origin: "page", values, ...(installation ? { installation } : {}) };
  return "name" in asked.question ? { ...by, ...asked.question } : { ...by, options: {}, ...asked.question };
};
