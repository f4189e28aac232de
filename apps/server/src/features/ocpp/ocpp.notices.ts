import { notice } from '../../platform/database/notices/notices.ts'

/** The table of error codes has changed; no names. */
export const ocppCodesChanged = notice<string>('ocppCodesChanged')

/** The relays of these devices have changed. */
export const ocppRelaysChanged = notice<number>('ocppRelaysChanged')
