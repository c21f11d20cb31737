import { refuse, savedViews, TOO_MANY_VIEWS, VIEW_NOT_FOUND, type SavedView } from "@parley/contract";
import type { NotifyOwnChange } from "../../http/own-change.ts";
import { sessionAgent } from "../../http/session-agent.ts";
import { checkMayChange, notifiedAgent } from "../saved-items/shared-items.ts";
import type { Ports } from "../../base/environment/ports.ts";
import { defineRoutes } from "../../http/route-handlers.ts";
import { isUuid } from "../../http/uuid.ts";
import type { SavedViewStore } from "./store.ts";

interface SavedViewDeps {
  readonly store: SavedViewStore;
  readonly ports: Pick<Ports, "newId">;
  readonly notifyOwnChange: NotifyOwnChange;
}

/** A malformed id is treated as not found; a uuid column would reject it. */
const idOf = (text: string): string => (isUuid(text) ? text.toLowerCase() : refuse(VIEW_NOT_FOUND));

export const savedViewRoutes = ({ store, ports, notifyOwnChange }: SavedViewDeps) =>
  defineRoutes(savedViews, {
    async listViews({ caller }) {
      return { views: await store.list(caller.account.id, sessionAgent(caller).id) };
    },

    async createView({ caller: { account, ...caller }, body }) {
      const agent = sessionAgent(caller);
      const view: SavedView = { ...body, name: body.name.trim(), id: ports.newId(), owner_id: agent.id };
      await store.change(account.id, agent.id, async (views) => {
        if (await views.isFull(view)) refuse(TOO_MANY_VIEWS);
        await views.add(view);
      });
      notifyOwnChange(account.id, notifiedAgent(agent, view), { kind: "views" });
      return view;
    },

    async changeView({ caller: { account, ...caller }, params, body }) {
      const [agent, id, name] = [sessionAgent(caller), idOf(params.view_id), body.name.trim()];
      const [before, view] = await store.change(account.id, agent.id, async (views) => {
        const found = (await views.find(id)) ?? refuse(VIEW_NOT_FOUND);
        checkMayChange(agent, found, body);
        const next: SavedView = { ...body, name, id, owner_id: found.owner_id };
        if (next.is_shared !== found.is_shared && (await views.isFull(next))) refuse(TOO_MANY_VIEWS);
        await views.change(next);
        return [found, next];
      });
      notifyOwnChange(account.id, notifiedAgent(agent, before, view), { kind: "views" });
      return view;
    },

    async deleteView({ caller: { account, ...caller }, params }) {
      const [agent, id] = [sessionAgent(caller), idOf(params.view_id)];
      const removed = await store.change(account.id, agent.id, async (views) => {
        const found = (await views.find(id)) ?? refuse(VIEW_NOT_FOUND);
        checkMayChange(agent, found);
        await views.remove(id);
        return found;
      });
      notifyOwnChange(account.id, notifiedAgent(agent, removed), { kind: "views" });
      return { code: 200, status: "OK", message: "The view was deleted." };
    },
  });
