import { texts } from '../texts/index.ts'

/** Why nothing answered, as far as the browser knows: "check your network" is wrong advice where the server is down. */
export const unreachable = (): string => (navigator.onLine ? texts.errors.unreachable : texts.errors.offline)
