/**
 * The alternative without an index of the service's own: a tsvector for each message, a GIN index over it and an index by time, from which
 * PostgreSQL chooses for each query.
 */
import { statement } from "../../packages/database/dist/index.js";

const TIMEOUT_MS = 5_000;

/** A query of the search as a tsquery. */
const tsquery = (q) =>
  [...q.matchAll(/(-?)"([^"]*)"|(-?)(\S+)/g)]
    .map(([all, , quoted, sign, word], index, items) => {
      if (quoted !== undefined) return `(${quoted.split(" ").join(" <-> ")})`;
      const isOpen = index === items.length - 1 && q.endsWith(all);
      return `${sign ? "!" : ""}${word}${isOpen && !sign ? ":*" : ""}`;
    })
    .join(" & ");

/** @shape rows: runs a statement */
export const createGin = async (rows, progress) => {
  const begun = performance.now();
  await rows(`create table gin_search as
    select m.id, m.created_time, m.conversation_id,
           to_tsvector('simple', m.body::json -> 'message_parts' -> 0 -> 'text' ->> 'content') as words
      from messages m`);
  await rows("create index gin_search_words on gin_search using gin (words)");
  await rows("create index gin_search_time on gin_search (created_time)");
  await rows("vacuum (analyze) gin_search");
  const seconds = (performance.now() - begun) / 1_000;
  progress(`GIN index built in ${Math.round(seconds)} s`);
  const [{ bytes }] = await rows("select pg_total_relation_size('gin_search') as bytes");
  return {
    seconds,
    megabytes: bytes / 1_048_576,
    /** -> milliseconds; the timeout for a query that takes longer */
    async search({ q, to_time = "infinity" }) {
      const from = performance.now();
      await rows(
        `select m.body from (
           select id, created_time from gin_search where words @@ $1::tsquery and created_time < $2
            order by created_time desc limit 21) found
           join messages m using (id)`,
        [tsquery(q), to_time],
      ).catch((error) => {
        if (error.code !== "57014") throw error;
      });
      return performance.now() - from;
    },
    drop: () => rows("drop table gin_search"),
  };
};

/** A pool whose statements end after the timeout, except those that build. */
export const ginRows = (database, schema) => {
  const building = database.pool(schema, { max: 1 });
  const searching = database.pool(schema, { max: 1, statementTimeoutMs: TIMEOUT_MS });
  return (text, values = []) =>
    (text.startsWith("select m.body") ? searching : building).rows(statement("", text), values);
};
