import type { Log } from "@parley/telemetry";
import { trustsApps } from "../environment/config.ts";
import { boundaryShortcomings, type Boundary } from "./boundary.ts";

/** Source of an app's code: a folder of the operator, or a package that somebody else made. */
export type AppOrigin = "folder" | "package";

/** A package may not run without isolation by the operating system. */
export class IsolationMissing extends Error {
  override readonly name = "IsolationMissing";
  constructor() {
    super(
      "Packages of apps are not run here: the operating system of this machine does not isolate their code from its files, " +
        "network and processes. Install bubblewrap, allow unprivileged user namespaces, or use a kernel with Landlock " +
        "('npx parley doctor' checks); or set PARLEY_TRUST_APPS=1 if you trust the code of every app that you install.",
    );
  }
}

/** Code coverage cannot be measured on this machine. */
export class CoverageUnavailable extends Error {
  override readonly name = "CoverageUnavailable";
  constructor() {
    super(
      "Coverage can't be measured on this machine: the operating system does not isolate the app's code, and this version of Node " +
        "measures coverage only without its permission model. Install bubblewrap or allow unprivileged user namespaces " +
        "('npx parley doctor' checks), or run without --coverage.",
    );
  }
}

/**
 * Checks that an app's code may run within a boundary, and logs the boundary's weaknesses.
 * @errors IsolationMissing for a package, if there is no boundary and the operator has not accepted that
 */
export const admitCode = (boundary: Boundary, origin: AppOrigin, log: Log): void => {
  if (origin === "package" && !boundary.isStrong && !trustsApps()) throw new IsolationMissing();
  for (const line of boundaryShortcomings(boundary)) log(line, { level: "warn" });
};
