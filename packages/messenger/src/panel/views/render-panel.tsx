/** @jsxImportSource preact */
import { render } from "preact";
import type { PanelModel } from "../model/panel-model.ts";
import { loadLanguage, shownLocale } from "../texts/languages/languages.ts";
import { Panel } from "./panel.tsx";
import "@parley/contract/colors.css";
import "../style/base.css";
import "../style/elements.css";
import "../style/home.css";
import "../style/thread.css";
import "../style/parts.css";
import "../style/composer.css";

/** Shows the panel in an element, which it fills, once its language is known and loaded. A later change of the language keeps what the visitor does. */
export const renderPanel = (model: PanelModel, element: Element): void => {
  let wanted: string | undefined;
  const show = async (): Promise<void> => {
    const { phase, options } = model.state();
    if (phase === "connecting") return;
    const locale = shownLocale(options.locale, navigator.languages);
    if (locale === wanted) return;
    wanted = locale;
    const language = await loadLanguage(locale);
    if (locale !== wanted) return;
    // Before the views measure what they show.
    document.documentElement.lang = language.locale;
    document.documentElement.dir = language.direction;
    render(<Panel model={model} language={language} />, element);
  };
  model.follow(() => void show());
  // The language of the page's address is loaded while the panel connects to the site's page.
  const locales = new URLSearchParams(location.search).get("locale")?.split(",");
  void loadLanguage(shownLocale(undefined, locales ?? navigator.languages));
  void show();
};
