import { notice } from '../../platform/database/notices/notices.ts'

/** Figures of the fleet changed; it names none. */
export const fleetCounted = notice('fleetCounted')
