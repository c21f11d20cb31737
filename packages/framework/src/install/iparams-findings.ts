import type { Found, JsonPath } from "../project/finding.ts";
import { found, type RuleCode } from "../project/rules.ts";

const FILE = "config/iparams.json";

/** Makes a finding on a parameter, or on one of its attributes. */
export const say = <Code extends RuleCode>(
  code: Code,
  parts: Parameters<typeof found<Code>>[2],
  at: JsonPath,
  help?: string,
): Found => found(code, FILE, parts, { at, ...(help !== undefined && { help }) });
