import type { AccountDocument } from "@parley/contract";
import { Button } from "../../ui/button.tsx";
import { uiMessages } from "../../ui/messages.ts";
import { Problem } from "../../ui/problem.tsx";
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
import { Facts, Section } from "../section.tsx";
import { useEntryForm } from "../use-entry-form.ts";
import styles from "./account.module.css";
import { localesOf, primaryLanguageProblem } from "./account-values.ts";
import { AllowanceSection } from "./allowance-section.tsx";
import { accountMessages as texts } from "./messages.ts";

const BUNDLES = { STANDALONE: texts.standalone, SUITE_SUPPORT: texts.support, SUITE_SALES: texts.sales } as const;

/** Values that only the operator changes. */
const AccountFacts = ({ document }: { readonly document: AccountDocument }) => {
  const { account } = useWorkspace();
  const { name, plan_type, datacenter, bundle, organisation } = document;
  return (
    <Section isCard title={texts.facts} intro={texts.operator}>
      <Facts
        of={[
          [texts.name, name],
          [texts.domain, account.domain],
          [texts.organisationDomain, organisation?.domain ?? ""],
          [texts.plan, plan_type ?? ""],
          [texts.datacenter, datacenter ?? ""],
          [texts.bundle, BUNDLES[bundle?.type ?? "STANDALONE"]],
        ]}
      />
    </Section>
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
    <Section isCard title={texts.language}>
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
        <Problem text={form.refusal} />
        <Button type="submit" variant="primary" isDisabled={form.isSaving || values.locale === present}>
          {uiMessages.save}
        </Button>
      </form>
    </Section>
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
            <AccountFacts document={document} />
            <LanguageSection document={document} change={change} reread={reread} />
            <AllowanceSection account={document.name} />
          </>
        )}
      </LoadState>
    </div>
  );
};
