import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { SiteConfig } from "../config/site-config.ts";
import { VisitorFailure } from "../model/api/failure.ts";
import type { PanelActions } from "../model/panel-model.ts";
import type { Format } from "../texts/format.ts";
import type { FailureName, FailureTexts } from "../texts/failure-texts.ts";
import type { Texts } from "../texts/texts.ts";

/** What all views of the panel use. */
export interface Display {
  /** Of the texts, with the region of the visitor. */
  readonly locale: string;
  readonly texts: Texts;
  readonly format: Format;
  /** -> why something did not succeed @shape failure: its name, or what an action rejected with */
  readonly failureText: (failure: unknown) => string;
  readonly site: SiteConfig;
  /** Name of the business in one line. */
  readonly business: string;
  readonly actions: PanelActions;
}

/** @shape fileBytes: the largest file that can be sent */
export const failureTextOf =
  (failures: FailureTexts, format: Format, fileBytes: number): Display["failureText"] =>
  (failure) => {
    const name = failure instanceof VisitorFailure ? failure.failure : String(failure);
    // Unsent messages that an earlier version has stored have a text in place of a name.
    const text = failures[Object.hasOwn(failures, name) ? (name as FailureName) : "notDone"];
    return typeof text === "string" ? text : text(format.size(fileBytes));
  };

export const DisplayContext = createContext<Display | undefined>(undefined);

export const useDisplay = (): Display => {
  const display = useContext(DisplayContext);
  if (!display) throw new Error("A view of the panel is used outside of the panel.");
  return display;
};
