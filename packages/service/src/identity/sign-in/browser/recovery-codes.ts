import { partOf } from "./page-elements.ts";

/** The list of new recovery codes, which can be copied, downloaded and printed. @returns shows codes until the agent has kept them */
export const recoveryCodes = (done: () => void): ((codes: readonly string[], account: string) => void) => {
  const list = partOf("[data-codes]");
  const copied = partOf("[data-copied]");
  const download = partOf<HTMLAnchorElement>("[data-download]");
  let text = "";
  partOf("[data-copy]").addEventListener(
    "click",
    () =>
      void navigator.clipboard.writeText(text).then(
        () => (copied.textContent = "The codes were copied."),
        () => (copied.textContent = "The browser refused to copy. Select the codes, or download them."),
      ),
  );
  partOf("[data-print]").addEventListener("click", () => window.print());
  partOf("[data-codes-done]").addEventListener("click", () => {
    text = "";
    list.replaceChildren();
    download.removeAttribute("href");
    done();
  });
  return (codes, account) => {
    text = `Recovery codes of Parley, account ${account}. Each works once.\n\n${codes.join("\n")}\n`;
    copied.textContent = "";
    list.replaceChildren(
      ...codes.map((code) => {
        const [item, content] = [document.createElement("li"), document.createElement("code")];
        content.textContent = code;
        item.append(content);
        return item;
      }),
    );
    download.href = `data:text/plain;charset=utf-8,${encodeURIComponent(text)}`;
    partOf("[data-codes-title]").focus();
  };
};
