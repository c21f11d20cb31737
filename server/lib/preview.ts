import { nextOpening, openingView, parseOpeningTimes } from "./opening-times.ts";
import { parseMenu } from "./menu.ts";
import type { Settings } from "./settings.ts";
import { parseMessageTemplate } from "./template.ts";
import { templateViewOf, type TemplateSubject } from "./template-view.ts";

/** Sample of a customer whose data is complete. */
const SAMPLE = {
  user: {
    first_name: "Ada",
    last_name: "Example",
    email: "ada@example.com",
    phone: "+12025550147",
    properties: [{ name: "plan", value: "Pro" }],
  },
  channel: { name: "Support" },
  conversation: { status: "new", properties: { priority: "Low" } },
} as const satisfies TemplateSubject;
/** It is morning at this time in the samples. */
const SAMPLE_TIME = new Date("2027-03-02T09:00:00Z");

const SATURDAY_EVENING = new Date("2027-03-06T20:00:00Z");
const MONDAY_MORNING = new Date("2027-03-08T09:00:00Z");

const PREVIEW_LINES_MAX = 5;

type RenderTemplate = (subject: TemplateSubject, sampleValues: object) => string;

/** A template with the name of its line. */
interface NamedTemplate {
  readonly name: string;
  readonly template: string;
}

const rendererOf =
  (template: string, settings: Settings): RenderTemplate =>
  (subject, more) => {
    const parsed = parseMessageTemplate(template);
    return parsed.ok ? parsed.render(templateViewOf({ ...settings, timeZone: "UTC" }, subject, SAMPLE_TIME, more)) : "";
  };

/** Data of external events is unknown here: each {{data.…}} of the template yields its own name in brackets. */
export const sampleDataFor = (template: string): { readonly data: object } => {
  const data: Record<string, unknown> = {};
  for (const [, path = ""] of template.matchAll(/\{\{\{?#?(?:\w+\s+)?data\.([\w.]+)/g)) {
    const names = path.split(".");
    const last = names.pop() ?? "";
    let at = data;
    for (const name of names) {
      const inner = at[name];
      at = (typeof inner === "object" && inner !== null ? inner : (at[name] = {})) as Record<string, unknown>;
    }
    at[last] ??= `(${path})`;
  }
  return { data };
};

/** Returns the next opening after a Saturday evening; without business hours it is the following Monday. */
const opening = (settings: Settings) => {
  const times = parseOpeningTimes(settings);
  const next = nextOpening(SATURDAY_EVENING, times);
  return openingView(SATURDAY_EVENING, next && next > SATURDAY_EVENING ? next : MONDAY_MORNING, times);
};

/** Values that only single settings have, besides those of the customer. */
const sampleValuesFor = (settings: Settings) => {
  const [choice] = parseMenu(settings.menu).choices;
  return {
    last: { topic: SAMPLE.channel.name },
    choice: { label: choice?.label ?? "I need help", group: choice?.group ?? "Support" },
    lead: { value: SAMPLE.user.email },
    ...opening(settings),
  };
};

const EMPTY_MESSAGE = "(nothing)";

interface Variant {
  /** undefined: the text is the same for every customer. */
  readonly audience?: "known" | "unknown";
  readonly text: string;
}

/** -> empty if the template can't be parsed, or yields nothing for any customer */
const variantsOf = (template: string, settings: Settings): readonly Variant[] => {
  const render = rendererOf(template, settings);
  const more = { ...sampleValuesFor(settings), ...sampleDataFor(template) };
  const [known, unknown] = [render(SAMPLE, more), render({}, more)];
  if (!known && !unknown) return [];
  if (known === unknown) return [{ text: known }];
  return [
    { audience: "known", text: known || EMPTY_MESSAGE },
    { audience: "unknown", text: unknown || EMPTY_MESSAGE },
  ];
};

const PREVIEW_TITLES = { known: "Preview for Ada", unknown: "Without a name" } as const;
const TITLE_SUFFIXES = { known: ", for Ada", unknown: ", without a name" } as const;

/** Renders the template for a customer called Ada and for one without data. -> undefined if it yields nothing for either */
export const templatePreview = (template: string, settings: Settings): string | undefined =>
  variantsOf(template, settings)
    .map(({ audience, text }) => `${audience ? PREVIEW_TITLES[audience] : "Preview"}: ${text}`)
    .join("\n") || undefined;

/** Renders several named templates, one per line. */
export function templatePreviews(templates: readonly NamedTemplate[], settings: Settings): string | undefined {
  const shown = templates
    .slice(0, PREVIEW_LINES_MAX)
    .flatMap(({ name, template }) =>
      variantsOf(template, settings).map(
        ({ audience, text }) => `${name}${audience ? TITLE_SUFFIXES[audience] : ""}: ${text}`,
      ),
    );
  const left = templates.length - PREVIEW_LINES_MAX;
  return [...shown, ...(left > 0 ? [`… and ${left} more.`] : [])].join("\n") || undefined;
}
