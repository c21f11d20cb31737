import type { OAuthIntegration } from "@parley/contract";
import Handlebars from "handlebars";
import { sourceText } from "../../environment/assets.ts";
import { appTitle } from "../../package/model/project.ts";

interface FieldView {
  readonly key: string;
  readonly label: string;
  readonly hint: string;
  readonly required: boolean;
  readonly type: "text" | "password";
  readonly value: string;
  readonly error: string;
  readonly options: readonly { readonly value: string; readonly selected: boolean }[];
}

interface PageView {
  readonly app: string;
  readonly initial: string;
  readonly heading: string;
  readonly tone: "good" | "bad";
  readonly text: string;
  /** URL that restarts the authorisation; "" if restarting is useless. */
  readonly again: string;
  /** Fields of the form that precedes an authorisation. */
  readonly fields: readonly FieldView[];
}

const OAUTH_REQUIRED_MESSAGE = "This field is required!";

/** Pages of the authorisation flow, as HTML. */
interface OAuthPages {
  done(app: string, integration: string): string;
  failed(app: string, message: string, again?: string): string;
  /** Form for the integration's own parameters. `submitted` contains the submitted values if some were missing. */
  ask(
    app: string,
    integration: string,
    parameters: NonNullable<OAuthIntegration["oauth_iparams"]>,
    submitted?: Readonly<Record<string, string>>,
  ): string;
}

/** Allows no scripts. `form-action` is omitted because browsers would also apply it to the redirect to the provider. */
export const OAUTH_POLICY =
  "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; frame-ancestors 'none'";

export const oauthPages = async (): Promise<OAuthPages> => {
  const page = Handlebars.create().compile<PageView>(await sourceText("request/oauth/page.hbs"), {
    strict: true,
    knownHelpersOnly: true,
  });
  const show = (app: string, view: Pick<PageView, "heading"> & Partial<PageView>) => {
    const title = appTitle(app);
    return page({ app: title, initial: title.charAt(0), tone: "bad", text: "", again: "", fields: [], ...view });
  };
  return {
    done: (app, integration) =>
      show(app, {
        heading: `${integration} is authorised`,
        tone: "good",
        text: "The app may use it now. You can close this page.",
      }),
    failed: (app, text, again = "") => show(app, { heading: "Not authorised", text, again }),
    ask: (app, integration, parameters, submitted) =>
      show(app, {
        heading: `Before you authorise ${integration}`,
        fields: Object.entries(parameters).map(([key, parameter]) => {
          const { display_name, description = "", required = false, secure = false, options = [] } = parameter;
          const value = submitted?.[key] ?? parameter.default_value ?? "";
          return {
            key,
            label: display_name,
            hint: description,
            required,
            type: secure ? ("password" as const) : ("text" as const),
            value: secure ? "" : value,
            error: submitted && required && value.trim() === "" ? OAUTH_REQUIRED_MESSAGE : "",
            options: options.map((option) => ({ value: option, selected: option === value })),
          };
        }),
      }),
  };
};
