import type { AppDeclaration } from "@parley/contract";
import type { ReactNode } from "react";
import styles from "./apps.module.css";
import { declarationParts } from "./declaration-sentences.ts";
import { appsPageMessages as texts } from "./messages.ts";

/** Rights and events of an app, in plain words. */
export const DeclarationView = ({ declaration }: { readonly declaration: AppDeclaration }) => (
  // Can be longer than a dialog, which keys then scroll.
  <div role="group" tabIndex={0} aria-label={texts.about} className={styles.declaration}>
    {declarationParts(declaration).map(({ title, sentences, none }) => (
      <section key={title}>
        <h3 className={styles.partTitle}>{title}</h3>
        <ul className={styles.sentences}>
          {(sentences.length === 0 ? [none] : sentences).map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      </section>
    ))}
  </div>
);

/** The same on the page of an app, where it is shown on request. */
export const Disclosure = ({ children }: { readonly children: ReactNode }) => (
  <details className={styles.disclosure}>
    <summary>
      <h2>{texts.about}</h2>
    </summary>
    {children}
  </details>
);
