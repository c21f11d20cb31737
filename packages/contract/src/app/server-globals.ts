/** Globals of an app's code in `server/` in addition to those of Node. */
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
