import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { IparamsConfig } from "@parley/contract";

/** Default of a secure parameter. */
export const DEFAULT = "canary-default-7d21";
export const PEM = "-----BEGIN KEY-----\nQUJD\n-----END KEY-----";
const options = Array.from({ length: 5_000 }, (_, place) => `Topic ${place + 1}`);
const LONG_TEXT = `See https://example.com/help?a=1. ${"This explains one more thing about it. ".repeat(12)}`;

export const IPARAMS: IparamsConfig = {
  name: {
    display_name: "Name",
    type: "text",
    description: "See https://example.com/help?a=1, javascript:alert(1) or <a href=x>this</a>.",
    regex: { plain: "^[A-Za-z ]*$", "plain-error": "Use letters only." },
  },
  preset: { display_name: "Preset", type: "text", secure: true, default_value: DEFAULT },
  pem: { display_name: "Private key", type: "paragraph", secure: true, type_attributes: { section: "Secrets" } },
  flag: { display_name: "Flag", type: "checkbox", secure: true },
  kind: { display_name: "Kind", type: "radio", secure: true, options: ["one", "two"] },
  topics: { display_name: "Topics", type: "multiselect", options, type_attributes: { section: "Lists" } },
  topic: { display_name: "Main topic", type: "radio", options: options.slice(0, 500), default_value: "Topic 7" },
  tone: { display_name: "Tone", type: "radio", options: ["Friendly", "Formal"] },
  unseen: { display_name: "Unseen", type: "text", visible: false, type_attributes: { section: "Hidden" } },
  greeting: {
    display_name: "הודעת פתיחה API",
    required: true,
    description: "הטקסט שהלקוח רואה ראשון.",
    type: "text",
    default_value: "שלום!",
    type_attributes: { section: "טקסטים" },
  },
  notes: { display_name: "Notes", type: "paragraph", description: LONG_TEXT },
};

/** Writes an app without callbacks whose parameters are secure, numerous, in sections, and in two text directions. Returns its folder. */
export const stateApp = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "parley-state-"));
  const files = {
    "manifest.json": { "platform-version": "3.0", modules: { common: {}, chat_conversation: {} } },
    "config/iparams.json": IPARAMS,
  };
  await mkdir(join(folder, "config"));
  for (const [path, content] of Object.entries(files)) await writeFile(join(folder, path), JSON.stringify(content));
  return folder;
};
