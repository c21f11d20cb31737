/** @jsxImportSource preact */
import { render } from "preact";
import type { PanelModel } from "../model/panel-model.ts";
import { Panel } from "./panel.tsx";
import "../style/base.css";
import "../style/elements.css";
import "../style/home.css";
import "../style/thread.css";
import "../style/parts.css";
import "../style/composer.css";

/** Shows the panel in an element, which it fills. */
export const renderPanel = (model: PanelModel, element: Element): void => render(<Panel model={model} />, element);
