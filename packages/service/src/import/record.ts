import { INVALID_VALUE, RECORDS, refuse, type ImportedRecord } from "@parley/contract";
import { bodyCheckOf } from "../http/body.ts";
import { parseJson } from "../http/json.ts";

const CHECKS = new Map(
  Object.entries(RECORDS).map(([type, schema]) => [
    type,
    { names: new Set(Object.keys(schema.properties)), check: bodyCheckOf(schema) },
  ]),
);
const TYPES = [...CHECKS.keys()].join(", ");

/** Names in a message are the writer's own words: no longer than a line. */
const LONGEST = 100;

/**
 * Reads one line.
 * @errors INVALID_JSON, INVALID_VALUE, MISSING_PARAMETER
 * @assumed A member that a record doesn't have is refused; one inside of a part, of a profile and the like is passed over, as in a
 * request.
 */
export const recordOf = (bytes: Buffer): ImportedRecord => {
  const value = parseJson(bytes);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return refuse(INVALID_VALUE, `A line must be an object such as {"type": "user", …}`);
  const { type } = value as { readonly type?: unknown };
  const known = typeof type === "string" ? CHECKS.get(type) : undefined;
  if (!known) return refuse(INVALID_VALUE, `type must be one of ${TYPES}`);
  const stranger = Object.keys(value).find((name) => !known.names.has(name));
  if (stranger !== undefined)
    refuse(INVALID_VALUE, `${stranger.slice(0, LONGEST)} is no member of a record of the type ${String(type)}`);
  return known.check(value) as ImportedRecord;
};
