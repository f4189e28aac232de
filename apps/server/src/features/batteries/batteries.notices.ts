import { notice } from '../../platform/database/notices/notices.ts'

/** Devices in which batteries came, went or changed their state, by id. */
export const batteriesMoved = notice<number>('batteriesMoved')
/** Batteries whose place or state changed, by code. */
export const batteriesChanged = notice<string>('batteriesChanged')
