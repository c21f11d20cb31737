import type { Connect, FromPanel, PanelOptions, PanelReady, ToPanel } from "../../../bridge/bridge.ts";

/** The connection to the script in the site's page. */
export interface ParentPort {
  /** Origin of the site's page; `null` for a page without an origin, such as a file. */
  readonly origin: string;
  readonly options: PanelOptions;
  readonly send: (message: FromPanel) => void;
  readonly onCall: (listener: (call: ToPanel) => void) => void;
}

/** -> the origin as the service knows it */
const siteOriginOf = (eventOrigin: string): string => (/^https?:\/\//.test(eventOrigin) ? eventOrigin : "null");

/** Connects to the script. A panel that is opened as a page of its own is its own site. */
export const connectParent = (): Promise<ParentPort> =>
  new Promise((resolve) => {
    const { parent } = window;
    if (parent === window)
      return resolve({ origin: location.origin, options: {}, send: () => undefined, onCall: () => undefined });
    const listen = ({ source, origin, data, ports }: MessageEvent<Partial<Connect> | null>): void => {
      const [port] = ports;
      if (source !== parent || data?.parley !== "connect" || !port) return;
      removeEventListener("message", listen);
      resolve({
        origin: siteOriginOf(origin),
        options: data.options ?? {},
        send: (message) => port.postMessage(message),
        onCall(listener) {
          port.onmessage = ({ data: call }: MessageEvent<ToPanel>) => listener(call);
        },
      });
    };
    addEventListener("message", listen);
    // The origin of the site's page is not known yet. The message contains nothing private.
    parent.postMessage({ parley: "panel-ready" } satisfies PanelReady, "*");
  });
