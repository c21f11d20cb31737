import type { Consent, InstallModel, SECURE_IPARAMS } from "@parley/contract";
import { element } from "../../../pages/browser/element.ts";
import { createInstallServer, type InstallServer } from "./server.ts";

/** Repeated here, so that the page's script does not include the contract's schemas. */
const SECURE_SUBJECT: typeof SECURE_IPARAMS = "secure-iparams";

const day = (time = "") => new Date(time).toLocaleString();

const stateText = ({ state, time, isOfRun }: Consent): string => {
  if (isOfRun) return "allowed by an option of this start";
  if (state === "given") return `allowed since ${day(time)}`;
  if (state === "revoked") return `not allowed since ${day(time)}`;
  return state === "asked" ? `called on ${day(time)}, and refused` : "named by the app";
};

/** The admin's consents for the app's own code. Each checkbox takes effect at once, whether or not the app is installed. */
const wireConsents = (block: HTMLElement, server: InstallServer): void => {
  const part = (name: string) => element<HTMLElement>(block, `[data-part=${name}]`);
  const [hosts, none, both, failed] = [part("hosts"), part("none"), part("both"), part("failed")];
  const secure = block.querySelector<HTMLInputElement>("[data-secure]");

  const decide = async (subject: string, box: HTMLInputElement) => {
    box.disabled = true;
    failed.hidden = true;
    try {
      show(await server.decide({ subject, isGiven: box.checked }));
    } catch (error) {
      box.checked = !box.checked;
      failed.textContent = error instanceof Error ? error.message : String(error);
      failed.hidden = false;
    } finally {
      box.disabled = false;
    }
  };
  const row = (consent: Consent): HTMLElement => {
    const [item, label, box, text, state] = (["li", "label", "input", "span", "span"] as const).map((name) =>
      document.createElement(name),
    ) as [HTMLLIElement, HTMLLabelElement, HTMLInputElement, HTMLSpanElement, HTMLSpanElement];
    label.className = "choice";
    box.type = "checkbox";
    box.checked = consent.state === "given";
    box.disabled = consent.isOfRun === true;
    box.addEventListener("change", () => void decide(consent.subject, box));
    state.className = "state";
    state.textContent = ` ${stateText(consent)}`;
    text.append(consent.subject, state);
    label.append(box, text);
    item.append(label);
    return item;
  };
  const show = (consents: readonly Consent[]) => {
    const ofSecure = consents.find(({ subject }) => subject === SECURE_SUBJECT);
    const ofHosts = consents.filter((consent) => consent !== ofSecure);
    const focused = [...hosts.querySelectorAll("input")].findIndex((box) => box === document.activeElement);
    hosts.replaceChildren(...ofHosts.map(row));
    if (focused >= 0) hosts.querySelectorAll("input")[focused]?.focus();
    none.hidden = ofHosts.length > 0;
    if (secure) {
      secure.checked = ofSecure?.state === "given";
      secure.disabled = ofSecure?.isOfRun === true;
    }
    const granted = ofHosts.filter(({ state }) => state === "given").map(({ subject }) => subject);
    both.hidden = ofSecure?.state !== "given" || granted.length === 0;
    both.textContent = `The app’s code can now send the secure parameters to ${granted.join(", ")}.`;
  };
  secure?.addEventListener("change", () => void decide(SECURE_SUBJECT, secure));
  show(JSON.parse(block.dataset["consents"] ?? "[]") as Consent[]);
};

const block = document.querySelector<HTMLElement>("[data-consents]");
const form = document.querySelector<HTMLElement>("[data-model]");
if (block && form) {
  // Errors of the host are shown beside the checkboxes, for each decision.
  const server = createInstallServer(JSON.parse(form.dataset["model"] ?? "{}") as InstallModel, () => undefined);
  wireConsents(block, server);
}
