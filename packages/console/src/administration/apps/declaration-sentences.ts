import type { AppDeclaration } from "@parley/contract";
import { declarationMessages as texts, eventTexts, permissionTexts, placeTexts } from "./declaration-messages.ts";

/** Sentences about one subject. */
interface DeclarationPart {
  readonly title: string;
  /** Each once. */
  readonly sentences: readonly string[];
  /** Said if there is no sentence. */
  readonly none: string;
}

const textIn = <T extends Readonly<Record<string, string>>>(table: T, name: string): string | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

const PARAMETER_ONLY = /^<%=\s*iparams?\.(\w+)\s*%>$/;

/** @shape host: as the app writes it; a parameter is a placeholder */
const hostSentence = (host: string): string => {
  const [, parameter] = PARAMETER_ONLY.exec(host) ?? [];
  if (parameter !== undefined) return texts.hostOfParameter(parameter);
  if (host.includes("<%")) return texts.hostWithParameter(host);
  if (host === "*") return texts.anyHost;
  return host.startsWith("*.") ? texts.hostsBelow(host.slice(2)) : texts.host(host);
};

const unique = (sentences: readonly string[]): readonly string[] => [...new Set(sentences)];

/** Rights and events of an app, a sentence for each. */
export const declarationParts = (declaration: AppDeclaration): readonly DeclarationPart[] => {
  const { permissions, undecided, endpoints, events, hosts, places } = declaration;
  return [
    {
      title: texts.account,
      sentences: unique([
        ...permissions.map((permission) => permissionTexts[permission]),
        ...undecided.map(({ place, reason }) => texts.undecided(place, reason)),
        ...endpoints.map(texts.endpoint),
      ]),
      none: texts.nothingInAccount,
    },
    {
      title: texts.receives,
      sentences: unique([
        ...events.map((event) => textIn(eventTexts, event) ?? texts.otherEvent(event)),
        ...(declaration.handlesSchedules ? [texts.schedules] : []),
        ...(declaration.handlesExternalEvents ? [texts.external] : []),
      ]),
      none: texts.nothingReceived,
    },
    { title: texts.hosts, sentences: unique(hosts.map(hostSentence)), none: texts.noHosts },
    {
      title: texts.places,
      sentences: unique(places.map((place) => textIn(placeTexts, place) ?? texts.otherPlace(place))),
      none: texts.noPlaces,
    },
  ];
};

/** Sentences of a version that another version lacks, and the reverse. */
interface DeclarationChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

const sentencesOf = (declaration: AppDeclaration): readonly string[] =>
  declarationParts(declaration).flatMap(({ sentences }) => sentences);

export const declarationChanges = (before: AppDeclaration, after: AppDeclaration): DeclarationChanges => {
  const [earlier, later] = [sentencesOf(before), sentencesOf(after)];
  return {
    added: later.filter((sentence) => !earlier.includes(sentence)),
    removed: earlier.filter((sentence) => !later.includes(sentence)),
  };
};
