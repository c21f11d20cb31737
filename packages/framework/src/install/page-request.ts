import type { InstallRequest, IparamValue, RequestTemplates } from "@parley/contract";
import type { TemplateCall } from "../request/request-method.ts";
import { parseTemplate, pathsIn, TemplateError } from "../request/template.ts";
import type { Installation } from "./installations.ts";
import { entryOf, valueOf, type Field } from "./iparams-fields.ts";
import { isEmpty } from "./validate.ts";

const hostKeys = (host: string): string[] => {
  try {
    return pathsIn(parseTemplate(host)).flatMap(([source, key]) => (source === "iparam" && key ? [key] : []));
  } catch (error) {
    if (error instanceof TemplateError) return [];
    throw error;
  }
};

/** What a person typed; an empty secure field stands for the stored value, so it is left out. */
const typed = (asked: InstallRequest, fields: readonly Field[], suffix: string): Record<string, IparamValue> =>
  Object.fromEntries(
    fields.flatMap(({ key, type, secure }) => {
      const entry = Object.hasOwn(asked.values, key) ? entryOf(type, asked.values[key]) : undefined;
      if (entry === undefined || (secure && isEmpty(entry))) return [];
      return [[key, valueOf(type, entry, suffix)]];
    }),
  );

/**
 * A callback's request as the request method takes it.
 * @assumed Stored secure values go along only where the form still names the host that they were stored for: else whoever may
 * open the page could have them sent to a host of his own.
 */
export const callFrom = (
  asked: InstallRequest,
  fields: readonly Field[],
  templates: RequestTemplates,
  installation: Installation | undefined,
  suffix: string,
): TemplateCall => {
  const values = typed(asked, fields, suffix);
  const template = Object.hasOwn(templates, asked.name) ? templates[asked.name] : undefined;
  const sameHost = hostKeys(template?.schema.host ?? "").every((key) => values[key] === installation?.values[key]);
  return {
    name: asked.name,
    options: asked.options,
    origin: "page",
    values,
    ...(installation && sameHost ? { installation } : {}),
  };
};
