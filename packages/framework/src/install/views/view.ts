import { PRODUCTS, type AppSetting, type Consent, type InstallField, type InstallModel } from "@parley/contract";
import type { Connection } from "../../oauth/connections.ts";
import type { Finding } from "../../project/finding.ts";
import type { Project } from "../../project/project.ts";
import { basisOf } from "../basis.ts";
import { consentsView, type ConsentsView } from "../consents-view.ts";
import type { Installation } from "../installations.ts";
import { fieldsOf, type Field } from "../iparams-fields.ts";
import { fieldView, heldOf, type FieldScene, type FieldView } from "./field-view.ts";

interface SectionView {
  readonly id: string;
  /** "" of what stands before the first section. */
  readonly title: string;
  readonly visible: boolean;
  readonly fields: readonly FieldView[];
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

/** Settings that an admin gives the app beside its parameters. */
interface AppSettingsView {
  readonly settings: readonly (AppSetting & { readonly id: string })[];
  /** @shape JSON: AppSetting[] */
  readonly json: string;
}

const appSettingsView = (settings: readonly AppSetting[]): AppSettingsView | undefined =>
  settings.length === 0
    ? undefined
    : {
        settings: settings.map((setting, index) => ({ ...setting, id: `parley:app-setting-${index}` })),
        json: JSON.stringify(settings),
      };

export interface PageView {
  readonly title: string;
  readonly initial: string;
  readonly description: string;
  readonly installed: boolean;
  readonly usable: boolean;
  readonly findings: readonly { readonly place: string; readonly message: string; readonly help: string }[];
  readonly model: string;
  readonly sections: readonly SectionView[];
  readonly hasOutline: boolean;
  readonly hasCallbacks: boolean;
  /** The app draws its own page. */
  readonly isOwn: boolean;
  readonly connections: readonly ConnectionView[];
  readonly isMissingConnection: boolean;
  /** undefined where there is nothing to agree to. */
  readonly consents: ConsentsView | undefined;
  /** undefined where the app declares none. */
  readonly appSettings: AppSettingsView | undefined;
  readonly mayUninstall: boolean;
  readonly action: string;
  readonly busy: string;
}

/** Both are scripts: not escaped, but with nothing in them that ends a script element. */
export interface FrameView {
  readonly callbacks: string;
  readonly script: string;
}

/** @shape project: the last good version */
export interface Scene extends FieldScene {
  /** What is wrong with the newest. */
  readonly findings: readonly Finding[];
  readonly connections: readonly Connection[];
  readonly consents?: readonly Consent[] | undefined;
  readonly appSettings: readonly AppSetting[];
  readonly mayUninstall: boolean;
  readonly usualDomain: string;
  readonly token: string;
}

/** With so many sections there is a list of them. */
const outlineFrom = 3;

/** @assumed Fields that follow belong to the section that began last. */
const sectionsOf = (fields: readonly Field[], views: readonly FieldView[]): SectionView[] => {
  const sections: { id: string; title: string; fields: FieldView[] }[] = [];
  for (const [index, view] of views.entries()) {
    const title = fields[index]?.section;
    if (title !== undefined || sections.length === 0)
      sections.push({ id: `parley:section-${sections.length}`, title: title ?? "", fields: [] });
    sections.at(-1)?.fields.push(view);
  }
  return sections.map((section) => ({ ...section, visible: section.fields.some(({ visible }) => visible) }));
};

const modelField = (field: Field, installation: Installation | undefined): InstallField => {
  const held = heldOf(field, installation);
  const { key, type, label, required, visible, options, secure, callback, patterns, suffix, isLabel } = field;
  return {
    key,
    type,
    label,
    required,
    visible,
    secure,
    ...(held === undefined ? {} : { held }),
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
  const sections = sectionsOf(
    fields,
    fields.map((field, index) => fieldView(field, index, scene)),
  );
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
    sections,
    hasOutline: sections.filter(({ title: named }) => named !== "").length >= outlineFrom,
    hasCallbacks: (project?.callbacksCode ?? "") !== "" && project?.ownPage === undefined,
    isOwn: project?.ownPage !== undefined,
    connections: scene.connections.map(connectionView),
    isMissingConnection: scene.connections.some(({ tokenType, authorized }) => tokenType === "account" && !authorized),
    consents: consentsView(project, scene.consents),
    appSettings: appSettingsView(scene.appSettings),
    mayUninstall: scene.mayUninstall,
    action: installed ? "Save changes" : "Install",
    busy: installed ? "Saving…" : "Installing…",
  };
};
