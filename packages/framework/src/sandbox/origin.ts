import { trustsApps } from "../environment/config.ts";
import { boundaryShortcomings, type Boundary } from "./boundary.ts";

/** Who answers for an app's code: the operator, whose folder it is, or somebody else, who made a package of it. */
export type AppOrigin = "folder" | "package";

/** A package can't be run on this machine. */
export class IsolationMissing extends Error {
  override readonly name = "IsolationMissing";
  constructor() {
    super(
      "Packages of apps are not run here: the operating system of this machine does not isolate their code from its files, " +
        "network and processes. Install bubblewrap, allow unprivileged user namespaces, or use a kernel with Landlock " +
        "('parley doctor' checks); or set PARLEY_TRUST_APPS=1 if you trust the code of every app that you install.",
    );
  }
}

/** What an app's code runs can't be counted on this machine. */
export class CoverageUnavailable extends Error {
  override readonly name = "CoverageUnavailable";
  constructor() {
    super(
      "Coverage is not measured here: the operating system of this machine does not isolate the app's code, and this Node lets a process " +
        "count what it runs only without its own permission model. Install bubblewrap or allow unprivileged user namespaces " +
        "('parley doctor' checks), or run without --coverage.",
    );
  }
}

/**
 * Admits an app's code to a boundary, and reports what the boundary lacks.
 * @errors IsolationMissing for a package, where the boundary is none and the operator has not said that it may run all the same
 */
export const admitCode = (boundary: Boundary, origin: AppOrigin, log: (line: string) => void): void => {
  if (origin === "package" && !boundary.isStrong && !trustsApps()) throw new IsolationMissing();
  for (const line of boundaryShortcomings(boundary)) log(line);
};
