import {
  refuse,
  REPLY_TEMPLATE_NOT_FOUND,
  replyTemplates,
  SHORTCUT_TAKEN,
  TOO_MANY_REPLY_TEMPLATES,
  type ReplyTemplate,
} from "@parley/contract";
import type { NotifyOwnChange } from "../../http/own-change.ts";
import { sessionAgent } from "../../http/session-agent.ts";
import { checkMayChange, notifiedAgent } from "../saved-items/shared-items.ts";
import type { Ports } from "../../base/environment/ports.ts";
import { defineRoutes } from "../../http/route-handlers.ts";
import { isUuid } from "../../http/uuid.ts";
import type { ReplyTemplateStore } from "./store.ts";

interface ReplyTemplateDeps {
  readonly store: ReplyTemplateStore;
  readonly ports: Pick<Ports, "newId" | "now">;
  readonly notifyOwnChange: NotifyOwnChange;
}

/** A malformed id is treated as not found; a uuid column would reject it. */
const idOf = (text: string): string => (isUuid(text) ? text.toLowerCase() : refuse(REPLY_TEMPLATE_NOT_FOUND));

/**
 * @assumed A shortcut can become ambiguous for an agent when another agent shares a template with the same shortcut: the agent's own template
 * is kept, and can be changed without a new shortcut.
 */
export const replyTemplateRoutes = ({ store, ports, notifyOwnChange }: ReplyTemplateDeps) =>
  defineRoutes(replyTemplates, {
    async listReplyTemplates({ caller }) {
      return { templates: await store.list(caller.account.id, sessionAgent(caller).id) };
    },

    async createReplyTemplate({ caller: { account, ...caller }, body }) {
      const [agent, name] = [sessionAgent(caller), body.name.trim()];
      const updated_time = ports.now().toISOString();
      const template: ReplyTemplate = { ...body, name, id: ports.newId(), owner_id: agent.id, updated_time };
      await store.change(account.id, agent.id, async (templates) => {
        if (await templates.isTaken(template)) refuse(SHORTCUT_TAKEN);
        if (await templates.isFull(template)) refuse(TOO_MANY_REPLY_TEMPLATES);
        await templates.add(template);
      });
      notifyOwnChange(account.id, notifiedAgent(agent, template), { kind: "reply_templates" });
      return template;
    },

    async changeReplyTemplate({ caller: { account, ...caller }, params, body }) {
      const [agent, id, name] = [sessionAgent(caller), idOf(params.template_id), body.name.trim()];
      const [before, template] = await store.change(account.id, agent.id, async (templates) => {
        const found = (await templates.find(id)) ?? refuse(REPLY_TEMPLATE_NOT_FOUND);
        checkMayChange(agent, found, body);
        const updated_time = ports.now().toISOString();
        const next: ReplyTemplate = { ...body, name, id, owner_id: found.owner_id, updated_time };
        const isMoved = next.is_shared !== found.is_shared;
        if ((isMoved || next.shortcut !== found.shortcut) && (await templates.isTaken(next))) refuse(SHORTCUT_TAKEN);
        if (isMoved && (await templates.isFull(next))) refuse(TOO_MANY_REPLY_TEMPLATES);
        await templates.change(next);
        return [found, next];
      });
      notifyOwnChange(account.id, notifiedAgent(agent, before, template), { kind: "reply_templates" });
      return template;
    },

    async deleteReplyTemplate({ caller: { account, ...caller }, params }) {
      const [agent, id] = [sessionAgent(caller), idOf(params.template_id)];
      const removed = await store.change(account.id, agent.id, async (templates) => {
        const found = (await templates.find(id)) ?? refuse(REPLY_TEMPLATE_NOT_FOUND);
        checkMayChange(agent, found);
        await templates.remove(id);
        return found;
      });
      notifyOwnChange(account.id, notifiedAgent(agent, removed), { kind: "reply_templates" });
      return { code: 200, status: "OK", message: "The reply template was deleted." };
    },
  });
