import { notice } from '../../platform/database/notices/notices.ts'

/** The table of error codes has changed; no names. */
export const ocppCodesChanged = notice<string>('ocppCodesChanged')

/** Stations that are to get other passwords. */
export const ocppKeysAsked = notice<number>('ocppKeysAsked')

/** The relays of these devices have changed. */
export const ocppRelaysChanged = notice<number>('ocppRelaysChanged')
