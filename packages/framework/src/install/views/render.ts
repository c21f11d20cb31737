import { readFileSync } from "node:fs";
import Handlebars from "handlebars";
import { packageFile } from "../../assets.ts";
import type { FrameView, PageView } from "./view.ts";

const PARTIALS = ["field", "label", "control", "choice"];

const read = (name: string): string => readFileSync(packageFile(`src/install/views/${name}`), "utf8");

export interface Views {
  readonly page: (view: PageView) => string;
  readonly frame: (view: FrameView) => string;
  readonly style: string;
}

/** Reads and compiles the page's templates; a name that a view lacks is an error, and all text is escaped. */
export const loadViews = (): Views => {
  const handlebars = Handlebars.create();
  const strict = { strict: true, knownHelpersOnly: true };
  for (const name of PARTIALS) {
    handlebars.registerPartial(name, handlebars.compile(read(`${name}.hbs`), strict));
  }
  return {
    page: handlebars.compile<PageView>(read("page.hbs"), strict),
    frame: handlebars.compile<FrameView>(read("frame.hbs"), strict),
    style: read("page.css"),
  };
};
