import type { Egress } from "@parley/egress";
import type { AppSettings } from "../app-settings/app-settings.ts";
import type { Installations } from "../install/installations.ts";
import type { AccessTokens } from "../oauth/access.ts";
import type { Project } from "../project/project.ts";
import type { HostSettings } from "../settings.ts";
import type { Allowance } from "./allowance.ts";
import type { Consents } from "../consents/consents.ts";
import { directCallMethod } from "./direct-call.ts";
import { dispatcher } from "./dispatch.ts";
import { fetchMethod } from "./fetch.ts";
import { invokeTemplateMethod } from "./invoke-template.ts";
import type { RequestMethod } from "./request-method.ts";

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
  readonly allow: Allowance;
  readonly tokens: AccessTokens;
}

/** The request method, for the app's handlers, its callbacks on the installation page, and what it shows to agents. */
export const requestMethod = (deps: RequestMethodDeps): RequestMethod => {
  const { dispatch, sendOnce } = dispatcher(deps);
  return {
    invokeTemplate: invokeTemplateMethod({ ...deps, dispatch }),
    fetch: fetchMethod({ ...deps, dispatch }),
    callDirectly: directCallMethod({ ...deps, sendOnce }),
  };
};
