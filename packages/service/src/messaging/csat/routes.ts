import {
  CONFLICT,
  CONVERSATION_NOT_FOUND,
  type Csat,
  CSAT_REOPEN_REFUSED,
  MISSING_PARAMETER,
  type NewCsat,
  refuse,
  csat,
} from "@parley/contract";
import type { Db, Pool } from "@parley/database";
import type { Directory } from "../directory/directory.ts";
import { checkUserNotDeleted } from "../conversations/deleted-user.ts";
import type { FindConversation } from "../conversations/find.ts";
import { WRITE_ATTEMPTS_MAX } from "../conversations/conversation-writer.ts";
import type { ReopenConversation } from "../conversations/change.ts";
import { type CallerAccount, defineRoutes } from "../../http/route-handlers.ts";
import type { IdempotencyRecord } from "../../http/idempotency/idempotency-record.ts";
import { addCsat, type CsatRow } from "./store.ts";

interface RateDeps {
  readonly db: Pool;
  readonly directory: Pick<Directory, "agent">;
  readonly find: FindConversation;
  readonly reopen: ReopenConversation;
  readonly now: () => Date;
}

/** @errors MISSING_PARAMETER, CSAT_REOPEN_REFUSED */
const check = ({ issue_resolved, rating, reopen_conversation }: NewCsat): void => {
  if (issue_resolved && rating === undefined)
    refuse(MISSING_PARAMETER, "rating is mandatory when issue_resolved is true");
  if (issue_resolved && reopen_conversation) refuse(CSAT_REOPEN_REFUSED);
};

/**
 * Rates the conversation's current interaction. A reopening and its rating are one transaction.
 * @spec Endpoints > CSAT
 * @errors CONVERSATION_NOT_FOUND, USER_NOT_FOUND, CONFLICT after WRITE_ATTEMPTS_MAX lost races, and those of check
 * @assumed reopen_conversation reopens a resolved conversation and leaves an open one as it is. An open conversation is
 * rated with the agent that it has. An interaction may be rated more than once: each rating is
 * kept.
 */
export const createRate =
  ({ db, directory, find, reopen, now }: RateDeps) =>
  async (account: CallerAccount, conversationId: string, input: NewCsat, claim?: IdempotencyRecord): Promise<Csat> => {
    check(input);
    for (let attempt = 0; attempt < WRITE_ATTEMPTS_MAX; attempt++) {
      const conversation = (await find(account.id, conversationId)) ?? refuse(CONVERSATION_NOT_FOUND);
      checkUserNotDeleted(conversation);
      const { id, user_id, interaction_id, assigned_agent_id: agent_id, revision } = conversation;
      const agent = agent_id === null ? undefined : await directory.agent(account.id, agent_id);
      const reopened = input.reopen_conversation === true && conversation.status === "resolved";
      const row: CsatRow = {
        conversation_id: id,
        interaction_id,
        created_time: now(),
        issue_resolved: input.issue_resolved,
        rating: input.rating,
        additional_feedback: input.additional_feedback,
        reopened,
        agent_id,
        agent_internal_id: agent?.internal_id,
      };
      const add = async (tx: Db, at: number): Promise<Csat | undefined> => {
        const csatId = await addCsat(tx, row, at);
        if (csatId === undefined) return undefined;
        const reply: Csat = {
          csat_response_id: csatId,
          created: row.created_time.getTime(),
          interaction_id,
          conversation_id: id,
          csat_attributer_id: agent?.internal_id,
          app_id: account.id,
          issue_resolved: input.issue_resolved,
          rating: input.rating,
          additional_feedback: input.additional_feedback,
          reopen_conversation: reopened,
        };
        await claim?.recordReply(tx, reply, user_id);
        return reply;
      };
      const added = reopened
        ? await reopen(account, conversation, (tx, written) => add(tx, written.conversation.revision))
        : await (claim ? db.transaction((tx) => add(tx, revision)) : add(db, revision));
      if (added) return added;
    }
    return refuse(CONFLICT);
  };

export const csatRoutes = (deps: { readonly rate: ReturnType<typeof createRate> }) =>
  defineRoutes(csat, {
    async createCsat({ caller, params, body, claim }) {
      return deps.rate(caller.account, params.conversation_id, body, claim);
    },
  });
