import type { InstallField } from "@parley/contract";
import { attributesFault } from "../../../model/iparams/attributes.ts";
import { wirePageControls, type PageControls } from "./page-controls.ts";
import { OPAQUE_ORIGINS } from "../../../pages/browser/frame-origin.ts";
import { connectFrame, type FrameBridge } from "./frame-bridge.ts";
import { wireSaveButton, formValues, saveForm } from "./save-button.ts";
import { element, enableButtons } from "../../../pages/browser/element.ts";
import { formField, type FormField, type SentField } from "./field.ts";
import { wireKeyButton } from "./key-button.ts";
import type { CallbackFrameMessage, FormSnapshot } from "./messages.ts";
import { whenReleased } from "./field-elements.ts";
import { CHECKS_FAILED_TITLE, CHECKS_NOT_STARTED_TITLE, type AppFaultNotice } from "./notice.ts";

const textOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** The frame exists only if the app has callbacks. */
const bridgeOf = ({ model, server, trouble }: PageControls, fields: readonly FormField[]): FrameBridge | undefined => {
  const frame = document.querySelector<HTMLIFrameElement>("iframe[data-callbacks]");
  if (!frame) return undefined;
  const values = () => Object.fromEntries(fields.map((field) => [field.key, field.value()]));
  const { fields: declared, values: stored, products, modules, secure, domain, domainSuffix } = model;
  const declaredForm = { fields: declared, stored, secure, domain, domainSuffix, products, modules };
  const formSnapshot = (): FormSnapshot => ({ ...declaredForm, values: values() });
  const fault = (message: string) => trouble.show(CHECKS_FAILED_TITLE, message);
  const set = ({ key, attributes }: Extract<CallbackFrameMessage, { t: "set" }>) => {
    const declaredField = model.fields.find((field) => field.key === key);
    if (!declaredField || attributesFault(key, declaredField, attributes) !== undefined) return;
    fields.find((field) => field.key === key)?.set(attributes);
  };
  // Includes the values that a save would send, so that the host can determine which secure values it has.
  const request = ({ question }: Extract<CallbackFrameMessage, { t: "ask" }>) => {
    const form = formValues(fields.map((field) => field.send()));
    const removed = Object.fromEntries(form.removed.map((key) => [key, ""]));
    return server.request({ question, values: { ...form.values, ...removed } });
  };
  const { version } = model;
  const query = version === undefined ? "" : `?version=${encodeURIComponent(version)}`;
  return connectFrame(frame, {
    origins: OPAQUE_ORIGINS,
    address: `/custom_configs/frame${query}`,
    formSnapshot,
    set,
    request,
    fault,
  });
};

/** Runs the app's hook and reports an error in the app's file or in its hook. */
const begin = async (bridge: FrameBridge, trouble: AppFaultNotice): Promise<void> => {
  try {
    const names = await bridge.ready;
    if (!names.includes("onFormLoad")) return;
    const outcome = await bridge.call("onFormLoad");
    if (outcome.t === "refused" || outcome.t === "failed") trouble.show(CHECKS_FAILED_TITLE, outcome.message);
  } catch (error) {
    trouble.show(CHECKS_NOT_STARTED_TITLE, textOf(error));
  }
};

/** Lets the user reveal text that was typed into password fields. */
const wireReveal = (form: HTMLElement) => {
  for (const button of form.querySelectorAll<HTMLButtonElement>("button[data-reveal]")) {
    const input = element<HTMLInputElement>(button.parentElement ?? form, "input");
    button.hidden = false;
    button.addEventListener("click", () => {
      const isHidden = input.type === "password";
      input.type = isHidden ? "text" : "password";
      button.setAttribute("aria-pressed", String(isHidden));
    });
  }
};

const start = (around: PageControls, fields: FormField[]) => {
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
        unsaved.update();
        bridge?.sendValues();
      },
      whenReleased: released,
      call: async (name, value) => bridge?.call(name, value) ?? missing,
      // If the host does not answer, the value counts as valid.
      check: async (key, value) =>
        server.check({ key, value }).then(
          ({ error }) => error,
          () => undefined,
        ),
    });
  const roots = [...form.querySelectorAll<HTMLElement>("[data-field]")];
  fields.push(...model.fields.flatMap((field, index) => (roots[index] ? [make(field, roots[index])] : [])));
  const keyButtons = fields.flatMap((field, index) => {
    const button = roots[index] && wireKeyButton({ root: roots[index], field, server });
    return button ? [button] : [];
  });
  wireSaveButton({
    form,
    notice,
    unsaved,
    async save() {
      try {
        const stored = (sent: readonly SentField[]) => {
          for (const button of keyButtons) button.saved(sent);
        };
        const isSaved = await saveForm({ fields, notice, server, stored });
        if (isSaved) installed();
        return isSaved;
      } catch (error) {
        for (const button of keyButtons) button.keep();
        throw error;
      }
    },
  });
  wireReveal(form);
  enableButtons(form);
  if (bridge) void begin(bridge, trouble);
};

const fields: FormField[] = [];
const around = wirePageControls(() => fields.some((field) => field.isChanged()));
if (around) start(around, fields);
