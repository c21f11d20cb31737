import type { AccountDocument } from "@parley/contract";
import type { ReactNode } from "react";
import { Button } from "../../ui/button.tsx";
import field from "../../ui/field.module.css";
import { uiMessages } from "../../ui/messages.ts";
import { showToast } from "../../ui/toast-store.ts";
import { useWorkspace } from "../../workspace/workspace.ts";
import { useAccountDocument, type AccountConfigurationState } from "../account-document.ts";
import shared from "../administration.module.css";
import { languageName } from "../../i18n/format.ts";
import { languageChoices } from "../languages.ts";
import { LoadState } from "../load-state.tsx";
import { LocaleField } from "../locale-field.tsx";
import { administrationMessages } from "../messages.ts";
import { PageHeader } from "../page-header.tsx";
import { SearchSelect } from "../search-select.tsx";
import { useEntryForm } from "../use-entry-form.ts";
import styles from "./account.module.css";
import { localesOf, primaryLanguageProblem } from "./account-values.ts";
import { AllowanceSection } from "./allowance-section.tsx";
import { accountMessages as texts } from "./messages.ts";

const BUNDLES = { STANDALONE: texts.standalone, SUITE_SUPPORT: texts.support, SUITE_SALES: texts.sales } as const;

const Fact = ({ label, children }: { readonly label: string; readonly children: ReactNode }) => (
  <div>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </div>
);

/** Values that only the operator changes. */
const Facts = ({ document }: { readonly document: AccountDocument }) => {
  const { account } = useWorkspace();
  const { name, plan_type, datacenter, bundle, organisation } = document;
  return (
    <section className={styles.section} aria-labelledby="facts">
      <h2 id="facts" className={shared.heading}>
        {texts.facts}
      </h2>
      <p className={shared.muted}>{texts.operator}</p>
      <dl className={styles.facts}>
        <Fact label={texts.name}>{name}</Fact>
        <Fact label={texts.domain}>{account.domain}</Fact>
        <Fact label={texts.organisationDomain}>{organisation?.domain}</Fact>
        <Fact label={texts.plan}>{plan_type}</Fact>
        <Fact label={texts.datacenter}>{datacenter}</Fact>
        <Fact label={texts.bundle}>{BUNDLES[bundle?.type ?? "STANDALONE"]}</Fact>
      </dl>
    </section>
  );
};

interface LanguageProps extends Pick<AccountConfigurationState, "change" | "reread"> {
  readonly document: AccountDocument;
}

const LanguageSection = ({ document, change, reread }: LanguageProps) => {
  const { primary_locale: present = "en", channels = [] } = document;
  const form = useEntryForm({
    keptAt: "primary language",
    initial: { locale: present },
    isNew: false,
    present: { locale: present },
    reread: async () => ({ locale: (await reread()).primary_locale ?? "en" }),
    labelOf: () => texts.primaryLanguage,
    check: ({ locale }) => {
      const problem = primaryLanguageProblem(channels, { locale, present });
      return problem === undefined ? {} : { locale: problem };
    },
    async save({ locale }) {
      await change({ primary_locale: locale });
      showToast(texts.languageSaved(languageName(locale)));
    },
  });
  const { values, problems } = form;
  return (
    <section className={styles.section} aria-labelledby="language">
      <h2 id="language" className={shared.heading}>
        {texts.language}
      </h2>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void form.submit();
        }}
      >
        <div className={styles.language}>
          <SearchSelect
            label={texts.primaryLanguage}
            help={texts.primaryHelp}
            choices={languageChoices([present, ...localesOf(channels)])}
            value={values.locale}
            onChange={(locale) => form.change({ locale })}
            error={problems.locale}
            footer={(choose) => <LocaleField onChoose={choose} />}
          />
        </div>
        {form.refusal !== undefined && (
          <p role="alert" className={field.error}>
            {form.refusal}
          </p>
        )}
        <Button type="submit" variant="primary" isDisabled={form.isSaving || values.locale === present}>
          {uiMessages.save}
        </Button>
      </form>
    </section>
  );
};

/** The account: values that only the operator changes, its language, and its calls of the present hour. */
export const AccountPage = () => {
  const { query, change, reread } = useAccountDocument();
  return (
    <div className={shared.page}>
      <PageHeader title={administrationMessages.account} intro={administrationMessages.accountIntro} />
      <LoadState query={query}>
        {(document) => (
          <>
            <Facts document={document} />
            <LanguageSection document={document} change={change} reread={reread} />
            <AllowanceSection account={document.name} />
          </>
        )}
      </LoadState>
    </div>
  );
};
