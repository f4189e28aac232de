import { notice } from '../../platform/database/notices/notices.ts'

/** Devices that came online or went offline, by id. */
export const devicesOnline = notice<number>('devicesOnline')
/** Devices that have connected to another process than the one that had them, by id. */
export const devicesTaken = notice<number>('devicesTaken')
/** Devices added, changed, moved, given a new secret or deleted, by code: what is cached of them is stale. */
export const devicesChanged = notice<string>('devicesChanged')
/** Devices that reported the versions of their parts, by id. */
export const versionsReported = notice<number>('versionsReported')
/** Devices that reported parameters, by id. */
export const parametersReported = notice<number>('parametersReported')
/** Devices whose throttling by the intake began or ended, by id. */
export const devicesThrottled = notice<number>('devicesThrottled')
