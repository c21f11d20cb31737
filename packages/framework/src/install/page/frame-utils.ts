import type { IparamAttributes } from "@parley/contract";
import { attributesFault } from "../attributes.ts";
import type { Entry } from "../validate.ts";
import type { FromFrame, Known } from "./messages.ts";

/** The form as callbacks see it: replaced by the page with each change, ahead of it by what callbacks set themselves. */
export interface Mirror {
  known: Known;
}

const fieldOf = ({ known }: Mirror, method: string, key: unknown) => {
  const field = known.fields.find((candidate) => candidate.key === key);
  if (!field) throw new Error(`utils.${method}: no installation parameter matches '${String(key)}'.`);
  return field;
};

/**
 * The global `utils`.
 * @assumed A number's value is the text that was typed; an unknown key is an error.
 * @spec Resources and their fields > App installation parameters (iparams)
 */
export const utilsOf = (mirror: Mirror, post: (message: FromFrame) => void) => ({
  get(key: string): Entry {
    return mirror.known.values[fieldOf(mirror, "get", key).key] ?? "";
  },

  set(key: string, attributes: IparamAttributes): void {
    const field = fieldOf(mirror, "set", key);
    const fault = attributesFault(key, field.type, attributes);
    if (fault !== undefined) throw new Error(fault);
    if (attributes.value !== undefined) {
      const value = typeof attributes.value === "number" ? String(attributes.value) : attributes.value;
      mirror.known = { ...mirror.known, values: { ...mirror.known.values, [key]: value } };
    }
    post({ t: "set", key, attributes });
  },
});
