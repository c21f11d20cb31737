import Handlebars from "handlebars";
import { builtText, sourceText } from "../../../environment/assets.ts";
import { type Consent, PRODUCTS, type AppSetting, type InstallField, type InstallModel } from "@parley/contract";
import { readSecureKeys } from "../../../package/validate/handler-code.ts";
import { type Project, appTitle } from "../../../model/project.ts";
import type { OAuthConnection } from "../../../request/oauth/oauth.ts";
import type { Finding } from "../../../model/finding.ts";
import { installBasis } from "../../../state/install-basis.ts";
import { iparamFieldsOf, type IparamField } from "../../../model/iparams/fields.ts";
import type { VersionState } from "../routes/page-versions.ts";
import { saveLabels, versionView, type VersionView } from "./version-view.ts";
import { createsKey, fieldTemplateView, keptSecretsOf, type FieldData, type FieldTemplateView } from "./field-view.ts";

/** Section of the installation page about the permissions of the app's own code, which an admin grants. */
interface ConsentsView {
  /** Labels of the secure parameters, as a list in a sentence; "" if the app has no secure parameters. */
  readonly secureLabels: string;
  /** Labels of the secure parameters that the code appears to read. */
  readonly readLabels: string;
  /** Whether the code appears to need a consent that has not been decided on. */
  readonly isOpen: boolean;
  /** @shape JSON: Consent[] */
  readonly consents: string;
}

