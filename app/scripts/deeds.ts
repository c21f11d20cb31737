import type { Client } from "@parley/framework/sdk";
import type { PanelConversation, PanelDeed, PanelView } from "../../server/lib/panel-view.ts";
import { byId, setText } from "./elements.ts";
import { failureOf } from "./words.ts";

export interface DeedsDeps {
  readonly client: Client;
  /** Calls a function of server/ about the open conversation. */
  readonly ask: <Answer>(name: string, args: object) => Promise<Answer>;
  /** Shows the conversation as it stands after a deed. */
  readonly done: (conversation: PanelConversation) => void;
}

/** Assign and escalate. */
export const deedsOn = ({ client, ask, done }: DeedsDeps) => {
  const select = byId<HTMLSelectElement>("group");
  const buttons = { me: byId("to-me"), group: byId("to-group"), escalation: byId("escalate") } as const;
  let isBusy = false;
  /** The group that the select was set to; another value is the agent's own choice. */
  let preselected = "";

  /** One deed at a time: a second press of a button is no second deed. */
  const press = async (args: object): Promise<void> => {
    if (isBusy) return;
    isBusy = true;
    for (const button of Object.values(buttons)) button.setAttribute("aria-disabled", "true");
    setText(byId("deed-problem"), "");
    try {
      const { message, changed, conversation } = await ask<PanelDeed>("panelAssign", args);
      preselected = select.value;
      done(conversation);
      await client.interface.trigger("showNotify", { type: changed ? "success" : "info", message });
    } catch (error) {
      setText(byId("deed-problem"), failureOf(error).message);
    } finally {
      isBusy = false;
      for (const button of Object.values(buttons)) button.removeAttribute("aria-disabled");
    }
  };
  buttons.me.addEventListener("click", () => void press({ to: "me" }));
  buttons.escalation.addEventListener("click", () => void press({ to: "escalation" }));
  buttons.group.addEventListener("click", () => {
    if (select.value) return void press({ to: "group", group_id: select.value });
    setText(byId("deed-problem"), "Choose a group first.");
    select.focus();
  });

  return {
    show({ groups, escalation }: Pick<PanelView, "groups" | "escalation">, { group_id = "" }: PanelConversation) {
      setText(buttons.escalation, escalation ? `Escalate to ${escalation}` : "Escalate");
      const isOwnChoice = select.value !== preselected || document.activeElement === select;
      const options = [{ id: "", name: "Choose a group" }, ...groups];
      const drawn = [...select.options].map(({ value, text }) => `${value} ${text}`).join("\n");
      if (drawn !== options.map(({ id, name }) => `${id} ${name}`).join("\n")) {
        const { value } = select;
        select.replaceChildren(...options.map(({ id, name }) => new Option(name, id)));
        select.value = value;
      }
      if (isOwnChoice || select.value === group_id) return;
      select.value = groups.some(({ id }) => id === group_id) ? group_id : "";
      preselected = select.value;
    },
  };
};
