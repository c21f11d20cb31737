import type { IparamsConfig, IparamValues } from "@parley/contract";
import { domainIn, type Installations } from "../install/installations.ts";
import { refused, type RequestCall } from "./request-method.ts";
import { plainText, SubstitutionFailed, type Sources } from "./substitute.ts";
import { TemplateError } from "./template.ts";

export interface SourcesDeps {
  readonly project: () => { readonly iparams: IparamsConfig };
  readonly installations: Pick<Installations, "secrets">;
  /** What follows the name of an account of ours in its host. */
  readonly domainSuffix: string;
}

const split = (values: IparamValues, iparams: IparamsConfig) => {
  const isSecure = ([key]: [string, unknown]) => Object.hasOwn(iparams, key) && iparams[key]?.secure === true;
  const entries = Object.entries(values);
  return {
    open: Object.fromEntries(entries.filter((entry) => !isSecure(entry))),
    secure: Object.fromEntries(entries.filter(isSecure).map(([key, value]) => [key, plainText(value) ?? ""])),
  };
};

/** What a call is filled from: what was typed comes before what is stored. */
export const sourcesOf = async (
  deps: SourcesDeps,
  call: RequestCall,
  context: Readonly<Record<string, unknown>>,
): Promise<Sources> => {
  const { iparams } = deps.project();
  const { installation } = call;
  const typed = split(call.values ?? {}, iparams);
  const values = { ...(call.values ? {} : installation?.values), ...typed.open };
  const stored = installation ? await deps.installations.secrets(installation.id) : {};
  return {
    values,
    secrets: { ...stored, ...typed.secure, ...call.secrets },
    context,
    domain: domainIn(values, iparams, deps.domainSuffix) ?? installation?.domain,
    isTrusted: call.origin !== "app",
  };
};

/** Fills something in. @errors RequestRejected in the field's words where that fails */
export const substituted = <T>(work: () => T): T => {
  try {
    return work();
  } catch (error) {
    if (error instanceof SubstitutionFailed || error instanceof TemplateError)
      throw refused(400, `Error while substituting the templates: ${error.message}`);
    throw error;
  }
};
