import type { Egress } from "@parley/egress";
import type { AppSettings } from "../installation/app-settings.ts";
import type { Installations } from "../installation/installations.ts";
import type { AccessTokens, HostRequestMethod } from "./request-method.ts";
import type { Project } from "../package/model/project.ts";
import type { HostSettings } from "../environment/settings.ts";
import { type MinuteRateLimit, createRequestDispatcher } from "./dispatch.ts";
import type { Consents } from "../installation/consents.ts";
import { directCallMethod, fetchMethod } from "./fetch.ts";
import { invokeTemplateMethod } from "./invoke-template.ts";

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
