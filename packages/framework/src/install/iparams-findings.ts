import type { Finding } from "../project/finding.ts";

/** Makes a finding on `config/iparams.json`. */
export type Say = (code: string, message: string, help?: string) => Finding;

export const said =
  (level: Finding["level"]): Say =>
  (code, message, help) => ({
    code,
    level,
    file: "config/iparams.json",
    message,
    ...(help === undefined ? {} : { help }),
  });
