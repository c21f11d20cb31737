import type { InstallField } from "@parley/contract";
import { attributesFault } from "../attributes.ts";
import { aroundOf, type Around } from "./around.ts";
import { connect, type Bridge } from "./bridge.ts";
import { wireButton } from "./button.ts";
import { element } from "./element.ts";
import { formField, type FormField } from "./field.ts";
import type { FromFrame, Known } from "./messages.ts";
import { whenReleased } from "./pointer.ts";
import { formOf, save } from "./save.ts";
import { BROKE, NOT_STARTED, type Trouble } from "./trouble.ts";

const textOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** The frame is there only where the app has callbacks. */
const bridgeOf = ({ model, server, trouble }: Around, fields: readonly FormField[]): Bridge | undefined => {
  const frame = document.querySelector<HTMLIFrameElement>("iframe[data-callbacks]");
  if (!frame) return undefined;
  const values = () => Object.fromEntries(fields.map((field) => [field.key, field.value()]));
  const { fields: declared, values: stored, products, modules, secure, domain, domainSuffix } = model;
  const declaredForm = { fields: declared, stored, secure, domain, domainSuffix, products, modules };
  const known = (): Known => ({ ...declaredForm, values: values() });
  const fault = (message: string) => trouble(BROKE, message);
  const set = ({ key, attributes }: Extract<FromFrame, { t: "set" }>) => {
    const type = model.fields.find((field) => field.key === key)?.type;
    if (!type || attributesFault(key, type, attributes) !== undefined) return;
    fields.find((field) => field.key === key)?.set(attributes);
  };
  // With what a save would give the host, so that it knows which secure values it has.
  const request = ({ question }: Extract<FromFrame, { t: "ask" }>) => {
    const form = formOf(fields.map((field) => field.send()));
    const removed = Object.fromEntries(form.removed.map((key) => [key, ""]));
    return server.request({ question, values: { ...form.values, ...removed } });
  };
  return connect(frame, { address: "/custom_configs/frame", known, set, request, fault });
};

/** Runs the app's hook and says so where the app's file or its hook is broken. */
const begin = async (bridge: Bridge, trouble: Trouble): Promise<void> => {
  try {
    const names = await bridge.ready;
    if (!names.includes("onFormLoad")) return;
    const outcome = await bridge.call("onFormLoad");
    if (outcome.t === "refused" || outcome.t === "failed") trouble(BROKE, outcome.message);
  } catch (error) {
    trouble(NOT_STARTED, textOf(error));
  }
};

/** Wherever a password is asked for, a person may look at what was typed. */
const wireReveal = (form: HTMLElement) => {
  for (const button of form.querySelectorAll<HTMLButtonElement>("button[data-reveal]")) {
    const input = element<HTMLInputElement>(button.parentElement ?? form, "input");
    button.hidden = false;
    button.addEventListener("click", () => {
      const shown = input.type === "password";
      input.type = shown ? "text" : "password";
      button.setAttribute("aria-pressed", String(shown));
    });
  }
};

const start = (around: Around, fields: FormField[]) => {
  const { form, model, server, notice, trouble, unsaved, installed } = around;
  const bridge = bridgeOf(around, fields);
  const missing = { t: "failed", message: "The app has no callbacks." } as const;
  const released = whenReleased(document);
  const make = (field: InstallField, root: HTMLElement) =>
    formField({
      field,
      root,
      suffix: model.domainSuffix,
      touched() {
        notice.hide();
        unsaved.look();
        bridge?.tell();
      },
      whenReleased: released,
      call: async (name, value) => bridge?.call(name, value) ?? missing,
      // A host that does not answer says nothing about the value.
      check: async (key, value) =>
        server.check({ key, value }).then(
          ({ error }) => error,
          () => undefined,
        ),
    });
  const roots = [...form.querySelectorAll<HTMLElement>("[data-field]")];
  fields.push(...model.fields.flatMap((field, index) => (roots[index] ? [make(field, roots[index])] : [])));
  wireButton({
    form,
    notice,
    unsaved,
    async save() {
      const isKept = await save({ fields, notice, server });
      if (isKept) installed();
      return isKept;
    },
  });
  wireReveal(form);
  if (bridge) void begin(bridge, trouble);
};

const fields: FormField[] = [];
const around = aroundOf(() => fields.some((field) => field.isChanged()));
if (around) start(around, fields);
