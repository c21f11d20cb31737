/** Leads what a program of Node opens to other hosts by TLS to the server of PARLEY_TLS_PORT: preloaded into a client that takes no proxy. */
import { syncBuiltinESMExports } from "node:module";
import tls from "node:tls";

const isHere = (host) => host === undefined || host === "localhost" || host.startsWith("127.");

/** -> takes it back */
export const redirect = (port, more = {}) => {
  const { connect } = tls;
  tls.connect = (options, ...rest) =>
    typeof options !== "object" || isHere(options.host)
      ? connect(options, ...rest)
      : connect(
          { ...options, ...more, host: "127.0.0.1", port, servername: options.servername ?? options.host },
          ...rest,
        );
  syncBuiltinESMExports();
  return () => {
    tls.connect = connect;
    syncBuiltinESMExports();
  };
};

if (process.env.PARLEY_TLS_PORT) redirect(Number(process.env.PARLEY_TLS_PORT));
