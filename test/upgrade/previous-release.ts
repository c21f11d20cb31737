import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { ROOT } from "../support/parley-process.ts";

/** The release before this release, as `npm run upgrade-test -- --record` wrote it down. */
export interface PreviousRelease {
  /** Commit or tag. */
  readonly commit: string;
  readonly version: string;
  /** Newest migration by schema. */
  readonly migrations: Readonly<Record<string, number>>;
}

const pathOf = (name: string) => join(ROOT, "test", "upgrade", name);

export const previousRelease = (): PreviousRelease =>
  JSON.parse(readFileSync(pathOf("previous-release.json"), "utf8")) as PreviousRelease;

export const previousStatements = (): readonly string[] =>
  JSON.parse(gunzipSync(readFileSync(pathOf("previous-statements.json.gz"))).toString("utf8")) as string[];
