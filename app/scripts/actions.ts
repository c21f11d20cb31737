import type { Client } from "@parley/framework/sdk";
import type { PanelConversation, PanelAction, PanelSent, PanelView } from "../../server/lib/panel-view.ts";
import { byId, drawOptions, setText, show } from "./elements.ts";
import { newIdempotencyKey } from "./ports.ts";
import { failureOf } from "./format.ts";

interface PanelActionsDeps {
  readonly client: Client;
  /** Calls a function of server/ about the open conversation. */
  readonly call: <Answer>(name: string, args: object) => Promise<Answer>;
  /** Called with the conversation's state after an action. */
  readonly onChange: (conversation: PanelConversation) => void;
}

/** Message for the agent; undefined if the agent cancelled. */
type ActionResult = { readonly type: "success" | "info"; readonly message: string } | undefined;

/** Assign, escalate, and send a template message. */
export const createPanelActions = ({ client, call, onChange }: PanelActionsDeps) => {
  const group = byId<HTMLSelectElement>("group");
  const outbound = byId<HTMLSelectElement>("outbound");
  const problem = byId("action-problem");
  const buttons = ["to-me", "to-group", "escalate", "send-outbound"].map((id) => byId(id));
  let isBusy = false;
  /** The group that was preselected here; another value is the agent's own choice. */
  let preselected = "";
  let phone = "";
  /** A message whose response was lost: a repetition uses the same key, so that it is sent once. */
  let unconfirmed: { readonly event: string; readonly once: string } | undefined;

  /** Runs one action at a time: further presses of a button meanwhile have no effect. */
  const runAction = async (action: () => Promise<ActionResult>): Promise<void> => {
    if (isBusy) return;
    isBusy = true;
    for (const button of buttons) button.setAttribute("aria-disabled", "true");
    setText(problem, "");
    try {
      const result = await action();
      if (result) await client.interface.trigger("showNotify", result);
    } catch (error) {
      setText(problem, failureOf(error).message);
    } finally {
      isBusy = false;
      for (const button of buttons) button.removeAttribute("aria-disabled");
    }
  };
  const assign = (args: object) => async (): Promise<ActionResult> => {
    const { message, changed, conversation } = await call<PanelAction>("panelAssign", args);
    preselected = group.value;
    onChange(conversation);
    return { type: changed ? "success" : "info", message };
  };
  const sendOutbound = async (): Promise<ActionResult> => {
    const event = outbound.value;
    const { success } = await client.interface.trigger("showConfirm", {
      title: "Send this message?",
      message: `${outbound.selectedOptions[0]?.text ?? ""} goes to ${phone}.`,
      saveLabel: "Send",
      cancelLabel: "Don’t send",
    });
    if (success !== true) return undefined;
    if (unconfirmed?.event !== event) unconfirmed = { event, once: newIdempotencyKey() };
    const { message } = await call<PanelSent>("panelOutbound", unconfirmed).catch((error: unknown) => {
      const { status } = failureOf(error);
      if (status >= 400 && status < 500) unconfirmed = undefined;
      throw error;
    });
    unconfirmed = undefined;
    return { type: "success", message };
  };

  byId("to-me").addEventListener("click", () => void runAction(assign({ to: "me" })));
  byId("escalate").addEventListener("click", () => void runAction(assign({ to: "escalation" })));
  byId("send-outbound").addEventListener("click", () => void runAction(sendOutbound));
  byId("to-group").addEventListener("click", () => {
    if (group.value) return void runAction(assign({ to: "group", group_id: group.value }));
    setText(problem, "Choose a group first.");
    group.focus();
  });

  return {
    show({ groups, escalation, outbound: offered, customer }: PanelView, { group_id = "" }: PanelConversation) {
      setText(byId("escalate"), escalation ? `Escalate to ${escalation}` : "Escalate");
      phone = customer?.phone ?? "";
      drawOptions(
        outbound,
        offered.ready.map(({ event, template }) => ({ value: event, text: template })),
      );
      show(byId("outbound-line"), offered.ready.length > 0);
      setText(byId("outbound-problem"), `No template message can be sent: ${offered.problem}`);
      show(byId("outbound-problem"), offered.problem !== undefined);
      const isOwnChoice = group.value !== preselected || document.activeElement === group;
      const choices = groups.map(({ id, name }) => ({ value: id, text: name }));
      drawOptions(group, [{ value: "", text: "Choose a group" }, ...choices]);
      if (isOwnChoice) return;
      group.value = groups.some(({ id }) => id === group_id) ? group_id : "";
      preselected = group.value;
    },
  };
};
