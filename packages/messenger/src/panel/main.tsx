/** @jsxImportSource preact */
import { createPanelModel } from "./model/setup/create-panel-model.ts";
import { renderPanel } from "./views/render-panel.tsx";

const element = document.querySelector("#panel");
if (element) renderPanel(createPanelModel(), element);
