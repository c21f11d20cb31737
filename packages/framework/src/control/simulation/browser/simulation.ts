import type {
  PayloadSource,
  SimulationAnswer,
  SimulationModel,
  SimulationPayload,
  PayloadFault,
  InvocationKind,
  SimulationEvent,
} from "@parley/contract";
import { element } from "../../../pages/browser/element.ts";
import { pagePost } from "../../../pages/browser/page-post.ts";
import { resultView } from "./result-view.ts";

type ChosenEvent = SimulationEvent;

const KIND_LABELS: Readonly<Record<InvocationKind, string>> = {
  product: "Product event",
  "set-up": "App setup event",
  scheduled: "Scheduled event",
  external: "External event",
  function: "Function (client.request.invoke)",
  job: "Job",
};

/** In display order. */
const KINDS = Object.keys(KIND_LABELS) as InvocationKind[];

const fill = (select: HTMLSelectElement, options: readonly { readonly value: string; readonly label: string }[]) => {
  const before = select.value;
  select.replaceChildren(...options.map(({ value, label }) => new Option(label, value)));
  if (options.some(({ value }) => value === before)) select.value = before;
};

const unique = <T>(values: readonly T[]): T[] => [...new Set(values)];

interface EventChoiceHooks {
  /** Called before the selection changes to another event. */
  readonly left: (event: ChosenEvent) => void;
  readonly entered: (event: ChosenEvent) => void;
}

/** Three dependent select lists that choose an event: each list is filtered by the lists before it. */
const eventChoice = (form: HTMLElement, events: readonly ChosenEvent[], hooks: EventChoiceHooks) => {
  const [kind, module, event] = ["kind", "module", "event"].map((id) => element<HTMLSelectElement>(form, `#${id}`));
  if (!kind || !module || !event) throw new Error("The page has no lists.");
  let current: ChosenEvent | undefined;

  const update = () => {
    const ofKind = events.filter((one) => one.kind === kind.value);
    const modules = unique(ofKind.map((one) => one.module));
    fill(
      module,
      modules.map((name) => ({ value: name, label: name })),
    );
    const ofModule = ofKind.filter((one) => one.module === module.value);
    fill(
      event,
      ofModule.map((one) => ({ value: one.name, label: one.event })),
    );
    const next = ofModule.find((one) => one.name === event.value);
    if (!next || next === current) return;
    if (current) hooks.left(current);
    current = next;
    hooks.entered(next);
  };
  for (const select of [kind, module, event]) select.addEventListener("change", update);

  return {
    /** @errors Error before `begin` */
    chosen(): ChosenEvent {
      if (!current) throw new Error("No event is chosen.");
      return current;
    },
    begin() {
      const present = KINDS.filter((one) => events.some((each) => each.kind === one));
      fill(
        kind,
        present.map((one) => ({ value: one, label: KIND_LABELS[one] })),
      );
      update();
    },
  };
};

/** Start and end offsets of a line in the text. @units line: from 1 */
const spanOf = (text: string, line: number): { readonly start: number; readonly end: number } => {
  const lines = text.split("\n");
  const start = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  return { start, end: start + (lines[line - 1]?.length ?? 0) };
};

/** Payload field with its error message. */
const payloadEditor = (form: HTMLElement) => {
  const field = element<HTMLElement>(form, "[data-field]");
  const area = element<HTMLTextAreaElement>(field, "textarea");
  const error = element<HTMLElement>(field, ".error");
  const source = element<HTMLElement>(field, "[data-part=source]");

  const accept = () => {
    field.classList.remove("wrong");
    area.removeAttribute("aria-invalid");
    error.textContent = "";
  };
  const showMistake = (message: string) => {
    field.classList.add("wrong");
    area.setAttribute("aria-invalid", "true");
    error.textContent = message;
  };
  area.addEventListener("input", accept);

  return {
    text: () => area.value,
    source: () => source.textContent,
    load(text: string, from: string) {
      accept();
      area.value = text;
      area.scrollTop = 0;
      source.textContent = from;
    },
    accept,
    showMistake,
    /** Shows an error at its position: the line is selected. */
    point({ message, line, column }: PayloadFault) {
      showMistake(`Line ${line}, column ${column}: ${message}`);
      const { start, end } = spanOf(area.value, line);
      area.focus();
      area.setSelectionRange(start, end);
    },
  };
};

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
      editor.showMistake(textOf(error));
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
