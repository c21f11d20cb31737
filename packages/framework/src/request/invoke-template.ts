import type { IparamsConfig, IparamValues, RequestFailure, RequestTemplate, RequestTemplates } from "@parley/contract";
import { EgressFailure, type Egress } from "@parley/egress";
import { domainIn, type Installations } from "../install/installations.ts";
import type { HostSettings } from "../settings.ts";
import { RequestRejected, type RequestMethod, type TemplateCall } from "./request-method.ts";
import { plainText, substitute, SubstitutionFailed, type Filled, type Sources } from "./substitute.ts";
import { TemplateError } from "./template.ts";

export interface RequestMethodDeps {
  readonly project: () => { readonly requests: RequestTemplates; readonly iparams: IparamsConfig };
  readonly installations: Pick<Installations, "secrets">;
  readonly egress: Pick<Egress, "send">;
  readonly settings: HostSettings;
  /** -> whether one more request may be made now. */
  readonly allow: () => boolean;
}

const HOST = /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i;
const SUBSTITUTION = "Error while substituting the templates";

const failed = (failure: Partial<RequestFailure> & Pick<RequestFailure, "status" | "response">) =>
  new RequestRejected({ headers: {}, attempts: 0, errorSource: "APP", ...failure });

const split = (values: IparamValues, iparams: IparamsConfig) => {
  const isSecure = ([key]: [string, unknown]) => Object.hasOwn(iparams, key) && iparams[key]?.secure === true;
  const entries = Object.entries(values);
  return {
    open: Object.fromEntries(entries.filter((entry) => !isSecure(entry))),
    secure: Object.fromEntries(entries.filter(isSecure).map(([key, value]) => [key, String(value)])),
  };
};

const addressOf = ({ host, path, query }: Filled, more: Readonly<Record<string, unknown>> = {}): string => {
  if (!HOST.test(host)) throw failed({ status: 400, response: "Invalid URL - Must be FQDN" });
  const parameters = new URLSearchParams(query.map(([name, value]) => [name, value]));
  for (const [name, value] of Object.entries(more)) {
    const text = plainText(value);
    if (text !== undefined) parameters.set(name, text);
  }
  const text = parameters.toString();
  return `https://${host}${path}${text === "" ? "" : `${path.includes("?") ? "&" : "?"}${text}`}`;
};

/** The request method, for the app's handlers and for its callbacks on the installation page. */
export const requestMethod = (deps: RequestMethodDeps): RequestMethod => {
  const sourcesOf = async (call: TemplateCall): Promise<Sources> => {
    const { iparams } = deps.project();
    const { installation } = call;
    const typed = split(call.values ?? {}, iparams);
    const values = { ...(call.values ? {} : installation?.values), ...typed.open };
    const stored = installation ? await deps.installations.secrets(installation.id) : {};
    return {
      values,
      secrets: { ...stored, ...typed.secure },
      context: call.options.context ?? {},
      domain: domainIn(values, iparams) ?? installation?.domain,
      isTrusted: call.origin !== "app",
    };
  };

  const filled = async (call: TemplateCall, template: RequestTemplate): Promise<Filled> => {
    try {
      return substitute(template, await sourcesOf(call));
    } catch (error) {
      if (error instanceof SubstitutionFailed || error instanceof TemplateError)
        throw failed({ status: 400, response: `${SUBSTITUTION}: ${error.message}` });
      throw error;
    }
  };

  const send = async (call: TemplateCall, template: RequestTemplate) => {
    const request = await filled(call, template);
    const { settings } = deps;
    return deps.egress.send({
      method: request.method,
      url: addressOf(request, call.options.query),
      headers: request.headers,
      ...(call.options.body === undefined ? {} : { body: call.options.body }),
      timeoutMs: settings.requestMs,
      maxRequestBytes: settings.requestBytes,
      maxResponseBytes: settings.responseBytes,
      maxAttempts: template.options?.maxAttempts ?? 1,
      retryDelayMs: template.options?.retryDelay ?? 0,
    });
  };

  return {
    fetch: ({ method }) =>
      Promise.reject(failed({ status: 400, response: `${method} is not known to this platform-version` })),
    async invokeTemplate(call) {
      const { requests } = deps.project();
      const template = Object.hasOwn(requests, call.name) ? requests[call.name] : undefined;
      if (!template)
        throw failed({
          status: 400,
          response: `Request template '${call.name}' is not defined in config/requests.json`,
        });
      if (!deps.allow()) throw failed({ status: 429, response: "Too many requests: the app's allowance is used up" });
      try {
        const { body, ...reply } = await send(call, template);
        if (reply.status >= 400) throw failed({ ...reply, response: body });
        return { ...reply, response: body };
      } catch (error) {
        if (error instanceof EgressFailure)
          throw failed({ status: error.code, response: error.message, attempts: error.attempts });
        throw error;
      }
    },
  };
};
