import { joinLines, arrayLiteral } from "../db/arrays.ts";
import type { RecordedReply } from "./idempotency-record.ts";

/**
 * Source of the idempotency records of a batch statement. Its five parameters begin at `$first`.
 * @shape claim (id, token_id, key, fingerprint, code)
 */
export const idempotencyRecordTable = (first: number): string =>
  `unnest($${first}::uuid[], $${first + 1}::uuid[], string_to_array($${first + 2}, e'\\n'), $${first + 3}::text[],
                 $${first + 4}::smallint[])
            as claim (id, token_id, key, fingerprint, code)`;

/** Parameter values of `idempotencyRecordTable`. Entries without an idempotency key produce no row. */
export const idempotencyRecordArrays = (claimed: readonly RecordedReply[]): readonly string[] => {
  const rows = claimed.flatMap(({ id, claim }) => (claim ? [{ id, claim }] : []));
  return [
    arrayLiteral(rows.map(({ id }) => id)),
    arrayLiteral(rows.map(({ claim }) => claim.tokenId)),
    joinLines(rows.map(({ claim }) => claim.key)),
    arrayLiteral(rows.map(({ claim }) => claim.fingerprint())),
    arrayLiteral(rows.map(({ claim }) => claim.code)),
  ];
};
