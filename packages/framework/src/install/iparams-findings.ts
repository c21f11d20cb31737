import { errorIn, warningIn, type Finding } from "../project/finding.ts";

/** Makes a finding on `config/iparams.json`. */
export type Say = (code: string, message: string, help?: string) => Finding;

const FILE = "config/iparams.json";

export const said =
  (level: Finding["level"]): Say =>
  (code, message, help) =>
    (level === "error" ? errorIn : warningIn)(FILE, code, message, help === undefined ? {} : { help });
