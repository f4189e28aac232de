/** A timeout for a machine that runs ten other things: tests check that something happens, not how fast. */
export const patiently = { timeout: 30_000 }
