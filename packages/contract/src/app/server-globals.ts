/** What an app's code in `server/` finds beside what Node gives. */
export const SERVER_GLOBALS = [
  "$request",
  "$db",
  "$credentials",
  "$job",
  "$schedule",
  "generateTargetUrl",
  "renderData",
  "console",
  "fetch",
] as const;
export type ServerGlobal = (typeof SERVER_GLOBALS)[number];
