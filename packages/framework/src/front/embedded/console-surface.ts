import type { EmbedRectangle } from "@parley/contract";
import type { ProductSurface } from "../browser/actions.ts";
import { openDialog, rememberFocus } from "../browser/dialogs.ts";
import { FrameRefusal, type AppFrames } from "../browser/instances.ts";
import { shortNotice } from "../browser/notices.ts";
import type { ConsoleLink } from "./console-link.ts";
import { isRectangle } from "./console-messages.ts";

/** Maximum length of the texts of a question; longer texts are cut. @units characters */
const QUESTION_CHARACTERS = 4_000;
const LABEL_CHARACTERS = 200;

interface ConsoleSurfaceDeps {
  readonly link: ConsoleLink;
  readonly instances: AppFrames;
  /** Contains the frame of the place. */
  readonly place: HTMLElement;
}

/** The console as the surrounding product. Dialogs of the app are shown by this page, which covers the whole window meanwhile. */
interface ConsoleSurface extends ProductSurface {
  /** Puts the place where it was before the page covered the window. */
  layOut(rectangle: EmbedRectangle): void;
}

export const createConsoleSurface = ({ link, instances, place }: ConsoleSurfaceDeps): ConsoleSurface => {
  let expansion: Promise<void> | undefined;

  const layOut = ({ left, top, width, height }: EmbedRectangle): void => {
    if (!expansion) return;
    place.classList.add("expanded");
    Object.assign(place.style, { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` });
  };
  const expandOnce = async (): Promise<void> => {
    const rectangle = await link.ask({ t: "expand" });
    if (!isRectangle(rectangle)) throw new FrameRefusal("The console can't show a dialog here.", 501);
    layOut(rectangle);
  };
  const collapseAfterLastDialog = (): void => {
    if (!expansion || document.querySelector("dialog[open]")) return;
    expansion = undefined;
    place.classList.remove("expanded");
    place.removeAttribute("style");
    link.send({ t: "collapse" });
  };
  // Does not bubble.
  document.addEventListener("close", () => setTimeout(collapseAfterLastDialog), true);

  return {
    layOut,
    notify: (kind, title, message) => link.send({ t: "notify", kind, ...shortNotice(title, message) }),
    async confirm(requester, { title, message, saveLabel, cancelLabel }) {
      const restoreFocus = rememberFocus(instances, requester);
      const answer = await link.ask({
        t: "confirm",
        title: title.slice(0, LABEL_CHARACTERS),
        message: message.slice(0, QUESTION_CHARACTERS),
        saveLabel: saveLabel.slice(0, LABEL_CHARACTERS),
        cancelLabel: cancelLabel.slice(0, LABEL_CHARACTERS),
      });
      restoreFocus();
      return answer === true;
    },
    async openDialog(spec, kind) {
      expansion ??= expandOnce();
      try {
        await expansion;
        return openDialog(instances, spec, kind);
      } catch (error) {
        collapseAfterLastDialog();
        throw error;
      }
    },
    insertText: async (text, at) => void (await link.ask({ t: "setValue", text, at })),
    changeElement: async (element, change) => void (await link.ask({ t: "element", element, change })),
    click: async (element) => void (await link.ask({ t: "click", element })),
    async openConversation(id) {
      if (id === "" || id.length > 256) throw new FrameRefusal("click: give the id of the conversation as value.");
      await link.ask({ t: "click", element: "conversation", value: id });
    },
  };
};
