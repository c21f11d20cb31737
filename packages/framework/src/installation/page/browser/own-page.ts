import type { IparamValues } from "@parley/contract";
import { SECURE_MASK } from "../../../model/iparams/iparam-terms.ts";
import { wirePageControls, type PageControls } from "./page-controls.ts";
import { connectFrame, type FrameBridge } from "./frame-bridge.ts";
import { wireSaveButton, SAVE_FAILED_MESSAGE } from "./save-button.ts";
import { element, enableButtons } from "../../../pages/browser/element.ts";
import { messageOrigins, resolveFrameOrigin, type FrameOrigin } from "../../../pages/browser/frame-origin.ts";
import {
  NOT_SAVED_TITLE,
  OWN_PAGE_BLANK_TITLE,
  OWN_PAGE_FAILED_TITLE,
  OWN_PAGE_NOT_STARTED_TITLE,
  type AppFaultNotice,
} from "./notice.ts";

/** Elements around an app's own installation page: its heading, its button, and the result of a save. */

/** @units pixels */
const HEIGHT = { least: 120, most: 6_000 };

/** Numbers of changes by the user, as the app's client reports them; `saved` of them are stored. */
const edits = { made: 0, saved: 0 };

const NO_ERROR_REPORTED =
  "It has loaded, and no script of the page has reported an error. The browser’s console may say more to the app’s author.";
const WITHOUT_STORAGE =
  "This browser does not open the host name of the app’s pages, so that they have no storage and no cookies here.";

/** Reports a problem of the app's page. A page that stays blank because of an error is described by both. */
const reportFaults = (trouble: AppFaultNotice, { isOpaque }: FrameOrigin) => {
  let last: string | undefined;
  return {
    show(title: string, message: string) {
      last = isOpaque ? `${message} ${WITHOUT_STORAGE}` : message;
      trouble.show(title, last);
    },
    blank(isBlank: boolean) {
      if (isBlank) trouble.show(OWN_PAGE_BLANK_TITLE, last ?? NO_ERROR_REPORTED);
      else if (last === undefined) trouble.hide();
      else trouble.show(OWN_PAGE_FAILED_TITLE, last);
    },
  };
};
type FaultReports = ReturnType<typeof reportFaults>;

const connectTo = (
  frame: HTMLIFrameElement,
  origin: FrameOrigin,
  faults: FaultReports,
  { model, server, notice, unsaved }: PageControls,
): FrameBridge => {
  const { values: stored, secure, domain, domainSuffix, products, modules, version } = model;
  const folder = version === undefined ? "" : `version/${encodeURIComponent(version)}/`;
  return connectFrame(frame, {
    origins: messageOrigins(origin),
    address: `${origin.origin}/custom_configs/own/${folder}`,
    formSnapshot: () => ({ fields: [], values: {}, stored, secure, domain, domainSuffix, products, modules }),
    set: () => undefined,
    request: ({ question }) => server.request({ question, values: {} }),
    fault: (message) => faults.show(OWN_PAGE_FAILED_TITLE, message),
    blank: (isBlank) => faults.blank(isBlank),
    edited() {
      edits.made += 1;
      notice.hide();
      unsaved.update();
    },
    resized(height) {
      frame.style.height = `${Math.min(Math.max(Math.ceil(height), HEIGHT.least), HEIGHT.most)}px`;
    },
  });
};

/** Stored values that the page may read. */
const prefill = ({ model: { values, secure } }: PageControls): IparamValues => ({
  ...values,
  ...Object.fromEntries(secure.map((key) => [key, SECURE_MASK])),
});

/** The page's values; undefined if the page itself has reported an error. @errors Error with one sentence for the user */
const collectValues = async (
  bridge: FrameBridge,
  has: (name: string) => boolean,
): Promise<Record<string, unknown> | undefined> => {
  if (has("validate")) {
    const verdict = await bridge.call("validate");
    if (verdict.t === "refused") throw new Error(verdict.message);
    if (verdict.t === "failed") throw new Error(`validate() failed: ${verdict.message}`);
    if (verdict.t === "returned" && verdict.value === false) return undefined;
  }
  if (!has("postConfigs"))
    throw new Error("config/iparams.html has no function postConfigs(), which gives the values.");
  const answer = await bridge.call("postConfigs");
  if (answer.t === "refused" || answer.t === "failed") throw new Error(`postConfigs() failed: ${answer.message}`);
  const values = answer.t === "returned" ? answer.value : undefined;
  if (typeof values === "object" && values !== null) return values as Record<string, unknown>;
  throw new Error("postConfigs() should return an object of values by key.");
};

const start = async (around: PageControls): Promise<void> => {
  const { form, model, server, notice, trouble, unsaved, installed } = around;
  const frame = element<HTMLIFrameElement>(document, "iframe[data-own]");
  const { pageOrigin = "", frames = "" } = frame.dataset;
  const origin = await resolveFrameOrigin(pageOrigin, frames);
  if (!origin.isOpaque) frame.sandbox.add("allow-same-origin");
  const faults = reportFaults(trouble, origin);
  const bridge = connectTo(frame, origin, faults, around);
  const begin = async () => {
    try {
      const names = await bridge.ready;
      if (!model.installed || !names.includes("getConfigs")) return;
      const outcome = await bridge.call("getConfigs", prefill(around));
      if (outcome.t === "refused" || outcome.t === "failed")
        faults.show(OWN_PAGE_FAILED_TITLE, `getConfigs() failed: ${outcome.message}`);
    } catch (error) {
      faults.show(OWN_PAGE_NOT_STARTED_TITLE, error instanceof Error ? error.message : String(error));
    }
  };
  void begin();

  wireSaveButton({
    form,
    notice,
    unsaved,
    async save() {
      const names = await bridge.ready;
      const values = await collectValues(bridge, (name) => names.includes(name));
      const { made } = edits;
      const answer = values ? await server.save({ values, attributes: {} }) : undefined;
      if (answer?.ok) {
        edits.saved = made;
        notice.saved({ saved: [], later: [] });
        installed();
        return true;
      }
      notice.failed(NOT_SAVED_TITLE, answer?.message ?? SAVE_FAILED_MESSAGE);
      return false;
    },
  });
  enableButtons(form);
};

const around = wirePageControls(() => edits.made !== edits.saved);
if (around) void start(around);
