import { statement, type Db } from "@parley/database";
import { phoneOf } from "./phone.ts";

// A request with other recipients keeps its parameters, which do not concern one person only.
const BLANK = statement(
  "blank_outbound_messages",
  `with blanked as (
     update outbound_messages
        set recipient = null, is_waiting = false, failure_reason = null
      where account_id = $1 and recipient = any($2::text[])
     returning request_id
   )
   update outbound_requests request
      set rendered = '{"body":"","buttons":[]}',
          template = (
            select json_object_agg(key, value)::text
              from json_each(request.template::json)
             where key in ('storage', 'template_name', 'namespace', 'language'))
    where request.id in (select request_id from blanked)
      and not exists (
        select from outbound_messages other
         where other.request_id = request.id and other.recipient is not null and other.recipient <> all($2::text[]))`,
);

/** Erases a deleted user's numbers from sent messages. @shape phones: as written in the user's record */
export const blankOutbound = async (
  db: Db,
  accountId: number,
  phones: readonly (string | undefined)[],
): Promise<void> => {
  const numbers = phones.map((phone) => phone && phoneOf(phone)).filter((phone) => phone !== undefined && phone !== "");
  if (numbers.length > 0) await db.rows(BLANK, [accountId, numbers]);
};
