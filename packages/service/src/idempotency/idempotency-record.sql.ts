import { joinLines, arrayLiteral } from "../db/arrays.ts";
import type { RecordedReply } from "./idempotency-record.ts";

/**
 * Composes a statement that records replies. Its own parameters come first; `idempotencyRecordArrays` supplies those that follow.
 * @shape compose: receives the `from` item of the records, claim (id, token_id, key, fingerprint, code)
 */
export const withIdempotencyRecords = (compose: (records: string) => string): string => {
  const own = [...compose("").matchAll(/\$(\d+)/g)].map(([, number]) => Number(number));
  const [id, token, key, fingerprint, code] = [1, 2, 3, 4, 5].map((position) => `$${Math.max(...own) + position}`);
  return compose(
    `unnest(${id}::uuid[], ${token}::uuid[], string_to_array(${key}, e'\\n'), ${fingerprint}::text[], ${code}::smallint[])
       as claim (id, token_id, key, fingerprint, code)`,
  );
};

/** Parameter values of the records. Entries without an idempotency key produce no row. */
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

/** SQL expressions of a record: the reply is either a text about a user or an upload, or the body of a message. */
type RecordColumns = { readonly created_time: string } & (
  | { readonly body: string; readonly about: string }
  | { readonly message_id: string }
);

/**
 * Statement that inserts the records of replies.
 * @shape source: the `from` clause, in which the alias `claims` has the columns of the records
 */
export const insertIdempotencyRecords = (claims: string, columns: RecordColumns, source: string): string =>
  `insert into idempotency_keys (token_id, key, fingerprint, code, ${Object.keys(columns).join(", ")})
     select ${claims}.token_id, ${claims}.key, decode(${claims}.fingerprint, 'hex'), ${claims}.code, ${Object.values(columns).join(", ")}
     ${source}
      order by ${claims}.token_id, ${claims}.key`;
