import { element, enableButtons } from "../../../pages/browser/element.ts";
import { refusalMessageOf, UNREACHABLE_HOST_MESSAGE } from "../../../pages/browser/page-post.ts";

/** Buttons that change an installation; the page is loaded again after a change. */
const main = element<HTMLElement>(document, "main");
const notice = element<HTMLElement>(document, "[data-notice]");
const { account = "", token = "" } = main.dataset;

const show = (text: string): void => {
  notice.textContent = text;
  notice.classList.add("bad");
  notice.hidden = false;
  notice.scrollIntoView({ block: "nearest" });
};

const change = async (app: string, step: string, button: HTMLButtonElement): Promise<void> => {
  button.disabled = true;
  notice.hidden = true;
  const path = `/platform/accounts/${encodeURIComponent(account)}/apps/${encodeURIComponent(app)}/${step}`;
  const headers = { "x-page-token": token };
  const reply = await fetch(path, { method: "POST", headers }).catch(() => undefined);
  if (reply?.ok) return location.reload();
  button.disabled = false;
  show(reply ? await refusalMessageOf(reply) : UNREACHABLE_HOST_MESSAGE);
};

for (const button of document.querySelectorAll<HTMLButtonElement>("[data-change]")) {
  const app = button.closest<HTMLElement>("[data-app]")?.dataset["app"] ?? "";
  button.addEventListener("click", () => void change(app, button.dataset["change"] ?? "", button));
}
enableButtons(main);
