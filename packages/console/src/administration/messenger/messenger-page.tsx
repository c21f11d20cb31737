import type { AccountDocument } from "@parley/contract";
import { Link } from "@tanstack/react-router";
import { showToast } from "../../ui/toast-store.ts";
import { useAccountDocument, type AccountConfigurationState } from "../account-document.ts";
import shared from "../administration.module.css";
import { CopyField } from "../copy-field.tsx";
import { LoadState } from "../load-state.tsx";
import { administrationMessages } from "../messages.ts";
import { PageHeader } from "../page-header.tsx";
import { Section } from "../section.tsx";
import { LinesSection } from "./lines-section.tsx";
import { LookSection } from "./look-section.tsx";
import { messengerMessages as texts } from "./messages.ts";
import { aliasesProblem, numberedSnippetOf, originsProblem, scriptAliases, snippetOf } from "./messenger-values.ts";
import styles from "./messenger.module.css";
import { PrivacySection } from "./privacy-section.tsx";
import { SignedIdentitiesSection } from "./signed-identities-section.tsx";

/** The line that a page contains, and what decides about what visitors see. */
const InstallSection = ({ account }: { readonly account: string }) => (
  <Section isCard title={texts.install} intro={texts.installHelp}>
    <div className={styles.copied}>
      <CopyField label={texts.snippet} value={snippetOf({ origin: location.origin, account })} lines={3} />
    </div>
    <p>
      {texts.shown} <Link to="/admin/topics">{texts.toTopics}</Link>
    </p>
    <p>
      {texts.shownHours} <Link to="/admin/business-hours">{texts.toHours}</Link>
    </p>
  </Section>
);

interface MessengerProps extends Pick<AccountConfigurationState, "change" | "reread"> {
  readonly document: AccountDocument;
}

const OriginsSection = ({ document, change, reread }: MessengerProps) => (
  <LinesSection
    title={texts.origins}
    help={texts.originsHelp}
    label={texts.originsField}
    form={texts.originsForm}
    entries={document.messenger?.origins ?? []}
    reread={async () => (await reread()).messenger?.origins ?? []}
    problemOf={originsProblem}
    save={async (origins) => {
      await change({ messenger: { origins: [...origins] } });
      showToast(origins.length === 0 ? texts.anySite : texts.originsSaved);
    }}
    keptAt="messenger origins"
  />
);

/** What pages with these aliases need besides the alias. */
const AliasAddresses = ({ aliases }: { readonly aliases: readonly string[] }) => {
  const numbered = scriptAliases(aliases);
  return (
    <div className={styles.copied}>
      {numbered.length < aliases.length && <CopyField label={texts.host} value={location.origin} />}
      {numbered.map((alias) => (
        <CopyField
          key={alias}
          label={texts.numbered(alias)}
          value={numberedSnippetOf({ origin: location.origin }, alias)}
        />
      ))}
    </div>
  );
};

const AliasesSection = ({ document, change, reread }: MessengerProps) => {
  const aliases = document.messenger?.aliases ?? [];
  return (
    <LinesSection
      title={texts.aliases}
      help={texts.aliasesHelp}
      label={texts.aliasesField}
      form={texts.aliasesForm}
      entries={aliases}
      reread={async () => (await reread()).messenger?.aliases ?? []}
      problemOf={aliasesProblem}
      save={async (entered) => {
        await change({ messenger: { aliases: [...entered] } });
        showToast(texts.aliasesSaved);
      }}
      keptAt="messenger aliases"
    >
      <AliasAddresses aliases={aliases} />
    </LinesSection>
  );
};

/** How pages of the account's sites show the messenger, and which ones can. */
export const MessengerPage = () => {
  const { query, change, reread } = useAccountDocument();
  return (
    <div className={shared.page}>
      <PageHeader title={administrationMessages.messenger} intro={administrationMessages.messengerIntro} />
      <LoadState query={query}>
        {(document) => (
          <>
            <InstallSection account={document.name} />
            <LookSection document={document} change={change} reread={reread} />
            <OriginsSection document={document} change={change} reread={reread} />
            <PrivacySection privacy={document.messenger?.privacy ?? {}} change={change} reread={reread} />
            <AliasesSection document={document} change={change} reread={reread} />
            <SignedIdentitiesSection />
          </>
        )}
      </LoadState>
    </div>
  );
};
