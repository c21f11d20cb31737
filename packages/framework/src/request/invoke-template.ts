import type { RequestReply, RequestTemplate } from "@parley/contract";
import type { Access } from "../oauth/access.ts";
import type { Project } from "../project/project.ts";
import type { Dispatch, Ready } from "./dispatch.ts";
import { refused, type Sent, type TemplateCall } from "./request-method.ts";
import { sourcesOf, substituted, type SourcesDeps } from "./sources.ts";
import { plainText, substitute, type Filled } from "./substitute.ts";
import { hasVerbs } from "./version.ts";

export interface InvokeTemplateDeps extends SourcesDeps {
  readonly project: () => Pick<Project, "iparams" | "manifest" | "requests" | "platformVersion" | "whitelistedDomains">;
  readonly dispatch: Dispatch;
}

const HOST = /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i;

const bareHost = (host: string): string => host.replace(/^https:\/\//i, "").toLowerCase();

/** @assumed A host may be an address without a path, as `current_host.endpoint_urls` is. */
const addressOf = (filled: Filled, more: Readonly<Record<string, unknown>> = {}): string => {
  const { path, query } = filled;
  if (/^(?!https:)[a-z]+:\/\//i.test(filled.host)) throw refused(400, "Invalid URL - Must be HTTPS");
  const host = bareHost(filled.host);
  if (!HOST.test(host)) throw refused(400, "Invalid URL - Must be FQDN");
  const parameters = new URLSearchParams(query.map(([name, value]) => [name, value]));
  for (const [name, value] of Object.entries(more)) {
    const text = plainText(value);
    if (text !== undefined) parameters.set(name, text);
  }
  const text = parameters.toString();
  return `https://${host}${path}${text === "" ? "" : `${path.includes("?") ? "&" : "?"}${text}`}`;
};

const unknown = (name: string, platformVersion: string) =>
  refused(
    400,
    hasVerbs(platformVersion)
      ? `request.invokeTemplate is not known to platform-version ${platformVersion}: use request.get, post, put, patch or delete`
      : `Request template '${name}' is not defined in config/requests.json`,
  );

/** Requests by the templates of `config/requests.json`. */
export const invokeTemplateMethod =
  (deps: InvokeTemplateDeps) =>
  async (call: TemplateCall): Promise<RequestReply> => {
    const { requests, platformVersion } = deps.project();
    const template: RequestTemplate | undefined = Object.hasOwn(requests, call.name) ? requests[call.name] : undefined;
    if (!template) throw unknown(call.name, platformVersion);
    const { body, query, context = {} } = call.options;
    const sources = await sourcesOf(deps, call, context);
    const onSent = (sent: Sent) => call.onSent?.({ ...sent, url: sources.shownUrl(sent.url) });
    return deps.dispatch({ ...call, onSent }, template.options ?? {}, (access: Partial<Access> = {}): Ready => {
      const sourcesFor = (host: string) =>
        sources.at({ host: bareHost(host), template: { host: template.schema.host, context } }, access);
      const filled = substituted(() => substitute(template, sources.all(access), sourcesFor));
      return {
        method: filled.method,
        url: addressOf(filled, query),
        headers: filled.headers,
        ...(body === undefined ? {} : { body }),
      };
    });
  };
