import type { FastifyInstance } from "fastify";
import Handlebars from "handlebars";
import { sourceText } from "../assets.ts";
import type { Installations } from "../install/installations.ts";
import { titleOf } from "../install/views/view.ts";
import { lineOf } from "../project/finding.ts";
import type { Newest } from "../project/live.ts";

export interface HomeDeps {
  readonly newest: () => Newest;
  readonly installations: Pick<Installations, "find">;
}

interface HomeView {
  readonly title: string;
  readonly initial: string;
  readonly description: string;
  /** Of the newest version, when it isn't the one that runs. */
  readonly errors: readonly string[];
  readonly account: string | undefined;
}

/** `GET /`: which app this is, whether it is installed, and what is wrong with it. */
export const homePage = (app: FastifyInstance, { newest, installations }: HomeDeps): void => {
  void app.register(async (scope) => {
    const page = Handlebars.create().compile<HomeView>(await sourceText("home/home.hbs"), {
      strict: true,
      knownHelpersOnly: true,
    });
    scope.get("/", async (_request, reply) => {
      const { project, findings } = newest();
      const title = titleOf(project.name);
      const view: HomeView = {
        title,
        initial: title.charAt(0),
        description: project.description,
        errors: findings.filter(({ level }) => level === "error").map(lineOf),
        account: (await installations.find())?.account,
      };
      return reply
        .headers({
          "cache-control": "no-store",
          "content-security-policy":
            "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'",
          "x-content-type-options": "nosniff",
        })
        .type("text/html; charset=utf-8")
        .send(page(view));
    });
  });
};
