import type { FrontModel, FrontPlace, FrontStanding } from "@parley/contract";
import Handlebars from "handlebars";
import { sourceText } from "../assets.ts";

/** What the page begins with. */
interface FrontView {
  readonly model: FrontModel;
  /** Origin under which the page is of one site with the app's frames. */
  readonly home: string;
  /** Origin of the app's frames. */
  readonly frames: string;
  readonly description: string;
  readonly standing: FrontStanding;
}

const optionOf = ({ id, label, module, kind }: FrontPlace) => ({
  id,
  label: `${label}${kind === "background" ? " (runs unseen)" : ""}`,
  module,
});

const scene = ({ model, home, frames, description, standing }: FrontView) => ({
  title: model.app,
  initial: model.app.charAt(0),
  description,
  account: standing.installed?.account ?? "",
  model: JSON.stringify(model),
  home,
  frames,
  live: model.live,
  places: model.places.map(optionOf),
  hasPlaces: model.places.length > 0,
  standing: JSON.stringify(standing),
  errors: standing.errors,
});

/** Reads and compiles the page; a name that the view lacks is an error, and all text is escaped. */
export const loadFrontViews = async () => {
  const page = Handlebars.create().compile<ReturnType<typeof scene>>(await sourceText("front/views/page.hbs"), {
    strict: true,
    knownHelpersOnly: true,
  });
  return {
    page: (view: FrontView): string => page(scene(view)),
    style: await sourceText("front/views/page.css"),
  };
};
