import { existsSync, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { checkServerIdentity, type ConnectionOptions } from "node:tls";
import type { UrlParameter } from "./connection-url.ts";
import { DatabaseUnavailable } from "./errors/failure.ts";

/** TLS options of a connection; false: no TLS. */
export type TlsChoice = ConnectionOptions | false;

const MODES = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"] as const;
type TlsMode = (typeof MODES)[number];

const unusable = (reason: string, next: string): DatabaseUnavailable =>
  new DatabaseUnavailable(`DATABASE_URL can't be used: ${reason}. ${next}`);

const modeOf = (parameters: ReadonlyMap<UrlParameter, string>): TlsMode => {
  const isSystem = parameters.get("sslrootcert") === "system";
  // Spellings of JDBC and of the Node driver.
  const requested =
    { "no-verify": "require" }[parameters.get("sslmode") ?? ""] ??
    parameters.get("sslmode") ??
    { true: "require", "1": "require", false: "disable", "0": "disable" }[parameters.get("ssl") ?? ""] ??
    (isSystem ? "verify-full" : "prefer");
  const mode = MODES.find((each) => each === requested);
  if (!mode) throw unusable("its sslmode is unknown", `Choose one of ${MODES.join(", ")}.`);
  if (isSystem && mode !== "verify-full")
    throw unusable(
      `sslmode=${mode} would accept any certificate that one of the system's authorities has signed`,
      "Beside sslrootcert=system write sslmode=verify-full.",
    );
  return mode;
};

const defaultFile = (name: string): string => join(homedir(), ".postgresql", name);

const readPem = (path: string, parameter: string): string => {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw unusable(
      `the file of ${parameter}, ${path}, can't be read (${(error as NodeJS.ErrnoException).code})`,
      "Check its path and permissions.",
    );
  }
};

/** Certificate authorities for the verification of the server's certificate; undefined: no verification. */
const rootsOf = (mode: TlsMode, parameters: ReadonlyMap<UrlParameter, string>): ConnectionOptions | undefined => {
  const path = parameters.get("sslrootcert") ?? defaultFile("root.crt");
  if (path === "system") return { rejectUnauthorized: true };
  if (existsSync(path)) return { rejectUnauthorized: true, ca: readPem(path, "sslrootcert") };
  if (mode === "verify-ca" || mode === "verify-full")
    throw unusable(
      `sslmode=${mode} needs the certificate of the server's authority, and ${path} does not exist`,
      "Name its file with sslrootcert, write sslrootcert=system for authorities that the system trusts, or choose sslmode=require.",
    );
  return undefined;
};

/** The client certificate. */
const ownCertificate = (parameters: ReadonlyMap<UrlParameter, string>): ConnectionOptions => {
  const [cert, key] = [
    parameters.get("sslcert") ?? defaultFile("postgresql.crt"),
    parameters.get("sslkey") ?? defaultFile("postgresql.key"),
  ];
  if (!parameters.has("sslcert") && !existsSync(cert)) return {};
  const options = { cert: readPem(cert, "sslcert"), key: readPem(key, "sslkey") };
  const { mode, uid } = statSync(key);
  if ((mode & (uid === 0 ? 0o037 : 0o077)) !== 0)
    throw unusable(`others may read the private key ${key}`, "Run chmod 600 on it.");
  const passphrase = parameters.get("sslpassword");
  return passphrase === undefined ? options : { ...options, passphrase };
};

/**
 * TLS options in the order in which they are tried, by `sslmode` as in libpq: `prefer` by default, and below `verify-ca` without
 * verification of the certificate unless there is a root certificate file.
 * @errors DatabaseUnavailable
 */
export function tlsChoices(
  parameters: ReadonlyMap<UrlParameter, string>,
  host: string | undefined,
): readonly TlsChoice[] {
  const mode = modeOf(parameters);
  if (mode === "disable" || host?.startsWith("/")) return [false];
  const roots = rootsOf(mode, parameters);
  const tls: ConnectionOptions = {
    minVersion: "TLSv1.2",
    ...ownCertificate(parameters),
    ...(roots ?? { rejectUnauthorized: false }),
    // Set explicitly, since the driver would verify the address that it connects to (hostaddr).
    checkServerIdentity: (_, certificate) =>
      mode === "verify-full" ? checkServerIdentity(host ?? "localhost", certificate) : undefined,
  };
  if (mode === "allow") return [false, tls];
  return mode === "prefer" ? [tls, false] : [tls];
}
