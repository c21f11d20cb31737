import { nextOpening, openingView, timesOf } from "./opening-times.ts";
import { parseMenu } from "./menu.ts";
import type { Settings } from "./settings.ts";
import { readTemplate } from "./template.ts";
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
const NOW = new Date("2027-03-02T09:00:00Z");

const EVENING = new Date("2027-03-06T20:00:00Z");
const MONDAY = new Date("2027-03-08T09:00:00Z");

const LINES_MAX = 5;

type SayOf = (subject: TemplateSubject, more: object) => string;

/** A template with the name of its line. */
export interface PreviewNames {
  readonly name: string;
  readonly template: string;
}

const sayIn =
  (template: string, settings: Settings): SayOf =>
  (subject, more) => {
    const read = readTemplate(template);
    return read.ok ? read.render(templateViewOf({ ...settings, timeZone: "UTC" }, subject, NOW, more)) : "";
  };

/** Data of external events is unknown here: each {{data.…}} of the template yields its own name in brackets. */
export const dataFor = (template: string): { readonly data: object } => {
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
  const times = timesOf(settings);
  const next = nextOpening(EVENING, times);
  return openingView(EVENING, next && next > EVENING ? next : MONDAY, times);
};

/** Values that only single settings have, besides those of the customer. */
const moreFor = (settings: Settings) => {
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
  readonly whom?: "known" | "unknown";
  readonly text: string;
}

/** -> empty if the template can't be parsed, or yields nothing for any customer */
const variantsOf = (template: string, settings: Settings): readonly Variant[] => {
  const say = sayIn(template, settings);
  const more = { ...moreFor(settings), ...dataFor(template) };
  const [known, unknown] = [say(SAMPLE, more), say({}, more)];
  if (!known && !unknown) return [];
  if (known === unknown) return [{ text: known }];
  return [
    { whom: "known", text: known || EMPTY_MESSAGE },
    { whom: "unknown", text: unknown || EMPTY_MESSAGE },
  ];
};

const PREVIEW_TITLES = { known: "Preview for Ada", unknown: "Without a name" } as const;
const TITLE_SUFFIXES = { known: ", for Ada", unknown: ", without a name" } as const;

/** Renders the template for a customer called Ada and for one without data. -> undefined if it yields nothing for either */
export const previewOf = (template: string, settings: Settings): string | undefined =>
  variantsOf(template, settings)
    .map(({ whom, text }) => `${whom ? PREVIEW_TITLES[whom] : "Preview"}: ${text}`)
    .join("\n") || undefined;

/** Renders several named templates, one per line. */
export function previewOfAll(templates: readonly PreviewNames[], settings: Settings): string | undefined {
  const shown = templates
    .slice(0, LINES_MAX)
    .flatMap(({ name, template }) =>
      variantsOf(template, settings).map(({ whom, text }) => `${name}${whom ? TITLE_SUFFIXES[whom] : ""}: ${text}`),
    );
  const left = templates.length - LINES_MAX;
  return [...shown, ...(left > 0 ? [`… and ${left} more.`] : [])].join("\n") || undefined;
}
