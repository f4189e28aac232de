import { notice } from '../../platform/database/notices/notices.ts'

/** Devices whose readings somebody has asked for, by id: what they report is told of for a while. */
export const readingsWatched = notice<number>('readingsWatched')
/** Watched devices that reported their status, by id. */
export const readingsReported = notice<number>('readingsReported')
