import type { VisitorPage } from "@parley/contract";
import type { SitePage } from "../../../bridge/bridge.ts";
import type { ApiClient } from "../api/api-client.ts";
import { isTemporary } from "../api/request-error.ts";
import { WIRE } from "../contract-values.ts";
import type { PanelState } from "../panel-model.ts";
import type { Store } from "../store.ts";

/** Reports the page that the visitor writes from, and the language of the visitor, to the agents of an account that lets them see it. */
export interface PageReport {
  /** The visitor has sent a message. */
  readonly sent: (conversationId: string) => void;
  readonly forget: () => void;
  readonly stop: () => void;
}

interface PageReportDeps {
  readonly api: ApiClient;
  readonly state: Store<PanelState>;
  /** -> the page of the site as it is now. Not resolved by a script of an earlier release. */
  readonly askPage: () => Promise<SitePage>;
}

/** Time between two looks at the page while a conversation is shown. They send no request unless the page has changed. @units milliseconds */
const LOOK_INTERVAL_MS = 5_000;

/** -> what the service takes of a page */
const visitorPageOf = ({ url, title }: SitePage, language: string): VisitorPage => {
  const name = language.replaceAll("_", "-");
  // Without the half of a character at the end.
  const shownTitle = title.slice(0, WIRE.pageTitleCharactersMax).replace(/[\ud800-\udbff]$/, "");
  return {
    ...(/^https?:/.test(url) && url.length <= WIRE.pageAddressCharactersMax && { url }),
    ...(shownTitle !== "" && { title: shownTitle }),
    ...(/^[a-z0-9-]{1,35}$/i.test(name) && { language: name }),
  };
};

export const createPageReport = ({ api, state, askPage }: PageReportDeps): PageReport => {
  /** The last report: it is not repeated. */
  let reported = "";

  const report = async (conversation_id: string): Promise<void> => {
    const { configuration, options } = state.get();
    if (configuration?.privacy.is_page_shown !== true) return;
    const page = visitorPageOf(await askPage(), options.locale ?? navigator.language);
    const text = JSON.stringify([conversation_id, page]);
    if (text === reported) return;
    reported = text;
    const body = { page };
    await api.call("reportVisitorActivity", { params: { conversation_id }, body }).catch((error: unknown) => {
      if (isTemporary(error)) reported = "";
    });
  };

  const look = (): void => {
    const { isOpen, place, conversations } = state.get();
    const shown = isOpen && !document.hidden && place.kind === "thread" ? place.key : undefined;
    // Only the latest conversation takes messages.
    if (conversations.some(({ id, is_latest }) => is_latest && id === shown)) void report(shown ?? "");
  };
  const timer = setInterval(look, LOOK_INTERVAL_MS);

  return {
    sent: (conversationId) => void report(conversationId),
    forget() {
      reported = "";
    },
    stop: () => clearInterval(timer),
  };
};
