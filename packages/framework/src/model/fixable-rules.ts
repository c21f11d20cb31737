import type { RuleCode } from "./rules.ts";

/**
 * Rules whose findings `parley validate --fix` corrects where exactly one correction is possible. Findings of the other rules need a decision of
 * the author, such as the choice between two names, or a missing value.
 */
export const FIXABLE_RULES = [
  // Comments and trailing commas are removed.
  "syntax",
  "json-twice",
  "manifest-version",
  "manifest-shape",
  "module-misspelt",
  "module-name",
  "manifest-member",
  "domain-https",
  "place",
  "place-url",
  "place-template",
  "place-icon",
  "place-icon-file",
  "event",
  "handler",
  "dependency",
  "iparams-type",
  "iparams-unknown",
  "iparams-text",
  "iparams-boolean",
  "iparams-options",
  "iparams-default",
  "iparams-option-twice",
  "iparams-modules",
  "iparams-events",
  "iparams-event",
  "iparams-callback",
  "entities-shape",
  "request-shape",
  "request-host-path",
  "request-host",
  "request-path",
  "request-integration",
  "app-setting",
  "oauth-integrations",
  "oauth-shape",
] as const satisfies readonly RuleCode[];
