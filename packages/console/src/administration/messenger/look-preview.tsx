import type { MessengerLook } from "@parley/contract";
import { shownLook } from "@parley/contract/display";
import { createChatButton } from "@parley/messenger/button";
import { createPanelConnection } from "@parley/messenger/connection";
import { useRef, useState } from "react";
import { VALUES } from "../../contract-values.ts";
import { useEffect } from "../../state/effects.ts";
import { Select } from "../../ui/select.tsx";
import shared from "../administration.module.css";
import { languageName } from "../../i18n/format.ts";
import styles from "./look.module.css";
import { lookMessages as texts } from "./look-messages.ts";

const SCHEMES = [
  { id: "light", label: texts.light },
  { id: "dark", label: texts.dark },
] as const;
const VIEWS = [
  { id: "home", label: texts.home },
  { id: "thread", label: texts.thread },
  { id: "away", label: texts.closed },
] as const;
type Scheme = (typeof SCHEMES)[number]["id"];
type View = (typeof VIEWS)[number]["id"];

type Shown = ReturnType<typeof shownLook>;
type Connection = ReturnType<typeof createPanelConnection>;

interface PanelPreviewProps {
  readonly account: string;
  readonly locale: string;
  readonly look: Shown;
  readonly scheme: Scheme;
  readonly view: View;
}

/** The page of the messenger with the look. It begins no visit. */
const PanelPreview = ({ account, locale, look, scheme, view }: PanelPreviewProps) => {
  const frame = useRef<HTMLIFrameElement>(null);
  const connection = useRef<Connection>(undefined);
  const [isFailed, setFailed] = useState(false);
  const { agent, question, answer } = texts;
  const options = { locale, preview: { look, scheme, view, agent, question, answer } };
  const latest = useRef(options);
  latest.current = options;
  useEffect(() => {
    const aborting = new AbortController();
    const opened = createPanelConnection({
      base: location.origin,
      frameWindow: () => frame.current?.contentWindow ?? null,
      options: () => latest.current,
      onConnect: () => setFailed(false),
      onTimeout: () => setFailed(true),
      onNotice: () => undefined,
      signal: aborting.signal,
    });
    connection.current = opened;
    opened.expect();
    return () => {
      aborting.abort();
      opened.close();
    };
  }, []);
  useEffect(() => {
    if (connection.current?.isConnected()) void connection.current.call("setOptions", latest.current);
  }, [JSON.stringify(options)]);
  return (
    <>
      {isFailed && <p role="alert">{texts.previewFailed}</p>}
      <iframe
        ref={frame}
        className={styles.frame}
        title={texts.previewFrame}
        tabIndex={-1}
        src={`${VALUES.messengerPath}?${new URLSearchParams({ account })}`}
        style={{ width: look.panel_width ?? "384px", height: look.panel_height ?? "680px" }}
      />
    </>
  );
};

/** The button that the script shows in pages, with the colours of one scheme. */
const ButtonPreview = ({ look, scheme }: { readonly look: Shown; readonly scheme: Scheme }) => {
  const place = useRef<HTMLDivElement>(null);
  const button = useRef<ReturnType<typeof createChatButton>>(undefined);
  useEffect(() => {
    const created = createChatButton(undefined, { onPress: () => undefined, onApproach: () => undefined });
    created.host.inert = true;
    place.current?.append(created.host);
    button.current = created;
    return () => created.host.remove();
  }, []);
  const label = look.texts?.button_label ?? "Chat";
  const isDark = scheme === "dark" && look.dark_color !== undefined;
  const [color, textColor] = isDark ? [look.dark_color, look.dark_text_color] : [look.color, look.text_color];
  useEffect(() => {
    button.current?.show({
      ...{ isOpen: false, hasCross: false, isHidden: false, unreadCount: 0, label, texts: {} },
      isLabelShown: look.is_label_shown,
    });
    const members = {
      color,
      text_color: textColor,
      dark_color: color,
      dark_text_color: textColor,
      button: look.button,
    };
    for (const [name, value] of Object.entries(members))
      place.current?.style.setProperty(`--fc-${name}`, value ?? "initial");
  }, [JSON.stringify([look, scheme])]);
  return <div ref={place} role="img" aria-label={texts.previewButton} />;
};

interface LookPreviewProps {
  readonly account: string;
  /** The look that is entered and perhaps not saved. */
  readonly look: MessengerLook;
  /** The primary language comes first. */
  readonly locales: readonly string[];
}

/** What visitors will see: the messenger itself, with a look that is not saved. */
export const LookPreview = ({ account, look, locales }: LookPreviewProps) => {
  const [primary = "en"] = locales;
  const [scheme, setScheme] = useState<Scheme>("light");
  const [view, setView] = useState<View>("home");
  const [chosen, setLocale] = useState(primary);
  const locale = locales.includes(chosen) ? chosen : primary;
  const shown = shownLook(look, [locale], primary);
  return (
    <section className={styles.preview} aria-label={texts.preview}>
      <h3>{texts.preview}</h3>
      <p className={shared.muted}>{texts.previewHelp}</p>
      <div className={styles.row}>
        <Select label={texts.scheme} choices={SCHEMES} value={scheme} onChange={setScheme} />
        <Select label={texts.view} choices={VIEWS} value={view} onChange={setView} />
        {locales.length > 1 && (
          <Select
            label={texts.language}
            choices={locales.map((id) => ({ id, label: languageName(id) }))}
            value={locale}
            onChange={setLocale}
          />
        )}
      </div>
      <div
        className={styles.stage}
        data-scheme={scheme}
        style={{
          alignItems: shown.position === "left" ? "flex-start" : "flex-end",
          padding: `20px ${shown.side ?? "20px"} ${shown.bottom ?? "20px"}`,
        }}
      >
        <PanelPreview key={locale} account={account} locale={locale} look={shown} scheme={scheme} view={view} />
        <ButtonPreview look={shown} scheme={scheme} />
      </div>
    </section>
  );
};
