import Handlebars from "handlebars";
import { sourceText } from "../environment/assets.ts";
import { appTitle } from "../model/project.ts";

/** Why a page is not shown, and what its reader can do. */
export interface SignInRefusal {
  readonly status: 401 | 403 | 503;
  readonly heading: string;
  readonly reason: string;
  readonly advice: string;
  /** "" for no link */
  readonly link: string;
  readonly linkText: string;
}

/** Allows no scripts. */
export const SIGN_IN_PAGE_POLICY =
  "default-src 'none'; style-src 'self'; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

/** Loads the page that is shown instead of one that needs a session. All text is escaped. */
export const loadSignInPage = async (): Promise<(app: string, refusal: SignInRefusal) => string> => {
  const page = Handlebars.create().compile<SignInRefusal & { app: string; initial: string }>(
    await sourceText("sign-in/page.hbs"),
    { strict: true, knownHelpersOnly: true },
  );
  return (app, refusal) => {
    const title = appTitle(app);
    return page({ app: title, initial: title.charAt(0), ...refusal });
  };
};
