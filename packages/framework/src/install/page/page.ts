import type { InstallField, InstallModel, InstallRequestAnswer } from "@parley/contract";
import { attributesFault } from "../attributes.ts";
import { connect, type Bridge } from "./bridge.ts";
import { element } from "./element.ts";
import { formField, type FormField } from "./field.ts";
import type { FromFrame, Known } from "./messages.ts";
import { noticeOf, type Notice } from "./notice.ts";
import { whenReleased } from "./pointer.ts";
import { save } from "./save.ts";
import { serverOf, type Server } from "./server.ts";

const textOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** A request that never reached the app's host, in the shape in which the app reads failures. */
const unsent = (error: unknown): InstallRequestAnswer => ({
  failure: { status: 502, headers: {}, response: textOf(error), attempts: 0, errorSource: "APP" },
});

interface Form {
  readonly form: HTMLFormElement;
  readonly model: InstallModel;
  readonly fields: FormField[];
  readonly server: Server;
  readonly notice: Notice;
}

/** The frame is there only where the app has callbacks. */
const bridgeOf = ({ model, fields, server }: Form): Bridge | undefined => {
  const frame = document.querySelector<HTMLIFrameElement>("iframe[data-callbacks]");
  if (!frame) return undefined;
  const values = () => Object.fromEntries(fields.map((field) => [field.key, field.value()]));
  const { products, modules, values: stored } = model;
  const declared = model.fields.map(({ key, type, secure }) => ({ key, type, secure }));
  const known = (): Known => ({ fields: declared, values: values(), stored, products, modules });
  const set = ({ key, attributes }: Extract<FromFrame, { t: "set" }>) => {
    const type = declared.find((field) => field.key === key)?.type;
    if (!type || attributesFault(key, type, attributes) !== undefined) return;
    fields.find((field) => field.key === key)?.set(attributes);
  };
  const request = ({ name, options }: Extract<FromFrame, { t: "ask" }>) =>
    server.request({ name, options, values: values() }).catch(unsent);
  return connect(frame, { known, set, request });
};

/** Runs the app's hook and says so where the app's file or its hook is broken. */
const begin = async (bridge: Bridge, notice: HTMLElement): Promise<void> => {
  const broken = (message: string) => {
    element<HTMLElement>(notice, "[data-part=message]").textContent = message;
    notice.hidden = false;
  };
  try {
    const names = await bridge.ready;
    if (!names.includes("onFormLoad")) return;
    const outcome = await bridge.call("onFormLoad");
    if (outcome.t !== "passed") broken(outcome.message);
  } catch (error) {
    broken(textOf(error));
  }
};

/** A save at a time, told by the button without taking the focus from it. */
const wireButton = ({ form, fields, server, notice }: Form) => {
  const button = element<HTMLButtonElement>(form, "button[type=submit]");
  let saving = false;
  const busy = (is: boolean, label: string | undefined) => {
    saving = is;
    button.setAttribute("aria-disabled", String(is));
    button.classList.toggle("busy", is);
    button.textContent = label ?? "";
  };
  const submit = async () => {
    if (saving) return;
    notice.hide();
    busy(true, button.dataset["busy"]);
    let label = button.dataset["idle"];
    try {
      if (await save({ fields, notice, server })) label = button.dataset["idle"] = "Save changes";
    } catch (error) {
      notice.bad(textOf(error), []);
    } finally {
      busy(false, label);
    }
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void submit();
  });
};

/** Wherever a password is asked for, a person may look at what was typed. */
const wireReveal = (form: HTMLFormElement) => {
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

const start = (form: HTMLFormElement) => {
  const model = JSON.parse(form.dataset["model"] ?? "{}") as InstallModel;
  const server = serverOf(model.token);
  const notice = noticeOf(element(document, "[data-notice]"));
  const fields: FormField[] = [];
  const page: Form = { form, model, fields, server, notice };
  const bridge = bridgeOf(page);
  const missing = { t: "failed", message: "The app has no callbacks." } as const;
  const released = whenReleased(document);
  const make = (field: InstallField, root: HTMLElement) =>
    formField({
      field,
      root,
      suffix: model.domainSuffix,
      touched: () => notice.hide(),
      whenReleased: released,
      call: async (name, value) => bridge?.call(name, value) ?? missing,
      check: async (key, value) =>
        server.check({ key, value }).then(
          ({ error }) => error,
          (error: unknown) => textOf(error),
        ),
    });
  const roots = [...form.querySelectorAll<HTMLElement>("[data-field]")];
  fields.push(...model.fields.flatMap((field, index) => (roots[index] ? [make(field, roots[index])] : [])));
  wireButton(page);
  wireReveal(form);
  if (bridge) void begin(bridge, element(document, "[data-load-error]"));
};

const form = document.querySelector<HTMLFormElement>("form[data-model]");
if (form) start(form);
