import { byId, setText, show } from "./elements.ts";
import { failureOf } from "./words.ts";

/** Source of an error: an error is cleared when its source works again. */
type From = "look" | "view";

/** The bar that states why the panel is incomplete or outdated. */
export const failureMessageOn = (again: () => Promise<void>) => {
  const bar = byId("trouble");
  const button = byId<HTMLButtonElement>("again");
  const troubles = new Map<From, string>();

  const draw = () => {
    const [message = ""] = troubles.values();
    setText(byId("trouble-text"), message);
    const held = bar.contains(document.activeElement);
    show(bar, message !== "");
    if (held && !message) byId("name").focus();
  };
  button.addEventListener("click", () => {
    if (button.getAttribute("aria-disabled") === "true") return;
    button.setAttribute("aria-disabled", "true");
    void again().finally(() => button.removeAttribute("aria-disabled"));
  });
  return {
    /** Runs an operation that may fail. -> whether it succeeded */
    async heed(from: From, act: () => Promise<void>): Promise<boolean> {
      try {
        await act();
        troubles.delete(from);
        return true;
      } catch (error) {
        troubles.set(from, failureOf(error).message);
        return false;
      } finally {
        draw();
      }
    },
  };
};
