import { notice } from '../../platform/notices.ts'

/** Figures of the fleet changed; it names none. */
export const fleetCounted = notice('fleetCounted')
