/** Of what the framework rejects with. -> 0 of any other error */
export const statusOf = (error: unknown): number => ((error ?? {}) as { readonly status?: number }).status ?? 0;
