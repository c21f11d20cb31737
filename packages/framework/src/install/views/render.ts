import Handlebars from "handlebars";
import { builtText, sourceText } from "../../assets.ts";
import type { FrameView, PageView } from "./view.ts";

const PARTIALS = ["field", "label", "control", "choice", "held", "consents", "app-settings"];

const read = (name: string): Promise<string> => sourceText(`install/views/${name}`);

export interface Views {
  readonly page: (view: PageView) => string;
  readonly frame: (view: FrameView) => string;
  readonly style: string;
}

/** Reads and compiles the page's templates; a name that a view lacks is an error, and all text is escaped. */
export const loadViews = async (): Promise<Views> => {
  const handlebars = Handlebars.create();
  const strict = { strict: true, knownHelpersOnly: true };
  for (const name of PARTIALS) {
    handlebars.registerPartial(name, handlebars.compile(await read(`${name}.hbs`), strict));
  }
  return {
    page: handlebars.compile<PageView>(await read("page.hbs"), strict),
    frame: handlebars.compile<FrameView>(await read("frame.hbs"), strict),
    style: await builtText("page.css"),
  };
};
