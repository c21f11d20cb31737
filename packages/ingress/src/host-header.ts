const PORT_MAX = 65_535;
/** A name, an IPv4 or an IPv6 address, with or without a port. */
const HOST = /^(?:[\w.-]{1,255}|\[[0-9a-f:.]{2,45}\])(?::(\d{1,5}))?$/i;

/** Whether a Host header is valid in an address. */
export const isValidHost = (host: string): boolean => {
  const match = HOST.exec(host);
  return match !== null && Number(match[1] ?? 0) <= PORT_MAX;
};
