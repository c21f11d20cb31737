import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { objectsConfig, openPlace, placeText, placeWarnings, type ObjectsPlace } from "@parley/service/objects";
import { isCommandFailure } from "../environment/failure.ts";
import { fail, ok, warn, type CheckFinding } from "../output/finding.ts";
import { checkWritable } from "./checks.ts";

const checkBucket = async (place: ObjectsPlace): Promise<CheckFinding> => {
  // No content is as large that it is received in this folder.
  const folder = await mkdtemp(join(tmpdir(), "parley-doctor-"));
  try {
    await (await openPlace(place, folder)).check();
    const [warning] = await placeWarnings(place);
    if (warning) return warn(warning.message, warning.next);
    return ok(`An object was written to ${placeText(place)}, read and removed.`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const checkPlace = async (place: ObjectsPlace): Promise<CheckFinding> =>
  place.kind === "bucket"
    ? checkBucket(place)
    : ((await checkWritable(place.folder, "Set PARLEY_OBJECTS to a folder that you may write.")) ?? ok(place.folder));

/** Checks the places of uploads and reports. A bucket is tried with a small object, which is removed again. */
export async function checkObjects(): Promise<CheckFinding> {
  try {
    const { place, previous } = objectsConfig();
    const findings: CheckFinding[] = [];
    for (const each of [place, previous]) if (each) findings.push(await checkPlace(each));
    return findings.find(({ level }) => level !== "ok") ?? findings[0] ?? ok("In the data folder.");
  } catch (error) {
    if (!isCommandFailure(error)) throw error;
    return fail(error.message, "Correct the settings of uploads and reports: docs/operators/objects.md.");
  }
}
