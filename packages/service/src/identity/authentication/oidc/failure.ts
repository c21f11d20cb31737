import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from "openid-client";
import { EgressFailure } from "@parley/egress";

/** A sign-in by an identity provider did not succeed. The message is for the log and contains no personal data and no secret. */
export class ProviderSignInFailure extends Error {
  override readonly name = "ProviderSignInFailure";
  /** Whether the provider had confirmed an identity, which no agent has. */
  readonly isConfirmed: boolean;
  constructor(reason: string, { isConfirmed = false }: { readonly isConfirmed?: boolean } = {}) {
    super(reason);
    this.isConfirmed = isConfirmed;
  }
}

/** Ends a sign-in by an identity provider. @errors ProviderSignInFailure */
export const failSignIn = (reason: string, options?: { readonly isConfirmed: boolean }): never => {
  throw new ProviderSignInFailure(reason, options);
};

/** The error codes of OAuth are such words. A provider could send anything else, which is not logged. */
const ERROR_CODE = /^[a-z0-9_]{1,64}$/;
const codeOf = (text: string): string => (ERROR_CODE.test(text) ? text : "an error without a valid code");

const causesOf = (error: unknown): Error[] =>
  error instanceof Error ? [error, ...causesOf(error.cause).slice(0, 8)] : [];

/** Failure of a request to the provider, in words that contain nothing of the response but its error code. */
export const reasonOfProviderError = (error: unknown): string => {
  if (error instanceof AuthorizationResponseError) return `the provider answered ${codeOf(error.error)}`;
  if (error instanceof ResponseBodyError) return `the provider refused the request with ${codeOf(error.error)}`;
  if (error instanceof WWWAuthenticateChallengeError) {
    const code = error.cause.map(({ parameters }) => parameters.error).find((each) => each !== undefined);
    return `the provider refused the request with ${codeOf(code ?? String(error.status))}`;
  }
  const causes = causesOf(error);
  const egressFailure = causes.find((each) => each instanceof EgressFailure);
  if (egressFailure) return `a request to the provider failed: ${egressFailure.message}`;
  if (error instanceof ClientError) {
    // The messages of the library are fixed texts; the values that it compared are in `cause.cause`.
    const texts = causes.slice(0, 2).map(({ message }) => message);
    return `the provider's response is not valid: ${[...new Set(texts)].join(": ")}`;
  }
  return "the provider's response can't be read";
};
