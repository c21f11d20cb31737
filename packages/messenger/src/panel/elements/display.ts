import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { SiteConfig } from "../config/site-config.ts";
import type { PanelActions } from "../model/panel-model.ts";
import type { Format } from "../texts/format.ts";
import type { Texts } from "../texts/texts.ts";

/** What all views of the panel use. */
export interface Display {
  readonly texts: Texts;
  readonly format: Format;
  readonly site: SiteConfig;
  /** Name of the business in one line. */
  readonly business: string;
  readonly actions: PanelActions;
}

export const DisplayContext = createContext<Display | undefined>(undefined);

export const useDisplay = (): Display => {
  const display = useContext(DisplayContext);
  if (!display) throw new Error("A view of the panel is used outside of the panel.");
  return display;
};
