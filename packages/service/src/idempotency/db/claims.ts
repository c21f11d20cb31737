import { lines, plainArray } from "../../db/arrays.ts";
import type { Claimed } from "../claim.ts";

/** Text of the table `claim (id, token_id, key, fingerprint, code)` in a batch's statement, from its first parameter on. */
export const claimTable = (first: number): string =>
  `unnest($${first}::uuid[], $${first + 1}::uuid[], string_to_array($${first + 2}, e'\\n'), $${first + 3}::text[],
                 $${first + 4}::smallint[])
            as claim (id, token_id, key, fingerprint, code)`;

/** The columns of that table; what carries no key stands in none. */
export const claimArrays = (claimed: readonly Claimed[]): readonly string[] => {
  const rows = claimed.flatMap(({ id, claim }) => (claim ? [{ id, claim }] : []));
  return [
    plainArray(rows.map(({ id }) => id)),
    plainArray(rows.map(({ claim }) => claim.tokenId)),
    lines(rows.map(({ claim }) => claim.key)),
    plainArray(rows.map(({ claim }) => claim.fingerprint())),
    plainArray(rows.map(({ claim }) => claim.code)),
  ];
};
