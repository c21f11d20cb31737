import { isDeepStrictEqual } from "node:util";
import { isRefusal, type Iparam } from "@parley/contract";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ChangeAuthor } from "../../../identity/change-reports.ts";
import type { Project } from "../../../model/project.ts";
import { keyParametersOf, keyPermissions } from "../../../package/validate/key-permissions.ts";
import { otherProduct } from "../../../model/templates/account-host.ts";
import type { Installation } from "../../../state/installations.ts";

/** Versions of a published app on an account. */
export interface PageVersions {
  /** The version that this page belongs to. */
  readonly version: string;
  /** The newest version in the account's catalogue. */
  newest(): Promise<string | undefined>;
  /** The version that a rollback returns to. */
  previous(): Promise<string | undefined>;
  project(version: string): Promise<Project | undefined>;
  /** Returns to the version before the last upgrade. @errors Refusal */
  rollBack(author: ChangeAuthor): Promise<void>;
}

/** Versions as the page shows them. */
export interface VersionState {
  /** The version that the page belongs to. */
  readonly version: string;
  /** The installed version, if it is another version: a save changes the version. */
  readonly from?: string;
  /** Whether a save installs the newest version. */
  readonly isUpgrade: boolean;
  /** The newest version, if it is neither the installed version nor this version. */
  readonly newer?: string;
  /** The version that a rollback returns to. */
  readonly previous?: string;
  /** Keys of the parameters that the form asks for; undefined: all. */
  readonly askedKeys?: readonly string[];
  /** Permissions that this version needs and the installed one does not. */
  readonly newPermissions: readonly string[];
}

/** The parts on which a stored value depends. */
const declarationOf = (iparam: Iparam): readonly unknown[] => {
  const { type, options = [], required = false, secure = false, regex = {} } = iparam;
  return [type, options, required, secure, regex, otherProduct(iparam)];
};

/** Keys of the parameters that are new, or whose stored value may not suit the new version. */
const changedParameters = (before: Project, after: Project): string[] =>
  Object.entries(after.iparams).flatMap(([key, iparam]) => {
    const earlier = Object.hasOwn(before.iparams, key) ? before.iparams[key] : undefined;
    return earlier && isDeepStrictEqual(declarationOf(earlier), declarationOf(iparam)) ? [] : [key];
  });

interface VersionStateInput {
  readonly project: Project | undefined;
  readonly installation: Installation | undefined;
  readonly domainSuffix: string;
  /** The person wants to see all parameters. */
  readonly showsAll: boolean;
}

/** An app whose callbacks or own page use all parameters gets all of them. */
export const versionStateOf = async (
  versions: PageVersions,
  { project, installation, domainSuffix, showsAll }: VersionStateInput,
): Promise<VersionState> => {
  const { version } = versions;
  const installed = installation?.appVersion;
  const [newest, previous] = await Promise.all([versions.newest(), installation && versions.previous()]);
  const isChange = installed !== undefined && installed !== version;
  const before = isChange ? await versions.project(installed) : undefined;
  const known = before ? keyPermissions(before, domainSuffix).permissions : [];
  const newPermissions =
    project && before && keyParametersOf(project).length > 0
      ? keyPermissions(project, domainSuffix).permissions.filter((permission) => !known.includes(permission))
      : [];
  const needsAll = showsAll || !project || !before || project.callbacksCode !== "" || project.ownPage !== undefined;
  const askedKeys = needsAll
    ? undefined
    : [...changedParameters(before, project), ...(newPermissions.length > 0 ? keyParametersOf(project) : [])];
  return {
    version,
    ...(isChange && { from: installed }),
    isUpgrade: newest === version,
    ...(installed !== undefined &&
      newest !== undefined &&
      newest !== installed &&
      newest !== version && { newer: newest }),
    ...(previous !== undefined && { previous }),
    ...(askedKeys && { askedKeys }),
    newPermissions,
  };
};

/** `POST /rollback`: returns to the version before the last upgrade. */
export const versionRoutes = (
  scope: FastifyInstance,
  versions: PageVersions | undefined,
  authorOf: (request: FastifyRequest) => ChangeAuthor | undefined,
): void => {
  if (!versions) return;
  scope.post("/rollback", async (request, reply) => {
    try {
      await versions.rollBack(authorOf(request) ?? {});
      return { ok: true };
    } catch (error) {
      if (isRefusal(error)) return reply.code(error.problem.code).send({ message: error.message });
      throw error;
    }
  });
};
