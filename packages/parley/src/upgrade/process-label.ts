import { APP_MIGRATIONS } from "@parley/framework/operation";
import { SERVICE_MIGRATIONS, VERSION } from "@parley/service/operation";

/** Description of a process in the name of its session in PostgreSQL. */
export interface LabelledProcess {
  /** Version of its release. */
  readonly version: string;
  /** Newest migration that its release contains, of the service and of the platform. */
  readonly service: number;
  readonly platform: number;
  readonly pid: number;
}

/** Newest migrations of this release. */
export const RELEASE_SCHEMA = {
  service: SERVICE_MIGRATIONS.at(-1)?.id ?? 0,
  platform: APP_MIGRATIONS.at(-1)?.id ?? 0,
} as const;

/** Ends the name of the sessions of a process: version of the release, schema, process id. @shape `0.1.0/28.10#4711` */
export const processLabel = (pid = process.pid): string =>
  `${VERSION}/${RELEASE_SCHEMA.service}.${RELEASE_SCHEMA.platform}#${pid}`;

const LABEL = / (\d+\.\d+\.\d+[^/ ]*)\/(\d+)\.(\d+)#(\d+)$/;

/** The process of a session's name; undefined for a release before 0.2.0, a command, and another program. */
export const labelledProcess = (applicationName: string): LabelledProcess | undefined => {
  const [, version = "", service, platform, pid] = LABEL.exec(applicationName) ?? [];
  return pid === undefined
    ? undefined
    : { version, service: Number(service), platform: Number(platform), pid: Number(pid) };
};
