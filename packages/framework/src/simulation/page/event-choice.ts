import type { InvocationKind, SimulationEvent } from "@parley/contract";
import { element } from "../../pages/browser/element.ts";

export type ChosenEvent = SimulationEvent;

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
export const eventChoice = (form: HTMLElement, events: readonly ChosenEvent[], hooks: EventChoiceHooks) => {
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
