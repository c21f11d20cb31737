import { ConsentChange, schemaErrors, SECURE_IPARAMS, type Consent } from "@parley/contract";
import type { HostPorts } from "../environment/ports.ts";
import { installationReport, type ChangeAuthor } from "../identity/change-reports.ts";
import type { Project } from "../model/project.ts";
import { refuseControl } from "../model/app-refused.ts";
import { consentHost, isConsentedHost } from "../model/templates/whitelist.ts";
import type { RecordOwner } from "./records.sql.ts";
import type { ConsentRow, ConsentStore } from "./installations.sql.ts";

/** Consents for one run of a host, from its start options. */
export interface RunConsents {
  readonly secureIparams?: boolean;
  /** As `consentHost` returns them. */
  readonly hosts?: readonly string[];
}

export interface Consents {
  /** Secure parameters first, then every host that is declared, requested or decided on. */
  list(): Promise<readonly Consent[]>;
  /** Takes effect at the app's next call, in every process. @shape change: an unvalidated ConsentChange @errors ControlRefused */
  change(change: unknown, author?: ChangeAuthor): Promise<void>;
  readsSecureIparams(): Promise<boolean>;
  /** Whether the app's own code may call a host. A refused host is listed as requested from then on. @shape host: as in a URL */
  mayCall(host: string): Promise<boolean>;
}

interface ConsentsDeps extends Pick<HostPorts, "now" | "newId"> {
  readonly owner: RecordOwner;
  readonly project: () => Pick<Project, "declaredHosts">;
  readonly store: ConsentStore;
  readonly ofRun: RunConsents;
}

/** Maximum number of requested hosts: an app could request any number. */
const REQUESTED_HOSTS_MAX = 50;

const subjectOf = (text: string): string => {
  const subject = text === SECURE_IPARAMS ? text : consentHost(text);
  if (subject !== undefined) return subject;
  refuseControl(
    400,
    `'${text}' is neither ${SECURE_IPARAMS} nor a host. Name a host such as api.example.com, api.example.com:8443 or *.example.com; an IP address can't be named.`,
  );
};

/** Values such as `"false"` or `null` are refused, not converted: a consent must be explicit. */
const changeIn = (input: unknown): ConsentChange => {
  const [first] = schemaErrors(ConsentChange, input);
  if (!first) return input as ConsentChange;
  refuseControl(
    400,
    `A decision names a subject, in at most 300 characters, and says isGiven: true or false. ${first.pointer} ${first.message}`.trim(),
  );
};

const read = ({ subject, state, changed_time }: ConsentRow): Consent => ({
  subject,
  state,
  time: changed_time.toISOString(),
});

export const createConsents = ({ owner, project, store, ofRun, now, newId }: ConsentsDeps): Consents => {
  const changeReport = (author: ChangeAuthor, members: readonly string[]) =>
    installationReport(author, {
      id: newId(),
      account: owner.account,
      app: owner.project,
      action: "app.change",
      members,
    });
  const ofThisRun = (): Consent[] =>
    [...(ofRun.secureIparams ? [SECURE_IPARAMS] : []), ...(ofRun.hosts ?? [])].map((subject) => ({
      subject,
      state: "given",
      isOfRun: true,
    }));
  const list = async (): Promise<readonly Consent[]> => {
    const declared = project().declaredHosts.map((subject): Consent => ({ subject, state: "declared" }));
    // Later entries replace earlier entries.
    const all = [...declared, ...(await store.list(owner)).map(read), ...ofThisRun()];
    const bySubject = new Map(all.map((consent) => [consent.subject, consent]));
    const { [SECURE_IPARAMS]: secure, ...hosts } = Object.fromEntries(bySubject);
    return [...(secure ? [secure] : []), ...Object.values(hosts)];
  };
  const grantedSubjects = async () =>
    (await list()).filter(({ state }) => state === "given").map(({ subject }) => subject);
  return {
    list,
    async change(input, author) {
      const { subject: named, isGiven } = changeIn(input);
      const subject = subjectOf(named);
      const report = author && changeReport(author, [`consent ${subject}`]);
      await store.put(owner, { subject, state: isGiven ? "given" : "revoked" }, now(), report);
    },
    readsSecureIparams: async () => (await grantedSubjects()).includes(SECURE_IPARAMS),
    async mayCall(host) {
      if ((await grantedSubjects()).some((subject) => subject !== SECURE_IPARAMS && isConsentedHost(host, subject)))
        return true;
      const subject = consentHost(host);
      if (subject !== undefined) await store.ask(owner, subject, now(), REQUESTED_HOSTS_MAX);
      return false;
    },
  };
};
