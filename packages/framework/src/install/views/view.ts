import { PRODUCTS, type Consent, type InstallField, type InstallModel } from "@parley/contract";
import type { Connection } from "../../oauth/connections.ts";
import type { Finding } from "../../project/finding.ts";
import type { Project } from "../../project/project.ts";
import { keyPermissions, keyPermissionsText } from "../../request/key-permissions.ts";
import { basisOf } from "../basis.ts";
import { consentsView, type ConsentsView } from "../consents-view.ts";
import { labelOf } from "../domain.ts";
import type { Installation } from "../installations.ts";
import { entryOf, fieldsOf, type Field } from "../iparams-fields.ts";
import type { Entry } from "../validate.ts";

interface ChoiceView {
  readonly type: "radio" | "checkbox";
  readonly name: string;
  readonly value: string;
  readonly checked: boolean;
}

/** One parameter as the templates write it. */
interface FieldView {
  readonly id: string;
  readonly key: string;
  readonly label: string;
  readonly hint: string;
  readonly note: string;
  readonly required: boolean;
  readonly visible: boolean;
  readonly secure: boolean;
  readonly stored: boolean;
  readonly described: string;
  readonly isGroup: boolean;
  readonly isRadio: boolean;
  readonly isTick: boolean;
  readonly isDropdown: boolean;
  readonly isParagraph: boolean;
  readonly isDomain: boolean;
  readonly isMasked: boolean;
  /** Words, which a browser may check and capitalise. */
  readonly isProse: boolean;
  readonly inputType: string;
  readonly inputMode: string;
  readonly placeholder: string;
  readonly suffix: string;
  readonly value: string;
  readonly checked: boolean;
  readonly none: string;
  readonly choices: readonly ChoiceView[];
  readonly emptyChoice: ChoiceView;
}

interface ConnectionView {
  readonly name: string;
  readonly label: string;
  readonly isAgents: boolean;
  readonly connected: boolean;
  readonly state: string;
  readonly verb: string;
  readonly address: string;
}

export interface PageView {
  readonly title: string;
  readonly initial: string;
  readonly description: string;
  readonly installed: boolean;
  readonly usable: boolean;
  readonly findings: readonly { readonly place: string; readonly message: string; readonly help: string }[];
  readonly model: string;
  readonly fields: readonly FieldView[];
  readonly hasCallbacks: boolean;
  /** The app draws its own page. */
  readonly isOwn: boolean;
  readonly connections: readonly ConnectionView[];
  readonly isMissingConnection: boolean;
  /** undefined where there is nothing to agree to. */
  readonly consents: ConsentsView | undefined;
  readonly mayUninstall: boolean;
  readonly action: string;
  readonly busy: string;
}

/** Both are scripts: not escaped, but with nothing in them that ends a script element. */
export interface FrameView {
  readonly callbacks: string;
  readonly script: string;
}

export interface Scene {
  /** The last good version. */
  readonly project: Project | undefined;
  /** What is wrong with the newest. */
  readonly findings: readonly Finding[];
  readonly installation: Installation | undefined;
  readonly connections: readonly Connection[];
  readonly consents?: readonly Consent[] | undefined;
  readonly mayUninstall: boolean;
  readonly domainSuffix: string;
  readonly usualDomain: string;
  readonly token: string;
}

const MASK = "•••••••• stored";

const INPUT: Readonly<Partial<Record<Field["type"], { readonly type: string; readonly mode: string }>>> = {
  email: { type: "email", mode: "email" },
  url: { type: "url", mode: "url" },
  phone_number: { type: "tel", mode: "tel" },
  number: { type: "text", mode: "numeric" },
  date: { type: "date", mode: "" },
};

/** What the form begins with: what is stored, else the default; a stored secret leaves no trace. */
const entryIn = ({ key, type, secure, initial }: Field, installation: Installation | undefined): Entry => {
  if (!installation) return initial;
  if (secure && installation.secure.has(key)) return entryOf(type, "") ?? "";
  const kept = Object.hasOwn(installation.values, key) ? installation.values[key] : undefined;
  return entryOf(type, kept) ?? initial;
};

/** What a person must know of a field whatever the app says. */
const noteOf = ({ type, note }: Field, { project, domainSuffix }: Scene): string => {
  if (note !== undefined || type !== "api_key" || !project) return note ?? "";
  return keyPermissionsText(keyPermissions(project, domainSuffix));
};

