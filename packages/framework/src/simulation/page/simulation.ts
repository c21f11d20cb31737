import type { PayloadSource, SimulationAnswer, SimulationModel, SimulationPayload } from "@parley/contract";
import { element } from "../../pages/browser/element.ts";
import { pagePost } from "../../pages/browser/page-post.ts";
import { eventChoice, type ChosenEvent } from "./event-choice.ts";
import { payloadEditor } from "./payload-editor.ts";
import { resultView } from "./result-view.ts";

const textOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

const sourceText = (source: PayloadSource): string => {
  if (source.from === "file") return `From ${source.file}.`;
  return source.from === "recorded" ? "From the newest recorded call." : "A sample.";
};

const start = (root: HTMLElement) => {
  const { token, events } = JSON.parse(root.dataset["model"] ?? "") as SimulationModel;
  const post = pagePost({ base: "/web/test/", token });
  const form = element<HTMLFormElement>(root, "form");
  const send = element<HTMLButtonElement>(form, "button[type=submit]");
  const editor = payloadEditor(form);
  const result = resultView(element<HTMLElement>(root, "[data-result]"));
  /** Text typed for each event, kept while the page is open. */
  const typed = new Map<ChosenEvent, { readonly text: string; readonly source: string }>();
  let isSending = false;

  const load = async (chosen: ChosenEvent): Promise<void> => {
    editor.load("", "Loading the payload …");
    try {
      const question = { name: chosen.name, isFunction: chosen.kind === "function" };
      const { payload, source } = await post<SimulationPayload>("payload", question);
      // The user may have chosen another event in the meantime.
      if (choice.chosen() === chosen) editor.load(payload, sourceText(source));
    } catch (error) {
      if (choice.chosen() !== chosen) return;
      editor.load("{}", "No payload was found.");
      editor.refuse(textOf(error));
    }
  };
  const choice = eventChoice(form, events, {
    left: (before) => typed.set(before, { text: editor.text(), source: editor.source() }),
    entered: (chosen) => {
      const editedPayload = typed.get(chosen);
      if (editedPayload) editor.load(editedPayload.text, editedPayload.source);
      else void load(chosen);
    },
  });

  const simulate = async (): Promise<void> => {
    if (isSending) return;
    isSending = true;
    send.setAttribute("aria-disabled", "true");
    send.classList.add("busy");
    editor.accept();
    const { name, kind } = choice.chosen();
    result.wait(name);
    try {
      const question = { name, isFunction: kind === "function", payload: editor.text() };
      const answer = await post<SimulationAnswer>("simulate", question);
      if ("invocation" in answer) result.show(answer.invocation);
      else {
        result.refuse("Nothing was sent: the payload has a mistake.");
        editor.point(answer.fault);
      }
    } catch (error) {
      result.refuse(textOf(error));
    } finally {
      isSending = false;
      send.removeAttribute("aria-disabled");
      send.classList.remove("busy");
    }
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void simulate();
  });
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
  element(form, "[data-reset]").addEventListener("click", () => void load(choice.chosen()));
  choice.begin();
};

const root = document.querySelector<HTMLElement>("[data-model]");
if (root) start(root);
