import { type MessageTemplate, outbound, type OutboundMessage } from "@parley/contract";
import type { Db } from "@parley/database";
import { clampPage, pageHref } from "../http/pagination.ts";
import { slice } from "../http/slice.ts";
import { isUuid } from "../http/uuid.ts";
import type { Accept } from "./acceptance.ts";
import { type ListedRow, listMessages } from "./db/requests.ts";

export interface OutboundDeps {
  readonly db: Db;
  readonly accept: Accept;
}

const REL = "outbound_message";

/** @assumed Of a deleted user the number is empty. */
const messageOf = (row: ListedRow): OutboundMessage => ({
  message_id: row.message_id,
  request_id: row.request_id,
  from: { phone_number: row.sender },
  provider: row.provider,
  to: { phone_number: row.recipient ?? "" },
  data: { message_template: JSON.parse(row.template) as MessageTemplate },
  status: row.status,
  failure_code: row.failure_code ?? undefined,
  failure_reason: row.failure_reason ?? undefined,
  created_on: row.created_time.getTime(),
});

export const outboundSlice = ({ db, accept }: OutboundDeps) =>
  slice(outbound, {
    async sendOutboundMessage({ params, body, caller, request }) {
      const began = performance.now();
      const request_id = await accept(caller.account.id, params.provider, body);
      return {
        request_id,
        request_process_time: ((performance.now() - began) / 1_000).toFixed(3),
        link: { rel: REL, href: `${request.basePath}/outbound-messages?request_id=${request_id}` },
      };
    },

    async listOutboundMessages({ query, caller, request }) {
      const { page, itemsPerPage, offset } = clampPage(query);
      const { request_id } = query;
      if (request_id !== undefined && !isUuid(request_id)) return { outbound_messages: [] };
      // One message more than the page has says whether there is another page.
      const rows = await listMessages(db, caller.account.id, {
        requestId: request_id,
        limit: itemsPerPage + 1,
        offset,
      });
      return {
        outbound_messages: rows.slice(0, itemsPerPage).map(messageOf),
        link: rows.length > itemsPerPage ? { rel: REL, href: pageHref(request, page + 1, itemsPerPage) } : undefined,
      };
    },
  });
