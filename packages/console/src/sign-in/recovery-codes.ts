import { h, paragraph } from "./dom.ts";
import { pushButton } from "./form.ts";

interface RecoveryCodes {
  readonly element: HTMLElement;
  /** Focused when the codes are shown. */
  readonly title: HTMLElement;
}

/** A list of new recovery codes, which can be copied, downloaded and printed. @param done called when the agent has kept them */
export const recoveryCodes = (codes: readonly string[], account: string, done: () => void): RecoveryCodes => {
  const text = `Recovery codes of Parley, account ${account}. Each works once.\n\n${codes.join("\n")}\n`;
  const title = h("h3", { tabIndex: -1 }, "Recovery codes");
  const copied = h("p", { className: "hint", role: "status" });
  const copy = (): void =>
    void navigator.clipboard.writeText(text).then(
      () => (copied.textContent = "The codes were copied."),
      () => (copied.textContent = "The browser refused to copy. Select the codes, or download them."),
    );
  const href = `data:text/plain;charset=utf-8,${encodeURIComponent(text)}`;
  const element = h(
    "div",
    { className: "stack" },
    title,
    paragraph(
      "",
      "Each of these codes signs you in once without the app. Keep them where you find them without your phone. They are shown only now.",
    ),
    h("ul", { className: "codes", "data-codes": "" }, ...codes.map((code) => h("li", {}, h("code", {}, code)))),
    h(
      "div",
      { className: "buttons" },
      pushButton("Copy", "minor", copy),
      h("a", { className: "minor", download: "parley-recovery-codes.txt", href }, "Download"),
      pushButton("Print", "minor", () => print()),
      pushButton("I have kept them", "main", done),
    ),
    copied,
  );
  return { element, title };
};