const fieldView = (field: Field, index: number, scene: Scene): FieldView => {
  const { installation, domainSuffix } = scene;
  const { key, type, secure } = field;
  const id = `parley:${index}`;
  const entry = entryIn(field, installation);
  const stored = secure && (installation?.secure.has(key) ?? false);
  const isMasked = type === "api_key" || (secure && type !== "date");
  const { type: inputType, mode: inputMode } = INPUT[type] ?? { type: "text", mode: "" };
  const suffix = field.suffix ?? domainSuffix;
  const text = typeof entry === "string" ? entry : "";
  const choice = (value: string, checked: boolean): ChoiceView => ({
    type: type === "radio" ? "radio" : "checkbox",
    name: key,
    value,
    checked,
  });
  return {
    id,
    key,
    label: field.label,
    hint: field.hint,
    note: noteOf(field, scene),
    required: field.required,
    visible: field.visible,
    secure,
    stored,
    described: [...(type === "domain" ? [`${id}-suffix`] : []), `${id}-says`, `${id}-hint`].join(" "),
    isGroup: type === "radio" || type === "multiselect",
    isRadio: type === "radio",
    isTick: type === "checkbox",
    isDropdown: type === "dropdown",
    isParagraph: type === "paragraph",
    isDomain: type === "domain",
    isMasked,
    isProse: type === "text" && !secure,
    inputType: isMasked ? "password" : inputType,
    inputMode,
    placeholder: stored ? MASK : "",
    suffix,
    value: type === "domain" ? labelOf(text, suffix) : text,
    checked: entry === true,
    none: stored ? MASK : "Choose…",
    choices: field.choices.map((option) => choice(option, [entry].flat().includes(option))),
    emptyChoice: choice("", false),
  };
};

const modelField = (field: Field, installation: Installation | undefined): InstallField => {
  const { key, type, label, required, visible, options, secure, callback, patterns, suffix, isLabel } = field;
  return {
    key,
    type,
    label,
    required,
    visible,
    secure,
    stored: secure && (installation?.secure.has(key) ?? false),
    patterns: patterns.length > 0,
    ...(options === undefined ? {} : { options }),
    ...(suffix === undefined ? {} : { suffix }),
    ...(isLabel === undefined ? {} : { isLabel }),
    ...(callback === undefined ? {} : { callback }),
  };
};

const modelOf = (project: Project, fields: readonly Field[], scene: Scene): InstallModel => ({
  token: scene.token,
  basis: basisOf(project, scene.installation),
  fields: fields.map((field) => modelField(field, scene.installation)),
  domainSuffix: scene.domainSuffix,
  domain: scene.installation?.domain ?? scene.usualDomain,
  installed: scene.installation !== undefined,
  values: scene.installation?.values ?? {},
  secure: [...(scene.installation?.secure ?? [])],
  products: PRODUCTS,
  modules: Object.keys(project.manifest.modules).filter((name) => name !== "common"),
});

/** A package's name as a title: no scope, no hyphens. */
export const titleOf = (name: string): string => {
  const words = name.replace(/^@[^/]+\//, "").replace(/[-_]+/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
};

const connectionView = ({ name, displayName, tokenType, authorized, authorizePath }: Connection): ConnectionView => ({
  name,
  label: displayName,
  isAgents: tokenType === "agent",
  connected: authorized && tokenType === "account",
  state:
    tokenType === "agent" ? "Each agent connects an account of their own" : authorized ? "Connected" : "Not connected",
  verb: authorized ? "Connect again" : "Connect",
  address: authorizePath,
});

export const pageView = (scene: Scene): PageView => {
  const { project, installation } = scene;
  const fields = project ? fieldsOf(project, installation?.values) : [];
  const title = project ? titleOf(project.name) : "This app";
  const installed = installation !== undefined;
  return {
    title,
    initial: title.charAt(0),
    description: project?.description ?? "",
    installed,
    usable: project !== undefined,
    findings: scene.findings
      .filter(({ level }) => level === "error")
      // One that names its line is often the cause of the others.
      .sort((one, other) => Number(other.line !== undefined) - Number(one.line !== undefined))
      .map(({ file, line, column, message, help }) => ({
        place: [file, line, column].filter((part) => part !== undefined).join(":"),
        message,
        help: help ?? "",
      })),
    model: project ? JSON.stringify(modelOf(project, fields, scene)) : "",
    fields: fields.map((field, index) => fieldView(field, index, scene)),
    hasCallbacks: (project?.callbacksCode ?? "") !== "" && project?.ownPage === undefined,
    isOwn: project?.ownPage !== undefined,
    connections: scene.connections.map(connectionView),
    isMissingConnection: scene.connections.some(({ tokenType, authorized }) => tokenType === "account" && !authorized),
    consents: consentsView(project, scene.consents),
    mayUninstall: scene.mayUninstall,
    action: installed ? "Save changes" : "Install",
    busy: installed ? "Saving…" : "Installing…",
  };
};
