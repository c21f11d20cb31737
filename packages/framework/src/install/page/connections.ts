import type { InstallConnection } from "@parley/contract";
import { element } from "./element.ts";
import type { Server } from "./server.ts";

const write = (row: HTMLElement, { authorized }: InstallConnection) => {
  element<HTMLElement>(row, "[data-part=state]").textContent = authorized ? "Connected" : "Not connected";
  element<HTMLElement>(row, "[data-part=link-verb]").textContent = authorized ? "Connect again" : "Connect";
  row.classList.toggle("connected", authorized);
};

/** Each connection's state, looked up again whenever a person comes back from granting it in another tab. */
export const wireConnections = (card: HTMLElement, server: Server): void => {
  const refresh = async () => {
    const connections = await server.connections().catch(() => []);
    for (const connection of connections) {
      const row = [...card.querySelectorAll<HTMLElement>("[data-connection]")].find(
        (candidate) => candidate.dataset["connection"] === connection.name,
      );
      if (row && connection.tokenType === "account") write(row, connection);
    }
    const isMissing = connections.some(({ tokenType, authorized }) => tokenType === "account" && !authorized);
    if (connections.length > 0) element<HTMLElement>(card, "[data-part=missing]").hidden = !isMissing;
  };
  window.addEventListener("focus", () => void refresh());
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") void refresh();
  });
};
