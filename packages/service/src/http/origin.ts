/** A Host header that can stand in an address as it is: a name, an IPv4 or an IPv6 address, with or without a port. */
const HOST = /^(?:[\w.-]{1,255}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;

/**
 * Makes the way from a Host header to the beginning of the addresses that replies hold: the public address where one is set, else
 * the one that the request came to.
 * @assumed A Host that can't stand in an address gives `http://localhost`.
 */
export const originsOf = (publicUrl: string | undefined): ((host: string | undefined) => string) => {
  if (publicUrl !== undefined) return () => publicUrl;
  // Nearly every request comes to the same host.
  let last = { host: "", origin: "http://localhost" };
  return (host = "") => {
    if (host !== last.host) last = { host, origin: `http://${HOST.test(host) ? host : "localhost"}` };
    return last.origin;
  };
};
