import type { Egress } from "@parley/egress";
import type { AppSettings } from "../state/app-settings.ts";
import type { Installations } from "../state/installations.ts";
import {
  type AccessTokens,
  type HostRequestMethod,
  type OAuthAccess,
  refuseRequest,
  type SentRequest,
  type TemplateCall,
} from "./request-method.ts";
import type { Project } from "../model/project.ts";
import type { HostSettings } from "../environment/settings.ts";
import {
  type MinuteRateLimit,
  createRequestDispatcher,
  type DispatchRequest,
  type PreparedRequest,
} from "./dispatch.ts";
import type { Consents } from "../state/consents.ts";
import { directCallMethod, fetchMethod } from "./fetch.ts";
import type { RequestReply, RequestTemplate } from "@parley/contract";
import { callSourcesOf, substituteOrReject, type SourcesDeps } from "./sources.ts";
import { plainText, substitute, type FilledRequest } from "../model/templates/substitute.ts";
import { hasVerbs } from "../model/templates/template.ts";

interface InvokeTemplateDeps extends SourcesDeps {
  readonly project: () => Pick<Project, "iparams" | "manifest" | "requests" | "platformVersion" | "whitelistedDomains">;
  readonly dispatch: DispatchRequest;
}

const HOST = /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i;

const bareHost = (host: string): string => host.replace(/^https:\/\//i, "").toLowerCase();

/** @assumed A host may be a URL without a path, as `current_host.endpoint_urls` is. */
const addressOf = (filled: FilledRequest, more: Readonly<Record<string, unknown>> = {}): string => {
  const { path, query } = filled;
  if (/^(?!https:)[a-z]+:\/\//i.test(filled.host)) refuseRequest(400, "Invalid URL - Must be HTTPS");
  const host = bareHost(filled.host);
  if (!HOST.test(host)) refuseRequest(400, "Invalid URL - Must be FQDN");
  const parameters = new URLSearchParams(query.map(([name, value]) => [name, value]));
  for (const [name, value] of Object.entries(more)) {
    const text = plainText(value);
    if (text !== undefined) parameters.set(name, text);
  }
  const text = parameters.toString();
  return `https://${host}${path}${text === "" ? "" : `${path.includes("?") ? "&" : "?"}${text}`}`;
};

function refuseUnknown(name: string, platformVersion: string): never {
  refuseRequest(
    400,
    hasVerbs(platformVersion)
      ? `request.invokeTemplate is not known to platform-version ${platformVersion}: use request.get, post, put, patch or delete`
      : `Request template '${name}' is not defined in config/requests.json`,
  );
}

/** Sends requests from the templates of `config/requests.json`. */
const invokeTemplateMethod =
  (deps: InvokeTemplateDeps) =>
  async (call: TemplateCall): Promise<RequestReply> => {
    const { requests, platformVersion } = deps.project();
    const template: RequestTemplate | undefined = Object.hasOwn(requests, call.name) ? requests[call.name] : undefined;
    if (!template) refuseUnknown(call.name, platformVersion);
    const { body, query, context = {} } = call.options;
    const sources = await callSourcesOf(deps, call, context);
    const onSent = (sent: SentRequest) => call.onSent?.({ ...sent, url: sources.shownUrl(sent.url) });
    return deps.dispatch(
      { ...call, onSent },
      template.options ?? {},
      (access: Partial<OAuthAccess> = {}): PreparedRequest => {
        const sourcesFor = (host: string) =>
          sources.forDestination({ host: bareHost(host), template: { host: template.schema.host, context } }, access);
        const filled = substituteOrReject(() => substitute(template, sources.withAllSecrets(access), sourcesFor));
        return {
          method: filled.method,
          url: addressOf(filled, query),
          headers: filled.headers,
          ...(body === undefined ? {} : { body }),
        };
      },
    );
  };

export interface RequestMethodDeps {
  readonly project: () => Pick<
    Project,
    "manifest" | "iparams" | "requests" | "platformVersion" | "whitelistedDomains" | "oauth"
  >;
  readonly installations: Pick<Installations, "secrets">;
  readonly appSettings: Pick<AppSettings, "values">;
  readonly consents: Pick<Consents, "mayCall">;
  readonly domainSuffix: string;
  readonly egress: Pick<Egress, "check" | "send">;
  readonly settings: HostSettings;
  readonly allow: MinuteRateLimit;
  readonly tokens: AccessTokens;
}

/** The request method for the app's handlers, the callbacks of its installation page, and its pages. */
export const createRequestMethod = (deps: RequestMethodDeps): HostRequestMethod => {
  const { dispatch, sendOnce } = createRequestDispatcher(deps);
  return {
    invokeTemplate: invokeTemplateMethod({ ...deps, dispatch }),
    fetch: fetchMethod({ ...deps, dispatch }),
    callDirectly: directCallMethod({ ...deps, sendOnce }),
  };
};
