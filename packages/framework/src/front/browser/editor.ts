import type { FrontConversation, FrontOutcome, FrontState } from "@parley/contract";
import { element } from "../../pages/browser/element.ts";
import type { FrontServer } from "./server.ts";
import { STOPPED_MESSAGE, type EventInterceptors } from "./interceptors.ts";

interface EditorDeps {
  readonly server: FrontServer;
  readonly interceptors: EventInterceptors;
  /** Id of the open conversation. */
  readonly conversation: () => string | undefined;
  readonly agent: () => string | undefined;
  /** Called after an action, to load the new state. */
  readonly done: () => Promise<void>;
}

/** The agent's editor with its actions. */
export const createEditor = (root: HTMLElement, deps: EditorDeps) => {
  const form = element<HTMLFormElement>(root, "[data-editor]");
  const fieldset = element<HTMLFieldSetElement>(root, "[data-actions]");
  const text = element<HTMLTextAreaElement>(root, "#editor");
  const note = element<HTMLInputElement>(root, "#note");
  const send = element<HTMLButtonElement>(root, "[data-send]");
  const resolve = element<HTMLButtonElement>(root, "[data-resolve]");
  const assign = element<HTMLSelectElement>(root, "[data-assign]");
  const errorLine = element<HTMLElement>(root, "[data-error]");
  let status = "";
  /** Actions that are still pending. */
  let pendingActions: Promise<unknown> = Promise.resolve();

  const runAction = async (
    event: string | undefined,
    data: object,
    act: () => Promise<FrontOutcome>,
  ): Promise<boolean> => {
    const decision = event === undefined ? { ok: true, message: "" } : await deps.interceptors.before(event, data);
    const outcome = decision.ok ? await act() : { ok: false as const, message: decision.message || STOPPED_MESSAGE };
    if (outcome.ok) await deps.done();
    else errorLine.textContent = outcome.message;
    return outcome.ok;
  };
  const enqueueAction = (...action: Parameters<typeof runAction>): Promise<boolean> => {
    errorLine.textContent = "";
    const done = pendingActions.then(() => runAction(...action));
    pendingActions = done.catch(() => undefined);
    return done;
  };

  const pressed = new Set<HTMLButtonElement>();
  /** A second press of a button while its action is pending has no effect. */
  const press = async (button: HTMLButtonElement, ...action: Parameters<typeof runAction>): Promise<boolean> => {
    if (pressed.has(button)) return false;
    pressed.add(button);
    return enqueueAction(...action).finally(() => pressed.delete(button));
  };

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const [conversation, agent, message] = [deps.conversation(), deps.agent(), text.value];
    if (conversation === undefined || agent === undefined || fieldset.disabled) return;
    if (message.trim() === "") {
      errorLine.textContent = "Write a message first.";
      text.focus();
      return;
    }
    const isPrivate = note.checked;
    void press(send, "conversation.onSendMessage", { message, isPrivate }, () =>
      deps.server.send({ conversation, agent, text: message, private: isPrivate }),
    ).then((ok) => {
      if (ok && text.value === message) text.value = "";
    });
  });
  text.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
  resolve.addEventListener("click", () => {
    const conversation = deps.conversation();
    if (conversation === undefined) return;
    const next = status === "resolved" ? "reopened" : "resolved";
    const event = next === "resolved" ? "conversation.onResolveClick" : undefined;
    void press(resolve, event, { conversation_id: conversation }, () =>
      deps.server.change({ conversation, status: next }),
    );
  });
  assign.addEventListener("change", () => {
    const [conversation, chosen] = [deps.conversation(), assign.value];
    if (conversation === undefined) return;
    void enqueueAction(undefined, {}, () => deps.server.change({ conversation, assign: chosen }));
  });

  return {
    text,
    elements: { editor: text, send, note, resolve, assign },
    /** Called when another conversation is opened: restores elements that the app hid or disabled in the previous conversation. */
    reset() {
      errorLine.textContent = "";
      text.value = "";
      note.checked = false;
      for (const handle of [text, send, note, resolve, assign]) {
        handle.classList.remove("gone");
        handle.disabled = false;
      }
    },
    show(open: FrontConversation | undefined, agents: FrontState["agents"]) {
      fieldset.disabled = open === undefined;
      status = open?.conversation.status ?? "";
      resolve.textContent = status === "resolved" ? "Reopen" : "Resolve";
      const chosen = open?.conversation.assigned_agent_id ?? "";
      const options = [{ id: "", name: "Nobody" }, ...agents];
      if (chosen !== "" && !agents.some(({ id }) => id === chosen)) options.push({ id: chosen, name: "Another agent" });
      if (document.activeElement === assign) return;
      assign.replaceChildren(...options.map(({ id, name }) => new Option(name, id, false, id === chosen)));
    },
  };
};
