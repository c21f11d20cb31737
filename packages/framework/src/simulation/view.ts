import type { SimulationModel } from "@parley/contract";
import Handlebars from "handlebars";
import { sourceText } from "../assets.ts";
import { titleOf } from "../install/views/view.ts";
import { lineOf } from "../project/finding.ts";
import type { Newest } from "../project/live.ts";

/** What the page begins with. */
interface SimulationScene extends Newest {
  readonly isInstalled: boolean;
  readonly model: SimulationModel;
}

const viewOf = ({ project, findings, isInstalled, model }: SimulationScene) => {
  const title = titleOf(project.name);
  return {
    title,
    initial: title.charAt(0),
    isInstalled,
    hasEvents: model.events.length > 0,
    errors: findings.filter(({ level }) => level === "error").map(lineOf),
    model: JSON.stringify(model),
  };
};

/** Reads and compiles the page; a name that the view lacks is an error, and all text is escaped. */
export const loadSimulationViews = async () => {
  const text = await sourceText("simulation/views/page.hbs");
  const page = Handlebars.create().compile<ReturnType<typeof viewOf>>(text, { strict: true, knownHelpersOnly: true });
  return {
    page: (scene: SimulationScene): string => page(viewOf(scene)),
    style: await sourceText("simulation/views/page.css"),
  };
};