const CLIENTS = /\brequire\(\s*["'`](?:node:)?https?["'`]\s*\)|(?<![\w$.])fetch\s*\(/;

const listed = (labels: readonly string[]): string => labels.join(", ");

/** @returns undefined for an app without code, or if the host takes no consents */
const consentsView = (
  project: Project | undefined,
  consents: readonly Consent[] | undefined,
): ConsentsView | undefined => {
  if (!project || consents === undefined || project.serverCode === "") return undefined;
  const { iparams, serverCode } = project;
  const labelOf = (key: string) => iparams[key]?.display_name ?? key;
  const secure = Object.keys(iparams).filter((key) => iparams[key]?.secure === true);
  const readKeys = readSecureKeys(project);
  const calls = CLIENTS.test(serverCode) || consents.some(({ state }) => state === "asked");
  const isDecided = (isHost: boolean) =>
    consents.some(
      ({ subject, state }) => subject.includes(".") === isHost && (state === "given" || state === "revoked"),
    );
  return {
    secureLabels: listed(secure.map(labelOf)),
    readLabels: listed(readKeys.map(labelOf)),
    isOpen: (readKeys.length > 0 && !isDecided(false)) || (calls && !isDecided(true)),
    consents: JSON.stringify(consents),
  };
};

interface SectionView {
  readonly id: string;
  /** "" for the fields before the first section. */
  readonly title: string;
  readonly visible: boolean;
  readonly fields: readonly FieldTemplateView[];
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

/** Settings that an admin gives the app in addition to its parameters. */
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

interface InstallPageView {
  readonly title: string;
  readonly initial: string;
  readonly description: string;
  readonly installed: boolean;
  readonly usable: boolean;
  readonly findings: readonly { readonly place: string; readonly message: string; readonly help: string }[];
  readonly model: string;
  readonly sections: readonly SectionView[];
  /** Whether the app has no parameters. */
  readonly isEmpty: boolean;
  /** undefined for an app that is read from a folder, and if there is nothing to say. */
  readonly versions: VersionView | undefined;
  readonly hasOutline: boolean;
  readonly hasCallbacks: boolean;
  /** Frames of the app's own installation page; undefined if it has none. */
  readonly ownFrames: OwnFrames | undefined;
  readonly connections: readonly ConnectionView[];
  readonly isMissingConnection: boolean;
  /** undefined if there is nothing to consent to. */
  readonly consents: ConsentsView | undefined;
  /** undefined if the app declares no connections. */
  readonly appSettings: AppSettingsView | undefined;
  readonly mayUninstall: boolean;
  readonly action: string;
  readonly busy: string;
}

interface OwnFrames {
  /** Origin of the app's frames. */
  readonly origin: string;
  /** Origin under which the page is same-site with them. */
  readonly pageOrigin: string;
}

/** Both members are scripts: not escaped, and without text that ends a script element. */
interface CallbackFrameView {
  readonly callbacks: string;
  readonly script: string;
}

/** @shape project: the last valid version */
interface InstallPageData extends FieldData {
  /** Findings of the newest version. */
  readonly findings: readonly Finding[];
  readonly connections: readonly OAuthConnection[];
  readonly consents?: readonly Consent[] | undefined;
  readonly appSettings: readonly AppSetting[];
  /** undefined for an app that is read from a folder. */
  readonly versions: VersionState | undefined;
  readonly mayUninstall: boolean;
  readonly usualDomain: string;
  readonly token: string;
  /** Frames of the app's own installation page; undefined if it has none. */
  readonly ownFrames: OwnFrames | undefined;
}

/** Minimum number of sections for which the page shows a list of them. */
const OUTLINE_GROUPS_MIN = 3;

/** @assumed Each field belongs to the last section that begins before it. */
const sectionsOf = (fields: readonly IparamField[], views: readonly FieldTemplateView[]): SectionView[] => {
  const sections: { id: string; title: string; fields: FieldTemplateView[] }[] = [];
  for (const [index, view] of views.entries()) {
    const title = fields[index]?.section;
    if (title !== undefined || sections.length === 0)
      sections.push({ id: `parley:section-${sections.length}`, title: title ?? "", fields: [] });
    sections.at(-1)?.fields.push(view);
  }
  return sections.map((section) => ({ ...section, visible: section.fields.some(({ visible }) => visible) }));
};

const modelField = (field: IparamField, { installation, keyOffer }: FieldData): InstallField => {
  const held = keptSecretsOf(field, installation);
  const { key, type, control, label, required, visible, options, secure, callback, patterns, suffix, isLabel } = field;
  return {
    key,
    type,
    control,
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
    ...(createsKey(field, keyOffer) && { createsKey: true as const }),
  };
};

const modelOf = (project: Project, fields: readonly IparamField[], data: InstallPageData): InstallModel => ({
  token: data.token,
  basis: installBasis(project, data.installation),
  fields: fields.map((field) => modelField(field, data)),
  domainSuffix: data.domainSuffix,
  domain: data.installation?.domain ?? data.usualDomain,
  installed: data.installation !== undefined,
  values: data.installation?.values ?? {},
  secure: [...(data.installation?.secure ?? [])],
  products: PRODUCTS,
  modules: Object.keys(project.manifest.modules).filter((name) => name !== "common"),
  ...(data.versions && { version: data.versions.version }),
  ...(data.versions?.from !== undefined && { changesVersion: true }),
});

const connectionView = ({
  name,
  displayName,
  tokenType,
  authorized,
  authorizePath,
}: OAuthConnection): ConnectionView => ({
  name,
  label: displayName,
  isAgents: tokenType === "agent",
  connected: authorized && tokenType === "account",
  state:
    tokenType === "agent" ? "Each agent connects an account of their own" : authorized ? "Connected" : "Not connected",
  verb: authorized ? "Connect again" : "Connect",
  address: authorizePath,
});

export const installPageView = (data: InstallPageData): InstallPageView => {
  const { project, installation } = data;
  const all = project ? iparamFieldsOf(project, installation?.values) : [];
  const asked = data.versions?.askedKeys;
  const fields = asked ? all.filter(({ key }) => asked.includes(key)) : all;
  const sections = sectionsOf(
    fields,
    fields.map((field, index) => fieldTemplateView(field, index, data)),
  );
  const title = project ? appTitle(project.name) : "This app";
  const installed = installation !== undefined;
  return {
    title,
    initial: title.charAt(0),
    description: project?.description ?? "",
    installed,
    usable: project !== undefined,
    findings: data.findings
      .filter(({ level }) => level === "error")
      // A finding with a line is often the cause of the others.
      .sort((one, other) => Number(other.line !== undefined) - Number(one.line !== undefined))
      .map(({ file, line, column, message, help }) => ({
        place: [file, line, column].filter((part) => part !== undefined).join(":"),
        message,
        help: help ?? "",
      })),
    model: project ? JSON.stringify(modelOf(project, fields, data)) : "",
    sections,
    isEmpty: all.length === 0,
    versions: versionView(data.versions),
    hasOutline: sections.filter(({ title: named }) => named !== "").length >= OUTLINE_GROUPS_MIN,
    hasCallbacks: (project?.callbacksCode ?? "") !== "" && project?.ownPage === undefined,
    ownFrames: data.ownFrames,
    connections: data.connections.map(connectionView),
    isMissingConnection: data.connections.some(({ tokenType, authorized }) => tokenType === "account" && !authorized),
    consents: consentsView(project, data.consents),
    appSettings: appSettingsView(data.appSettings),
    mayUninstall: data.mayUninstall,
    ...saveLabels(installed, data.versions),
  };
};

const PARTIALS = ["field", "label", "control", "choice", "held", "consents", "app-settings", "versions"];

const read = (name: string): Promise<string> => sourceText(`installation/page/views/${name}`);

interface InstallViews {
  readonly page: (view: InstallPageView) => string;
  readonly frame: (view: CallbackFrameView) => string;
  readonly style: string;
}

/** Reads and compiles the page's templates. A name that a view model lacks is an error, and all text is escaped. */
export const loadInstallViews = async (): Promise<InstallViews> => {
  const handlebars = Handlebars.create();
  const strict = { strict: true, knownHelpersOnly: true };
  for (const name of PARTIALS) {
    handlebars.registerPartial(name, handlebars.compile(await read(`${name}.hbs`), strict));
  }
  return {
    page: handlebars.compile<InstallPageView>(await read("installation-page.hbs"), strict),
    frame: handlebars.compile<CallbackFrameView>(await read("frame.hbs"), strict),
    style: await builtText("installation-page.css"),
  };
};
