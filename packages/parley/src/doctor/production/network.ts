import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { urlOf } from "@parley/contract";
import type { ServiceConfig } from "@parley/service";
import { fail, ok, warn, type CheckFinding } from "../../output/finding.ts";

/** @units milliseconds */
const CONNECT_TIMEOUT_MS = 5_000;

/** Waits for an event of a socket. @errors the error of the connection; Error after the timeout */
async function waitFor(socket: Socket, event: string): Promise<unknown[]> {
  return (await once(socket, event, { signal: AbortSignal.timeout(CONNECT_TIMEOUT_MS) })) as unknown[];
}

const DAY_MS = 86_400_000;
/** A certificate that ends sooner is not renewed automatically. @units days */
const CERTIFICATE_DAYS_MIN = 14;

/** Whether a browser trusts the address. */
async function checkCertificate({ hostname, port }: URL, variable: string, now: number): Promise<CheckFinding> {
  const host = hostname.replace(/^\[|\]$/g, "");
  const socket: TLSSocket = connectTls({
    host,
    port: Number(port || 443),
    servername: host,
    rejectUnauthorized: false,
  });
  try {
    await waitFor(socket, "secureConnect");
    if (!socket.authorized)
      return fail(
        `The certificate of ${hostname} is not trusted (${String(socket.authorizationError)}).`,
        "Install a certificate of a public authority for this name in the proxy, with its intermediate certificates.",
      );
    const days = Math.floor((Date.parse(socket.getPeerCertificate().valid_to) - now) / DAY_MS);
    return days < CERTIFICATE_DAYS_MIN
      ? warn(`The certificate of ${hostname} ends in ${days} days.`, "Renew it, and check why it was not renewed.")
      : ok(`${variable} is https, with a certificate for ${days} more days.`);
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? (error as Error).message;
    return warn(
      `${hostname} can't be reached from here (${reason}).`,
      "If customers reach it, all is well; otherwise check the proxy, DNS and firewall.",
    );
  } finally {
    socket.destroy();
  }
}

/** Whether an origin that browsers use is set, encrypted and trusted. @shape url: undefined if the variable is not set */
export const checkAddressVariable = async (
  url: string | undefined,
  variable: string,
  now: number,
): Promise<CheckFinding> => {
  if (url === undefined)
    return fail(
      `${variable} is not set: links name this machine.`,
      `Set ${variable} to the https address of the proxy.`,
    );
  const parsed = urlOf(url);
  if (parsed?.protocol !== "https:")
    return fail(
      `${variable} is ${url}: passwords and messages are sent without encryption.`,
      "Terminate TLS in a proxy, and name its https address: docs/operators/production.md.",
    );
  return checkCertificate(parsed, variable, now);
};

/** Whether invitations and resets can be sent. */
export async function checkMail({ mail }: ServiceConfig): Promise<CheckFinding> {
  if (!mail)
    return warn(
      "No mail server is set: agents can't reset their passwords themselves.",
      "Set PARLEY_SMTP_URL and PARLEY_MAIL_FROM.",
    );
  const { host, port, isImplicitTls } = mail;
  const socket = isImplicitTls ? connectTls({ host, port, servername: host }) : connect({ host, port });
  const where = `The mail server ${host}:${port}`;
  const next = "Check PARLEY_SMTP_URL, the certificate of the server, and the firewall.";
  try {
    const [data] = await waitFor(socket, "data");
    const [line = ""] = String(data).split("\r\n", 1);
    return line.startsWith("220") ? ok(`${where} answers.`) : fail(`${where} refuses: ${line.slice(0, 100)}`, next);
  } catch (error) {
    return fail(`${where} can't be used (${(error as NodeJS.ErrnoException).code ?? (error as Error).message}).`, next);
  } finally {
    socket.destroy();
  }
}

const canConnect = async (host: string, port: number): Promise<boolean> => {
  const socket = connect({ host, port });
  try {
    await waitFor(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
};

/** Addresses of this machine that others can reach. */
const outsideAddresses = (): string[] =>
  Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .filter(({ internal, address }) => !internal && !address.startsWith("fe80:"))
    .map(({ address }) => address);

/** Whether machines other than Prometheus can read the metrics. @shape addresses: of this machine, as others reach it */
export async function checkMetricsPort(
  port: number | undefined,
  addresses: readonly string[] = outsideAddresses(),
): Promise<CheckFinding> {
  if (port === undefined)
    return warn(
      "No metrics are served: nobody is told when something fails.",
      "Set PARLEY_METRICS_PORT: docs/operators/monitoring.md.",
    );
  if (port === 0)
    return warn("The port of the metrics changes with each start.", "Set PARLEY_METRICS_PORT to a fixed port.");
  const reached: string[] = [];
  for (const address of addresses) if (await canConnect(address, port)) reached.push(address);
  return reached.length === 0
    ? ok(`Port ${port} of the metrics is not reached at an address of this machine that others use.`)
    : fail(
        `The metrics answer at ${reached.map((address) => `${address}:${port}`).join(", ")}: others can read names of accounts and figures.`,
        "Let the firewall admit Prometheus only, or start with --host 127.0.0.1.",
      );
}

/** Whether limits by address see the client and not the proxy. */
export const checkProxies = ({ trustedProxies }: ServiceConfig, publicUrl: string | undefined): CheckFinding =>
  publicUrl !== undefined && (trustedProxies ?? []).length === 0
    ? warn(
        "No proxy is trusted: all clients share the limit of failed sign-ins, and the audit log names the proxy.",
        "Set PARLEY_TRUSTED_PROXIES to the addresses of your proxies.",
      )
    : ok("Clients are known by their own addresses.");
