import { isUuid } from "../../../http/uuid.ts";
import type { ObjectOwner } from "../../../base/objects/orphans.ts";
import { presentReports } from "./store.ts";

/** -> the report whose file the key names; undefined for other keys */
const reportOf = (key: string): string | undefined => {
  const [, id = ""] = /^reports\/\d+\/([^/]+)\/\d+\.zip$/.exec(key) ?? [];
  return isUuid(id) ? id.toLowerCase() : undefined;
};

/** Reports refer to all their files, also to those that are not finished. */
export const reportObjectOwner: ObjectOwner = {
  owns: (key) => reportOf(key) !== undefined,
  async unreferenced(tx, keys) {
    const present = await presentReports(
      tx,
      keys.flatMap((key) => reportOf(key) ?? []),
    );
    return keys.filter((key) => !present.has(reportOf(key) ?? ""));
  },
};
