/** Redirects the TLS connections of a Node program to the server on PARLEY_TLS_PORT. Preloaded into clients without proxy support. */
import { syncBuiltinESMExports } from "node:module";
import tls from "node:tls";

const isHere = (host) => host === undefined || host === "localhost" || host.startsWith("127.");

/** Returns a function that undoes the redirection. */
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
