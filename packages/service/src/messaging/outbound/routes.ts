import { LIMITS, outbound } from "@parley/contract";
import type { Db } from "@parley/database";
import { clampPage, pageHref } from "../../http/pagination.ts";
import { defineRoutes } from "../../http/route-handlers.ts";
import { isUuid } from "../../http/uuid.ts";
import type { AcceptOutbound } from "./accept.ts";
import { listMessages } from "./requests.sql.ts";
import { outboundMessageOf } from "./outbound-message.ts";

interface OutboundDeps {
  readonly db: Db;
  readonly accept: AcceptOutbound;
}

const REL = "outbound_message";
/** Messages of one request. */
const REQUEST_MESSAGES_MAX = LIMITS.outbound_recipients;

/**
 * @assumed The specification shows no pages of the messages of a request: all are returned unless the caller asks for a
 * page.
 */
export const outboundRoutes = ({ db, accept }: OutboundDeps) =>
  defineRoutes(outbound, {
    async sendOutboundMessage({ params, body, caller, request, claim }) {
      const began = performance.now();
      return accept(caller.account.id, params.provider, body, async (tx, request_id) => {
        const reply = {
          request_id,
          request_process_time: ((performance.now() - began) / 1_000).toFixed(3),
          link: { rel: REL, href: `${request.basePath}/outbound-messages?request_id=${request_id}`, type: "GET" },
        };
        await claim?.recordReply(tx, reply);
        return reply;
      });
    },

    async listOutboundMessages({ query, caller, request }) {
      const { request_id } = query;
      // The messages of one request are fixed, so their pages need no bound.
      const bound = request_id === undefined ? query.until : undefined;
      const isWhole = request_id !== undefined && query.page === undefined && query.items_per_page === undefined;
      const { page, itemsPerPage, offset } = clampPage(
        query,
        isWhole ? { defaultSize: REQUEST_MESSAGES_MAX, maxSize: REQUEST_MESSAGES_MAX } : {},
      );
      const named = request_id ?? bound;
      if (named !== undefined && !isUuid(named)) return { outbound_messages: [] };
      // Reads one message more than the page holds to detect a next page.
      const rows = await listMessages(db, caller.account.id, {
        requestId: request_id,
        until: bound,
        limit: itemsPerPage + 1,
        offset,
      });
      // The first page fixes the upper bound of the following pages, so that new requests do not shift them.
      const until = bound ?? (request_id === undefined && page === 1 ? rows[0]?.request_id : undefined);
      const linkRequest = until === undefined ? request : { ...request, query: { ...request.query, until } };
      return {
        outbound_messages: rows.slice(0, itemsPerPage).map(outboundMessageOf),
        link:
          rows.length > itemsPerPage ? { rel: REL, href: pageHref(linkRequest, page + 1, itemsPerPage) } : undefined,
      };
    },
  });
